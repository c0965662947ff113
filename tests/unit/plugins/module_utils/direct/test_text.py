# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Manifests as JSON."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.direct.text import ManifestText, rendering_digest, texts_of

MANIFEST: dict[str, Any] = {
    "kind": "ConfigMap",
    "apiVersion": "v1",
    "metadata": {"name": "gruß", "labels": {"b": "1", "a": "2"}},
    "data": {"z": '"quoted"\n', "a": "\u2028"},
}


def test_a_text_is_the_manifest_in_a_fixed_order() -> None:
    assert str(ManifestText(MANIFEST)) == json.dumps(
        MANIFEST, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    assert str(ManifestText({})) == "{}"


def test_manifests_that_are_alike_have_one_digest() -> None:
    turned = dict(reversed(MANIFEST.items()))
    assert ManifestText(turned).digest == ManifestText(MANIFEST).digest
    assert ManifestText({**MANIFEST, "data": {}}).digest != ManifestText(MANIFEST).digest


def test_digests_are_those_that_ledgers_hold() -> None:
    """Otherwise a newer version of the collection would take every object for changed."""
    (text,) = texts_of([MANIFEST])
    assert text.digest == hashlib.sha256(str(text).encode()).hexdigest()[:32] == "2bf68bd4aced3bf891c61bab56abe976"
    assert rendering_digest([text, text]) == "sha256:38aa095828d5171ac36d5903f595ba29a4bb67fa648f3045a707f07b6fb22093"


def test_other_metadata_changes_nothing_else() -> None:
    text = ManifestText(MANIFEST)
    before = str(text)
    changed = text.with_metadata({"name": "other"})
    assert json.loads(str(changed)) == {**MANIFEST, "metadata": {"name": "other"}}
    assert changed.digest != text.digest
    assert str(text) == before
    assert json.loads(str(ManifestText({"kind": "List"}).with_metadata({}))) == {"kind": "List", "metadata": {}}
