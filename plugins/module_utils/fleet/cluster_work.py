# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The extensions of one cluster, one after the other, whichever engine installs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from ..call import Call, Outcome
from ..cluster.client import Client
from ..cluster.engine import OLM_V1_GROUP, Choice, choose_engine
from ..direct.ledger import Ledger
from ..direct.ownership import Extension
from ..direct.task import DIRECT_OPTIONS, direct_task
from ..errors import (
    CertificateRejected,
    FleetError,
    Forbidden,
    NotKubernetes,
    Told,
    Unauthorized,
    Unreachable,
    lines_of,
)
from ..extension.api import EXTENSIONS, extension_key
from ..extension.task import OLM_OPTIONS, olm_task
from .description import ENGINES, SETTINGS, is_for
from .order import Place, in_order

_UNUSABLE = (CertificateRejected, NotKubernetes, Unauthorized, Unreachable)
ABSENT, ROLLED_BACK = "absent", "rolled_back"
OLMS = "there is a ClusterExtension of this name"
# An extension as it is described, once its bundle is known.
EXTENSION_OPTIONS: Mapping[str, Any] = {
    **{name: {**{**OLM_OPTIONS, **DIRECT_OPTIONS}[name], "default": None} for name in SETTINGS},
    "name": {"type": "str", "required": True},
    "namespace": {"type": "str", "required": True},
    "engine": {"type": "str", "choices": list(ENGINES), "default": "auto"},
    "needs": {"type": "list", "elements": "str", "default": []},
    "when": {"type": "dict"},
    "wave": {"type": "int", "default": 0},
    "source": {"type": "raw"},
    "package": {"type": "str"},
    "version": {"type": "str"},
    "channels": {"type": "list", "elements": "str", "default": []},
    "catalog": {"type": "raw"},
    "upgrade_constraint_policy": OLM_OPTIONS["upgrade_constraint_policy"],
    "config": {"type": "raw"},
    "delete_crds": DIRECT_OPTIONS["delete_crds"],
    "delete_custom_resources": DIRECT_OPTIONS["delete_custom_resources"],
}
# Made for a fleet, where a namespace that is missing is what day zero is about.
_CREATE_NAMESPACE = "create_namespace"


@dataclass(frozen=True)
class Done:
    """What became of one extension."""

    told: Mapping[str, Any]
    changed: bool = False
    failed: bool = False
    warnings: tuple[str, ...] = ()
    diff: tuple[Mapping[str, Any], ...] = ()


def work_through(call: Call, client: Client) -> Outcome:
    """All extensions in the order of waves and needs, or backwards where they are removed.

    One that fails stops those that need it, and all others only where told so.
    """
    options = call.options
    state = options["state"]
    wanted = _in_order(
        [item for item in options["extensions"] if is_for(item["when"], options["labels"], f"{item['name']}.when")]
    )
    if state == ABSENT:
        wanted = [{**item, "needs": _needed_by(item, wanted)} for item in reversed(wanted)]
    results: dict[str, Done] = {}
    automatic = cache(lambda: choose_engine(client, "auto"))
    for item in wanted:
        name = item["name"]
        broken = [need for need in item["needs"] if need in results and results[need].failed]
        if broken or (options["on_failure"] == "stop" and any(done.failed for done in results.values())):
            results[name] = _blocked(item, broken or [other for other, done in results.items() if done.failed])
            continue
        before = client.requests
        try:
            choice = _owner(client, item) if state == ABSENT else _engine(client, item, automatic)
            results[name] = _done(call, client, item, choice, before)
        except _UNUSABLE as error:
            if not results:
                raise
            # It was there a moment ago, and is not now: there is no sense in trying the others.
            for rest in wanted[len(results) :]:
                results[rest["name"]] = _lost(rest, error)
            break
        except FleetError as error:
            told = {"state": "failed", "message": str(error), **error.details, "requests": client.requests - before}
            changed = bool(error.details.get("changed"))
            results[name] = Done({**_who(item), **told, "changed": changed}, changed, failed=True)
    return _outcome(call, results, client)


def _in_order(wanted: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """By waves and needs; what is needed and not worked on does not count."""
    names = {item["name"] for item in wanted}
    places = [Place(item["name"], item["wave"], names.intersection(item["needs"])) for item in wanted]
    return [wanted[index] for index in in_order(places)]


def _needed_by(item: Mapping[str, Any], wanted: Sequence[Mapping[str, Any]]) -> list[str]:
    """On the way out it is the other way round: what needs another goes first, and keeps it where it stays."""
    return [other["name"] for other in wanted if item["name"] in other["needs"]]


def _who(item: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": item["name"], "namespace": item["namespace"], "wanted_version": item["version"]}


def _blocked(item: Mapping[str, Any], by: Sequence[str]) -> Done:
    message = f"not tried, because {' and '.join(by)} failed"
    told = {**_who(item), "state": "blocked", "message": message, "blocked_by": list(by), "changed": False}
    return Done(told, failed=True)


def _lost(item: Mapping[str, Any], error: FleetError) -> Done:
    return Done({**_who(item), "state": "failed", "message": str(error), "changed": False}, failed=True)


def _engine(client: Client, item: Mapping[str, Any], automatic: Callable[[], Choice]) -> Choice:
    """Who installs an extension. What is `automatic` on this cluster is only asked where it matters."""
    wanted: Literal["auto", "olm", "direct"] = item["engine"]
    if wanted != "auto":
        return choose_engine(client, wanted)
    if not item["package"]:
        return Choice("direct", "it is described by its source, and OLM v1 installs packages of catalogs")
    if automatic().engine == "olm" and _is_direct(client, Extension(item["name"], item["namespace"])):
        return Choice(
            "direct", "it was installed so; engine: olm with cluster_extension's adopt_from: direct hands it over"
        )
    if automatic().engine == "direct" and _is_olms(client, item["name"]):
        # Its controller may be about to start again.
        return Choice("olm", OLMS)
    return automatic()


def _owner(client: Client, item: Mapping[str, Any]) -> Choice:
    """Who is to remove an extension: who has it, whatever would install it today."""
    if item["engine"] != "auto":
        return choose_engine(client, item["engine"])
    if _is_direct(client, Extension(item["name"], item["namespace"])):
        return Choice("direct", "it was installed so")
    if item["package"] and client.discovery().served(OLM_V1_GROUP, EXTENSIONS.plural):
        # A removal that was broken off may have left objects without their ClusterExtension.
        return Choice("olm", "ClusterExtensions are served, and it was not installed by bundle_install")
    if _is_olms(client, item["name"]):
        return Choice("olm", OLMS)
    return Choice("direct", "nothing of it is there")


def _is_olms(client: Client, name: str) -> bool:
    if not client.discovery().served(OLM_V1_GROUP, EXTENSIONS.plural):
        return False
    try:
        return client.find(extension_key(name).path) is not None
    except Forbidden:
        return False


def _is_direct(client: Client, extension: Extension) -> bool:
    try:
        return bool(Ledger(client, extension).entries())
    except Forbidden:
        return False


def _done(call: Call, client: Client, item: Mapping[str, Any], choice: Choice, before: int) -> Done:
    state = call.options["state"]
    if choice.engine == "olm" and state == ROLLED_BACK:
        raise FleetError(
            "OLM v1 keeps no revisions to go back to; describe the version that it is to be, with upgrade_constraint_policy: SelfCertified"
        )
    spec, task = (OLM_OPTIONS, olm_task) if choice.engine == "olm" else (DIRECT_OPTIONS, direct_task)
    given = {key: value for key, value in _options(call, item) if key in spec}
    defaults = {key: value.get("default") for key, value in spec.items()}
    # The client keeps what the API server said about extensions before this one.
    known = set(client.warnings)
    outcome = task(replace(call, options={**call.options, **defaults, **given}), client)
    if outcome.changed and not call.check_mode:
        client.forget_discovery()
    result = outcome.result
    bundle = result.get("bundle")
    told = {
        **_who(item),
        "engine": choice.engine,
        "why": choice.why,
        "state": "absent" if state == ABSENT else "installed",
        "version": (bundle or {}).get("version"),
        "bundle": bundle,
        "revision": result.get("revision"),
        "changed": outcome.changed,
        "plan": [step for step in result["plan"] if step["action"] not in ("keep", "retain")],
        "permissions": result.get("permissions"),
        "requests": client.requests - before,
    }
    warnings = tuple(line for line in outcome.warnings if line not in known)
    return Done(told, outcome.changed, warnings=warnings, diff=tuple(result.get("diff") or ()))


def _options(call: Call, item: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield _CREATE_NAMESPACE, True
    if not item["source"] and item["package"]:
        named = {key: item[key] for key in ("catalog", "package", "version", "channels")}
        named["policy"] = item["upgrade_constraint_policy"]
        yield "source", {key: value for key, value in named.items() if value}
    yield from ((key, value) for key, value in item.items() if value is not None)
    yield "state", call.options["state"]
    accepted = call.options["accept_permissions"]
    if accepted and not item.get("accept_permissions"):
        yield "accept_permissions", accepted


def _outcome(call: Call, results: Mapping[str, Done], client: Client) -> Outcome:
    failed = {name: str(done.told["message"]) for name, done in results.items() if done.failed}
    result: dict[str, Any] = {
        "extensions": [dict(done.told) for done in results.values()],
        "requests": client.requests,
    }
    if call.diff:
        result["diff"] = [part for done in results.values() for part in done.diff]
    changed = any(done.changed for done in results.values())
    warnings = tuple(dict.fromkeys(f"{name}: {line}" for name, done in results.items() for line in done.warnings))
    if not failed:
        return Outcome(result, changed, warnings)
    lines = [line for name, message in failed.items() for line in lines_of(name, message)]
    raise Told("\n".join(lines), {**result, "changed": changed})
