# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What happens to one object, decided from what is wanted, what is there and what was allowed."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.cluster.objects import Collection, ObjectKey
from ansible_collections.fleet.olm.plugins.module_utils.direct.order import phases
from ansible_collections.fleet.olm.plugins.module_utils.direct.ownership import Extension, stamped
from ansible_collections.fleet.olm.plugins.module_utils.direct.plan import (
    Desired,
    Rules,
    Seen,
    desired_objects,
    is_as_left,
    leftovers,
    step_for,
)
from ansible_collections.fleet.olm.plugins.module_utils.direct.record import Placed
from ansible_collections.fleet.olm.plugins.module_utils.direct.text import ManifestText
from ansible_collections.fleet.olm.plugins.module_utils.errors import Cause

GREETER, OTHER = Extension("greeter", "greeter-system"), Extension("other", "other-system")
ROLES = Collection("rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole")
DEFINITIONS = Collection("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition")


def desired(collection: Collection = ROLES, name: str = "one", **content: Any) -> Desired:
    manifest = {"apiVersion": collection.api_version, "kind": collection.kind, "metadata": {"name": name}, **content}
    return Desired(ObjectKey(collection, name), manifest, ManifestText(manifest))


def live(item: Desired, extension: Extension | None, revision: int = 1, **metadata: Any) -> dict[str, Any]:
    content = stamped(item.manifest, extension, revision) if extension else item.manifest
    return {**content, "metadata": {"uid": "u", "resourceVersion": "7", **content["metadata"], **metadata}}


def seen(before: Desired, after: Desired, extension: Extension | None, **more: Any) -> Seen:
    """The API server has `before`, and would make `after` of it."""
    return Seen(live(before, extension), live(after, GREETER), **more)


OLD, NEW = desired(rules=["a"]), desired(rules=["b"])
OLD_CRD, NEW_CRD = desired(DEFINITIONS, spec={"a": 1}), desired(DEFINITIONS, spec={"a": 2})
RULES_BY_OTHERS = (Cause("FieldManagerConflict", ".rules", 'conflict with "kubectl-edit"'),)
NOBODYS = "is there already and belongs to nobody; set adopt: true to take it over"

# What is wanted, what is seen, what is allowed, what we applied before; what happens, and why not.
CASES: dict[str, tuple[Desired, Seen, Rules, list[Any] | None, str, str]] = {
    "not there": (NEW, Seen(after=live(NEW, GREETER)), Rules(), None, "create", ""),
    "not there any more": (NEW, Seen(), Rules(), [NEW.manifest], "create (it was deleted)", ""),
    "as wanted": (NEW, seen(NEW, NEW, GREETER), Rules(), None, "keep", ""),
    "changed": (NEW, seen(OLD, NEW, GREETER), Rules(), [OLD.manifest], "update rules[0]", ""),
    "refused by admission": (NEW, Seen(refused="no such luck"), Rules(), None, "keep", "is not accepted: no such luck"),
    "nobody's": (NEW, seen(NEW, NEW, None), Rules(), None, "keep", NOBODYS),
    "nobody's, adopted": (NEW, seen(NEW, NEW, None), Rules(adopt=True), None, "update metadata.labels", ""),
    "another's": (NEW, seen(NEW, NEW, OTHER), Rules(adopt=True), None, "keep", "belongs to extension other in namespace"),
    "another's who is gone": (NEW, seen(NEW, NEW, OTHER), Rules(gone=frozenset({OTHER})), None, "keep", NOBODYS),
    "a CRD of another, equal": (OLD_CRD, seen(OLD_CRD, OLD_CRD, OTHER), Rules(), None, "keep (shared with extension other", ""),
    "a CRD of another, changed": (NEW_CRD, seen(OLD_CRD, NEW_CRD, OTHER), Rules(), None, "keep", "belongs to extension"),
    "drifted": (
        NEW, seen(OLD, NEW, GREETER, conflicts=RULES_BY_OTHERS), Rules(), [NEW.manifest], "update (it drifted) rules[0] by force", ""
    ),
    "a field of others that was never ours": (
        NEW, seen(OLD, NEW, GREETER, conflicts=RULES_BY_OTHERS), Rules(), [{"kind": "ClusterRole"}], "keep", "has fields that others set"
    ),
    "the same, by force": (
        NEW,
        seen(OLD, NEW, GREETER, conflicts=RULES_BY_OTHERS),
        Rules(force_conflicts=True),
        None,
        "update (fields that others set are taken over) rules[0] by force",
        "",
    ),
    "cannot be changed": (NEW, Seen(live(OLD, GREETER), immutable="roleRef"), Rules(), None, "recreate (roleRef)", ""),
    "being deleted": (
        NEW, Seen(live(OLD, GREETER, deletionTimestamp="T", finalizers=["f"])), Rules(), None, "keep", "is being deleted since T, held by f"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_happens_to_an_object(case: str) -> None:
    wanted, found, rules, recorded, expected, problem = CASES[case]
    step, problems = step_for(wanted, found, GREETER, 2, rules, recorded)
    words = step.action + (f" ({step.why})" if step.why and step.why != "adopted" else "")
    words += f" {step.fields[0].path}" if step.fields else ""
    words += " by force" if step.force else ""
    assert words.startswith(expected)
    assert [problem in item for item in problems] == ([True] if problem else [])
    if step.action == "update":
        assert step.uid == "u"


LEFT = Placed(NEW.key, NEW.digest, 1, "u", None, "7")
STAMPED = stamped(NEW.manifest, GREETER, 1)
METADATA: dict[str, tuple[Placed, dict[str, Any] | None, bool]] = {
    "the same": (LEFT, {}, True),
    "gone": (LEFT, None, False),
    "made anew": (LEFT, {"uid": "v"}, False),
    "written to": (LEFT, {"resourceVersion": "8"}, False),
    "being deleted": (LEFT, {"deletionTimestamp": "T"}, False),
    "a label taken away": (LEFT, {"labels": {}}, False),
    "a label more": (LEFT, {"labels": {"a": "b", **STAMPED["metadata"]["labels"]}}, True),
    "an annotation changed": (LEFT, {"annotations": {"fleet.olm/revision": "9"}}, False),
    "the same generation": (
        Placed(NEW.key, NEW.digest, 1, "u", 3, "7"),
        {"generation": 3, "resourceVersion": "9"},
        True,
    ),
    "a new generation": (Placed(NEW.key, NEW.digest, 1, "u", 3, "7"), {"generation": 4}, False),
}


@pytest.mark.parametrize("case", METADATA)
def test_metadata_tells_whether_an_object_is_as_it_was_left(case: str) -> None:
    placed, changes, expected = METADATA[case]
    metadata = None if changes is None else {**live(NEW, GREETER)["metadata"], **changes}
    assert is_as_left(placed, STAMPED, metadata) is expected


def test_what_nobody_wants_any_more_goes_but_crds_stay() -> None:
    going, staying, wanted = desired(name="going"), OLD_CRD, desired(name="wanted")
    recorded = [Placed(item.key, item.digest, 1, "u") for item in (going, staying, wanted)]
    metadata = {item.key: live(item, GREETER)["metadata"] for item in (going, staying, wanted)}
    steps = leftovers([wanted], recorded, metadata, GREETER)
    assert [(step.action, step.key) for step in steps] == [("prune", going.key), ("retain", staying.key)]


@pytest.mark.parametrize(
    ("owner", "uid", "goes"),
    [(None, "u", True), (None, "another", False), (OTHER, "u", False), (GREETER, "another", True)],
)
def test_what_lost_its_mark_is_ours_if_it_is_the_very_object_that_the_ledger_knows(
    owner: Extension | None, uid: str, goes: bool
) -> None:
    going = desired(name="going")
    metadata = {going.key: live(going, owner)["metadata"]}
    steps = leftovers([], [Placed(going.key, going.digest, 1, uid)], metadata, GREETER)
    assert [step.action for step in steps] == (["prune"] if goes else [])


def test_of_two_objects_of_one_name_the_last_counts_and_a_difference_is_told() -> None:
    same, warnings = desired_objects([OLD.manifest, OLD.manifest], [OLD.text, OLD.text], lambda _manifest: OLD.key)
    assert (len(same), warnings) == (1, [])
    last, warnings = desired_objects([OLD.manifest, NEW.manifest], [OLD.text, NEW.text], lambda _manifest: OLD.key)
    assert [item.manifest for item in last] == [NEW.manifest]
    assert warnings == ["the bundle has ClusterRole one twice, and not alike; the last one is what counts"]


def test_objects_are_applied_in_order_and_roles_that_gather_after_those_they_gather() -> None:
    kinds = [
        "ValidatingWebhookConfiguration",
        "Deployment",
        "ServiceAccount",
        "ClusterRole",
        "CustomResourceDefinition",
    ]
    keys = [ObjectKey(Collection("", "v1", kind.lower(), kind), "x") for kind in kinds]
    gathering = ObjectKey(keys[3].collection, "gathering")
    ordered = [[str(key) for key in phase] for phase in phases([*keys, gathering], {gathering})]
    assert ordered == [
        ["CustomResourceDefinition x"],
        ["ServiceAccount x"],
        ["ClusterRole x"],
        ["ClusterRole gathering"],
        ["Deployment x"],
        ["ValidatingWebhookConfiguration x"],
    ]
