# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A configuration that is not accepted, and values as its messages show them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..errors import Problems

PREFIX = "invalid bundle configuration: "


class InvalidConfig(Problems):
    """A configuration that the bundle does not accept."""

    def __init__(self, problems: Iterable[str]) -> None:
        super().__init__(problems, PREFIX)


def type_name(value: Any) -> str:
    """The type of a value in the words of JSON."""
    if value is None:
        return "null"
    for python, name in ((bool, "boolean"), (str, "string"), ((int, float), "number"), (list, "array")):
        if isinstance(value, python):
            return name
    return "object"


def seen(value: Any) -> str:
    """A value for a message, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 80 else text[:79] + "…"
