# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A cluster as a source of the inventory tells of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Cluster:
    """One host to be.

    `options` are connection options without secrets. What is secret is in `credentials`, a kubeconfig for this cluster alone
    that can be written to a file, and in `inline`, the same as options for those who want that. `place` is a word that
    tells clusters of one name apart, `problem` why it cannot be reached as far as the source knows. `extract` is what a large
    kubeconfig file says of this cluster alone, so that it need not be parsed for each of its clusters.
    """

    name: str
    source: str
    place: str
    address: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    credentials: Mapping[str, Any] | None = field(default=None, repr=False)
    inline: Mapping[str, Any] = field(default_factory=dict, repr=False)
    extract: Mapping[str, Any] | None = field(default=None, repr=False)
    labels: Mapping[str, str] = field(default_factory=dict)
    region: str = ""
    provider: str = ""
    version: str = ""
    claims: Mapping[str, str] | None = None
    problem: str = ""


@dataclass(frozen=True)
class Settings:
    """What holds for all sources. Relative paths are below `base`, the folder of the inventory file."""

    base: str
    inline_credentials: bool = False
    allow_exec: bool = False
    probe: bool = True
    probe_timeout: float = 5.0
    threads: int = 16


@dataclass(frozen=True)
class Reading:
    """What a source gave: clusters, and what is to be said about them."""

    clusters: tuple[Cluster, ...]
    warnings: tuple[str, ...] = ()
