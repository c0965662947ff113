# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Revisions as Secrets, and back."""

from __future__ import annotations

import base64
import os
import random
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.cluster.objects import Collection, ObjectKey
from ansible_collections.fleet.olm.plugins.module_utils.direct.holder import _process, claim, is_live
from ansible_collections.fleet.olm.plugins.module_utils.direct.ownership import Extension
from ansible_collections.fleet.olm.plugins.module_utils.direct.record import (
    PART_BYTES,
    Placed,
    Record,
    from_secret,
    manifests_in,
    to_secrets,
)
from ansible_collections.fleet.olm.plugins.module_utils.errors import ClusterError

GREETER = Extension("greeter", "greeter-system")
KEY = ObjectKey(Collection("apps", "v1", "deployments", "Deployment", "greeter-system"), "greeter")


def record(manifests: tuple[dict[str, Any], ...] = ({"kind": "ConfigMap"},)) -> Record:
    return Record(
        extension=GREETER,
        number=3,
        state="pending",
        bundle={"name": "greeter.v1.0.0", "version": "1.0.0"},
        config={"watchNamespace": "team-a"},
        certificate_provider="none",
        digest="sha256:1",
        objects=(Placed(KEY, "d", 2, "uid", 4, "17"), Placed(KEY, "e", 3, retained=True)),
        started="2026-01-01T00:00:00Z",
        by="me@here",
        manifests=manifests,
    )


def test_what_is_written_is_read_back() -> None:
    written = record()
    head, parts = to_secrets(written)
    assert parts == ()
    assert head["metadata"]["name"] == "fleet.olm.greeter.v3"
    assert head["type"] == "fleet.olm/revision.v1"
    assert from_secret(head, GREETER) == written
    assert manifests_in([head], GREETER) == written.manifests


def test_a_record_over_the_limit_is_split() -> None:
    text = base64.b64encode(random.Random(1).randbytes(3 * PART_BYTES)).decode()  # noqa: S311 - text that does not compress
    written = record(({"kind": "ConfigMap", "data": {"key": text}},))
    head, parts = to_secrets(written)
    assert len(parts) >= 3
    for secret in (head, *parts):
        assert sum(len(base64.b64decode(value)) for value in secret["data"].values()) < 1024 * 1024
    assert from_secret(head, GREETER).parts == tuple(part["metadata"]["name"] for part in parts)
    assert manifests_in([head, *parts], GREETER) == written.manifests


def test_a_name_says_what_a_part_holds() -> None:
    texts = [base64.b64encode(random.Random(seed).randbytes(PART_BYTES)).decode() for seed in (1, 1, 2)]  # noqa: S311 - as above
    first, same, other = (to_secrets(record(({"data": text},)))[1][0]["metadata"]["name"] for text in texts)
    assert first == same != other


BAD: dict[str, dict[str, Any]] = {
    "no data": {"data": None},
    "no base64": {"data": {"record": "%%%"}},
    "not packed": {"data": {"record": base64.b64encode(b"{}").decode()}},
    "cut off": {
        "data": {"record": base64.b64encode(base64.b64decode(to_secrets(record())[0]["data"]["record"])[:40]).decode()}
    },
    "no labels": {"metadata": {"name": "fleet.olm.greeter.v3"}},
}


@pytest.mark.parametrize("case", BAD)
def test_a_damaged_record_is_named(case: str) -> None:
    head = {**to_secrets(record())[0], **BAD[case]}
    head["metadata"] = {"name": "fleet.olm.greeter.v3", **head.get("metadata", {})}
    with pytest.raises(ClusterError, match=r"the record Secret greeter-system/fleet\.olm\.greeter\.v3 cannot be read"):
        from_secret(head, GREETER)


HOLDERS: dict[str, tuple[dict[str, Any] | None, bool]] = {
    "nobody": (None, False),
    # A retry of a task is the same process; what it did before is over.
    "we ourselves": ({}, False),
    "another process of this machine": ({"process": _process(os.getppid())}, True),
    "silent for too long": ({"renewed": "2020-01-01T00:00:00Z"}, False),
    "silent for too long, on another machine": ({"machine": "other", "renewed": "2020-01-01T00:00:00Z"}, False),
    "on another machine": ({"machine": "other", "process": "1:1"}, True),
    "a process of this machine that ended": ({"process": "999999999:1"}, False),
    "a process that took over the number": ({"process": "1:999999999999"}, False),
    "no time": ({"renewed": "yesterday"}, False),
}


@pytest.mark.parametrize("case", HOLDERS)
def test_a_holder_is_live_until_known_to_be_gone_or_silent(case: str) -> None:
    changes, expected = HOLDERS[case]
    assert is_live(None if changes is None else {**claim(), **changes}) is expected
