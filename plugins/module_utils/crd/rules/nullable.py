# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a value may be null. Where it may not, API servers drop a null from a field and refuse it in a list or map."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..change import Change
from ..rule import Answer, Finding, SchemaRule
from ..schema import Node


def _find(old: Node, new: Node) -> Iterator[Finding]:
    if new.get("nullable") is True:
        yield Finding("harmless", "null is accepted now")
    elif old.get("nullable") is True:
        yield Finding("tightening", "null is no longer accepted")


def _hurts(_change: Change, value: Any) -> Answer:
    return value is None


RULE = SchemaRule("nullable", ("nullable",), _find, _hurts, minds_null=True)
