# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is asked of catalogs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..bundle.unpack_limits import shown
from ..errors import OptionError

CATALOG_PROVIDED = "CatalogProvided"
SELF_CERTIFIED = "SelfCertified"
POLICIES = (CATALOG_PROVIDED, SELF_CERTIFIED)


@dataclass(frozen=True)
class Installed:
    """The bundle that is installed: its name, and its version with the release in it."""

    name: str
    version: str


@dataclass(frozen=True)
class Platform:
    """The cluster that a bundle must fit. OLM v1 does not look at it; empty is not looked at here either."""

    kubernetes_version: str = ""
    openshift_version: str = ""

    def __bool__(self) -> bool:
        return bool(self.kubernetes_version or self.openshift_version)


@dataclass(frozen=True)
class Query:
    """Which bundle of a package is wanted."""

    package: str
    version: str = ""
    channels: tuple[str, ...] = ()
    installed: Installed | None = None
    policy: str = CATALOG_PROVIDED
    platform: Platform = field(default_factory=Platform)

    @property
    def follows_edges(self) -> bool:
        """Whether only bundles come into question that the catalog has as upgrades of the installed one."""
        return self.installed is not None and self.policy != SELF_CERTIFIED


def parse_query(options: Mapping[str, Any]) -> Query:
    """A query from the options of a module."""
    given = options.get("installed")
    installed = None
    if given:
        name, version = given.get("name"), given.get("version")
        if not name or not version:
            raise OptionError("installed: name and version must both be given, such as greeter.v1.0.0 and 1.0.0")
        installed = Installed(str(name), str(version))
    policy = options.get("policy") or CATALOG_PROVIDED
    if policy not in POLICIES:
        raise OptionError(f"policy: {shown(repr(policy))} is unknown; it is {' or '.join(POLICIES)}")
    return Query(
        package=str(options.get("package") or ""),
        version=_unrounded("version", options.get("version") or ""),
        channels=_texts(options.get("channels")),
        installed=installed,
        policy=policy,
        platform=Platform(str(options.get("kubernetes_version") or ""), str(options.get("openshift_version") or "")),
    )


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if value is not None and not isinstance(value, Sequence):
        raise OptionError(f"channels: {shown(repr(value))} is no list of names")
    return tuple(_unrounded("channels", item) for item in value or ())


def _unrounded(option: str, value: Any) -> str:
    if isinstance(value, float):
        raise OptionError(
            f"{option}: {value} is a number, in which YAML takes 1.10 and 1.1 for the same; put it into quotes"
        )
    return str(value)
