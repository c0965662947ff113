# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What reading catalogs and answering queries costs, next to the parser alone in the same run.

    catalog.py [--large MEGABYTES]

Made for it: a catalog of 13 MB as YAML and as JSON, and one of 500 MB, which is indexed in a process of its own to see its
memory. Prints figures; asserts nothing about time.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.catalog.catalog import Catalog
from ansible_collections.fleet.olm.plugins.module_utils.catalog.documents import parse_bytes
from ansible_collections.fleet.olm.plugins.module_utils.catalog.model import (
    CatalogBundle,
    Channel,
    Entry,
    Location,
    Package,
)
from ansible_collections.fleet.olm.plugins.module_utils.catalog.problems import Unresolved
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import SELF_CERTIFIED, Installed, Query
from ansible_collections.fleet.olm.plugins.module_utils.catalog.resolution import resolve
from ansible_collections.fleet.olm.plugins.module_utils.catalog.sources import open_catalogs
from ansible_collections.fleet.olm.plugins.module_utils.catalog.upgrade_path import upgrade_path

QUERIES = 2376
MEGABYTE = 10**6
BUNDLES = 12


def main(arguments: list[str]) -> int:
    """All measurements, or one of those that run in a process of their own."""
    if arguments[:1] == ["index"]:
        return index_alone(Path(arguments[1]))
    if arguments[:1] == ["query"]:
        return query_alone(arguments[1], arguments[2])
    large = int(arguments[1]) if arguments[:1] == ["--large"] else 500
    with tempfile.TemporaryDirectory() as scratch:
        for kind in ("yaml", "json"):
            directory = Path(scratch) / kind
            write(directory, kind, 13)
            cold(directory, kind)
            warm(directory, kind, scratch)
        directory = Path(scratch) / "large"
        write(directory, "json", large)
        print(f"indexing {large} MB of JSON lines in one file: {alone('index', directory)}")
        shutil.rmtree(directory)
    deep_graph()
    return 0


def write(directory: Path, kind: str, megabytes: int) -> None:
    """A catalog of about this size: a directory a package, or one file of JSON lines for a large one."""
    directory.mkdir()
    written = number = 0
    while written < megabytes * MEGABYTE:
        name = f"operator-{number}"
        blobs = package(name, number)
        if kind == "yaml":
            text = "".join("---\n" + yaml.dump(blob, Dumper=yaml.CSafeDumper) for blob in blobs)
        else:
            text = "".join(json.dumps(blob) + "\n" for blob in blobs)
        path = directory / "all.jsonl" if megabytes > 100 else directory / name / f"catalog.{kind}"
        path.parent.mkdir(exist_ok=True)
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
        written += len(text)
        number += 1


def package(name: str, number: int) -> Iterator[dict[str, Any]]:
    """A package as published ones are: most of a bundle is the metadata of its ClusterServiceVersion."""
    versions = [f"{minor // 4}.{minor % 4}.{number % 5}" for minor in range(1, BUNDLES + 1)]
    entries: list[dict[str, Any]] = []
    for before, version in zip(["", *versions], versions, strict=False):
        entries.append({"name": f"{name}.v{version}", "skipRange": f"<{version}"})
        if before:
            entries[-1]["replaces"] = f"{name}.v{before}"
    yield {"schema": "olm.package", "name": name, "defaultChannel": "stable", "icon": {"base64data": "A" * 4000}}
    yield {"schema": "olm.channel", "package": name, "name": "stable", "entries": entries}
    yield {"schema": "olm.channel", "package": name, "name": "old", "entries": entries[: BUNDLES // 2]}
    example = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "thing"}, "spec": {"size": 3}}
    metadata = {
        "annotations": {
            "alm-examples": json.dumps([example] * 20),
            "capabilities": "Deep Insights",
            "categories": "Database",
        },
        "apiServiceDefinitions": {},
        "crdDescriptions": {
            "owned": [
                {
                    "name": f"things{n}.example.com",
                    "kind": "Thing",
                    "version": "v1",
                    "description": "One thing of many, described at length. " * 3,
                }
                for n in range(30)
            ]
        },
        "description": "An operator.\n\n" + "It does what operators do, and says so at length.\n" * 60,
        "displayName": name,
        "installModes": [
            {"type": kind, "supported": True} for kind in ("OwnNamespace", "SingleNamespace", "AllNamespaces")
        ],
        "keywords": ["a", "b", "c"],
        "minKubeVersion": "1.27.0",
    }
    for version in versions:
        yield {
            "schema": "olm.bundle",
            "package": name,
            "name": f"{name}.v{version}",
            "image": f"registry.example.com/{name}@sha256:{number:064x}",
            "properties": [
                *(
                    {"type": "olm.gvk", "value": {"group": "example.com", "kind": f"Thing{n}", "version": "v1"}}
                    for n in range(20)
                ),
                {"type": "olm.package", "value": {"packageName": name, "version": version}},
                {"type": "olm.csv.metadata", "value": metadata},
            ],
            "relatedImages": [
                {"name": f"part-{n}", "image": f"registry.example.com/{name}-{n}@sha256:{n:064x}"} for n in range(10)
            ],
        }


def cold(directory: Path, kind: str) -> None:
    """Everything from nothing: the catalog read, then all queries."""
    size = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
    parser = seconds(partial(parser_alone, directory))
    start = time.process_time()
    catalog = Catalog(directory, "catalog")
    names = catalog.package_names()
    loaded = time.process_time() - start
    answered = 0
    for query in queries(catalog, names):
        try:
            resolve(query, [catalog])
            answered += 1
        except Unresolved:
            pass
    whole = time.process_time() - start
    print(
        f"{size / MEGABYTE:.1f} MB of {kind}: loaded in {loaded:.2f} s of CPU ({loaded / parser:.2f} times the parser alone), "
        f"{QUERIES} queries ({answered} answered) and loading in {whole:.2f} s"
    )


def parser_alone(directory: Path) -> None:
    """The parser that reading uses, on the same documents."""
    for path in sorted(directory.rglob("catalog.*")):
        content = path.read_bytes()
        separator = b"\n" if path.suffix == ".json" else b"---\n"
        for piece in content.split(separator):
            if piece.strip():
                parse_bytes(piece, "benchmark")


def queries(catalog: Catalog, names: list[str]) -> Iterator[Query]:
    """Queries of all kinds over all packages."""
    number = 0
    while True:
        for name in names:
            found = catalog.package(name)
            bundle = found.bundles[number % len(found.bundles)] if found else None
            if number == QUERIES or bundle is None:
                return
            installed = Installed(bundle.name, bundle.version)
            yield (
                Query(name),
                Query(name, channels=("stable",)),
                Query(name, installed=installed),
                Query(name, version=f"<{bundle.version}", installed=installed, policy=SELF_CERTIFIED),
                Query(name, version=f"~{bundle.version}"),
                Query(name, version="9.x"),
            )[number % 6]
            number += 1


def warm(directory: Path, kind: str, scratch: str) -> None:
    """One query on a cache that has the index."""
    options = SourceOptions(cache_directory=f"{scratch}/cache-{kind}")
    archive = shutil.make_archive(f"{scratch}/{kind}", "tar", directory)
    time.sleep(3)  # what was written just now is read again, since it might change unseen

    def ask(source: str) -> None:
        with open_catalogs(source, options) as opened:
            resolve(Query("operator-7"), opened.catalogs)

    for what, source in (("directory", str(directory)), ("tar", archive)):
        ask(source)
        least = min(seconds(partial(ask, source)) for _round in range(20)) * 1000
        print(f"one warm query on a {what} of {kind}: {least:.1f} ms of CPU in a process that runs already")
        print(f"and in one that does nothing else: {alone('query', source, options.cache_directory or '')}")


def alone(what: str, *arguments: object) -> str:
    """One measurement in a process of its own, so that its memory can be told."""
    command = [
        sys.executable,
        "-m",
        "ansible_collections.fleet.olm.tests.benchmarks.catalog",
        what,
        *map(str, arguments),
    ]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=dict(os.environ)).stdout.strip()


def index_alone(directory: Path) -> int:
    """Index a catalog; print seconds, speed and memory."""
    size = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
    before = memory()
    took = seconds(lambda: Catalog(directory, "catalog").package_names())
    print(
        f"{took:.1f} s of CPU, {size / MEGABYTE / took:.0f} MB/s, {memory():.0f} MiB of memory at most, {before:.0f} MiB before"
    )
    return 0


def query_alone(source: str, cache: str) -> int:
    """Answer one query; print milliseconds and memory."""
    before = memory()

    def ask() -> None:
        with open_catalogs(source, SourceOptions(cache_directory=cache)) as opened:
            resolve(Query("operator-7"), opened.catalogs)

    print(f"{seconds(ask) * 1000:.1f} ms of CPU, {memory():.0f} MiB of memory at most, {before:.0f} MiB before")
    return 0


def memory() -> float:
    """The most memory that this process had so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def seconds(work: Callable[[], object]) -> float:
    """How much CPU work takes, which does not depend on who else is at work on the machine."""
    start = time.process_time()
    work()
    return time.process_time() - start


def deep_graph() -> None:
    """Ten thousand bundles in a channel, each with a range over all before it."""
    at = Location("catalog.json", 1, 0, 0)
    count = 10_000
    entries = tuple(Entry(f"b{n}", f"b{n - 1}" if n else "", (), f">=0.0.0 <{n}.0.0") for n in range(count))
    bundles = tuple(CatalogBundle(f"b{n}", "", f"{n}.0.0", at) for n in range(count))
    found = Package("p", (), (Channel("c", entries, at),), bundles)
    far = partial(upgrade_path, Installed("gone", f"{count}.0.0"), bundles[-1], found, found.channels)
    print(f"{count} bundles a channel: no way found in {seconds(far) * 1000:.0f} ms of CPU")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
