# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From the option `catalog` to catalogs that can be asked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..bundle.cache import default_root, sidecar_path, write_sidecar
from ..bundle.noted import file_digest
from ..bundle.regular_file import reason
from ..bundle.source import open_source
from ..bundle.source_options import SourceOptions
from ..bundle.source_place import Place
from ..bundle.source_tree import is_layout
from ..bundle.unpack_limits import shown
from ..errors import OptionError, SourceError
from .catalog import Catalog
from .directory import directory_digest
from .index import NAME
from .limits import CACHE_BYTES, CATALOG_LIMITS
from .option import URL_SCHEMES, CatalogOption, parse_catalogs
from .selector import selects

if TYPE_CHECKING:
    from .url import OfCluster

# The directory of an image that its catalog lies in.
CONFIGS_LABEL = "operators.operatorframework.io.index.configs.v1"
_STREAM_SUFFIXES = (".json", ".jsonl", ".yaml", ".yml")


@dataclass(frozen=True)
class OpenedCatalogs:
    """Catalogs to ask, and what a user should know about opening them."""

    catalogs: tuple[Catalog, ...]
    warnings: tuple[str, ...] = ()


@contextmanager
def open_catalogs(
    option: Any,
    options: SourceOptions,
    *,
    package: str = "",
    selector: Any = None,
    of_cluster: OfCluster | None = None,
) -> Iterator[OpenedCatalogs]:
    """Open the catalogs of the option that the selector takes. `package` is the only one that will be asked for, where given.

    `of_cluster` fetches a ClusterCatalog by its name, where a cluster is at hand.
    """
    chosen = [one for one in parse_catalogs(option) if selects(selector, one.labels)]
    if not chosen:
        raise OptionError("selector: takes none of the catalogs")
    with ExitStack() as stack:
        warnings: list[str] = []
        catalogs = []
        for one in chosen:
            try:
                catalogs.append(_open(one, catalog_options(options, one), package, stack, warnings, of_cluster))
            except (OSError, ValueError) as error:
                raise SourceError(f"catalog {shown(one.name)}: {reason(error)}") from error
        yield OpenedCatalogs(tuple(catalogs), tuple(dict.fromkeys(warnings)))


def catalog_options(options: SourceOptions, one: CatalogOption) -> SourceOptions:
    """How catalogs are reached and kept: in a cache of their own, since one can be as large as all bundles together."""
    root = Path(options.cache_directory).expanduser() if options.cache_directory else default_root()
    return replace(
        options,
        ca_cert=one.ca_cert or options.ca_cert,
        limits=CATALOG_LIMITS,
        cache_directory=str(root.with_name("catalogs" if root.name == "bundles" else f"{root.name}-catalogs")),
        cache_bytes=CACHE_BYTES,
        directory_label=CONFIGS_LABEL,
        option="catalog",
    )


def _open(
    one: CatalogOption,
    options: SourceOptions,
    package: str,
    stack: ExitStack,
    warnings: list[str],
    of_cluster: OfCluster | None,
) -> Catalog:
    if one.cluster_catalog and of_cluster is not None:
        served = of_cluster(one.cluster_catalog, options)
        stack.callback(served.place.close)
        return _kept_beside(replace(one, source=one.cluster_catalog), served.directory, served.place, served.digest)
    if one.cluster_catalog:
        raise OptionError(
            f"catalog: cluster_catalog {shown(one.cluster_catalog)} is on a cluster, and this module talks to none; ask "
            "catalog_resolve for the bundle's image, or give the image or the URL of the catalog"
        )
    if one.source.startswith(URL_SCHEMES):
        return _served(one, options, package, stack)
    path = Path(os.path.expanduser(one.source))
    if path.suffix in _STREAM_SUFFIXES and path.is_file():
        return _stream(one, options, path, stack)
    if path.is_dir() and not is_layout(path):
        return _directory(one, options, path, stack, warnings)
    opened = open_source(one.source, options)
    stack.callback(opened.close)
    warnings.extend(opened.warnings)
    place = f"catalog {shown(one.source)}"
    directory = opened.directory
    if CONFIGS_LABEL in opened.labels:
        from ..bundle.image_unpack import labelled_directory

        directory = directory.joinpath(*labelled_directory(opened.labels, CONFIGS_LABEL, options.limits, place))
    if not directory.is_dir():
        raise SourceError(f"{place}: the label {CONFIGS_LABEL} names a directory that is not in the image")
    return Catalog(
        directory,
        place,
        name=one.name,
        priority=one.priority,
        labels=one.labels,
        kept=opened.sidecar(NAME),
        keep=lambda data: opened.write_sidecar(NAME, data),
    )


def _directory(
    one: CatalogOption, options: SourceOptions, path: Path, stack: ExitStack, warnings: list[str]
) -> Catalog:
    place = Place(options)
    stack.callback(place.close)
    digest = partial(directory_digest, path, options, f"catalog {shown(one.source)}")
    catalog = _kept_beside(one, path.resolve(), place, digest(), digest_now=digest)
    warnings.extend(place.warnings)
    return catalog


def _served(one: CatalogOption, options: SourceOptions, package: str, stack: ExitStack) -> Catalog:
    from .url import fetch

    served = fetch(one.source, package, options)
    stack.callback(served.place.close)
    return _kept_beside(one, served.directory, served.place, served.digest)


def _stream(one: CatalogOption, options: SourceOptions, path: Path, stack: ExitStack) -> Catalog:
    place = Place(options)
    stack.callback(place.close)
    digest = partial(file_digest, path, options, f"catalog {shown(one.source)}")
    return _kept_beside(one, path.parent, place, digest(), only=path.name, digest_now=digest)


def _kept_beside(
    one: CatalogOption,
    directory: Path,
    place: Place,
    digest: str,
    *,
    only: str = "",
    digest_now: Callable[[], str] | None = None,
) -> Catalog:
    """A catalog whose index is kept under the digest of its files; `digest_now` makes it again, where others may write to them."""
    entry = place.entry(digest)

    def keep(data: bytes) -> None:
        if digest_now is None or digest_now() == digest:
            write_sidecar(entry, NAME, data)

    return Catalog(
        directory,
        f"catalog {shown(one.source)}",
        name=one.name,
        priority=one.priority,
        labels=one.labels,
        kept=sidecar_path(entry, NAME),
        keep=keep,
        only=only,
    )
