# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Label selectors as Kubernetes has them: which of several catalogs are asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..bundle.unpack_limits import shown
from ..errors import OptionError

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


def selects(selector: Mapping[str, Any] | None, labels: Mapping[str, str]) -> bool:
    """Whether a selector takes what has these labels; an empty one takes everything."""
    selector = selector or {}
    unknown = [shown(str(key)) for key in selector if key not in ("matchLabels", "matchExpressions")]
    if unknown:
        raise OptionError(f"selector: {', '.join(unknown)} is unknown; it has matchLabels and matchExpressions")
    wanted = {} if selector.get("matchLabels") is None else selector["matchLabels"]
    if not isinstance(wanted, Mapping):
        raise OptionError("selector.matchLabels must be a mapping")
    expressions = [] if selector.get("matchExpressions") is None else selector["matchExpressions"]
    if not isinstance(expressions, list):
        raise OptionError("selector.matchExpressions must be a list")
    found = [_holds(expression, f"selector.matchExpressions[{n}]", labels) for n, expression in enumerate(expressions)]
    return all(found) and all(labels.get(str(key)) == str(value) for key, value in wanted.items())


def _holds(expression: Any, where: str, labels: Mapping[str, str]) -> bool:
    if not isinstance(expression, Mapping) or expression.get("operator") not in OPERATORS or not expression.get("key"):
        raise OptionError(f"{where} must have a key, and an operator that is {', '.join(OPERATORS)}")
    operator, key, values = expression["operator"], str(expression["key"]), expression.get("values") or []
    if not isinstance(values, list) or bool(values) != (operator in ("In", "NotIn")):
        raise OptionError(f"{where}: values must be {'a list' if operator in ('In', 'NotIn') else 'left out'}")
    among = labels.get(key) in [str(value) for value in values]
    return {"In": among, "NotIn": not among, "Exists": key in labels, "DoesNotExist": key not in labels}[operator]
