# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Revisions as Secrets, and back."""

from __future__ import annotations

import base64
import gzip
import json
import os
import random
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.cluster.objects import Collection, ObjectKey
from ansible_collections.fleet.olm.plugins.module_utils.direct.holder import _process, claim, is_live, read_claim
from ansible_collections.fleet.olm.plugins.module_utils.direct.ownership import Extension, stamped
from ansible_collections.fleet.olm.plugins.module_utils.direct.plan import desired_objects
from ansible_collections.fleet.olm.plugins.module_utils.direct.record import (
    PART_BYTES,
    Placed,
    Record,
    from_secret,
    manifests_in,
    to_secrets,
)
from ansible_collections.fleet.olm.plugins.module_utils.direct.text import texts_of
from ansible_collections.fleet.olm.plugins.module_utils.errors import ClusterError
from ansible_collections.fleet.olm.plugins.module_utils.nested import copied
from ansible_collections.fleet.olm.plugins.module_utils.rbac.escalation import grantings_of
from ansible_collections.fleet.olm.plugins.module_utils.rbac.gate import (
    gain_sentences,
    grants_of_manifests,
    permission_gate,
)

GREETER = Extension("greeter", "greeter-system")
KEY = ObjectKey(Collection("apps", "v1", "deployments", "Deployment", "greeter-system"), "greeter")


CONFIG_MAP: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "greeter", "namespace": "greeter-system", "labels": {"a": "b"}, "annotations": {"c": "d"}},
}


def record(manifests: tuple[dict[str, Any], ...] = (CONFIG_MAP,)) -> Record:
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
        texts=texts_of(manifests),
    )


def test_what_is_written_is_read_back() -> None:
    written = record((CONFIG_MAP,))
    head, parts = to_secrets(written)
    assert parts == ()
    assert head["metadata"]["name"] == "fleet.olm.greeter.v3"
    assert head["type"] == "fleet.olm/revision.v1"
    assert from_secret(head, GREETER) == written
    assert manifests_in([head], GREETER) == (CONFIG_MAP,)


def test_a_record_over_the_limit_is_split() -> None:
    text = base64.b64encode(random.Random(1).randbytes(3 * PART_BYTES)).decode()  # noqa: S311 - text that does not compress
    manifest = {**CONFIG_MAP, "data": {"key": text}}
    written = record((manifest,))
    head, parts = to_secrets(written)
    assert len(parts) >= 3
    for secret in (head, *parts):
        assert sum(len(base64.b64decode(value)) for value in secret["data"].values()) < 1024 * 1024
    assert from_secret(head, GREETER).parts == tuple(part["metadata"]["name"] for part in parts)
    assert manifests_in([head, *parts], GREETER) == (manifest,)


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


STRANGE: tuple[Any, ...] = (
    None, True, -1, 2**70, 1.5, float("nan"), "", "x", "\ud800", [], [None], ["x"], [[]], [{}], {}, {"": None}, {"x": []}, {"name": ["x"]},
)  # fmt: skip
ROLE = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRole",
    "metadata": {"name": "r", "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}},
    "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "k"}]}]},
    "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
}
BINDING = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "ClusterRoleBinding",
    "metadata": {"name": "b"},
    "roleRef": {"kind": "ClusterRole", "name": "r"},
    "subjects": [{"kind": "ServiceAccount", "name": "greeter", "namespace": "greeter-system"}],
}
MANIFESTS = (CONFIG_MAP, ROLE, BINDING)


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every position in data, from the outside in."""
    yield above
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*above, key))


def with_at(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """Data with something else in one position."""
    if not place:
        return new
    key, *rest = place
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[key] = with_at(changed[key], tuple(rest), new)
    return changed


def packed(content: Any) -> str:
    return base64.b64encode(gzip.compress(json.dumps(content).encode())).decode()


def packed_text(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode())).decode()


def unpacked(secret: Mapping[str, Any], entry: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(secret["data"][entry])))


def with_data(secret: Mapping[str, Any], entry: str, text: str) -> dict[str, Any]:
    return {**secret, "data": {**secret["data"], entry: text}}


def use_record(secret: dict[str, Any]) -> None:
    """What runs do with a record before they change anything."""
    found = from_secret(secret, GREETER)
    to_secrets(found)
    told = [found.digest, found.started, found.finished, found.by, found.outcome, *found.parts]
    told += [
        text for item in found.objects for text in (item.key.path, item.digest, item.own_uid, item.resource_version)
    ]
    told += [value for value in found.bundle.values() if value is not None]
    assert {type(text) for text in told} == {str}
    assert {type(number) for number in (found.number, *(item.revision for item in found.objects))} == {int}
    assert {type(flag) for flag in (found.removing, *(item.retained or item.shared for item in found.objects))} == {
        bool
    }


def use_manifests(secret: dict[str, Any]) -> None:
    """What runs do with manifests before they change anything."""
    found = manifests_in([secret], GREETER)
    desired_objects(found, texts_of(found), lambda manifest: KEY if manifest.get("kind") else None)
    gain_sentences(grants_of_manifests(found))
    permission_gate(MANIFESTS, found, None, GREETER.namespace)
    grantings_of(found)
    for manifest in found:
        stamped(copied(manifest), GREETER, 4)


USES: dict[str, Callable[[dict[str, Any]], None]] = {"record": use_record, "manifests": use_manifests}
HEAD = to_secrets(record(MANIFESTS))[0]
PLACES = [(entry, place) for entry in USES for place in places(unpacked(HEAD, entry))]


@pytest.mark.parametrize(("entry", "place"), PLACES, ids=str)
def test_whatever_stands_in_a_record_it_is_used_or_refused_in_words(entry: str, place: tuple[Any, ...]) -> None:
    content = unpacked(HEAD, entry)
    for strange in STRANGE:
        with suppress(ClusterError):
            USES[entry](with_data(HEAD, entry, packed(with_at(content, place, strange))))


@pytest.mark.parametrize("place", list(places(HEAD)), ids=str)
def test_whatever_a_secret_of_the_ledger_is_it_is_used_or_refused_in_words(place: tuple[Any, ...]) -> None:
    for strange in STRANGE:
        for use in USES.values():
            with suppress(ClusterError):
                use(with_at(HEAD, place, strange))


SPOILT = {
    "bundle is text": ("record", {"bundle": "x"}, "'bundle' of the record is not a mapping of text"),
    "bundle is nothing": ("record", {"bundle": None}, "'bundle' of the record is not a mapping of text"),
    "version is a list": ("record", {"bundle": {"version": []}}, "'bundle' of the record is not a mapping of text"),
    "an object is text": ("record", {"objects": ["x"]}, "'objects' of the record is not a list of mappings"),
    "a key is short": ("record", {"objects": [{"key": ["x"]}]}, "'key' of an object is not a list of six texts"),
    "parts are numbers": ("record", {"parts": [1]}, "'parts' of the record is not a list of text"),
    "the record is a list": ("record", None, "the record is no mapping"),
    "manifests are a mapping": ("manifests", {"a": "b"}, "the manifests are no list"),
    "manifests are text": ("manifests", "x", "the manifests are no list"),
    "a manifest is text": ("manifests", ["x"], "manifest 1 is no mapping"),
    "a manifest without metadata": ("manifests", [{"kind": "x"}], "a manifest has no 'metadata'"),
    "labels are text": ("manifests", [{**CONFIG_MAP, "metadata": {"labels": "x"}}], "'labels' of the metadata of manifest 1 is not a mapping or nothing"),
    "half of a character": ("manifests", [{**CONFIG_MAP, "data": "\ud800"}], "a text in it holds half of a character"),
}  # fmt: skip


@pytest.mark.parametrize("case", SPOILT)
def test_what_is_wrong_with_a_record_is_said(case: str) -> None:
    entry, changes, message = SPOILT[case]
    head = to_secrets(record())[0]
    whole = entry == "manifests" or changes is None
    content = (changes or []) if whole else {**unpacked(head, entry), **changes}  # type: ignore[dict-item]
    with pytest.raises(ClusterError, match=re.escape(f"cannot be read ({message}")):
        USES[entry](with_data(head, entry, packed(content)))


@pytest.mark.parametrize("levels", [300, 900, 100_000])
def test_what_is_nested_without_end_is_damaged(levels: int) -> None:
    head = to_secrets(record())[0]
    deep = f"{'[' * levels}{']' * levels}"
    for entry, text in (("record", f'{{"format":1,"config":{deep}}}'), ("manifests", deep)):
        with pytest.raises(ClusterError, match=r"cannot be read \(it is nested deeper than 256 levels\)"):
            USES[entry](with_data(head, entry, packed_text(text)))


def test_a_claim_that_is_nested_without_end_is_none() -> None:
    head = to_secrets(record())[0]
    endless = "[" * 100_000
    annotated = {**head, "metadata": {**head["metadata"], "annotations": {"fleet.olm/holder": endless}}}
    assert read_claim(endless) is None
    assert from_secret(annotated, GREETER).holder is None


def test_a_later_format_is_said_before_its_shape_is_judged() -> None:
    head = to_secrets(record())[0]
    with pytest.raises(ClusterError, match="has format 2, and this is written for format 1"):
        from_secret(with_data(head, "record", packed({"format": 2, "bundle": ["new"]})), GREETER)


def test_a_state_that_is_none_is_damaged() -> None:
    head = to_secrets(record())[0]
    labels = {**head["metadata"]["labels"], "fleet.olm/state": "somehow"}
    with pytest.raises(ClusterError, match="its state is 'somehow', which is none of pending, installed"):
        from_secret({**head, "metadata": {**head["metadata"], "labels": labels}}, GREETER)


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
