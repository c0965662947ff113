# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What can be wrong with a bundle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import FleetError


class BadBundle(FleetError):
    """A bundle cannot be read: a file is missing, cannot be parsed, or holds what it must not."""


class InvalidBundle(FleetError):
    """A bundle could be read, but cannot be installed. `problems` has one line for each reason."""

    def __init__(self, bundle: str, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(f"invalid bundle '{bundle}': {problem}" for problem in self.problems))


class UnsupportedInstallMode(FleetError):
    """The bundle does not support watching the namespaces that it was asked to watch."""


class Refused(FleetError):
    """A bundle, or a configuration for it, was checked and found wanting; each problem is a line of its own."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))

    @property
    def details(self) -> Mapping[str, Any]:
        return {"problems": list(self.problems)}
