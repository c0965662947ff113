# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A comparison as Markdown, to be put under a pull request."""

from __future__ import annotations

from collections.abc import Iterable

from ..rbac.words import sentences
from .bundles import Comparison, Sets, crd_sentence


def as_markdown(comparison: Comparison) -> str:
    """What changes, the dangerous first; sections without content are left out."""
    old, new = comparison.old, comparison.new
    sections = [
        _section("Can break", comparison.breaking),
        _section("Permissions gained", sentences(comparison.gained)),
        _section("Permissions lost", sentences(comparison.lost)),
        _section("Configuration", [change.message for change in comparison.schema]),
        _section("CRDs", _crds(comparison)),
        _section("Install modes", _signed(comparison.install_modes)),
        _section("Webhooks", _webhooks(comparison)),
        _section("Images", _signed(comparison.images)),
    ]
    if comparison.min_kube_version:
        before, after = comparison.min_kube_version
        sections.append(_section("Kubernetes", [f"at least {before} was needed, now {after}"]))
    body = "".join(sections) or "Nothing that matters to those who run it differs.\n"
    return f"## {old.name} → {new.name}\n\n{body}"


def _section(title: str, lines: Iterable[str]) -> str:
    items = [f"- {escaped(line)}\n" for line in lines]
    return f"### {title}\n\n{''.join(items)}\n" if items else ""


def _crds(comparison: Comparison) -> list[str]:
    return _signed(comparison.crds) + [crd_sentence(change) for change in comparison.crd_changes]


def _webhooks(comparison: Comparison) -> list[str]:
    return _signed(comparison.webhooks) + [f"changed: {change}" for change in comparison.webhook_changes]


def _signed(sets: Sets) -> list[str]:
    return [f"added: {item}" for item in sets.added] + [f"removed: {item}" for item in sets.removed]


def escaped(text: str) -> str:
    """Text of a bundle must not become markup."""
    return " ".join(text.split()).replace("<", "&lt;").replace("|", "\\|").replace("*", "\\*").replace("`", "\\`")
