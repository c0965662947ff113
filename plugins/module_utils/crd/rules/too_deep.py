# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A schema that is nested deeper than is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..change import Change
from ..rule import Answer, Finding, SchemaRule
from ..schema import DEPTH_LIMIT, Node


def _find(_old: Node, _new: Node) -> Iterator[Finding]:
    yield Finding(
        "tightening", f"the schema is nested deeper than {DEPTH_LIMIT} levels and was not compared further down"
    )


def _hurts(_change: Change, _value: Any) -> Answer:
    return None


RULE = SchemaRule("too_deep", (), _find, _hurts)
