# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a rule is: it has a name, finds changes, and knows which custom resources a change would hurt.

A predicate answers True (hurt), False (not hurt) or None (it cannot be told from here).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from .change import Change, Severity
from .definition import Definition, Version
from .schema import Node

Answer: TypeAlias = "bool | None"


@dataclass(frozen=True)
class Finding:
    """What a rule found. `field` is the property it is about, where it is about one below the place looked at."""

    severity: Severity
    message: str
    subject: str = ""
    field: str = ""
    version: str = ""
    refused: bool = False
    before: Any = None
    after: Any = None


def never(_change: Change, _value: Any) -> Answer:
    """For changes that hurt no stored object."""
    return False


def nobody(_change: Change, _custom_resource: Any, _stored_versions: Collection[str] | None) -> Answer:
    """For changes that hurt no stored object."""
    return False


def everybody(_change: Change, _custom_resource: Any, _stored_versions: Collection[str] | None) -> Answer:
    """For changes that hurt every stored object."""
    return True


@dataclass(frozen=True)
class SchemaRule:
    """A rule on one place of a schema; it is asked when one of its keywords differs.

    `hurts` is asked for each value that a custom resource has at that place.
    """

    name: str
    keywords: tuple[str, ...]
    find: Callable[[Node, Node], Iterator[Finding]]
    hurts: Callable[[Change, Any], Answer] = never
    minds_null: bool = False


@dataclass(frozen=True)
class VersionRule:
    """A rule on a version that both CRDs have."""

    name: str
    find: Callable[[Version, Version], Iterator[Finding]]
    hurts: Callable[[Change, Any, Collection[str] | None], Answer] = nobody


@dataclass(frozen=True)
class DefinitionRule:
    """A rule on the CRD as a whole."""

    name: str
    find: Callable[[Definition, Definition], Iterator[Finding]]
    hurts: Callable[[Change, Any, Collection[str] | None], Answer] = nobody
