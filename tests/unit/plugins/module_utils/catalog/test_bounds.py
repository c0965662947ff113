# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Deep channels, circles and ranges without measure end, in every part that walks them: answers, reasons, ways, validation, drawings."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.answers import path_to, resolved, ways_back
from ansible_collections.fleet.olm.plugins.module_utils.catalog.catalog import Catalog
from ansible_collections.fleet.olm.plugins.module_utils.catalog.problems import BadRange, Unresolved
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import Query
from ansible_collections.fleet.olm.plugins.module_utils.catalog.report import FORMS, check, described, drawn
from ansible_collections.fleet.olm.tests.unit.plugins.module_utils.catalog.given import (
    Blob,
    bundle,
    catalog,
    channel,
    entry,
    installed,
    package,
)

DEEP = 10_000
VERSIONS = [f"{number // 100}.{number % 100}.0" for number in range(DEEP)]


@contextmanager
def soon(seconds: float = 20) -> Iterator[None]:
    """CPU, which does not depend on who else is at work; far more than it takes, far less than what grows with the square."""
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds


def of(entries: list[Blob]) -> list[Blob]:
    return [package(), channel("stable", *entries), *(bundle(version) for version in VERSIONS)]


def chained() -> list[Blob]:
    return of([entry(version, before) for before, version in zip(("", *VERSIONS), VERSIONS, strict=False)])


def circling() -> list[Blob]:
    """Each replaces the one before, the first the last."""
    return of([entry(version, VERSIONS[number - 1]) for number, version in enumerate(VERSIONS)])


def ranging() -> list[Blob]:
    """Each has a range over nearly all, in ten parts."""
    parts = " || ".join(f">={number}.0.0 <{number + 9}.99.0" for number in range(0, 100, 10))
    return of([entry(version, skip_range=parts) for version in VERSIONS])


@pytest.fixture(scope="module", params=[chained, circling, ranging])
def deep(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    return catalog(tmp_path_factory.mktemp("deep"), request.param())


def tried(work: Any, query: Query, deep: Catalog) -> str:
    try:
        return str(work(query, [deep]).result["bundle"]["name"])
    except Unresolved as error:
        return "told in several lines" if "\n" in str(error) else "refused"


def test_answers_and_ways(deep: Catalog) -> None:
    first, last = installed(VERSIONS[0]), installed(VERSIONS[-1])
    with soon():
        assert tried(resolved, Query("greeter"), deep) == "greeter.v99.99.0"
        assert tried(resolved, Query("greeter", installed=first), deep) != "refused"
    with soon():
        assert tried(path_to, Query("greeter", installed=first), deep) == "greeter.v99.99.0"
        assert tried(ways_back, Query("greeter", installed=last), deep) == "greeter.v99.98.0"


def test_refusals_with_what_would_work(deep: Catalog) -> None:
    with soon():
        for version in ("1000.x", "50.50.0"):
            query = Query("greeter", version, ("stable",), installed(VERSIONS[0]))
            assert tried(resolved, query, deep) in ("refused", f"greeter.v{version}")


def test_validation_and_lists(deep: Catalog) -> None:
    with soon():
        check([deep], "greeter", strict=False)
        assert len(described([deep], "greeter", icon=False, properties=False)[0]["bundles"]) == DEEP


@pytest.mark.parametrize("form", FORMS)
def test_drawings(deep: Catalog, form: str) -> None:
    with soon():
        assert drawn([deep], "greeter", [], installed(VERSIONS[5]), form)


def test_a_range_of_a_hundred_thousand_parts(tmp_path: Path) -> None:
    parts = " || ".join(f"<{number}.0.0" for number in range(100_000))
    opened = catalog(tmp_path, [package(), channel("stable", entry("1.0.0", skip_range=parts)), bundle("1.0.0")])
    with soon():
        assert tried(resolved, Query("greeter", installed=installed("0.1.0")), opened) == "greeter.v1.0.0"
        with pytest.raises(BadRange, match="has more than 512 characters"):
            resolved(Query("greeter", parts), [opened])
        assert drawn([opened], "greeter", [], None, "html")
