# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The programs that the rig runs: built once from the Go module proxy, kept outside the checkout."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from .problem import RigError

HERE = Path(__file__).resolve().parent
KUBERNETES = "1.36.3"

_STAMP = "k8s.io/component-base/version"
_MAJOR, _MINOR = KUBERNETES.split(".")[:2]
# Without the stamp the API server calls itself v0.0.0-master+$Format:%H$, which no client understands.
_STAMPED = f"-X {_STAMP}.gitVersion=v{KUBERNETES} -X {_STAMP}.gitMajor={_MAJOR} -X {_STAMP}.gitMinor={_MINOR}"


@dataclass(frozen=True)
class Recipe:
    """Programs that are built together. With a `version` they are one program with a module graph of its own."""

    name: str
    packages: tuple[tuple[str, str], ...]  # program, Go package
    minutes: float  # measured on two cores
    version: str = ""
    flags: tuple[str, ...] = ("-trimpath", "-ldflags", "-s -w")
    stages: tuple[str, ...] = ()  # files of the module that the program needs when it runs

    @property
    def key(self) -> str:
        """What the programs are built from, as a short hash."""
        parts = [
            self.version,
            *self.flags,
            *(f"{program}={package}" for program, package in self.packages),
            *self.stages,
        ]
        if not self.version:
            parts += [(HERE / name).read_text() for name in ("go.mod", "go.sum")]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


RECIPES = (
    Recipe(
        "control-plane",
        (
            ("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
            ("kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager"),
            ("kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"),
            ("kubectl", "k8s.io/kubernetes/cmd/kubectl"),
            ("etcd", "go.etcd.io/etcd/server/v3"),
        ),
        minutes=8.0,
        flags=("-trimpath", "-ldflags", f"-s -w {_STAMPED}"),
    ),
    Recipe(
        "kwok",
        (("kwok", "sigs.k8s.io/kwok/cmd/kwok"),),
        minutes=1.3,
        version="v0.8.0",
        stages=(
            "kustomize/stage/node/fast/node-initialize.yaml",
            "kustomize/stage/node/heartbeat/node-heartbeat.yaml",
            "kustomize/stage/pod/fast/pod-ready.yaml",
            "kustomize/stage/pod/fast/pod-complete.yaml",
            "kustomize/stage/pod/fast/pod-delete.yaml",
        ),
    ),
    Recipe("registry", (("registry", "github.com/distribution/distribution/v3/cmd/registry"),), 1.6, version="v3.1.2"),
    Recipe("crane", (("crane", "github.com/google/go-containerregistry/cmd/crane"),), 0.1, version="v0.22.1"),
    # For benchmarks only, side by side.
    Recipe("helm", (("helm", "helm.sh/helm/v3/cmd/helm"),), 1.2, version="v3.21.4"),
)


def cache_directory() -> Path:
    """Where built programs are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "fleet.olm" / "rig"


def find(programs: Iterable[str], say: Callable[[str], None]) -> dict[str, Path]:
    """The path of each program, building those that are not there yet. Programs in KUBEBUILDER_ASSETS are used as they are."""
    wanted = set(programs)
    assets = os.environ.get("KUBEBUILDER_ASSETS")
    found = {name: Path(assets) / name for name in wanted if assets and (Path(assets) / name).is_file()}
    needed = [recipe for recipe in RECIPES if {name for name, _package in recipe.packages} & (wanted - set(found))]
    missing = [recipe for recipe in needed if not _home(recipe).is_dir()]
    if missing:
        _build_all(missing, say)
    for recipe in needed:
        found = {**{name: _home(recipe) / name for name, _package in recipe.packages if name in wanted}, **found}
    if wanted - set(found):
        raise RigError(f"no such program of the rig: {', '.join(sorted(wanted - set(found)))}")
    return found


def kwok_stages() -> list[Path]:
    """The files that tell kwok how nodes and pods behave; there once kwok was found."""
    recipe = next(recipe for recipe in RECIPES if recipe.name == "kwok")
    return [_home(recipe) / Path(stage).name for stage in recipe.stages]


def _home(recipe: Recipe) -> Path:
    return cache_directory() / f"{recipe.name}-{recipe.key}"


def _build_all(recipes: list[Recipe], say: Callable[[str], None]) -> None:
    if shutil.which("go") is None:
        raise RigError(
            "building the control planes needs Go 1.26 or newer; install it, or set KUBEBUILDER_ASSETS to built ones"
        )
    cache_directory().mkdir(parents=True, exist_ok=True)
    with open(cache_directory() / ".lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another build is under way; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        todo = [recipe for recipe in recipes if not _home(recipe).is_dir()]
        if todo:
            minutes = sum(recipe.minutes for recipe in todo)
            names = ", ".join(program for recipe in todo for program, _package in recipe.packages)
            say(f"building {names}: once, about {max(1, round(minutes))} min on two cores, kept in {cache_directory()}")
        for recipe in todo:
            _build(recipe, say)


def _build(recipe: Recipe, say: Callable[[str], None]) -> None:
    start = time.monotonic()
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false"}
    with tempfile.TemporaryDirectory(dir=cache_directory(), prefix=f".{recipe.name}-") as scratch:
        home = Path(scratch) / "home"
        home.mkdir()
        if recipe.version:
            package = f"{recipe.packages[0][1]}@{recipe.version}"
            # Built outside any module, so in the program's own module graph.
            command = ["go", "install", "-v", *recipe.flags, package]
            _go(command, Path(scratch), {**environment, "GOBIN": str(home)}, recipe.name, 0, say)
            for stage in recipe.stages:
                shutil.copy(_module_directory(recipe, environment) / stage, home / Path(stage).name)
        else:
            packages = [package for _program, package in recipe.packages]
            say(f"{recipe.name}: fetching sources")
            listed = _output(["go", "list", "-deps", *packages], HERE, environment)
            command = ["go", "build", "-v", *recipe.flags, "-o", f"{home}/", *packages]
            _go(command, HERE, environment, recipe.name, len(listed.split()), say)
            for program, package in recipe.packages:
                built = home / package.removesuffix("/v3").rpartition("/")[2]
                built.rename(home / program)
        os.replace(home, _home(recipe))
    say(f"{recipe.name}: built in {time.monotonic() - start:.0f} s")


def _module_directory(recipe: Recipe, environment: dict[str, str]) -> Path:
    module_cache = _output(["go", "env", "GOMODCACHE"], HERE, environment).strip()
    module = recipe.packages[0][1].partition("/cmd/")[0]
    return Path(module_cache) / f"{module}@{recipe.version}"


def _output(command: list[str], directory: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RigError(f"{' '.join(command[:3])} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def _go(
    command: list[str], directory: Path, environment: dict[str, str], name: str, total: int, say: Callable[[str], None]
) -> None:
    """Run the Go tool, which names each package as it is compiled, and say every few seconds how far it is."""
    terminal = sys.stderr.isatty()
    compiled, said = 0, time.monotonic()
    tail: list[str] = []
    with subprocess.Popen(command, cwd=directory, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            for line in process.stderr or ():
                tail = [*tail[-30:], line]
                compiled += not line.startswith("go: ")
                if time.monotonic() - said > (1 if terminal else 20):
                    said = time.monotonic()
                    progress = f"{compiled} of about {total}" if total else f"{compiled}"
                    if terminal:
                        sys.stderr.write(f"\r  {name}: {progress} packages compiled\x1b[K")
                        sys.stderr.flush()
                    else:
                        say(f"{name}: {progress} packages compiled")
        except BaseException:
            process.kill()
            raise
    if terminal:
        sys.stderr.write("\r\x1b[K")
    if process.returncode != 0:
        raise RigError(f"building {name} failed:\n{''.join(tail)}")
