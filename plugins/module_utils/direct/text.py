# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Manifests as JSON. Encoding large CRDs costs more than most else in a run, so it is done once, for all that is told apart, sent and remembered."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any


class ManifestText:
    """One manifest, field by field: what is sent of it has other metadata than what was rendered, and all else is the same."""

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        # Sorted, so that two manifests that are alike have one text.
        self._fields = {key: _json(manifest[key]) for key in sorted(manifest)}

    def __str__(self) -> str:
        return "{" + ",".join(f"{_json(key)}:{text}" for key, text in self._fields.items()) + "}"

    @cached_property
    def digest(self) -> str:
        """Tells two manifests of one object apart."""
        return hashlib.sha256(str(self).encode()).hexdigest()[:32]

    def with_metadata(self, metadata: Mapping[str, Any]) -> ManifestText:
        """The same with other metadata."""
        changed = ManifestText({"metadata": metadata})
        changed._fields = {**self._fields, **changed._fields}
        return changed


def texts_of(manifests: Iterable[Mapping[str, Any]]) -> tuple[ManifestText, ...]:
    """The texts of a rendering."""
    return tuple(ManifestText(manifest) for manifest in manifests)


def rendering_digest(texts: Iterable[ManifestText]) -> str:
    """Tells two renderings apart."""
    return f"sha256:{hashlib.sha256(' '.join(text.digest for text in texts).encode()).hexdigest()}"


def _json(content: Any) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
