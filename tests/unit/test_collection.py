# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The collection as a whole: its parts agree with each other."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.plugins.doc_fragments.cluster import ModuleDocFragment
from ansible_collections.fleet.olm.plugins.module_utils.connection_options import CONNECTION_OPTIONS

ROOT = Path(__file__).resolve().parents[2]
# The only files below module_utils that may know of Ansible.
ANSIBLE_SIDE = {"entry.py", "connection_options.py"}


def stems(folder: str) -> set[str]:
    return {path.stem for path in (ROOT / "plugins" / folder).glob("*.py") if path.stem != "__init__"}


def imports(path: Path) -> set[str]:
    """The top-level packages that a file imports anywhere."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_the_core_knows_nothing_of_ansible() -> None:
    core = ROOT / "plugins" / "module_utils"
    knowing = {
        str(path.relative_to(core)) for path in core.rglob("*.py") if imports(path) & {"ansible", "ansible_collections"}
    }
    assert knowing == ANSIBLE_SIDE


def test_every_module_has_a_twin_that_runs_in_process() -> None:
    assert stems("action") == stems("modules")


@pytest.mark.parametrize("fragment", ["cluster", "registry"])
def test_an_action_group_holds_the_modules_that_share_its_options(fragment: str) -> None:
    group = yaml.safe_load((ROOT / "meta" / "runtime.yml").read_text())["action_groups"][fragment]
    modules = (ROOT / "plugins" / "modules").glob("*.py")
    assert sorted(group) == sorted(path.stem for path in modules if f"- fleet.olm.{fragment}\n" in path.read_text())


def test_the_doc_fragment_describes_the_connection_options() -> None:
    options = yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"]

    def described(option: dict[str, Any]) -> dict[str, Any]:
        kept = {"type", "aliases", "elements"}
        return {key: value for key, value in option.items() if key in kept}

    assert {name: described(option) for name, option in options.items()} == {
        name: described(option) for name, option in CONNECTION_OPTIONS.items()
    }


def test_the_documented_environment_variables_are_those_that_are_read() -> None:
    options = yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["options"]
    inner = options["proxy_headers"]["suboptions"]
    for documented, declared in (
        (options, CONNECTION_OPTIONS),
        (inner, CONNECTION_OPTIONS["proxy_headers"]["options"]),
    ):
        for name, spec in declared.items():
            if "fallback" in spec:
                text = " ".join(documented[name]["description"])
                assert [word for word in spec["fallback"][1] if f"E({word})" not in text] == []


@pytest.mark.parametrize("other", ["meta/ee-requirements.txt"])
def test_requirements_are_the_same_everywhere(other: str) -> None:
    assert (ROOT / other).read_text() == (ROOT / "requirements.txt").read_text()
    documented = yaml.safe_load(ModuleDocFragment.DOCUMENTATION)["requirements"]
    assert [line.replace(" ", "") for line in documented] == [
        line for line in (ROOT / "requirements.txt").read_text().splitlines() if line.startswith("kubernetes")
    ]
