# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Going back to an earlier revision, from the ledger alone: neither the bundle nor its registry is needed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import OptionError
from .custom_resources import back_up
from .install import install
from .order import DEFINITIONS
from .record import Record
from .situation import Situation
from .text import texts_of
from .wanted import Report, Settings, Wanted


def roll_back(situation: Situation, number: int | None, settings: Settings) -> Report:
    """Make an extension what it was in a revision; the last good one where none is named."""
    situation.readable()
    target = _target(situation, number)
    wanted = replace(as_recorded(situation, target), rolled_back_to=target.number)
    more: dict[str, Any] = {"bundle": dict(target.bundle)}
    if settings.backup_dest and not settings.rehearse_only:
        # Whatever goes wrong later, it was saved before.
        rehearsed = install(situation, wanted, replace(settings, rehearse_only=True))
        if rehearsed.changed:
            names = sorted(key.name for key in situation.recorded if key.kind == DEFINITIONS)
            more |= back_up(situation.client, names, settings.backup_dest)
    return replace(install(situation, wanted, settings), more=more)


def as_recorded(situation: Situation, record: Record) -> Wanted:
    """What a revision holds as something that is wanted."""
    manifests = situation.ledger.manifests(record)
    return Wanted(
        extension=situation.extension,
        identity=record.bundle,
        config=record.config,
        certificate_provider=record.certificate_provider,
        manifests=manifests,
        texts=texts_of(manifests),
        digest=record.digest,
    )


def _target(situation: Situation, number: int | None) -> Record:
    extension, newest, installed = situation.extension, situation.newest, situation.installed
    if newest is None:
        raise OptionError(f"{extension} is not installed: there is nothing to roll back")
    if number is not None:
        found = situation.ledger.revision(number)
        if found is None or not found.good:
            known = ", ".join(str(entry.number) for entry in situation.ledger.entries() if not entry.part)
            raise OptionError(
                f"revision {number} of {extension} "
                + ("was never finished" if found is not None else f"is not in its ledger, which has {known}")
            )
        return found
    if newest.rolled_back_to is not None:
        # Rolled back already, or on the way there: doing it again is no reason to go back further.
        return newest
    if newest is not installed:
        if installed is None:
            raise OptionError(
                f"{extension} has no revision that was ever finished: there is nothing to roll back to; remove it with state: absent"
            )
        return installed
    for entry in situation.ledger.entries():
        if entry.part or entry.number >= newest.number:
            continue
        earlier = situation.ledger.revision(entry.number)
        if earlier is not None and earlier.good and earlier.digest != newest.digest:
            return earlier
    raise OptionError(f"{extension} has no earlier revision: there is nothing to roll back to")
