# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of docs/configuration.md is true."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.kubernetes.snapshot import KUBERNETES_VERSION
from ansible_collections.fleet.olm.plugins.module_utils.render.check import check

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([A-Za-z, ]+) \| `(\{.*\})` \| (.*) \|$", PAGE, re.MULTILINE)
NAMESPACE = "greeter-system"


def bundle(modes: str) -> Bundle:
    supported = [] if modes == "none" else modes.split(", ")
    csv = {
        "metadata": {"name": "greeter.v1.0.0"},
        "spec": {"installModes": [{"type": mode, "supported": True} for mode in supported]},
    }
    return Bundle(package="greeter", csv=csv)


def test_the_table_was_found() -> None:
    assert len(ROWS) == 20


@pytest.mark.parametrize(("modes", "config", "result"), ROWS)
def test_every_row_holds(modes: str, config: str, result: str) -> None:
    given = bundle(modes)
    found = check(given, json.loads(config), NAMESPACE)
    _refused, _colon, reason = result.partition("refused: ")
    if reason:
        assert any(reason in problem for problem in found.problems), found.problems
    else:
        assert found.problems == ()
        watched = Config.parse(json.loads(config), schema_of(given), NAMESPACE).watch_namespace
        assert result == f"watches {watched or 'all namespaces'}"


def test_the_page_names_the_kubernetes_version_of_the_types() -> None:
    assert f"(Kubernetes {KUBERNETES_VERSION})" in PAGE
