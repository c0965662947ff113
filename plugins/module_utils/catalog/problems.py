# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What can be wrong with a catalog, or with what was asked of it."""

from __future__ import annotations

from ..errors import FleetError, Told


class BadCatalog(FleetError):
    """A catalog cannot be read: a document is cut off, is of the wrong type, or names nothing."""


class NoDocuments(BadCatalog):
    """There is nothing in a catalog."""


class BadVersion(FleetError):
    """A text is no semantic version."""


class BadRange(FleetError):
    """A text is no range of versions."""


class Unresolved(Told):
    """No bundle answers a query; `details` say which candidates were left out, and why."""
