# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Formats, of which API servers enforce some, and only on strings."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.crd.given import effect_on, severities


@pytest.mark.parametrize(
    ("given", "when", "then"),
    [
        pytest.param({"type": "string"}, {"type": "string", "format": "date-time"}, {"": "tightening"}, id="enforced"),
        pytest.param(
            {"type": "string", "format": "ipv4"},
            {"type": "string", "format": "ipv6"},
            {"": "tightening"},
            id="changed to one enforced",
        ),
        pytest.param({"type": "string", "format": "ipv4"}, {"type": "string"}, {"": "harmless"}, id="removed"),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "semver"}, {"": "harmless"}, id="unknown to API servers"
        ),
        pytest.param({"type": "integer"}, {"type": "integer", "format": "int32"}, {"": "harmless"}, id="of numbers"),
        pytest.param({"type": "integer"}, {"type": "integer", "format": "ipv4"}, {"": "harmless"}, id="on a number"),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "password"}, {"": "harmless"}, id="password takes all"
        ),
    ],
)
def test_how_much_it_matters(given: Any, when: Any, then: dict[str, str]) -> None:
    assert severities("value_format", given, when) == then


@pytest.mark.parametrize(
    ("given", "when", "value", "then"),
    [
        pytest.param(
            {"type": "string"},
            {"type": "string", "format": "date-time"},
            "2026-01-02T03:04:05.678Z",
            "unaffected",
            id="a time",
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "date-time"}, "yesterday", "affected", id="no time"
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "date"}, "2026-02-30", "affected", id="no such day"
        ),
        pytest.param({"type": "string"}, {"type": "string", "format": "date"}, "2026-02-28", "unaffected", id="a day"),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "ipv4"}, "10.0.0.1", "unaffected", id="an address"
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "ipv4"}, "10.0.0.256", "affected", id="no address"
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "cidr"}, "10.0.0.0/8", "unaffected", id="a network"
        ),
        pytest.param({"type": "string"}, {"type": "string", "format": "cidr"}, "10.0.0.0", "affected", id="no network"),
        pytest.param({"type": "string"}, {"type": "string", "format": "byte"}, "aGk=", "unaffected", id="base64"),
        pytest.param({"type": "string"}, {"type": "string", "format": "byte"}, "a!", "affected", id="no base64"),
        pytest.param(
            {"type": "string"},
            {"type": "string", "format": "uuid"},
            "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
            "unaffected",
            id="uuid",
        ),
        pytest.param({"type": "string"}, {"type": "string", "format": "uuid"}, "6ba7", "affected", id="no uuid"),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "mac"}, "00:11:22:aa:bb:cc", "unaffected", id="mac"
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "hostname"}, "a.example.com", "unaffected", id="host name"
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "hostname"}, "a_b", "affected", id="no host name"
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "duration"}, "10m0s", "unaffected", id="a duration"
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "duration"}, "3 days", "undecided", id="perhaps a duration"
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "uri"}, "https://example.com/a", "unaffected", id="a uri"
        ),
        pytest.param(
            {"type": "string"}, {"type": "string", "format": "email"}, "a.b@example.com", "unaffected", id="an email"
        ),
        pytest.param({"type": "string"}, {"type": "string", "format": "uri"}, "x", "undecided", id="not decided here"),
    ],
)
def test_whom_it_hurts(given: Any, when: Any, value: Any, then: str) -> None:
    assert effect_on("value_format", given, when, value) == then
