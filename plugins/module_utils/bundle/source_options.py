# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a user may say about reaching and unpacking a source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .cache import DEFAULT_BYTES
from .unpack_limits import Limits

SCHEME = "docker://"
PREFIX = "registry_"
# Bundles are alike on all platforms; an index of several is asked for this one.
PREFERRED_PLATFORM = "linux/amd64"


@dataclass(frozen=True)
class SourceOptions:
    """Access to registries, limits, and the cache.

    Of images only the directory that `directory_label` names, where given. `option` is the source's name in messages.
    """

    username: str | None = None
    password: str | None = field(default=None, repr=False)
    auth_file: str | None = None
    validate_certs: bool = True
    ca_cert: str | None = None
    plain_http: bool = False
    limits: Limits = field(default_factory=Limits)
    cache_directory: str | None = None
    cache_bytes: int = DEFAULT_BYTES
    directory_label: str = ""
    option: str = "source"

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> SourceOptions:
        """The options of a module: those for the registry have its name in front, since clusters have some of the same."""
        given = {
            name.removeprefix(PREFIX): value
            for name, value in options.items()
            if name.startswith(PREFIX) and value not in (None, "")
        }
        return cls(**given)
