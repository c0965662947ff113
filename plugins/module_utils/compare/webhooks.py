# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The webhooks of two bundles side by side. One is the same in both where type and name are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..bundle.model import Bundle


@dataclass(frozen=True, order=True)
class WebhookChange:
    """A webhook of both bundles, and the fields of its definition that differ."""

    webhook: str
    fields: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.webhook}: {', '.join(self.fields)}"


def webhooks_by_name(bundle: Bundle) -> dict[str, Mapping[str, Any]]:
    """The definitions of webhooks by type and name."""
    return {f"{webhook.get('type', '')} {webhook.get('generateName', '')}": webhook for webhook in bundle.webhooks}


def changed_webhooks(old: Bundle, new: Bundle) -> tuple[WebhookChange, ...]:
    """What is called otherwise than before, by name."""
    before, after = webhooks_by_name(old), webhooks_by_name(new)
    both = sorted(set(before) & set(after))
    found = (WebhookChange(name, _differing(before[name], after[name])) for name in both)
    return tuple(change for change in found if change.fields)


def _differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(field for field in sorted({*old, *new}) if old.get(field) != new.get(field))
