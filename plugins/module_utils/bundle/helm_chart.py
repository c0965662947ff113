# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reading a Helm chart as a bundle: who it is, and the schema of its values where it brings one.

OLM v1 means to take charts as bundles one day. Until then their configuration can be validated, not rendered.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..nested import deeper_than
from .model import HELM, Bundle
from .objects import no_constant, read_text
from .problems import DEEPEST, BadBundle
from .yaml_text import parse_document

CHART_FILE = "Chart.yaml"
SCHEMA_FILE = "values.schema.json"


def read_chart(directory: Path) -> Bundle:
    """The chart in a directory."""
    warnings: list[str] = []
    chart = parse_document(read_text(directory / CHART_FILE, CHART_FILE) or "", CHART_FILE, warnings)
    name, version = (chart.get(key) if isinstance(chart, dict) else None for key in ("name", "version"))
    if not isinstance(name, str) or not name or not isinstance(version, str) or not version:
        raise BadBundle(f"{CHART_FILE}: must be a mapping with a name and a version, both text")
    # The parts of a ClusterServiceVersion that any bundle has.
    described = {"metadata": {"name": f"{name}.v{version}"}, "spec": {"version": version}}
    return Bundle(
        package=name,
        csv=described,
        format=HELM,
        brought_schema=_schema(directory),
        warnings=tuple(warnings),
    )


def _schema(directory: Path) -> dict[str, Any] | None:
    text = read_text(directory / SCHEMA_FILE, SCHEMA_FILE)
    if text is None:
        return None
    try:
        schema = json.loads(text, parse_constant=no_constant)
    except RecursionError:
        raise BadBundle(f"{SCHEMA_FILE}: nested deeper than {DEEPEST} levels") from None
    except ValueError as error:
        raise BadBundle(f"{SCHEMA_FILE}: not valid JSON: {error}") from None
    if not isinstance(schema, dict):
        raise BadBundle(f"{SCHEMA_FILE}: must be a JSON object")
    if deeper_than(schema, DEEPEST):
        raise BadBundle(f"{SCHEMA_FILE}: nested deeper than {DEEPEST} levels")
    return schema
