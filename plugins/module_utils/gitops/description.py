# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a fleet is to run, as given: extensions by cluster, checked as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..direct.compose import AUTO, named
from ..errors import OptionError, Problems
from ..fleet.description import KEYS
from ..manifests.mirrors import Mirror, mirrors_of
from ..render.certificates import CERT_MANAGER, CERTIFICATE_PROVIDERS
from ..similar import did_you_mean

# Names become folders, so nothing in them may mean anything to a file system.
_FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


@dataclass(frozen=True)
class Extension:
    """An extension of one cluster."""

    name: str
    namespace: str
    source: Any
    config: Any = None
    certificate_provider: str = CERT_MANAGER
    mirrors: tuple[Mirror, ...] = ()
    create_namespace: bool = field(default=False, compare=False)

    @property
    def identity(self) -> str:
        """The same for all that are rendered to the same."""
        parts = [self.source, self.namespace, self.config, self.certificate_provider]
        return json.dumps([*parts, [[rule.source, rule.mirror] for rule in self.mirrors]], sort_keys=True, default=str)


def fleet_of(clusters: Mapping[Any, Any]) -> dict[str, list[Extension]]:
    """The extensions of each cluster, by name; refused with everything that is wrong with them."""
    problems: list[str] = []
    fleet: dict[str, list[Extension]] = {}
    for cluster, listed in sorted(clusters.items(), key=lambda item: str(item[0])):
        where = f"clusters.{cluster}"
        if not isinstance(cluster, str) or not _FOLDER.fullmatch(cluster):
            problems.append(f"{where}: the name becomes a folder; use letters, digits, '.', '_' and '-'")
            continue
        if not isinstance(listed, list):
            problems.append(f"{where}: must be a list of extensions")
            continue
        found = [_extension(item, f"{where}[{number}]", problems) for number, item in enumerate(listed)]
        extensions = [extension for extension in found if extension is not None]
        names = [extension.name for extension in extensions]
        problems += [f"{where}: {name} is there twice" for name in sorted({n for n in names if names.count(n) > 1})]
        fleet[cluster] = sorted(extensions, key=lambda extension: extension.name)
    if problems:
        raise Problems(problems)
    return fleet


def _extension(item: Any, where: str, problems: list[str]) -> Extension | None:
    if not isinstance(item, Mapping):
        problems.append(f"{where}: must be a mapping with name, namespace and source")
        return None
    before = len(problems)
    # What else an extension of a fleet has is for those who install it themselves.
    problems += [f"{where}: '{key}' is unknown{did_you_mean(str(key), KEYS)}" for key in item if key not in KEYS]
    problems += [f"{where}.{key} is missing" for key in ("name", "namespace", "source") if not item.get(key)]
    name, namespace = str(item.get("name") or ""), str(item.get("namespace") or "")
    if name and namespace:
        try:
            named(name, namespace)
        except OptionError as error:
            problems.append(f"{where}.{error}")
    provider = item.get("certificate_provider") or AUTO
    if provider not in (AUTO, *CERTIFICATE_PROVIDERS):
        problems.append(
            f"{where}.certificate_provider is '{provider}'; it must be one of {', '.join(CERTIFICATE_PROVIDERS)}"
        )
    mirrors: tuple[Mirror, ...] = ()
    try:
        mirrors = mirrors_of(item.get("image_mirrors") or [])
    except OptionError as error:
        problems.append(f"{where}.{error}")
    create = item.get("create_namespace") or False
    if not isinstance(create, bool):
        problems.append(f"{where}.create_namespace must be true or false")
    if len(problems) > before:
        return None
    issuer = CERT_MANAGER if provider == AUTO else provider
    return Extension(name, namespace, item["source"], item.get("config"), issuer, mirrors, create)
