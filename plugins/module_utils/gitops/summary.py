# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a change of the tree means, in Markdown, for whoever has to approve it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..bundle.yaml_text import parse_document
from ..compare.markdown import escaped
from ..manifests.tree import KUSTOMIZATION, TreePlan
from ..nested import at, texts
from ..rbac.gate import gain_sentences, grants_of_manifests
from ..rbac.grants import gained
from .tree import BASES, CLUSTERS, VERSION

_RBAC = ("role-", "rolebinding-", "clusterrole-", "clusterrolebinding-")


@dataclass(frozen=True, order=True)
class Change:
    """An extension that goes from one base to another; an empty one is none."""

    extension: str
    before: str
    after: str


@dataclass(frozen=True)
class Summary:
    """What changes, as data and as Markdown."""

    changes: tuple[Mapping[str, Any], ...]
    markdown: str


def summarise(plan: TreePlan, *, data_stays: bool) -> Summary:
    """Compare what the tree held with what it is to hold. `data_stays`: CRDs are kept from being removed with the rest."""
    before, after = _Tree(plan.before), _Tree(plan.files)
    grouped: dict[Change, list[str]] = {}
    for cluster, extension in sorted({*before.bases, *after.bases}, key=lambda key: (key[1], key[0])):
        change = Change(
            extension,
            before.bases.get((cluster, extension), ""),
            after.bases.get((cluster, extension), ""),
        )
        if change.before != change.after:
            grouped.setdefault(change, []).append(cluster)
    changes = [_described(change, clusters, before, after) for change, clusters in sorted(grouped.items())]
    return Summary(tuple(changes), _markdown(changes, plan, data_stays))


class _Tree:
    """A tree by its texts."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files
        self.bases: dict[tuple[str, str], str] = {}
        # Clusters that run the same have the same text.
        known: dict[str, str] = {}
        for path, text in files.items():
            parts = path.split("/")
            if len(parts) == 4 and parts[0] == CLUSTERS and parts[3] == KUSTOMIZATION:
                if text not in known:
                    known[text] = next(iter(texts(at(_parsed(path, text), "resources"))), "").rpartition("/")[2]
                self.bases[(parts[1], parts[2])] = known[text]

    def version(self, base: str) -> str:
        path = f"{BASES}/{base}/{KUSTOMIZATION}"
        return str(at(_parsed(path, self.files.get(path, "")), "metadata", "annotations", VERSION) or "")

    def objects(self, base: str) -> dict[str, str]:
        folder = f"{BASES}/{base}/"
        return {
            path.removeprefix(folder): text
            for path, text in self.files.items()
            if base and path.startswith(folder) and not path.endswith(f"/{KUSTOMIZATION}")
        }

    def permissions(self, base: str) -> list[Mapping[str, Any]]:
        found = [_parsed(name, text) for name, text in self.objects(base).items() if name.startswith(_RBAC)]
        return [manifest for manifest in found if isinstance(manifest, dict)]


def _parsed(path: str, text: str) -> Any:
    return parse_document(text, path, []) if text else None


def _described(change: Change, clusters: list[str], before: _Tree, after: _Tree) -> dict[str, Any]:
    old, new = before.objects(change.before), after.objects(change.after)
    grants = gained(
        grants_of_manifests(before.permissions(change.before)), grants_of_manifests(after.permissions(change.after))
    )
    return {
        "extension": change.extension,
        "from": before.version(change.before) or None,
        "to": after.version(change.after) or None,
        "clusters": clusters,
        "permissions_gained": gain_sentences(grants),
        "objects": {
            "added": _names(set(new) - set(old)),
            "changed": _names(name for name in set(new) & set(old) if new[name] != old[name]),
            "removed": _names(set(old) - set(new)),
        },
    }


def _names(files: Iterable[str]) -> list[str]:
    return sorted(name.removesuffix(".yaml") for name in files)


def _markdown(changes: list[dict[str, Any]], plan: TreePlan, data_stays: bool) -> str:
    if not changes:
        other = sorted({*plan.written, *plan.removed})
        rest = f" {len(other)} files for those who apply it do.\n" if other else "\n"
        return f"## Operators of the fleet\n\nNothing that runs on a cluster changes.{rest}"
    lines = ["## Operators of the fleet", "", "| extension | from | to | clusters |", "|---|---|---|---|"]
    lines += [
        f"| {escaped(item['extension'])} | {_version(item['from'])} | {_version(item['to'])}{_same(item)} | {_clusters(item['clusters'])} |"
        for item in changes
    ]
    for item in changes:
        if item["from"] and item["to"]:
            lines += ["", f"### {escaped(_title(item))}", ""]
            lines += [f"- {what}: {', '.join(map(escaped, names))}" for what, names in item["objects"].items() if names]
    gains = [item for item in changes if item["permissions_gained"]]
    lines += ["", "### Permissions gained", ""]
    lines += [] if gains else ["None."]
    for item in gains:
        lines += [f"{escaped(_title(item))}, on {_clusters(item['clusters'])}:", ""]
        lines += [*(f"- {escaped(sentence)}" for sentence in item["permissions_gained"]), ""]
    if data_stays and any(item["to"] is None for item in changes):
        lines += ["", "CRDs, custom resources and namespaces of what is removed stay on their clusters."]
    return "\n".join(lines).rstrip("\n") + "\n"


def _version(version: str | None) -> str:
    return escaped(version) if version else "–"


def _same(item: Mapping[str, Any]) -> str:
    return " (configured otherwise)" if item["from"] and item["from"] == item["to"] else ""


def _title(item: Mapping[str, Any]) -> str:
    return f"{item['extension']} {item['from'] or '(new)'} → {item['to']}"


def _clusters(names: list[str]) -> str:
    shown = ", ".join(map(escaped, names[:20]))
    return shown if len(names) <= 20 else f"{shown} and {len(names) - 20} more"
