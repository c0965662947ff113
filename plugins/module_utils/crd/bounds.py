# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the rules on lower and upper bounds share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .change import Change
from .rule import Answer, Finding
from .schema import Node
from .validity import CHECKS, number
from .words import from_to

Find = Callable[[Node, Node], Iterator[Finding]]


def lower_bound(keyword: str, *, nothing_below: int | None = None) -> Find:
    """A rule for a keyword that sets a lower bound; `nothing_below` is the bound that every value keeps."""

    def find(old: Node, new: Node) -> Iterator[Finding]:
        was, becomes = number(old.get(keyword)), number(new.get(keyword))
        lowest = float("-inf") if nothing_below is None else nothing_below
        raised = becomes is not None and becomes > (lowest if was is None else max(was, lowest))
        yield _finding(keyword, old, new, raised)

    return find


def upper_bound(keyword: str) -> Find:
    """A rule for a keyword that sets an upper bound."""

    def find(old: Node, new: Node) -> Iterator[Finding]:
        was, becomes = number(old.get(keyword)), number(new.get(keyword))
        lowered = becomes is not None and (was is None or becomes < was)
        yield _finding(keyword, old, new, lowered)

    return find


def exclusive(inclusive: Find, keyword: str, flag: str) -> Find:
    """A rule for a bound that a flag beside it excludes from what is accepted."""

    def find(old: Node, new: Node) -> Iterator[Finding]:
        looser = False
        if old.get(keyword) != new.get(keyword):
            for finding in inclusive(old, new):
                looser = finding.severity == "harmless"
                yield finding
        if (old.get(flag) is True) != (new.get(flag) is True):
            excluded = new.get(flag) is True
            what = "no longer accepted" if excluded else "accepted now"
            bound = f"{keyword} {new.get(keyword)!r} itself is {what}" if number(new.get(keyword)) is not None else ""
            # A flag without a bound beside it says nothing, and excluding a bound that moved away excludes nothing.
            tightens = excluded and not looser and number(new.get(keyword)) is not None
            yield Finding("tightening" if tightens else "harmless", bound or f"{flag} has no {keyword} to work on")

    return find


def breaks(keyword: str) -> Callable[[Change, object], Answer]:
    """A custom resource is hurt where its value breaks the keyword as it is in the new schema."""

    def hurts(change: Change, value: object) -> Answer:
        return CHECKS[keyword](value, change.after.schema)

    return hurts


def _finding(keyword: str, old: Node, new: Node, tightened: bool) -> Finding:
    return Finding("tightening" if tightened else "harmless", from_to(keyword, old.get(keyword), new.get(keyword)))
