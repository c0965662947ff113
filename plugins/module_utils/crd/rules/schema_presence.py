# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A version has a schema where it had none, or none where it had one."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ..change import Change
from ..definition import Version
from ..pruning import has_unknown_fields
from ..rule import Answer, Finding, VersionRule
from ..validity import violates, worst


def _find(old: Version, new: Version) -> Iterator[Finding]:
    if old.schema is None and new.schema is not None:
        # Under a schema that is empty nothing is refused; whether anything is dropped is said for the whole CRD.
        severe = bool(new.schema.schema)
        message = "the version has a schema where any object was accepted"
        yield Finding("tightening" if severe else "harmless", message, after=new.schema)
    elif old.schema is not None and new.schema is None:
        yield Finding("harmless", "the version has no schema any longer and accepts any object")


def _hurts(change: Change, custom_resource: Any, _stored_versions: Collection[str] | None) -> Answer:
    node = change.after
    return worst((violates(custom_resource, node.schema), has_unknown_fields(custom_resource, node)))


RULE = VersionRule("schema_presence", _find, _hurts)
