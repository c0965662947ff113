# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parsed form of a bundle, kept beside its files in the cache, so that a fleet parses a bundle once."""

from __future__ import annotations

import hashlib
import marshal
import sys
from dataclasses import fields

from .model import Bundle

# To be raised whenever reading the same files gives another Bundle.
READER = 6
# What marshal writes is for one version of Python only.
NAME = f"bundle-{READER}-{sys.implementation.cache_tag}"
_DIGEST_SIZE = 32


def pack(bundle: Bundle) -> bytes | None:
    """A bundle as bytes; None where it holds what cannot be kept."""
    values = [getattr(bundle, item.name) for item in fields(bundle)]
    try:
        content = marshal.dumps(values)
    except ValueError:
        return None
    return _digest(content) + content


def unpack(data: bytes) -> Bundle | None:
    """The bundle; None for bytes that are not whole, which are never trusted."""
    digest, content = data[:_DIGEST_SIZE], data[_DIGEST_SIZE:]
    if not content or _digest(content) != digest:
        return None
    return Bundle(*marshal.loads(content))  # noqa: S302 - from a directory that only its owner can write to


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST_SIZE).digest()
