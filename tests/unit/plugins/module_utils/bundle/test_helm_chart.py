# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Helm charts as bundles: the schema of their values is the schema of the configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.problems import BadBundle, InvalidBundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError
from ansible_collections.fleet.olm.plugins.module_utils.render.check import check
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import render

CHART = "apiVersion: v2\nname: tea\nversion: 1.2.3\n"
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "replicas": {"type": "integer", "maximum": 10},
        "where": {"type": "string", "format": "isInstallNamespace"},
    },
}


def chart(tmp_path: Path, schema: Any = None, text: str = CHART) -> Bundle:
    (tmp_path / "chart").mkdir()
    (tmp_path / "chart" / "Chart.yaml").write_text(text)
    if schema is not None:
        content = schema if isinstance(schema, str) else json.dumps(schema)
        (tmp_path / "chart" / "values.schema.json").write_text(content)
    options = SourceOptions(cache_directory=str(tmp_path / "cache"))
    return load_bundle(str(tmp_path / "chart"), options).bundle


def test_a_chart_is_a_bundle_with_a_name_and_a_version(tmp_path: Path) -> None:
    bundle = chart(tmp_path, SCHEMA)
    assert (bundle.package, bundle.name, bundle.version, bundle.format) == ("tea", "tea.v1.2.3", "1.2.3", "helm")


@pytest.mark.parametrize(
    "draft", ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
)
def test_its_schema_decides(tmp_path: Path, draft: str) -> None:
    bundle = chart(tmp_path, {**SCHEMA, "$schema": draft})
    assert check(bundle, {"replicas": 3, "where": "tea"}, "tea").problems == ()
    assert check(bundle, {"replicas": 11, "where": "other", "milk": True}, "tea").problems == (
        "invalid bundle configuration: unknown key 'milk'",
        "invalid bundle configuration: invalid value for field 'replicas' must be less than or equal to 10 but got 11",
        "invalid bundle configuration: invalid value for field 'where' must be the install namespace 'tea' but got \"other\"",
    )


def test_a_schema_of_another_draft_is_refused_by_name(tmp_path: Path) -> None:
    bundle = chart(tmp_path, {"$schema": "http://json-schema.org/draft-04/schema#"})
    with pytest.raises(InvalidBundle, match="draft-04"):
        schema_of(bundle)


def test_a_chart_without_a_schema_does_not_support_configuration(tmp_path: Path) -> None:
    bundle = chart(tmp_path)
    assert check(bundle, {"replicas": 3}, "tea").problems == (
        "invalid bundle configuration: bundle 'tea.v1.2.3' does not support configuration",
    )
    assert check(bundle, None, "tea").problems == ()


def test_a_chart_cannot_be_rendered(tmp_path: Path) -> None:
    bundle = chart(tmp_path, SCHEMA)
    config = Config.parse({}, schema_of(bundle), "tea")
    with pytest.raises(OptionError, match=r"has the format helm; only registry\+v1 and k8s\+v1 can be rendered"):
        render(bundle, config, "tea", None)


@pytest.mark.parametrize(
    ("text", "schema", "message"),
    [
        ("- a list\n", None, "Chart.yaml: must be a mapping with a name and a version"),
        ("name: tea\nversion: 1.5\n", None, "Chart.yaml: must be a mapping with a name and a version"),
        (CHART, "{", "values.schema.json: not valid JSON"),
        (CHART, "[]", "values.schema.json: must be a JSON object"),
        (CHART, "[" * 100_000, "values.schema.json: "),
        (CHART, '{"a":' * 200 + "1" + "}" * 200, "values.schema.json: nested deeper than 128 levels"),
    ],
)
def test_charts_that_cannot_be_read(tmp_path: Path, text: str, schema: Any, message: str) -> None:
    with pytest.raises(BadBundle) as caught:
        chart(tmp_path, schema, text)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
