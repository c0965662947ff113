# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How large a catalog may be: far above any real one, far below what hurts."""

from __future__ import annotations

from ..bundle.unpack_limits import MEBIBYTE, Limits

# Real catalogs hold some thousand files and some hundred MiB. Their images hold an operating system beside them.
CATALOG_LIMITS = Limits(
    files=400_000,
    total_bytes=8192 * MEBIBYTE,
    file_bytes=4096 * MEBIBYTE,
    what="catalog",
)
# One document: a bundle with its manifests in it.
LARGEST_DOCUMENT = 64 * MEBIBYTE
CACHE_BYTES = 4096 * MEBIBYTE
