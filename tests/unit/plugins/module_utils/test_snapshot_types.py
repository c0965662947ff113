# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The script that freezes the Kubernetes types turns OpenAPI into our notation."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).resolve().parents[4] / "dev" / "snapshot_types.py"
REFERENCE = "#/components/schemas/"

pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="the scripts of developers are not part of the collection")


def load() -> Any:
    spec = importlib.util.spec_from_file_location("snapshot_types", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answers(script: Any) -> dict[str, Any]:
    spec, pod = script.ROOTS[0], "io.k8s.api.core.v1.Probe"
    empty = {"type": "object"}
    schemas = dict.fromkeys(script.ROOTS, empty) | {
        spec: {
            "type": "object",
            "required": ["probe"],
            "properties": {
                "probe": {"allOf": [{"$ref": REFERENCE + pod}], "default": {}},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "limits": {"type": "object", "additionalProperties": {"$ref": REFERENCE + "x.Quantity"}},
                "ports": {"type": "array", "items": {"$ref": REFERENCE + "x.IntOrString"}},
                "since": {"$ref": REFERENCE + "x.Time"},
            },
        },
        pod: {
            "type": "object",
            "properties": {
                "periodSeconds": {"type": "integer", "format": "int32"},
                "ratio": {"type": "number", "format": "double"},
                "scheme": {"type": "string", "enum": ["HTTP", "HTTPS"]},
                "signals": {"type": "array", "items": {"type": "string", "enum": ["SIGTERM"]}},
            },
        },
    }
    documents: dict[str, Any] = {
        f"openapi/v3/{name}": {"components": {"schemas": schemas}} for name in script.DOCUMENTS
    }
    return {**documents, "version": {"gitVersion": "v1.99.1"}}


def test_openapi_becomes_a_line_a_type() -> None:
    script = load()
    values: dict[str, Any] = {}
    exec(script.snapshot(answers(script).__getitem__), values)  # noqa: S102 - the file that the script writes

    assert values["KUBERNETES_VERSION"] == "1.99.1"
    assert json.loads(values["TYPES"]) == {
        "DeploymentSpec": {
            "labels": {"": "string"},
            "limits": {"": "quantity"},
            "ports": ["int-or-string"],
            "probe!": "Probe",
            "since": "time",
        },
        "Probe": {"periodSeconds": "int32 unless 0", "ratio": "number", "scheme": "string", "signals": ["string"]},
        "CustomResourceDefinition": {},
        "RuleWithOperations": {},
        "PolicyRule": {},
    }
    assert json.loads(values["VALUES"]) == {"Probe": {"scheme": ["HTTP", "HTTPS"], "signals": ["SIGTERM"]}}
