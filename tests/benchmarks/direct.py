# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Installing a bundle of 14 objects with 1.2 MB of CRDs, and the same again, next to the tools that people use for it.

    python -m ansible_collections.fleet.olm.tests.benchmarks.direct [rounds]

Raw PATCH requests over one connection are the limit: server-side apply of the bare manifests, without looking at anything before or after. Everyone
gets an API server of its own in each round, which is left to calm down before each run, and a directory of its own for what it caches. The figures
are medians of the rounds; what counts are ratios. "server" is the CPU that the API server used meanwhile. ansible-playbook is measured with an empty
task, too, since it is what any task costs.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_v1 import read_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, perform
from ansible_collections.fleet.olm.plugins.module_utils.render.check import configured
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import render
from ansible_collections.fleet.olm.plugins.module_utils.waiting.served import served_soon
from ansible_collections.fleet.olm.plugins.modules.bundle_install import PROGRAM
from ansible_collections.fleet.olm.tests.benchmarks.large_bundle import write_bundle
from ansible_collections.fleet.olm.tests.benchmarks.measure import Cost, cpu_of, forked, measure, settle
from ansible_collections.fleet.olm.tests.benchmarks.peers import kubernetes_core
from ansible_collections.fleet.olm.tests.rig.cluster import ADMIN, Cluster
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.rig import Rig

NAMESPACE = "depot-system"
CONFIG = {"watchNamespace": NAMESPACE}

RAW, SERVED = "raw PATCH, one connection", "the same, and CRDs served"
KUBECTL, HELM = "kubectl apply --server-side", "Helm 3"
FLOOR, CORE, OURS = "ansible-playbook, empty task", "kubernetes.core.k8s in it", "fleet.olm in it"
ALONE, KEPT = "fleet.olm, the task alone", "the same, bundle in the cache"


@dataclass(frozen=True)
class Run:
    """What one run cost, what it told of itself, and how much CPU the API server used meanwhile."""

    cost: Cost
    told: Mapping[str, Any]
    server: float = 0.0


@dataclass(frozen=True)
class Place:
    """Where one tool works in one round: an empty cluster and a directory."""

    cluster: Cluster
    home: Path
    bundle: Path
    manifests: tuple[dict[str, Any], ...]
    programs: Mapping[str, Path]

    @property
    def kubeconfig(self) -> Path:
        path = self.home / "kubeconfig"
        path.write_text(yaml.safe_dump(self.cluster.kubeconfig()), encoding="utf-8")
        return path


def main() -> None:
    """Run and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    tools: Mapping[str, Callable[[Place], Callable[[], Run]]] = {
        RAW: raw,
        SERVED: lambda place: raw(place, wait=True),
        ALONE: alone,
        KEPT: kept,
        KUBECTL: kubectl,
        HELM: helm,
        FLOOR: floor,
        CORE: core,
        OURS: ours,
    }
    runs: dict[str, list[tuple[Run, Run]]] = {name: [] for name in tools}
    with tempfile.TemporaryDirectory() as scratch, Rig(Path(scratch) / "rig", print) as rig:
        bundle = write_bundle(Path(scratch) / "bundle")
        manifests = rendered(bundle)
        programs = {name: rig.program(name) for name in ("kubectl", "helm")}
        programs["kubernetes.core"] = kubernetes_core()
        for number in range(rounds):
            for position, (name, prepare) in enumerate(tools.items()):
                home = Path(scratch) / f"{number}-{position}"
                home.mkdir()
                cluster = rig.add_cluster(f"cluster-{number}-{position}")
                cluster.request("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
                work = prepare(Place(cluster, home, bundle, manifests, programs))
                runs[name].append((calm(cluster, work), calm(cluster, work)))
                first, again = (run.cost for run in runs[name][-1])
                print(f"round {number + 1}, {name}: {first.wall:.2f} s, again {again.wall:.2f} s", flush=True)
                rig.remove_cluster(cluster.name)
    report(manifests, runs)


def rendered(bundle: Path) -> tuple[dict[str, Any], ...]:
    """The manifests of a bundle, as everyone else has to be given them."""
    content = read_bundle(bundle)
    config, _advice = configured(content, CONFIG, NAMESPACE)
    return render(content, config, NAMESPACE, "none")


def calm(cluster: Cluster, work: Callable[[], Run]) -> Run:
    """Run when the API server has digested what was before: its documents about CRDs, for the most part."""
    server = cluster.processes[0].pid
    settle(server)
    before = cpu_of(server)
    run = work()
    return replace(run, server=cpu_of(server) - before)


def raw(place: Place, *, wait: bool = False) -> Callable[[], Run]:
    """The bare requests; paths and bodies are there before. To `wait` is to be where an install is, whose operator needs its CRDs."""
    served = {
        (version["groupVersion"], resource["kind"]): resource
        for version in _served(place.cluster)
        for resource in version["resources"]
        if "/" not in resource["name"]
    }
    requests = []
    for manifest in place.manifests:
        resource = served[manifest["apiVersion"], manifest["kind"]]
        base = "/apis/" if "/" in manifest["apiVersion"] else "/api/"
        inside = f"/namespaces/{NAMESPACE}" if resource["namespaced"] else ""
        path = f"{base}{manifest['apiVersion']}{inside}/{resource['name']}/{manifest['metadata']['name']}"
        requests.append((f"{path}?fieldManager=raw", json.dumps(manifest, separators=(",", ":")).encode()))
    address = urlsplit(place.cluster.url).netloc
    headers = {
        "Authorization": f"Bearer {place.cluster.tokens[ADMIN]}",
        "Content-Type": "application/apply-patch+yaml",
        "Accept": "application/json",
    }

    def send() -> dict[str, Any]:
        context = ssl.create_default_context(cafile=str(place.cluster.ca_file))
        connection = http.client.HTTPSConnection(address, context=context)
        received = 0
        for path, body in requests:
            connection.request("PATCH", path, body, headers)
            answer = connection.getresponse()
            received += len(answer.read())
            assert answer.status in (200, 201), (path, answer.status)
        connection.close()
        if wait:
            definitions = [item for item in place.manifests if item["kind"] == "CustomResourceDefinition"]
            with Client(connection_to(place.cluster)) as client:
                assert served_soon(client, definitions), "the CRDs are not served"
        sent = sum(len(body) for _path, body in requests)
        return {"requests": len(requests), "bytes_sent": sent, "bytes_received": received}

    return lambda: Run(*forked(send))


def _served(cluster: Cluster) -> list[dict[str, Any]]:
    groups = ["/api/v1"]
    for group in cluster.request("GET", "/apis")["groups"]:
        groups += [f"/apis/{version['groupVersion']}" for version in group["versions"]]
    return [cluster.request("GET", path) for path in groups]


def kubectl(place: Place) -> Callable[[], Run]:
    """All manifests in one file."""
    path = place.home / "manifests.yaml"
    path.write_text(_documents(place.manifests), encoding="utf-8")
    environment = {"HOME": str(place.home)}
    command = [place.programs["kubectl"], "--kubeconfig", place.kubeconfig, "apply", "--server-side", "-f", path]
    return lambda: Run(measure(command, cwd=place.home, env=environment), {})


def helm(place: Place) -> Callable[[], Run]:
    """A chart with all manifests as templates: Helm would not look at CRDs anywhere else again."""
    chart = place.home / "chart"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: depot\nversion: 2.4.0\n", encoding="utf-8")
    for number, manifest in enumerate(place.manifests):
        (chart / "templates" / f"{number:02}.yaml").write_text(_documents([manifest]), encoding="utf-8")
    access = ["--kubeconfig", place.kubeconfig, "--namespace", NAMESPACE]
    command = [place.programs["helm"], "upgrade", "--install", "depot", chart, *access]
    return lambda: Run(measure(command, cwd=place.home, env={"HOME": str(place.home)}), {})


def floor(place: Place) -> Callable[[], Run]:
    """What a playbook costs that does nothing."""
    return _playbook(place, Path(sys.executable).parent, {"ansible.builtin.debug": {"msg": "nothing"}})


def core(place: Place) -> Callable[[], Run]:
    """All manifests in one task."""
    path = place.home / "manifests.yaml"
    path.write_text(_documents(place.manifests), encoding="utf-8")
    options = {"src": str(path), "apply": True, "server_side_apply": {"field_manager": "benchmark"}}
    task = {"kubernetes.core.k8s": {**options, "kubeconfig": str(place.kubeconfig)}}
    return _playbook(place, place.programs["kubernetes.core"], task)


def ours(place: Place) -> Callable[[], Run]:
    """The module in a playbook."""
    return _playbook(place, Path(sys.executable).parent, {"fleet.olm.bundle_install": _options(place)})


def alone(place: Place) -> Callable[[], Run]:
    """What Ansible's worker does when it runs the module in-process: a fork, with everything imported."""
    options = ArgumentSpecValidator(dict(PROGRAM.argument_spec)).validate(_options(place)).validated_parameters

    def install() -> dict[str, Any]:
        os.environ["XDG_CACHE_HOME"] = str(place.home)
        result = perform(PROGRAM, Call(options, check_mode=False, diff=False))
        assert not result.get("failed"), result["msg"]
        return {name: result[name] for name in ("changed", "requests", "bytes_sent", "bytes_received")}

    return lambda: Run(*forked(install))


def kept(place: Place) -> Callable[[], Run]:
    """The same on all hosts of a fleet but the first: the bundle was read before."""

    def read() -> dict[str, Any]:
        os.environ["XDG_CACHE_HOME"] = str(place.home)
        return {"digest": load_bundle(str(place.bundle), SourceOptions()).digest}

    forked(read)
    return alone(place)


def _options(place: Place) -> dict[str, Any]:
    return {
        "name": "depot",
        "namespace": NAMESPACE,
        "source": str(place.bundle),
        "config": CONFIG,
        "kubeconfig": str(place.kubeconfig),
        "wait_for": "applied",
    }


def _playbook(place: Place, programs: Path, task: dict[str, Any]) -> Callable[[], Run]:
    variables = {"ansible_connection": "local", "ansible_python_interpreter": str(programs / "python")}
    play = [{"hosts": "localhost", "gather_facts": False, "vars": variables, "tasks": [task]}]
    (place.home / "play.yml").write_text(yaml.safe_dump(play), encoding="utf-8")
    command = [programs / "ansible-playbook", "-i", "localhost,", "play.yml"]
    environment = {"XDG_CACHE_HOME": str(place.home)}
    return lambda: Run(
        measure(command, cwd=place.home, env=environment), {"output": (place.home / "output.log").read_text()}
    )


def _documents(manifests: Any) -> str:
    return yaml.dump_all(manifests, Dumper=yaml.CSafeDumper, sort_keys=False)


def report(manifests: tuple[dict[str, Any], ...], runs: Mapping[str, list[tuple[Run, Run]]]) -> None:
    """The table, the ratios, and whether the goals hold."""
    crds = [json.dumps(item) for item in manifests if item["kind"] == "CustomResourceDefinition"]
    size = sum(len(text) for text in crds) / 1e6
    rounds = len(runs[RAW])
    print(f"{len(manifests)} objects, {len(crds)} CRDs of {size:.2f} MB in all; medians of {rounds} rounds")
    print(f"processes that wanted to run, in the last 15 minutes: {os.getloadavg()[2]:.1f} on {os.cpu_count()} cores")
    head = f"{'wall s':>9}{'CPU s':>8}{'server':>8}{'requests':>10}{'kB sent':>9}{'kB read':>9}"
    print(f"{'':<30}{'first install':^53}  {'the same again':^53}\n{'':<30}{head}  {head}")
    for name, pairs in runs.items():
        print(f"{name:<30}" + "  ".join(_columns([pair[turn] for pair in pairs]) for turn in (0, 1)))
    print()
    _goals(runs)


def _columns(runs: list[Run]) -> str:
    server = statistics.median(run.server for run in runs)
    text = f"{_median(runs, 'wall'):>9.2f}{_median(runs, 'cpu'):>8.2f}{server:>8.2f}"
    told = runs[-1].told
    if "requests" not in told:
        return text + f"{'':>28}"
    return text + f"{told['requests']:>10}{told['bytes_sent'] / 1e3:>9.0f}{told['bytes_received'] / 1e3:>9.0f}"


def _median(runs: list[Run], what: str) -> float:
    return float(statistics.median(getattr(run.cost, what) for run in runs))


def _goals(runs: Mapping[str, list[tuple[Run, Run]]]) -> None:
    def figure(name: str, turn: int, what: str) -> float:
        return _median([pair[turn] for pair in runs[name]], what)

    def times(name: str, limit: str) -> list[float]:
        return [mine[0].cost.wall / bare[0].cost.wall for mine, bare in zip(runs[name], runs[limit], strict=True)]

    again = runs[ALONE][-1][1].told
    core_cpu = figure(CORE, 1, "cpu") - figure(FLOOR, 1, "cpu")
    goals = (
        *(
            (
                f"first install, {name}, times {limit} ({min(found):.2f} to {max(found):.2f})",
                statistics.median(found),
                1.2,
            )
            for name in (ALONE, KEPT)
            for limit, found in ((limit, times(name, limit)) for limit in (RAW, SERVED))
        ),
        ("first install, CPU s", figure(ALONE, 0, "cpu"), 0.4),
        ("again, requests", again["requests"], 10),
        ("again, wall s", figure(ALONE, 1, "wall"), 0.15),
        ("again, bytes sent", again["bytes_sent"], 0),
        (
            "again, CPU as a part of kubernetes.core's, both without ansible-playbook",
            figure(ALONE, 1, "cpu") / core_cpu,
            1 / 20,
        ),
    )
    for name, value, limit in goals:
        print(f"{'met   ' if value <= limit else 'MISSED'}  {name}: {value:.3g}, at most {limit:.3g}")
    changed = ["changed=1" in run.told["output"] for run in (pair[1] for pair in runs[CORE])]
    print(f"kubernetes.core reports a change when nothing changed in {sum(changed)} of {len(changed)} rounds")
    print(f"fleet.olm does in {sum(pair[1].told['changed'] for pair in runs[ALONE])}")
    for name in (KUBECTL, HELM, CORE):
        ratios = [figure(name, turn, what) / figure(ALONE, turn, what) for turn in (0, 1) for what in ("wall", "cpu")]
        print("{}: {:.1f} times our wall and {:.1f} times our CPU; again {:.1f} and {:.1f}".format(name, *ratios))


if __name__ == "__main__":
    main()
