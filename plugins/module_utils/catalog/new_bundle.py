# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From the options that name a bundle to what a catalog is to hold of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..bundle.facts import channels
from ..bundle.load import load_opened
from ..bundle.model import Bundle
from ..bundle.source import open_source
from ..bundle.source_options import SCHEME, SourceOptions
from ..errors import OptionError
from ..nested import at, texts
from .bundle_document import bundle_document, read_dependencies
from .edit import Placement
from .problems import BadRange
from .ranges import parse_range

SKIP_RANGE_ANNOTATION = "olm.skipRange"


@dataclass(frozen=True)
class NewBundle:
    """A bundle that is to be in a catalog: its document, its place, and a description for a package that is new."""

    document: dict[str, Any]
    placement: Placement
    description: str
    warnings: tuple[str, ...]


def load_new_bundle(options: Mapping[str, Any], access: SourceOptions) -> NewBundle:
    """Read the bundle that the options name."""
    with open_source(options["source"], access) as opened:
        loaded = load_opened(opened)
        dependencies = read_dependencies(opened.directory)
    image = options.get("image") or ""
    if not image and loaded.reference.startswith(SCHEME):
        image = loaded.reference.removeprefix(SCHEME)
    if not image:
        raise OptionError(
            "image: is needed, since source is no image in a registry; clusters pull the bundle from there"
        )
    document = bundle_document(loaded.bundle, image.removeprefix(SCHEME), dependencies)
    return NewBundle(document, _placement(options, loaded.bundle), _description(loaded.bundle), loaded.warnings)


def _placement(options: Mapping[str, Any], bundle: Bundle) -> Placement:
    own = channels(bundle)
    channel = options.get("channel") or own["default"] or next(iter(own["names"]), "")
    if not channel:
        raise OptionError("channel: is needed, since the bundle's metadata name none")
    replaces, skips = options.get("replaces"), options.get("skips")
    return Placement(
        channel,
        str(at(bundle.csv, "spec", "replaces") or "") if replaces is None else replaces,
        tuple(texts(at(bundle.csv, "spec", "skips")) if skips is None else skips),
        _skip_range(options.get("skip_range"), bundle),
        options.get("default_channel") or "",
    )


def _skip_range(given: str | None, bundle: Bundle) -> str:
    told = str(at(bundle.csv, "metadata", "annotations", SKIP_RANGE_ANNOTATION) or "")
    found = told if given is None else given
    try:
        if found:
            parse_range(found)
    except BadRange as error:
        where = "" if given is not None else f"the bundle's annotation {SKIP_RANGE_ANNOTATION}: "
        raise OptionError(f"skip_range: {where}{error}; write >=1.0.0 <1.2.0, with all three numbers") from None
    return found


def _description(bundle: Bundle) -> str:
    return str(at(bundle.csv, "spec", "description") or at(bundle.csv, "spec", "displayName") or "")
