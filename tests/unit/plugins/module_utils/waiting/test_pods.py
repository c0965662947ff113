# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a pod's status says about why it is not ready."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.plugins.module_utils.waiting.pods import innermost, trouble_of

PULL = (
    'Back-off pulling image "registry.example.com/greeter:1.1.0": ErrImagePull: failed to pull and unpack image '
    '"registry.example.com/greeter:1.1.0": failed to resolve reference "registry.example.com/greeter:1.1.0": unexpected '
    "status from HEAD request to https://registry.example.com/v2/greeter/manifests/1.1.0: 401 Unauthorized"
)


def pod(status: str, **metadata: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "greeter-1", **metadata},
        "spec": {"nodeName": "node-1", "containers": [{"name": "main", "image": "registry.example.com/greeter:1.1.0"}]},
        "status": yaml.safe_load(status),
    }


def container(state: str, **more: Any) -> str:
    return yaml.safe_dump({"containerStatuses": [{"name": "main", "state": yaml.safe_load(state), **more}]})


@pytest.mark.parametrize(
    ("status", "text", "vague"),
    [
        pytest.param(
            container(f"waiting: {{reason: ImagePullBackOff, message: '{PULL}'}}"),
            "is waiting: ImagePullBackOff registry.example.com/greeter:1.1.0 (401 Unauthorized)",
            False,
            id="image that may not be pulled",
        ),
        pytest.param(
            container(
                'waiting: {reason: ImagePullBackOff, message: Back-off pulling image "registry.example.com/a:1"}'
            ),
            "is waiting: ImagePullBackOff registry.example.com/greeter:1.1.0",
            True,
            id="image, without a reason",
        ),
        pytest.param(
            container('waiting: {reason: CreateContainerConfigError, message: secret "key" not found}'),
            'is waiting: CreateContainerConfigError registry.example.com/greeter:1.1.0 (secret "key" not found)',
            False,
            id="Secret that is not there",
        ),
        pytest.param(
            container(
                "waiting: {reason: CrashLoopBackOff, message: back-off 5m0s restarting failed container}",
                lastState={"terminated": {"exitCode": 1, "reason": "Error", "message": "starting\nno configuration\n"}},
            ),
            "is waiting: CrashLoopBackOff registry.example.com/greeter:1.1.0 (exit code 1: no configuration)",
            False,
            id="crashes with a last word",
        ),
        pytest.param(
            container(
                "waiting: {reason: CrashLoopBackOff}",
                lastState={"terminated": {"exitCode": 137, "reason": "OOMKilled"}},
            ),
            "is waiting: CrashLoopBackOff registry.example.com/greeter:1.1.0 (exit code 137, OOMKilled)",
            False,
            id="crashes for want of memory",
        ),
        pytest.param(
            container("terminated: {exitCode: 2, reason: Error}"),
            "has container main ended: registry.example.com/greeter:1.1.0 (exit code 2)",
            False,
            id="ended just now",
        ),
        pytest.param(
            container("waiting: {reason: ContainerCreating}"), "is waiting: ContainerCreating", True, id="being made"
        ),
        pytest.param(
            container("running: {}", ready=False), "runs, but its container main is not ready", True, id="probe fails"
        ),
        pytest.param(
            "{initContainerStatuses: [{name: first, image: a, state: {waiting: {reason: CrashLoopBackOff}},"
            " lastState: {terminated: {exitCode: 3}}}],"
            " containerStatuses: [{name: main, state: {waiting: {reason: PodInitializing}}}]}",
            "is waiting: CrashLoopBackOff a (exit code 3)",
            False,
            id="init container crashes",
        ),
        pytest.param(
            "{phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable,"
            " message: '0/3 nodes are available: 3 Insufficient cpu.'}]}",
            "is not scheduled: 0/3 nodes are available: 3 Insufficient cpu",
            False,
            id="no node",
        ),
        pytest.param(
            "{phase: Failed, reason: Evicted, message: The node was low on memory}",
            "has failed: Evicted (The node was low on memory)",
            False,
            id="evicted",
        ),
        pytest.param("{phase: Pending}", "is not started by its node node-1", True, id="silent node"),
        pytest.param(
            "{phase: Running, containerStatuses: [{name: main, ready: true, state: {running: {}}}],"
            " conditions: [{type: Ready, status: 'False', reason: ReadinessGatesNotReady}]}",
            "is not ready: ReadinessGatesNotReady",
            True,
            id="readiness gate",
        ),
    ],
)
def test_trouble(status: str, text: str, vague: bool) -> None:
    trouble = trouble_of(pod(status))
    assert trouble is not None
    assert (trouble.text, trouble.vague) == (text, vague)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(
            pod("{phase: Running, containerStatuses: [{name: main, ready: true, state: {running: {}}}]}"), id="ready"
        ),
        pytest.param(pod("{phase: Failed}", deletionTimestamp="2026-01-02T03:04:05Z"), id="on its way out"),
    ],
)
def test_no_trouble(content: dict[str, Any]) -> None:
    assert trouble_of(content) is None


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("dial tcp: lookup registry.example.com on 10.96.0.10:53: no such host", "no such host"),
        (
            'Container image "a:1" is not present with pull policy of Never',
            'Container image "a:1" is not present with pull policy of Never',
        ),
        ('Back-off pulling image "a:1"', ""),
        ("", ""),
        ("x" * 300, "x" * 199 + "…"),
    ],
)
def test_the_innermost_reason(message: str, reason: str) -> None:
    assert innermost(message) == reason
