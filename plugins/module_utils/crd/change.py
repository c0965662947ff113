# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One change of a CustomResourceDefinition, how much it matters, and the verdict on all of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from .schema import Step

Severity = Literal["harmless", "tightening", "losing"]

SEVERITIES: tuple[Severity, ...] = ("harmless", "tightening", "losing")


@dataclass(frozen=True)
class Change:
    """What one rule found at one place.

    `harmless`: no custom resource becomes invalid or loses anything. `tightening`: those that break a new
    restriction become invalid. `losing`: those that use what goes away lose it.

    `version` is empty for the whole CRD, `path` for the root of a schema. `refused` says that an API server
    does not accept the change on a CRD that is in use, whether or not there are custom resources.
    What follows it is for `effect` and is neither compared nor shown.
    """

    crd: str
    version: str
    path: str
    rule: str
    severity: Severity
    message: str
    refused: bool = False
    steps: tuple[Step, ...] = field(default=(), compare=False, repr=False)
    subject: str = field(default="", compare=False, repr=False)
    before: Any = field(default=None, compare=False, repr=False)
    after: Any = field(default=None, compare=False, repr=False)

    def told(self) -> dict[str, Any]:
        """As plain data for a user."""
        names = ("crd", "version", "path", "rule", "severity", "message", "refused")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class Verdict:
    """What can be said without looking at custom resources; `because` lists what speaks against it."""

    allowed: bool
    severity: Severity
    because: tuple[Change, ...]


def static_verdict(changes: Iterable[Change]) -> Verdict:
    """Allowed unless something is tightening or losing."""
    because = tuple(change for change in changes if change.severity != "harmless")
    worst: Severity = max((change.severity for change in because), key=SEVERITIES.index, default="harmless")
    return Verdict(allowed=not because, severity=worst, because=because)
