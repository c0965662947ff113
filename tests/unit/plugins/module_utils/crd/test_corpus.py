# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes of published CRDs, beside what OLM v1 says to them, where the corpus is present."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.affects import effect
from ansible_collections.fleet.olm.plugins.module_utils.crd.change import Change, static_verdict
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.plugins.module_utils.crd.definition_rules import (
    DEFINITION_RULES,
    LAST_RULE,
    VERSION_RULES,
)
from ansible_collections.fleet.olm.plugins.module_utils.crd.olm_refusals import refused_by_olm
from ansible_collections.fleet.olm.plugins.module_utils.crd.schema_rules import SCHEMA_RULES

CHECKOUT = Path(__file__).resolve().parents[5]
CORPUS = CHECKOUT.parent / "shared" / "corpus" / "crd-changes" / "changes.jsonl.gz"

# What OLM v1 refuses although it takes nothing away from anybody: whatever was accepted still is.
HARMLESS_AFTER_ALL = {
    ("pattern", "removed"): "a text need not match any longer",
    ("nullable", "added"): "null is accepted beside what was accepted",
    ("enum", "removed"): "any value is accepted where some were",
    ("type", "removed"): "integers are accepted beside strings",
    ("maxLength", "across versions"): "only a version that is new differs, and nothing is stored in it",
}


def _changes() -> list[dict[str, Any]]:
    if not CORPUS.is_file():
        return []
    with gzip.open(CORPUS, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


CHANGES = _changes()
pytestmark = pytest.mark.skipif(not CHANGES, reason=f"no corpus of published CRD changes at {CORPUS}")


def _verdict_of_olm(line: dict[str, Any]) -> str:
    if line["olmv1"] == "allows":
        return "allows"
    return "refuses" if any(not kind.startswith("u:") for kind in line["kinds"]) else "cannot classify"


def _why_harmless(line: dict[str, Any], changes: tuple[Change, ...]) -> str | None:
    """The line of HARMLESS_AFTER_ALL that applies."""
    rules = {change.rule for change in changes}
    messages = " ".join(change.message for change in changes)
    applies = {
        ("pattern", "removed"): "pattern" in rules and "was removed" in messages,
        ("nullable", "added"): "null is accepted now" in messages,
        ("enum", "removed"): "enum_values" in rules and "was removed" in messages,
        ("type", "removed"): "int_or_string" in rules,
        ("maxLength", "across versions"): "new_version_differs" in rules and "->" in line["olmv1"],
    }
    for key, reason in HARMLESS_AFTER_ALL.items():
        if key[0] in line["kinds"] and applies[key]:
            return reason
    return None


def test_every_change_is_found_and_named_by_a_rule() -> None:
    names = {rule.name for table in (SCHEMA_RULES, VERSION_RULES, DEFINITION_RULES, (LAST_RULE,)) for rule in table}
    for line in CHANGES:
        changes = compare_crds(line["old"], line["new"])
        assert changes, line["crd"]
        assert {change.rule for change in changes} <= names
        assert all(change.message and change.crd == line["crd"] for change in changes)


def test_every_change_goes_the_other_way_too() -> None:
    for line in CHANGES:
        assert compare_crds(line["new"], line["old"]), line["crd"]


def test_a_crd_has_not_changed_from_itself() -> None:
    for line in CHANGES:
        assert compare_crds(line["old"], json.loads(json.dumps(line["old"]))) == ()


def test_nobody_is_hurt_where_nobody_uses_anything() -> None:
    """An object with no field set: what can hurt it is about the whole CRD, or asks for a field at its root."""
    for line in CHANGES:
        for change in compare_crds(line["old"], line["new"]):
            bare = {"apiVersion": f"{line['old']['spec']['group']}/{change.version}", "kind": "X", "metadata": {}}
            if effect(change, bare) != "unaffected":
                assert change.refused or not change.steps, change


def test_it_agrees_with_olm_v1_but_where_it_can_say_why(capsys: pytest.CaptureFixture[str]) -> None:
    table: Counter[tuple[str, str]] = Counter()
    exceptions = []
    for line in CHANGES:
        changes = compare_crds(line["old"], line["new"])
        verdict, olm = static_verdict(changes), _verdict_of_olm(line)
        table[olm, verdict.severity] += 1
        if olm == "allows":
            assert verdict.severity != "losing", (line["crd"], verdict.because)
        if olm == "refuses" and verdict.allowed:
            reason = _why_harmless(line, changes)
            assert reason, (line["crd"], line["olmv1"])
            exceptions.append(f"{line['crd']}: {reason}")
    with capsys.disabled():
        print(f"\n{len(CHANGES)} published CRD changes")
        print(f"{'OLM v1':16}{'harmless':>10}{'tightening':>12}{'losing':>8}")
        for olm in ("allows", "cannot classify", "refuses"):
            print(f"{olm:16}{table[olm, 'harmless']:10}{table[olm, 'tightening']:12}{table[olm, 'losing']:8}")
        print("\n".join(f"harmless though refused: {line}" for line in exceptions))


def test_what_olm_v1_says_is_known_beforehand() -> None:
    for line in CHANGES:
        changes = compare_crds(line["old"], line["new"])
        refused = bool(static_verdict(changes).because or refused_by_olm(changes))
        assert refused == (line["olmv1"] != "allows"), line["crd"]
