# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where an image that was built goes: written as a layout, pushed to a registry. What is there already is left alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .image_build import BuiltImage
from .image_layout import check_place, holds, write_layout
from .registry_push import Push
from .registry_reference import Reference, parse_reference
from .source_options import SCHEME, SourceOptions

# Documented by each module that builds images.
DELIVERY_OPTIONS: Mapping[str, Any] = {"dest": {"type": "path"}, "push": {"type": "str"}}


@dataclass(frozen=True)
class Delivery:
    """The places that options name."""

    dest: Path | None
    pushed_to: Reference | None
    access: SourceOptions

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Delivery:
        """Checked before anything is built."""
        pushed_to = parse_reference(options["push"], "push") if options["push"] else None
        dest = Path(options["dest"]) if options["dest"] else None
        if dest:
            check_place(dest)
        return cls(dest, pushed_to, SourceOptions.from_options(options))

    def deliver(self, image: BuiltImage, *, rehearse_only: bool) -> bool:
        """Bring an image to where it is missing, or only say whether that is anywhere."""
        changed = False
        if self.dest and not holds(self.dest, image):
            changed = True
            if not rehearse_only:
                write_layout(self.dest, image)
        if self.pushed_to:
            with Push(self.pushed_to, self.access) as push:
                if not push.is_there(image):
                    changed = True
                    if not rehearse_only:
                        push.push(image)
        return changed

    def told(self, image: BuiltImage) -> dict[str, str]:
        """What to tell of an image: its digest and, where it is pushed, how to pull it by that."""
        reference = {"reference": self.pushed_to.pinned(image.digest).removeprefix(SCHEME)} if self.pushed_to else {}
        return {"digest": image.digest, **reference}
