# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Quantities come out as Kubernetes writes them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.kubernetes.quantity import amount, canonical


@pytest.mark.parametrize(
    ("given", "then"),
    [
        ("0", "0"),
        ("1", "1"),
        ("1000m", "1"),
        ("1500m", "1500m"),
        ("0.5", "500m"),
        (".5", "500m"),
        ("5.", "5"),
        ("1000", "1k"),
        ("100000", "100k"),
        ("1024Mi", "1Gi"),
        ("1536Mi", "1536Mi"),
        ("1.5Gi", "1536Mi"),
        ("1Ki", "1Ki"),
        ("0.5Ki", "512"),
        ("0.5Mi", "512Ki"),
        ("1e3", "1e3"),
        ("12e2", "1200"),
        ("1E6", "1e6"),
        ("1E", "1E"),
        ("-500m", "-500m"),
        ("+2", "2"),
        ("-0", "0"),
        (" 2Gi ", "2Gi"),
        ("0.0000000001", "1n"),
        ("1.0001Ki", "1024102400u"),
        ("100Ei", str(2**63 - 1)),
        ("1000T", "1P"),
        ("Mi", "0"),
    ],
)
def test_canonical(given: str, then: str) -> None:
    assert canonical(given) == then


@pytest.mark.parametrize("given", ["", "banana", "1Kb", "1 Gi", "--1", "1e", "0x10", "1e99999", "1.2.3", "1" * 600])
def test_what_is_no_quantity_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match="is no quantity"):
        canonical(given)


@pytest.mark.parametrize(
    ("given", "then"),
    [
        ("500m", "0.5"),
        (2, "2"),
        ("1Gi", "1073741824"),
        ("1.5Ki", "1536"),
        ("12e2", "1200"),
        ("-1k", "-1000"),
        ("1u", "0.000001"),
    ],
)
def test_amount(given: object, then: str) -> None:
    assert amount(given) == Decimal(then)
