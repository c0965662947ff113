# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What can be wrong with a bundle."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import FleetError, Problems

# Containers in containers; what is nested deeper is refused.
DEEPEST = 128


class BadBundle(FleetError):
    """A bundle cannot be read: a file is missing, cannot be parsed, or holds what it must not."""


class InvalidBundle(Problems):
    """A bundle could be read, but cannot be installed."""

    def __init__(self, bundle: str, problems: Iterable[str]) -> None:
        super().__init__(problems, f"invalid bundle '{bundle}': ")


class UnsupportedInstallMode(FleetError):
    """The bundle does not support watching the namespaces that it was asked to watch."""
