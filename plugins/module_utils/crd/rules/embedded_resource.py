# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a value is a Kubernetes object of its own, with apiVersion, kind and metadata."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..change import Change
from ..pruning import unknown_names
from ..rule import Answer, Finding, SchemaRule
from ..schema import EMBEDDED, Node
from ..validity import breaks_embedded_resource


def _find(old: Node, new: Node) -> Iterator[Finding]:
    if new.get(EMBEDDED) is True:
        yield Finding("tightening", "the value has to be a Kubernetes object with apiVersion and kind")
    elif old.get(EMBEDDED) is not True:
        return
    elif new.keeps_unknown_fields or {"apiVersion", "kind", "metadata"} <= set(new.properties):
        yield Finding("harmless", "the value need not be a Kubernetes object any longer")
    else:
        yield Finding("losing", "the value is no longer a Kubernetes object; apiVersion, kind and metadata are dropped")


def _hurts(change: Change, value: Any) -> Answer:
    if change.after.get(EMBEDDED) is True:
        return breaks_embedded_resource(value, change.after.schema)
    return bool({"apiVersion", "kind", "metadata"} & set(unknown_names(value, change.after)))


RULE = SchemaRule("embedded_resource", (EMBEDDED,), _find, _hurts)
