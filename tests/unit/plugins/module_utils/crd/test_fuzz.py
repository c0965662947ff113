# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mutated CRDs: never a crash, never a difference without a word, and never a fuss about documentation.

FLEET_OLM_FUZZ=100000 runs that many, FLEET_OLM_SEED=… repeats a run.
"""

from __future__ import annotations

import json
import os
import random
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.crd.affects import effect
from ansible_collections.fleet.olm.plugins.module_utils.crd.change import SEVERITIES, static_verdict
from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.plugins.module_utils.crd.schema_rules import SCHEMA_RULES
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import crd, version

RUNS = int(os.environ.get("FLEET_OLM_FUZZ", "1500"))
SEED = os.environ.get("FLEET_OLM_SEED") or str(random.SystemRandom().randrange(1 << 32))

KEYWORDS = sorted({keyword for rule in SCHEMA_RULES for keyword in rule.keywords} | {"x-odd"})
NAMES = ["a", "b", "spec", "status", "description", "tls.crt", "-x", "metadata"]
ODD: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    "",
    "a",
    "(",
    [],
    [1],
    [None],
    ["a"],
    {},
    {"a": {}},
    {"a": None},
    10**30,
]


@pytest.fixture
def rng(capsys: pytest.CaptureFixture[str]) -> random.Random:
    with capsys.disabled():
        print(f" [FLEET_OLM_SEED={SEED}] ", end="")
    return random.Random(SEED)  # noqa: S311


def schema(rng: random.Random, depth: int = 0) -> dict[str, Any]:
    kind = rng.choice(["object", "array", "string", "integer"] if depth < 4 else ["string", "integer"])
    made: dict[str, Any] = {"type": kind, "description": f"text {rng.random()}"}
    if kind == "object" and rng.random() < 0.7:
        made["properties"] = {name: schema(rng, depth + 1) for name in rng.sample(NAMES, rng.randint(0, 4))}
        made["required"] = rng.sample(NAMES, rng.randint(0, 2))
    elif kind == "object":
        made["additionalProperties"] = schema(rng, depth + 1)
    elif kind == "array":
        made["items"] = schema(rng, depth + 1)
    elif kind == "string":
        made.update(rng.choice([{"pattern": "^a"}, {"enum": ["a", "b"]}, {"maxLength": 5}, {"format": "date"}, {}]))
    else:
        made.update(rng.choice([{"minimum": 1}, {"maximum": 9, "exclusiveMaximum": True}, {"multipleOf": 3}, {}]))
    return made


def whole_crd(rng: random.Random) -> dict[str, Any]:
    versions = [version(name, schema(rng), storage=name == "v1") for name in ("v1", rng.choice(["v2", "v3"]))]
    return dict(copy(crd(*versions, stored=["v1"])))


def containers(value: Any) -> list[Any]:
    found, left = [], [value]
    while left:
        item = left.pop()
        if isinstance(item, (dict, list)):
            found.append(item)
            left.extend(item.values() if isinstance(item, dict) else item)
    return found


def mutate(rng: random.Random, document: dict[str, Any]) -> None:
    """One change somewhere in the spec: a value replaced, removed, added or moved."""
    place = rng.choice(containers(document["spec"]) or [document])
    value = copy(rng.choice([*ODD, schema(rng, 3)]))
    if isinstance(place, list):
        if place and rng.random() < 0.5:
            place[rng.randrange(len(place))] = value
        else:
            place.insert(rng.randint(0, len(place)), value)
    elif place and rng.random() < 0.5:
        key = rng.choice(list(place))
        if rng.random() < 0.5:
            del place[key]
        else:
            place[key] = value
    else:
        place[rng.choice([*KEYWORDS, *NAMES])] = value


def custom_resource(rng: random.Random, depth: int = 0) -> Any:
    if depth > 3 or rng.random() < 0.2:
        return rng.choice([*ODD, "2026-01-01", "abc", 3])
    if rng.random() < 0.3:
        return [custom_resource(rng, depth + 1) for _number in range(rng.randint(0, 3))]
    return {name: custom_resource(rng, depth + 1) for name in rng.sample(NAMES, rng.randint(0, 4))}


def copy(value: Any) -> Any:
    return json.loads(json.dumps(value))


def test_no_mutation_crashes_or_goes_without_a_word(rng: random.Random) -> None:
    for _run in range(RUNS):
        old = whole_crd(rng)
        new = copy(old)
        for _mutation in range(rng.randint(1, 4)):
            mutate(rng, new)
        changes = compare_crds(old, new)
        assert bool(changes) == (old != new), (old, new)
        for change in changes:
            assert change.severity in SEVERITIES
            assert change.message
            assert "\n" not in change.message
            resource = {"apiVersion": "example.com/v1", "spec": custom_resource(rng), "status": custom_resource(rng)}
            hurt = effect(change, resource, rng.choice([None, ["v1"], ["v2"]]))
            assert hurt in ("unaffected", "affected", "undecided")
            assert hurt == "unaffected" or change.severity != "harmless"


def test_nothing_changed_from_itself(rng: random.Random) -> None:
    for _run in range(RUNS // 5):
        document = whole_crd(rng)
        for _mutation in range(rng.randint(0, 4)):
            mutate(rng, document)
        assert compare_crds(document, document) == ()
        assert compare_crds(document, copy(document)) == ()


def test_other_words_in_the_documentation_are_harmless(rng: random.Random) -> None:
    for _run in range(RUNS // 5):
        old = whole_crd(rng)
        new = copy(old)
        changed = 0
        for place in containers(new["spec"]):
            if isinstance(place, dict) and isinstance(place.get("description"), str) and rng.random() < 0.5:
                place["description"] = f"other words {rng.random()}"
                changed += 1
        changes = compare_crds(old, new)
        assert {change.rule for change in changes} <= {"documentation"}
        assert len(changes) == changed
        assert static_verdict(changes).allowed
