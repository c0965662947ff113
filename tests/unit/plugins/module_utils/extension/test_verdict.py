# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the conditions of an object mean: done, worth waiting for, stuck, or refused."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.extension.conditions import conditions_told, deprecations
from ansible_collections.fleet.olm.plugins.module_utils.extension.verdict import (
    catalog_verdict,
    extension_verdict,
)

DONE = (
    ("Progressing", "True", "Succeeded", "Desired state reached"),
    ("Installed", "True", "Succeeded", "Installed bundle x"),
)


def extension(
    *conditions: tuple[Any, ...], generation: int = 2, seen: int = 2, wanted: str = "", version: str = "1.1.0"
) -> dict[str, Any]:
    catalog = {"packageName": "greeter", **({"version": wanted} if wanted else {})}
    return {
        "metadata": {"name": "greeter", "generation": generation},
        "spec": {"source": {"catalog": catalog}},
        "status": {
            "conditions": [
                {"type": kind, "status": status, "reason": reason, "message": message, "observedGeneration": seen}
                for kind, status, reason, message in conditions
            ],
            "install": {"bundle": {"name": f"greeter.v{version}", "version": version}},
        },
    }


def retrying(message: str) -> dict[str, Any]:
    return extension(
        ("Progressing", "True", "Retrying", message), ("Installed", "False", "Failed", "No bundle installed")
    )


@pytest.mark.parametrize(
    ("content", "state", "said"),
    [
        (extension(*DONE), "done", "Installed is True (Succeeded): Installed bundle x"),
        (extension(), "waiting", "operator-controller has not said anything about generation 2"),
        (extension(*DONE, seen=1), "waiting", "operator-controller has not said anything about generation 2"),
        (extension(*DONE, wanted="1.x"), "done", "Installed is True"),
        (extension(*DONE, wanted=">=2"), "waiting", "version 1.1.0 is installed, which is not in the range >=2"),
        (
            extension(DONE[0], ("Installed", "False", "Failed", "not yet")),
            "waiting",
            "Installed is False (Failed): not yet",
        ),
        (
            extension(("Progressing", "True", "RollingOut", "2 of 3")),
            "waiting",
            "Progressing is True (RollingOut): 2 of 3",
        ),
        (
            extension(("Progressing", "False", "Blocked", "stopped")),
            "failed",
            "Progressing is False (Blocked): stopped",
        ),
        (extension(("Progressing", "False", "ProgressDeadlineExceeded", "late")), "failed", "ProgressDeadlineExceeded"),
        (retrying("connection refused"), "waiting", "Progressing is True (Retrying): connection refused"),
        (retrying('no bundles found for package "greeter" in channels [a b]'), "stuck", "cluster_catalog_info"),
        (
            retrying(
                'error upgrading from currently installed version "1.0.0": no bundles found for package "greeter"'
            ),
            "stuck",
            "SelfCertified",
        ),
        (
            retrying('found bundles for package "greeter" in multiple catalogs with the same priority [a b]'),
            "stuck",
            "give one of the catalogs a higher priority",
        ),
        (retrying('4 errors occurred:\n\t* namespaces "x" not found\n'), "stuck", "create namespace x"),
        (retrying('serviceaccounts "installer" not found'), "stuck", "create the ServiceAccount installer"),
        (retrying("cannot proceed due to missing ServiceAccount"), "stuck", "create the ServiceAccount in the install"),
        (
            retrying('resource mapping not found: no matches for kind "Issuer" in version "cert-manager.io/v1"'),
            "stuck",
            "the cluster does not serve Issuer of cert-manager.io/v1",
        ),
        (retrying("unsupported bundle: apiServiceDefinitions are not supported"), "stuck", "choose another version"),
        (
            retrying('bundle "x" has a dependency declared via property "olm.gvk.required" which is not supported'),
            "stuck",
            "OLM v1 resolves no dependencies",
        ),
        (
            retrying(
                'cannot patch "x": Deployment.apps "x" is invalid: spec.selector: Invalid value: field is immutable'
            ),
            "stuck",
            "Deployment.apps x cannot be changed to what the new version wants",
        ),
        (
            retrying(
                'failed to get release state using server-side dry-run: Unable to continue with update: Deployment "x" in namespace "y" '
                "exists and cannot be imported into the current release: invalid ownership metadata"
            ),
            "stuck",
            'Deployment "x" belongs to somebody else',
        ),
        (
            retrying(
                "pre-authorization failed: [service account lacks permission to manage cluster extension:\n  Namespace:x]"
            ),
            "stuck",
            "grant it the rules",
        ),
        (
            retrying('clusterroles "x" is forbidden: user "system:serviceaccount:a:b" (groups=["c"]) is attempting to'),
            "stuck",
            "grant it the rules",
        ),
        (
            retrying(
                'error for resolved bundle "x" with version "1": invalid ClusterExtension configuration: invalid configuration: required field '
                '"watchNamespace" is missing'
            ),
            "stuck",
            "say in config which one to watch",
        ),
        (
            retrying("invalid ClusterExtension configuration: invalid configuration: 'a' is not valid"),
            "stuck",
            "the bundle does not accept config",
        ),
        (
            retrying('desired version range ">1 <" is invalid: improper constraint'),
            "stuck",
            "correct it in the task",
        ),
        (retrying("revision object collisions in phase 2"), "stuck", "take over nothing that is there already"),
        (
            retrying("reading manifest 1 in r/b: manifest unknown"),
            "stuck",
            "the registry does not have the bundle's image",
        ),
        (retrying("pulling: unauthorized: go away"), "stuck", "operator-controller has no credentials"),
        (
            retrying("reading manifest 1 in r/b: denied: requested access to the resource is denied"),
            "stuck",
            "operator-controller has no credentials",
        ),
        (retrying("pulling: x509: certificate signed by unknown authority"), "stuck", "does not trust the certificate"),
        (
            extension(
                ("Progressing", "True", "Retrying", "retrying to get installed bundle"),
                (
                    "Installed",
                    "Unknown",
                    "Failed",
                    'secrets is forbidden: User "system:serviceaccount:a:b" cannot list',
                ),
            ),
            "stuck",
            'retrying to get installed bundle: secrets is forbidden: User "system:serviceaccount:a:b" cannot list; the ServiceAccount',
        ),
        (retrying('admission webhook "x" denied the request'), "waiting", "denied the request"),
        (extension(("Progressing", "False", "Succeeded", "done"), DONE[1]), "done", "Installed is True"),
        (
            {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}},
            "failed",
            "it is being deleted since 2026-01-01T00:00:00Z",
        ),
    ],
)
def test_an_extension(content: dict[str, Any], state: str, said: str) -> None:
    verdict = extension_verdict(content)
    assert (verdict.state, said in str(verdict)) == (state, True), str(verdict)
    assert "\n" not in str(verdict)


ROLLING, LATE = ("Progressing", "True", "RollingOut"), ("Progressing", "False", "ProgressDeadlineExceeded")
EXCEEDED = (("Progressing", "False", "ProgressDeadlineExceeded", "late"),)
REFUSED = (("Progressing", "False", "InvalidConfiguration", "x"),)
NOTHING_YET = (DONE[0], ("Installed", "False", "Absent", "No bundle installed"))


@pytest.mark.parametrize(
    ("conditions", "revisions", "state"),
    [
        (DONE, [[]], "done"),
        (DONE, [[("Ready", "True", "Ready")]], "done"),
        (DONE, [[], [ROLLING]], "waiting"),
        (DONE, [[("Ready", "True", "Ready")], []], "waiting"),
        (DONE, [[], []], "waiting"),
        (DONE, [[], [LATE], []], "waiting"),
        (DONE, [[], [("Ready", "False", "Incomplete")]], "waiting"),
        (DONE, [[], [("Ready", "False", "ProgressDeadlineExceeded")]], "failed"),
        (DONE, [[], [LATE]], "failed"),
        (NOTHING_YET, [[]], "waiting"),
        (EXCEEDED, [[ROLLING]], "waiting"),
        (EXCEEDED, [[("Ready", "False", "ProgressDeadlineExceeded")]], "failed"),
        (REFUSED, [[ROLLING]], "failed"),
    ],
)
def test_an_extension_with_revisions(conditions: Any, revisions: list[list[Any]], state: str) -> None:
    content = extension(*conditions)
    content["status"]["activeRevisions"] = [
        {
            "name": f"greeter-{number}",
            "conditions": [{"type": kind, "status": status, "reason": reason} for kind, status, reason in told],
        }
        for number, told in enumerate(revisions, 1)
    ]
    assert extension_verdict(content).state == state


SERVING = (("Progressing", "True", "Succeeded", ""), ("Serving", "True", "Available", "Serving"))


def catalog(
    *conditions: tuple[Any, ...], ref: str = "r/c:1", resolved: str = "r/c@sha256:1", mode: str = "Available"
) -> dict[str, Any]:
    content = extension(*conditions)
    content["spec"] = {"source": {"image": {"ref": ref}}, "availabilityMode": mode}
    content["status"]["resolvedSource"] = {"image": {"ref": resolved}}
    return content


@pytest.mark.parametrize(
    ("content", "state", "said"),
    [
        (catalog(*SERVING), "done", "Serving is True (Available)"),
        (catalog(*SERVING, ref="r/c@sha256:1"), "done", "Serving is True (Available)"),
        (catalog(*SERVING, ref="r/c@sha256:2"), "waiting", "r/c@sha256:1 is served, and not r/c@sha256:2"),
        (catalog(SERVING[0]), "waiting", "catalogd has not said anything"),
        (catalog(), "waiting", "catalogd has not said anything about generation 2"),
        (
            catalog(("Serving", "False", "UserSpecifiedUnavailable", "off"), mode="Unavailable"),
            "done",
            "Serving is False",
        ),
        (catalog(*SERVING, mode="Unavailable"), "waiting", "catalogd has not said anything"),
        (
            catalog(("Progressing", "True", "Retrying", "reading manifest 1: manifest unknown")),
            "stuck",
            "there is no such image",
        ),
        (catalog(("Progressing", "True", "Retrying", "unauthorized: go away")), "stuck", "pull secret"),
        (catalog(("Progressing", "True", "Retrying", "EOF")), "waiting", "Progressing is True (Retrying): EOF"),
        (
            catalog(("Progressing", "False", "Blocked", "bad reference")),
            "failed",
            "Progressing is False (Blocked): bad reference",
        ),
    ],
)
def test_a_catalog(content: dict[str, Any], state: str, said: str) -> None:
    verdict = catalog_verdict(content)
    assert (verdict.state, said in str(verdict)) == (state, True), str(verdict)


def test_deprecations_are_told_once_each() -> None:
    content = extension(
        ("Deprecated", "True", "Deprecated", "old"),
        ("PackageDeprecated", "False", "NotDeprecated", "package not deprecated"),
        ("ChannelDeprecated", "True", "Deprecated", "use\nstable"),
        ("BundleDeprecated", "True", "Deprecated", "old"),
    )
    assert deprecations(content) == ("the channel is deprecated: use stable", "the bundle is deprecated: old")


def test_conditions_say_whether_they_are_about_the_spec_as_it_is() -> None:
    told = conditions_told(extension(DONE[0], seen=1))
    assert told == [
        {
            "type": "Progressing",
            "status": "True",
            "reason": "Succeeded",
            "message": "Desired state reached",
            "current": False,
        }
    ]
