# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Catalogs and queries of every shape: an answer, or one of our errors in one line; never anything else, and never without end."""

from __future__ import annotations

import os
import random
import string
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible_collections.fleet.olm.plugins.module_utils.catalog.answers import path_to, resolved, ways_back
from ansible_collections.fleet.olm.plugins.module_utils.catalog.catalog import Catalog
from ansible_collections.fleet.olm.plugins.module_utils.catalog.option import parse_catalogs
from ansible_collections.fleet.olm.plugins.module_utils.catalog.problems import BadRange, BadVersion
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import Installed, Platform, Query
from ansible_collections.fleet.olm.plugins.module_utils.catalog.report import (
    FORMS,
    check,
    described,
    drawn,
)
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError, Problems
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import (
    Blob,
    bundle,
    chain,
    channel,
    deprecations,
    entry,
    write,
)

ROUNDS = int(os.environ.get("FLEET_OLM_FUZZ", "300"))
SEED = int(os.environ.get("FLEET_OLM_SEED", "1"))
ODD: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    "",
    "x",
    "1.0.0",
    "\x00",
    "ü",
    [],
    {},
    [None],
    [[]],
    {"a": None},
    "9" * 50,
    "greeter.v1.0.0",
    ">=1.0.0 <2",
]
WORDS = [
    "1.0.0",
    "1.1.0",
    "2.0.0-rc.1",
    "1.x",
    "~1",
    "^2",
    ">=1.0.0-0",
    "||",
    "x",
    "v",
    "-",
    "+1",
    "",
    "a",
    "0.0.0",
    " ",
    ",",
]


def base() -> list[Blob]:
    metadata = {"type": "olm.csv.metadata", "value": {"minKubeVersion": "1.30.0"}}
    manifest = {"type": "olm.bundle.object", "value": {"data": "e30="}}
    return [
        *chain("1.0.0", "1.1.0", "2.0.0-rc.1"),
        channel("beta", entry("1.1.0", skip_range="<1.1.0"), entry("2.0.0-rc.1", skips=["1.1.0"])),
        bundle("1.2.0+4", metadata, manifest),
        deprecations(("olm.bundle", "greeter.v1.0.0", "old"), ("olm.channel", "beta", "x"), ("olm.package", "", "y")),
        {"schema": "other", "package": "greeter"},
    ]


def mutated(value: Any, chance: random.Random, rate: float) -> Any:
    if chance.random() < rate:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {key: mutated(item, chance, rate) for key, item in value.items() if chance.random() > rate / 4}
    if isinstance(value, list):
        items = [mutated(item, chance, rate) for item in value if chance.random() > rate / 4]
        return items + items[:1] if chance.random() < rate else items
    return value


def text(chance: random.Random) -> str:
    if chance.random() < 0.1:
        return "".join(chance.choices(string.printable, k=chance.randint(0, 12)))
    return chance.choice(["", " ", "=", ">", "<="]).join(chance.choices(WORDS, k=chance.randint(1, 4)))


def query(chance: random.Random) -> Query:
    installed = Installed(
        chance.choice(["greeter.v1.0.0", "greeter.v1.1.0", "x"]), chance.choice(["1.0.0", "1.1.0", text(chance)])
    )
    return Query(
        chance.choice(["greeter", "greeter", "gretter", ""]),
        chance.choice(["", "1.x", text(chance)]),
        chance.choice([(), ("stable",), ("beta", "x")]),
        chance.choice([None, installed]),
        chance.choice(["CatalogProvided", "SelfCertified"]),
        chance.choice([Platform(), Platform("1.29"), Platform("", "4.1"), Platform(text(chance))]),
    )


def everything(asked: Query, opened: list[Catalog], form: str) -> list[Callable[[], object]]:
    return [
        lambda: resolved(asked, opened),
        lambda: path_to(asked, opened),
        lambda: ways_back(asked, opened),
        lambda: check(opened, "", strict=True),
        lambda: described(opened, "greeter", icon=True, properties=True),
        lambda: drawn(opened, "greeter", (), asked.installed, form),
    ]


def test_catalogs_and_queries_of_every_shape(tmp_path: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    ended = {"answer": 0, "error": 0}
    for number in range(ROUNDS):
        blobs = [mutated(blob, chance, chance.choice([0.0, 0.01, 0.03, 0.1])) for blob in base()]
        chance.shuffle(blobs)
        opened = [Catalog(write(tmp_path / str(number), blobs), "catalog")]
        asked = query(chance)
        for work in everything(asked, opened, chance.choice(list(FORMS))):
            try:
                work()
                ended["answer"] += 1
            except FleetError as error:
                ended["error"] += 1
                if "\n" in str(error):
                    assert isinstance(error, Problems)  # noqa: PT017 - most of them are of one line
    assert min(ended.values()) > ROUNDS // 10


def test_options_of_every_shape() -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    option = [{"catalog": "x", "name": "y", "priority": 3, "labels": {"a": "b"}}, {"cluster_catalog": "z"}, "w"]
    for _round in range(ROUNDS):
        try:
            parse_catalogs(mutated(option, chance, 0.15))
        except FleetError as error:
            if "\n" in str(error):
                raise


PARALLEL = """
import sys
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import Query
from ansible_collections.fleet.olm.plugins.module_utils.catalog.resolution import resolve
from ansible_collections.fleet.olm.plugins.module_utils.catalog.sources import open_catalogs
for _round in range(5):
    with open_catalogs(sys.argv[1], SourceOptions(cache_directory=sys.argv[2])) as opened:
        print(resolve(Query("greeter"), opened.catalogs).bundle.name)
"""


def test_many_runs_at_once_share_one_index(tmp_path: Path) -> None:
    directory = write(tmp_path / "catalog", [*chain(*(f"{n}.0.0" for n in range(200)))])
    command = [sys.executable, "-c", PARALLEL, str(directory), str(tmp_path / "cache")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _process in range(4)]
    assert {process.communicate()[0] for process in running} == {"greeter.v199.0.0\n" * 5}
    kept = sorted(path.name for path in (tmp_path / "cache-catalogs").iterdir())
    assert len(kept) == 2, "the index, and what is noted of the directory"


def test_ranges_of_every_shape() -> None:
    from ansible_collections.fleet.olm.plugins.module_utils.catalog.constraints import parse_constraints
    from ansible_collections.fleet.olm.plugins.module_utils.catalog.ranges import parse_range
    from ansible_collections.fleet.olm.plugins.module_utils.catalog.versions import parse_version

    chance = random.Random(SEED)  # noqa: S311 - no secret
    version = parse_version("1.1.0")
    for _round in range(ROUNDS * 5):
        for parse in (parse_constraints, parse_range):
            try:
                assert parse(text(chance)).match(version) in (True, False)
            except (BadRange, BadVersion) as error:
                if "\n" in str(error):
                    raise
