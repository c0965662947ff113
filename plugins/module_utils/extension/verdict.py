# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether an object of OLM v1 is what its spec asks for: pure functions of the object as the API server has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from ..catalog.constraints import parse_constraints
from ..catalog.problems import BadRange, BadVersion
from ..catalog.versions import parse_version
from ..nested import at, mappings
from .conditions import Condition, conditions_of, current, generation_of
from .explanations import explain_catalog, explain_extension, explain_refusal

# `stuck` is what its controller tries again and again, and what does not heal unless somebody acts.
State = Literal["done", "waiting", "stuck", "failed"]

# Why a revision is not ready and will not be.
_ENDED = ("Blocked", "Invalid", "ProgressDeadlineExceeded")
_IMAGES = (("spec", "source", "image", "ref"), ("status", "resolvedSource", "image", "ref"))


@dataclass(frozen=True)
class Verdict:
    """`seen` is the condition in words, `advice` what to do about it where that is known."""

    state: State
    condition: str
    seen: str
    advice: str = ""

    def __str__(self) -> str:
        return f"{self.seen}; {self.advice}" if self.advice else self.seen


def extension_verdict(content: Mapping[str, Any]) -> Verdict:
    """Done is Progressing=True/Succeeded and Installed=True, both for this generation, and an installed version in the range."""
    ending = _ending(content)
    if ending is not None:
        return ending
    progressing = current(content, "Progressing")
    if progressing is None:
        return _unseen(content, "operator-controller")
    rolling = _rolling_out(content)
    # What is said of the revision before is not about the one that is to take its place.
    if rolling is not None and progressing.reason in ("Succeeded", "ProgressDeadlineExceeded"):
        return rolling
    if progressing.status == "False" and progressing.reason != "Succeeded":
        return Verdict("failed", "Progressing", str(progressing), explain_refusal(progressing.message))
    installed = current(content, "Installed")
    if progressing.reason != "Succeeded":
        progressing = _with_cause(progressing, installed)
        return _retried(progressing, explain_extension(progressing.message))
    if installed is None:
        return _unseen(content, "operator-controller")
    if installed.status != "True":
        return Verdict("waiting", "Installed", str(installed))
    wanted, version = (
        at(content, "spec", "source", "catalog", "version"),
        at(content, "status", "install", "bundle", "version"),
    )
    if not in_range(version, wanted):
        return Verdict("waiting", "Installed", f"version {version} is installed, which is not in the range {wanted}")
    return Verdict("done", "Installed", str(installed))


def catalog_verdict(content: Mapping[str, Any]) -> Verdict:
    """Done is serving what the image of this generation is; a catalog that is to be unavailable is done when it no longer serves."""
    ending = _ending(content)
    if ending is not None:
        return ending
    progressing, serving = current(content, "Progressing"), current(content, "Serving")
    if at(content, "spec", "availabilityMode") == "Unavailable":
        if serving is not None and serving.status == "False":
            return Verdict("done", "Serving", str(serving))
        return _unseen(content, "catalogd")
    if progressing is None:
        return _unseen(content, "catalogd")
    if progressing.status == "False" and progressing.reason != "Succeeded":
        return Verdict("failed", "Progressing", str(progressing), explain_catalog(progressing.message))
    if progressing.reason != "Succeeded":
        return _retried(progressing, explain_catalog(progressing.message))
    if serving is None or serving.status != "True":
        return Verdict("waiting", "Serving", str(serving) if serving is not None else str(_unseen(content, "catalogd")))
    wanted, resolved = (str(at(content, *path) or "") for path in _IMAGES)
    if "@" in wanted and wanted.rpartition("@")[2] != resolved.rpartition("@")[2]:
        return Verdict("waiting", "Serving", f"{resolved} is served, and not {wanted}")
    return Verdict("done", "Serving", str(serving))


def in_range(version: Any, wanted: Any) -> bool:
    """Whether a version is in a range; a range or version that we cannot read is the controller's to judge."""
    if not wanted or not version:
        return True
    try:
        return parse_constraints(str(wanted)).match(parse_version(str(version)))
    except (BadRange, BadVersion):
        return True


def _rolling_out(content: Mapping[str, Any]) -> Verdict | None:
    """The newest revision, where OLM v1 keeps revisions and that one is not installed yet. The installed one comes before it."""
    revisions = mappings(at(content, "status", "activeRevisions"))
    installed = current(content, "Installed")
    if len(revisions) <= (installed is not None and installed.status == "True"):
        return None
    newest = conditions_of({"status": revisions[-1]})
    # Newer releases tell one condition of it; one that was just made has none yet.
    found = newest.get("Progressing") or newest.get("Ready")
    ended = found is not None and found.status == "False" and (found.kind == "Progressing" or found.reason in _ENDED)
    said = str(found) if found is not None else "it is rolled out"
    return Verdict("failed" if ended else "waiting", "Progressing", f"revision {revisions[-1].get('name')}: {said}")


def _ending(content: Mapping[str, Any]) -> Verdict | None:
    since = at(content, "metadata", "deletionTimestamp")
    return Verdict("failed", "there", f"it is being deleted since {since}") if since else None


def _with_cause(progressing: Condition, installed: Condition | None) -> Condition:
    """Where operator-controller cannot tell what is installed, it says there that it tries again, and why in the other condition."""
    if installed is None or installed.status != "Unknown" or installed.message in progressing.message:
        return progressing
    return replace(progressing, message=f"{progressing.message}: {installed.message}")


def _unseen(content: Mapping[str, Any], controller: str) -> Verdict:
    return Verdict(
        "waiting", "Progressing", f"{controller} has not said anything about generation {generation_of(content)}"
    )


def _retried(condition: Condition, advice: str) -> Verdict:
    return Verdict("stuck" if advice else "waiting", condition.kind, str(condition), advice)
