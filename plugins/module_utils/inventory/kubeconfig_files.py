# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Clusters from kubeconfig files: every context of some files, or a folder with a file a cluster."""

from __future__ import annotations

import fnmatch
import glob
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..cluster.authentication import read_kubeconfig
from ..errors import OptionError
from ..nested import at, mappings
from ..similar import did_you_mean
from .kubeconfig_content import one_context
from .model import Cluster, Reading, Settings
from .options import absolute, labels, text, texts

# Files of a folder that are taken for kubeconfigs; others may lie beside them.
SUFFIXES = (".yaml", ".yml", ".json", ".conf", ".config", ".kubeconfig")
# The name of the extension by which a context or cluster of a kubeconfig says more about itself.
EXTENSION = "fleet.olm"

_FILES = ("certificate-authority", "client-certificate", "client-key", "tokenFile")
_PROGRAMS = ("exec", "auth-provider")

SOURCE = {"kubeconfig": texts, "contexts": texts}
FOLDER = {"folder": texts}


def read_contexts(given: Mapping[str, Any], where: str, settings: Settings) -> Reading:
    """A cluster for each context, or for those that the patterns of `contexts` name."""
    patterns = given.get("contexts")
    clusters, seen = [], []
    for path in _files(given["kubeconfig"], f"{where}.kubeconfig", settings.base):
        config = _kubeconfig(path)
        for context in mappings(config.get("contexts")):
            name = str(context.get("name"))
            seen.append(name)
            if patterns is None or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
                clusters.append(_cluster(name, "kubeconfig", path, config, name))
    for number, pattern in enumerate(patterns or ()):
        if not fnmatch.filter(seen, pattern):
            hint = did_you_mean(pattern, seen) or f"; there are: {', '.join(seen[:10]) or 'none'}"
            raise OptionError(f"{where}.contexts[{number}]: no context matches '{pattern}'{hint}")
    return Reading(tuple(clusters))


def read_folder(given: Mapping[str, Any], where: str, settings: Settings) -> Reading:
    """A cluster for each file, named after it."""
    clusters = []
    for path in _files(given["folder"], f"{where}.folder", settings.base):
        config = _kubeconfig(path)
        names = [str(context.get("name")) for context in mappings(config.get("contexts"))]
        current = str(config.get("current-context") or (names[0] if len(names) == 1 else ""))
        if not current:
            raise OptionError(
                f"{path}: has no current-context, so which of its contexts to use is not known: {', '.join(names)}"
            )
        cluster = _cluster(_stem(path), "folder", path, config, current)
        clusters.append(replace(cluster, place=os.path.basename(os.path.dirname(path))))
    return Reading(tuple(clusters))


def _files(patterns: list[str], where: str, base: str) -> list[str]:
    """The files that paths, folders and globs name, each once."""
    found: dict[str, None] = {}
    for pattern in patterns:
        path = absolute(pattern, base)
        # A file may have a name that looks like a glob.
        matched = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
        if not matched:
            raise OptionError(f"{where}: there is no file {path}")
        files = [file for match in matched for file in _files_of(match)]
        if not files:
            raise OptionError(f"{where}: no file in {path} ends in {', '.join(SUFFIXES)} or is named config")
        found.update(dict.fromkeys(files))
    return list(found)


def _files_of(path: str) -> Iterator[str]:
    if not os.path.isdir(path):
        yield path
        return
    for name in sorted(os.listdir(path)):
        usable = name.endswith(SUFFIXES) or name == "config"
        if usable and not name.startswith(".") and os.path.isfile(os.path.join(path, name)):
            yield os.path.join(path, name)


def _kubeconfig(path: str) -> Mapping[str, Any]:
    config = read_kubeconfig(path)
    if not isinstance(config, Mapping) or not isinstance(config.get("contexts"), list):
        raise OptionError(f"{path}: is no kubeconfig: it has no list 'contexts'")
    return config


def _cluster(name: str, source: str, path: str, config: Mapping[str, Any], context: str) -> Cluster:
    settings = _named(config, "contexts", context, "context")
    cluster = _named(config, "clusters", str(at(settings, "cluster")), "cluster")
    said = {**_extension(cluster), **_extension(settings)}
    where = f"{path}: extension {EXTENSION} of context {context}"
    return Cluster(
        name=name,
        source=source,
        place=_stem(path),
        address=str(at(cluster, "server") or ""),
        options={"kubeconfig": path, "context": context},
        extract=_extract(context, cluster, _named(config, "users", str(at(settings, "user")), "user"), path),
        labels=labels(said.get("labels") or {}, f"{where}.labels"),
        region=text(said["region"], f"{where}.region") if said.get("region") else "",
        provider=text(said["provider"], f"{where}.provider") if said.get("provider") else "",
    )


def _extract(context: str, cluster: Any, user: Any, path: str) -> dict[str, Any] | None:
    """A kubeconfig with one context of a file; None where there is more to it than settings and files."""
    if not isinstance(cluster, Mapping) or not isinstance(user, Mapping) or any(key in user for key in _PROGRAMS):
        return None
    folder = os.path.dirname(path)

    def placed(settings: Mapping[str, Any]) -> dict[str, Any]:
        return {key: os.path.join(folder, str(value)) if key in _FILES else value for key, value in settings.items()}

    return one_context(context, placed(cluster), placed(user))


def _named(config: Mapping[str, Any], section: str, name: str, kind: str) -> Any:
    return next((at(entry, kind) for entry in mappings(config.get(section)) if str(entry.get("name")) == name), None)


def _extension(settings: Any) -> Mapping[str, Any]:
    for entry in mappings(at(settings, "extensions")):
        said = entry.get("extension")
        if entry.get("name") == EXTENSION and isinstance(said, Mapping):
            return said
    return {}


def _stem(path: str) -> str:
    name = os.path.basename(path)
    while name.endswith(SUFFIXES) and os.path.splitext(name)[0]:
        name = os.path.splitext(name)[0]
    return name
