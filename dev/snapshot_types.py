# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Freeze the Kubernetes API types that fleet.olm needs, as a real kube-apiserver tells them.

snapshot_types.py KUBECONFIG            writes plugins/module_utils/kubernetes/snapshot.py
snapshot_types.py KUBECONFIG --check    exit 1 if that file is not what the server tells
"""

from __future__ import annotations

import json
import ssl
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

TARGET = Path(__file__).resolve().parents[1] / "plugins/module_utils/kubernetes/snapshot.py"
DOCUMENTS = (
    "apis/apps/v1",
    "apis/apiextensions.k8s.io/v1",
    "apis/admissionregistration.k8s.io/v1",
    "apis/rbac.authorization.k8s.io/v1",
)
ROOTS = (
    "io.k8s.api.apps.v1.DeploymentSpec",
    "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
    "io.k8s.api.admissionregistration.v1.RuleWithOperations",
    "io.k8s.api.rbac.v1.PolicyRule",
)
WIDTH = 140
# Types that Go decodes with code of its own; they have no fields to list.
SPECIAL = {
    "FieldsV1": "object",
    "IntOrString": "int-or-string",
    "JSON": "json",
    "JSONSchemaPropsOrArray": "schema-or-list",
    "JSONSchemaPropsOrBool": "schema-or-boolean",
    "JSONSchemaPropsOrStringArray": "schema-or-names",
    "Quantity": "quantity",
    "Time": "time",
}
# OpenAPI does not tell a Go pointer from a value. These optional numbers are values (`omitempty` leaves their zero out) …
UNLESS_ZERO = {
    ("AWSElasticBlockStoreVolumeSource", "partition"),
    ("ContainerPort", "hostPort"),
    ("CustomResourceColumnDefinition", "priority"),
    ("CustomResourceDefinitionCondition", "observedGeneration"),
    ("CustomResourceDefinitionStatus", "observedGeneration"),
    ("DeploymentSpec", "minReadySeconds"),
    ("GCEPersistentDiskVolumeSource", "partition"),
    ("ObjectMeta", "generation"),
    ("Probe", "failureThreshold"),
    ("Probe", "initialDelaySeconds"),
    ("Probe", "periodSeconds"),
    ("Probe", "successThreshold"),
    ("Probe", "timeoutSeconds"),
}
# … and this is a struct, which `omitempty` never leaves out.
OR_ZERO = {("ResourceFieldSelector", "divisor")}

HEADER = '''# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Kubernetes API types as a kube-apiserver tells them. Written by dev/snapshot_types.py; do not edit."""

from __future__ import annotations

KUBERNETES_VERSION = "{version}"

# Type by type: its fields, `!` after a required one. ["x"] is a list of x, {{"": "x"}} a map to x.
TYPES = r"""
{types}
"""

# Type by type: the values that the API server takes in fields of text.
VALUES = r"""
{values}
"""
'''


def main(arguments: list[str]) -> int:
    """Write the snapshot, or compare it with what is there."""
    if not arguments or arguments[0].startswith("-"):
        sys.stderr.write(f"{__doc__}\n")
        return 2
    text = snapshot(api_reader(Path(arguments[0])))
    if "--check" in arguments:
        same = TARGET.read_text(encoding="utf-8") == text
        sys.stdout.write("up to date\n" if same else f"{TARGET} is not what this API server tells\n")
        return 0 if same else 1
    TARGET.write_text(text, encoding="utf-8")
    sys.stdout.write(f"wrote {TARGET}\n")
    return 0


def api_reader(kubeconfig: Path) -> Callable[[str], Any]:
    """A function that gets a JSON document of the cluster that a kubeconfig with a token names."""
    config = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    context = ssl.create_default_context(cafile=cluster["certificate-authority"])

    def get(path: str) -> Any:
        request = urllib.request.Request(  # noqa: S310 - the address comes from the kubeconfig that was named
            f"{cluster['server']}/{path}", headers={"Authorization": f"Bearer {user['token']}"}
        )
        with urllib.request.urlopen(request, context=context, timeout=60) as answer:  # noqa: S310
            return json.load(answer)

    return get


def snapshot(get: Callable[[str], Any]) -> str:
    """The text of the Python file that holds the types."""
    schemas: dict[str, Any] = {}
    for document in DOCUMENTS:
        schemas.update(get(f"openapi/v3/{document}")["components"]["schemas"])
    types: dict[str, dict[str, Any]] = {}
    values: dict[str, dict[str, list[str]]] = {}
    origin: dict[str, str] = {}
    waiting = list(ROOTS)
    while waiting:
        full_name = waiting.pop()
        name = short(full_name)
        if name in SPECIAL or origin.get(name) == full_name:
            continue
        if name in origin:
            raise SystemExit(f"two types are called {name}: {origin[name]} and {full_name}")
        origin[name] = full_name
        types[name] = fields(name, schemas[full_name], waiting)
        if found := enumerated(schemas[full_name]):
            values[name] = found
    version = get("version")["gitVersion"].removeprefix("v")
    return HEADER.format(version=version, types=written(types), values=written(values))


def written(by_type: dict[str, Any]) -> str:
    """What there is to say of each type, in JSON."""
    lines = (wrapped(f"{json.dumps(name)}: {json.dumps(said)}") for name, said in sorted(by_type.items()))
    return "{\n" + ",\n".join(lines) + "\n}"


def wrapped(line: str) -> str:
    """A line of JSON, broken after commas into lines that fit on a screen; no string in it holds a comma."""
    rows = [""]
    for part in line.split(", "):
        if len(rows[-1]) + len(part) > WIDTH:
            rows.append(" ")
        rows[-1] += part + ", "
    return "\n".join(row.rstrip() for row in rows).removesuffix(",")


def fields(name: str, schema: dict[str, Any], waiting: list[str]) -> dict[str, Any]:
    """The fields of a type in our notation; types that they refer to are added to those waiting."""
    required = set(schema.get("required", ()))
    out: dict[str, Any] = {}
    for field, definition in sorted(schema.get("properties", {}).items()):
        kind = notation(definition, waiting)
        if (name, field) in UNLESS_ZERO:
            kind = f"{kind} unless 0"
        if (name, field) in OR_ZERO:
            kind = f"{kind} or 0"
        out[field + ("!" if field in required else "")] = kind
    return out


def enumerated(schema: dict[str, Any]) -> dict[str, list[str]]:
    """The fields of a type that take certain values only, or lists of them, with these values."""
    found = {
        field: definition.get("enum") or definition.get("items", {}).get("enum")
        for field, definition in sorted(schema.get("properties", {}).items())
    }
    return {field: values for field, values in found.items() if values}


def notation(schema: dict[str, Any], waiting: list[str]) -> Any:
    """One field's type in our notation."""
    reference = schema.get("$ref") or next((part["$ref"] for part in schema.get("allOf", ())), None)
    if reference:
        full_name = reference.rsplit("/", 1)[-1]
        waiting.append(full_name)
        return SPECIAL.get(short(full_name), short(full_name))
    if schema["type"] == "array":
        return [notation(schema["items"], waiting)]
    if schema["type"] == "object":
        return {"": notation(schema["additionalProperties"], waiting)} if "additionalProperties" in schema else "object"
    if schema["type"] == "integer":
        return schema["format"]
    return {"byte": "bytes", "double": "number"}.get(schema.get("format", ""), schema["type"])


def short(full_name: str) -> str:
    """The last part of a type's name."""
    return full_name.rsplit(".", 1)[-1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
