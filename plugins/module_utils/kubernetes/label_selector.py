# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Label selectors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..nested import at, mappings, texts


def selects(selector: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    """Whether a label selector fits labels. An empty one fits all."""
    wanted = at(selector, "matchLabels")
    pairs = wanted.items() if isinstance(wanted, Mapping) else ()
    return all(labels.get(key) == value for key, value in pairs) and all(
        _fits(expression, labels) for expression in mappings(selector.get("matchExpressions"))
    )


def _fits(expression: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    key, operator = str(expression.get("key") or ""), expression.get("operator")
    listed = key in labels and str(labels[key]) in texts(expression.get("values"))
    answers = {"In": listed, "NotIn": not listed, "Exists": key in labels, "DoesNotExist": key not in labels}
    return answers.get(str(operator), False)
