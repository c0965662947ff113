# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What pods ask for, and what LimitRanges make of it. How an API server decides is asked of one in an integration test."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.preflight.limit_ranges import filled_in, limit_range_problems
from ansible_collections.fleet.olm.plugins.module_utils.preflight.pod_resources import read_pod, written


def container(cpu: str | None, limit: str | None = None, **more: Any) -> dict[str, Any]:
    resources = {"requests": {"cpu": cpu} if cpu else {}, "limits": {"cpu": limit} if limit else {}}
    return {"name": "main", "resources": resources, **more}


def pod(*containers: dict[str, Any], init: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"containers": list(containers), "initContainers": init or []}


SIDECAR = {"restartPolicy": "Always"}


@pytest.mark.parametrize(
    ("spec", "requests", "limits"),
    [
        pytest.param({}, None, None, id="nothing"),
        pytest.param(pod(container("1"), container("500m")), "1.5", None, id="together"),
        pytest.param(pod(container(None, "2")), "2", "2", id="a limit is a request"),
        pytest.param(pod(container("1", "2")), "1", "2", id="request and limit"),
        pytest.param(
            pod(container("1"), init=[container("3"), container("2")]), "3", None, id="the largest init container"
        ),
        pytest.param(pod(container("1"), init=[container("3", **SIDECAR)]), "4", None, id="a sidecar stays"),
        pytest.param(
            pod(container("1"), init=[container("2", **SIDECAR), container("3")]), "5", None, id="beside a sidecar"
        ),
        pytest.param(
            pod(container("1"), init=[container("3"), container("2", **SIDECAR)]), "3", None, id="before a sidecar"
        ),
        pytest.param(pod(container("much")), None, None, id="left to the API server"),
        pytest.param("no pod", None, None, id="a template of a record that somebody spoilt"),
    ],
)
def test_totals(spec: Any, requests: str | None, limits: str | None) -> None:
    found = read_pod(spec)
    assert found.requests == ({"cpu": Decimal(requests)} if requests else {})
    assert found.limits == ({"cpu": Decimal(limits)} if limits else {})


@pytest.mark.parametrize(
    ("spec", "best_effort"),
    [(pod(container(None)), True), (pod(container("0")), True), (pod(container("1m")), False)],
)
def test_best_effort(spec: dict[str, Any], best_effort: bool) -> None:
    assert read_pod(spec).best_effort is best_effort


@pytest.mark.parametrize(
    ("number", "resource", "expected"),
    [
        ("1.5", "requests.cpu", "1500m"),
        ("3", "pods", "3"),
        ("67108864", "limits.memory", "64Mi"),
        ("1000", "memory", "1k"),
        ("2147483648", "requests.ephemeral-storage", "2Gi"),
    ],
)
def test_amounts_as_people_write_them(number: str, resource: str, expected: str) -> None:
    assert written(Decimal(number), resource) == expected


def test_defaults_fill_what_is_open_and_the_first_one_counts() -> None:
    ranges = [
        {"spec": {"limits": [{"type": "Container", "default": {"cpu": "2"}, "defaultRequest": {"cpu": "1"}}]}},
        {"spec": {"limits": [{"type": "Container", "default": {"cpu": "9"}}, {"type": "Pod", "max": {"cpu": "3"}}]}},
    ]
    found = filled_in(read_pod(pod(container(None), container("500m"))), ranges)
    assert found.requests == {"cpu": Decimal("1.5")}
    assert found.limits == {"cpu": Decimal(4)}
    named = [{**item, "metadata": {"name": "l"}} for item in ranges]
    assert limit_range_problems(found, named) == [
        "the pod has a limit of cpu 4, and LimitRange l allows at most cpu 3",
    ]
