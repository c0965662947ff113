# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether objects are converted between versions by a webhook."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ..change import Change
from ..definition import Definition
from ..rule import Answer, DefinitionRule, Finding
from ..words import from_to


def _find(old: Definition, new: Definition) -> Iterator[Finding]:
    """Without a webhook only the apiVersion is rewritten, and what the other version does not know is dropped."""
    if old.conversion_strategy == new.conversion_strategy:
        return
    message = from_to("conversion strategy", old.conversion_strategy, new.conversion_strategy)
    if not new.converts and len(new.versions) > 1:
        yield Finding("losing", f"{message}; objects stored in another version are no longer converted", after=new)
    elif new.converts:
        yield Finding("harmless", f"{message}; the webhook has to be up for objects to be read and written")
    else:
        yield Finding("harmless", message)


def _hurts(change: Change, _custom_resource: Any, stored_versions: Collection[str] | None) -> Answer:
    """Objects that are stored in the storage version are read as they are; which are, the cluster does not tell."""
    storage = change.after.storage_version
    if stored_versions is None or storage is None:
        return None
    return None if set(stored_versions) - {storage.name} else False


RULE = DefinitionRule("conversion_strategy", _find, _hurts)
