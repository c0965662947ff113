# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Labels and annotations of the CRD."""

from __future__ import annotations

from ansible_collections.fleet.olm.plugins.module_utils.crd.compare import compare_crds
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import crd


def test_they_are_harmless() -> None:
    name = {"name": "widgets.example.com"}
    old = {**crd(), "metadata": {**name, "annotations": {"a": "1", "same": "s"}}}
    new = {**crd(), "metadata": {**name, "annotations": {"a": "2", "same": "s"}, "labels": {"b": "3"}}}
    assert [(change.rule, change.severity, change.message) for change in compare_crds(old, new)] == [
        ("labels_and_annotations", "harmless", 'label b "3" was added'),
        ("labels_and_annotations", "harmless", 'annotation a changed from "1" to "2"'),
    ]


def test_what_a_server_writes_is_not_spoken_of() -> None:
    old = {**crd(), "metadata": {"name": "widgets.example.com", "uid": "1", "resourceVersion": "5"}}
    assert compare_crds(old, crd()) == ()
