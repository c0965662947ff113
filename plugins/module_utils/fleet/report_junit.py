# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report as JUnit XML, which continuous integration shows: a suite a cluster, a case an extension."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

# What XML cannot hold in any writing.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_junit(report: Mapping[str, Any]) -> str:
    """The document. Who is blocked by another or could not be asked is skipped: what is to be mended is told once."""
    suites = [_suite(cluster) for cluster in report["clusters"]]
    totals = {
        name: sum(counts[name] for counts, _lines in suites) for name in ("tests", "failures", "errors", "skipped")
    }
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        _tag("testsuites", {"name": report["title"], **totals}),
        *(line for _counts, suite in suites for line in suite),
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _suite(cluster: Mapping[str, Any]) -> tuple[dict[str, int], list[str]]:
    name = cluster["name"]
    cases = [(row["name"], *_verdict(row), _facts(row)) for row in cluster["extensions"]]
    if cluster["error"] or not cluster["reachable"]:
        cause = "not readable" if cluster["reachable"] else "unreachable"
        cases.insert(0, ("cluster", "error", cause, cluster["error"], []))
    kinds = [kind for _name, kind, _type, _message, _facts in cases]
    counts = {
        "tests": len(cases),
        "failures": kinds.count("failure"),
        "errors": kinds.count("error"),
        "skipped": kinds.count("skipped"),
    }
    lines = [_tag("testsuite", {"name": name, **counts})]
    for case, kind, cause, message, facts in cases:
        lines.append(_tag("testcase", {"classname": name, "name": case}))
        if kind:
            attributes = {"message": message} if kind == "skipped" else {"type": cause, "message": message}
            lines.append(_tag(kind, attributes, closed=True))
        if facts:
            lines.append(f"<system-out>{escape(_clean(chr(10).join(facts)))}</system-out>")
        lines.append("</testcase>")
    return counts, [*lines, "</testsuite>"]


def _verdict(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Which element a row gives, its type and its message; an empty element where all is well."""
    if row["blocked_by"]:
        return "skipped", "", f"blocked by {', '.join(row['blocked_by'])}"
    if row["health"] == "unknown":
        return "skipped", "", "the cluster did not tell"
    if row["pending_approval"]:
        return "failure", "pending approval", row["message"]
    if row["health"] != "healthy":
        return "failure", row["health"], row["message"] or row["health"]
    if row["as_wanted"] is False:
        wanted = f"{row['wanted_version']} is wanted" if row["wanted_version"] else row["message"]
        return "failure", "not as wanted", f"{row['version']} is installed, {wanted}"
    return "", "", ""


def _facts(row: Mapping[str, Any]) -> list[str]:
    facts: Sequence[str] = [f"version {row['version']}"] if row["version"] else []
    upgrade = row["upgrade"]
    return [
        *facts,
        *([f"can be upgraded to {upgrade['version']}: {' → '.join(upgrade['path'])}"] if upgrade else []),
        *(f"deprecated: {text}" for text in row["deprecations"]),
        *(f"would gain: {text}" for text in (row["pending_approval"] or {}).get("gains", ())),
    ]


def _tag(name: str, attributes: Mapping[str, Any], *, closed: bool = False) -> str:
    written = "".join(f" {key}={quoteattr(_clean(str(value)))}" for key, value in attributes.items())
    return f"<{name}{written}{'/' if closed else ''}>"


def _clean(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
