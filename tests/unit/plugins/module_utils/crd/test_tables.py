# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Every rule is in a table, has a file and a test file of its name, and no two share a name or a keyword by accident."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.fleet.olm.plugins.module_utils.crd.definition_rules import (
    DEFINITION_RULES,
    LAST_RULE,
    VERSION_RULES,
)
from ansible_collections.fleet.olm.plugins.module_utils.crd.schema_rules import SCHEMA_RULES

HERE = Path(__file__).resolve().parent
RULES = HERE.parents[4] / "plugins" / "module_utils" / "crd" / "rules"
NAMES = [rule.name for table in (SCHEMA_RULES, VERSION_RULES, DEFINITION_RULES, (LAST_RULE,)) for rule in table]


def test_every_rule_has_a_name_of_its_own() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert "unknown" not in NAMES


def test_every_rule_has_a_file_and_every_file_is_in_a_table() -> None:
    assert {path.stem for path in RULES.glob("*.py")} - {"__init__"} == set(NAMES)


def test_every_rule_has_a_test_file() -> None:
    assert set(NAMES) <= {path.stem.removeprefix("test_") for path in HERE.glob("test_*.py")}


def test_a_keyword_has_one_rule_but_for_fields_that_come_and_go() -> None:
    keywords = [keyword for rule in SCHEMA_RULES for keyword in rule.keywords]
    assert {keyword for keyword in keywords if keywords.count(keyword) > 1} == {"properties"}
