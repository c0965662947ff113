# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Queries on a real catalog, beside OLM v1's answers, where the corpus is present."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.catalog.catalog import Catalog
from ansible_collections.fleet.olm.plugins.module_utils.catalog.problems import Unresolved
from ansible_collections.fleet.olm.plugins.module_utils.catalog.query import Installed, Query, parse_query
from ansible_collections.fleet.olm.plugins.module_utils.catalog.resolution import resolve

CHECKOUT = Path(__file__).resolve().parents[5]
CORPUS = CHECKOUT.parent / "shared" / "corpus" / "catalog"
pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason=f"no corpus of catalog queries at {CORPUS}")


@pytest.fixture(scope="module")
def real() -> Catalog:
    return Catalog(CORPUS / "configs", "catalog")


def lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CORPUS / "expected.jsonl").read_text(encoding="utf-8").splitlines()]


def query_of(line: dict[str, Any], real: Catalog) -> Query:
    query = parse_query({key: line.get(key) for key in ("package", "version", "channels", "policy")})
    package = real.package(line["package"])
    if not line.get("installed") or package is None:
        return query
    bundle = package.by_name[line["installed"]]
    return Query(query.package, query.version, query.channels, Installed(bundle.name, bundle.version), query.policy)


def test_every_answer_is_that_of_olm_v1(real: Catalog, capsys: pytest.CaptureFixture[str]) -> None:
    different = []
    for line in lines():
        try:
            found = resolve(query_of(line, real), [real]).bundle.name
        except Unresolved as error:
            several = "\n" in str(error)
            found = "told in several lines" if several else None
        if found != line.get("bundle"):
            different.append((line, found))
    assert different == []
    with capsys.disabled():
        print(f"\n{len(lines())} queries on a real catalog answered as OLM v1 does")


def test_every_change_that_a_refusal_proposes_works(real: Catalog) -> None:
    refused = 0
    for line in lines():
        query = query_of(line, real)
        try:
            resolve(query, [real])
        except Unresolved as error:
            refused += 1
            for change in error.details["changes"]:
                options = {"package": query.package, "version": query.version, "channels": query.channels}
                installed = query.installed and {"name": query.installed.name, "version": query.installed.version}
                changed = parse_query({**options, "policy": query.policy, "installed": installed, **change["options"]})
                assert resolve(changed, [real]).bundle.name == change["bundle"]
    assert refused
