# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan as a diff that people read: whole objects that come, fields that change, names that go."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..manifests.yaml_writer import to_yaml
from ..nested import at, mappings
from .differences import HIDDEN, MOST_FIELDS, FieldChange
from .order import DEFINITIONS
from .plan import Plan, Step


def plan_diff(plan: Plan) -> list[dict[str, str]]:
    """In the form that Ansible shows; what stays as it is does not appear."""
    return [_diff(step) for step in plan.steps if step.action not in ("keep", "retain")]


def _diff(step: Step) -> dict[str, str]:
    header = f"{step.key}: {step.action}" + (f" ({step.why})" if step.why else "")
    before = after = ""
    if step.action == "update":
        before, after = _lines(step.fields, "before"), _lines(step.fields, "after")
    elif step.action == "prune":
        before = f"{step.key}\n"
    elif step.manifest is not None:
        before = f"{step.key}\n" if step.action == "recreate" else ""
        after = to_yaml(_shown(step.manifest))
    return {"before_header": header, "after_header": header, "before": before, "after": after}


def _lines(fields: Iterable[FieldChange], side: str) -> str:
    values = [(change.path, getattr(change, side)) for change in tuple(fields)[:MOST_FIELDS]]
    return "".join(f"{path}: {_text(value)}\n" for path, value in values if value is not None)


def _text(value: Any) -> str:
    return to_yaml({"value": value}).removeprefix("value:").strip() if isinstance(value, (dict, list)) else str(value)


def _shown(manifest: dict[str, Any]) -> dict[str, Any]:
    """Without what must not be seen, and without what nobody reads in a diff."""
    if manifest["kind"] == "Secret":
        return {
            key: dict.fromkeys(value, HIDDEN) if key in ("data", "stringData") and isinstance(value, dict) else value
            for key, value in manifest.items()
        }
    if manifest["kind"] == DEFINITIONS:
        versions = [
            {key: "(left out)" if key == "schema" else value for key, value in version.items()}
            for version in mappings(at(manifest, "spec", "versions"))
        ]
        return {**manifest, "spec": {**manifest["spec"], "versions": versions}}
    return manifest
