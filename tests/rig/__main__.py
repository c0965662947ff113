# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The command `rig`: up, down.

`up` starts a supervisor that owns the programs and returns when all of them are ready; `down` ends the
supervisor and with it everything. A supervisor that is killed takes its programs along.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

from . import binaries
from .problem import RigError
from .rig import Rig

_SECONDS_TO_STOP = 20.0


def main() -> int:
    """Entry of the command."""
    options = _parser().parse_args()
    # Also where they are ignored, as in a shell's background jobs: an interrupted rig takes everything along.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    try:
        return int(options.command(options))
    except KeyboardInterrupt:
        return 130
    except RigError as error:
        print(f"rig: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rig", description="Real Kubernetes control planes on this machine, without containers."
    )
    commands = parser.add_subparsers(required=True)
    up = commands.add_parser("up", help="start clusters and registries")
    up.set_defaults(command=_up)
    serve = commands.add_parser("serve", help="the same, in the foreground")
    serve.set_defaults(command=_serve)
    for command in (up, serve):
        command.add_argument(
            "--clusters", default="1", help="how many, or their names separated by commas (default: 1)"
        )
        command.add_argument("--full", default="", help="names of those that also get controllers and kwok, or 'all'")
        command.add_argument(
            "--certificates", action="store_true", help="also sign certificates, in the place of cert-manager"
        )
        command.add_argument("--olm", action="store_true", help="also play the part of OLM v1")
        command.add_argument("--registry", action="store_true", help="also start an open and a closed registry")
    down = commands.add_parser("down", help="stop everything and remove its files")
    down.set_defaults(command=_down)
    for command in (up, serve, down):
        command.add_argument(
            "--dir", type=Path, default=Path(".build/rig"), help="where its files go (default: .build/rig)"
        )
    return parser


def _cluster_names(options: argparse.Namespace) -> list[str]:
    if options.clusters.isdigit():
        return [f"cluster-{number}" for number in range(1, int(options.clusters) + 1)]
    return [name for name in options.clusters.split(",") if name]


def _full_names(options: argparse.Namespace) -> list[str]:
    names = _cluster_names(options) if options.full == "all" else [name for name in options.full.split(",") if name]
    unknown = sorted(set(names) - set(_cluster_names(options)))
    if unknown:
        raise RigError(f"--full names no cluster of this rig: {', '.join(unknown)}")
    return names


def _wish(options: argparse.Namespace) -> list[object]:
    """What a rig is asked to be, to tell one from another."""
    return [_cluster_names(options), _full_names(options), options.certificates, options.olm, options.registry]


def _up(options: argparse.Namespace) -> int:
    directory = options.dir.resolve()
    wish = _wish(options)
    if _supervisor(directory):
        running = directory / "ready.json"
        if running.exists() and json.loads(running.read_text(encoding="utf-8")) == wish:
            print(f"rig: already up in {directory}")
            return 0
        raise RigError(f"another rig runs in {directory}; stop it with 'rig down --dir {options.dir}'")
    # Built here and not in the supervisor, so that the progress is seen.
    binaries.find(_needed(options), _say)
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    start = time.monotonic()
    arguments = ["--clusters", options.clusters, "--full", options.full, "--dir", str(directory)]
    arguments += [f"--{flag}" for flag in ("certificates", "olm", "registry") if getattr(options, flag)]
    package = (__package__ or "").split(".")
    with open(directory / "supervisor.log", "wb") as log:
        supervisor = subprocess.Popen(
            [sys.executable, "-m", ".".join(package), "serve", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        while not (directory / "ready.json").exists():
            if supervisor.poll() is not None:
                log_text = (directory / "supervisor.log").read_text(errors="replace") if directory.exists() else ""
                raise RigError(f"the rig did not start: {log_text.strip()[-2000:]}")
            time.sleep(0.05)
    except BaseException:
        supervisor.terminate()
        supervisor.wait(timeout=_SECONDS_TO_STOP)
        raise
    names = ", ".join(_cluster_names(options))
    print(f"rig: {names} ready in {time.monotonic() - start:.1f} s; kubeconfig {directory / 'kubeconfig'}")
    return 0


def _needed(options: argparse.Namespace) -> list[str]:
    programs = ["etcd", "kube-apiserver"]
    programs += ["kube-controller-manager", "kube-scheduler", "kwok"] if _full_names(options) else []
    return programs + (["registry"] if options.registry else [])


def _serve(options: argparse.Namespace) -> int:
    directory = options.dir.resolve()
    directory.mkdir(parents=True, exist_ok=True)
    with open(directory / "supervisor.pid", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        lock.write(str(os.getpid()))
        lock.flush()
        with Rig(directory, _say) as rig:
            try:
                rig.add_clusters({name: name in _full_names(options) for name in _cluster_names(options)})
                if options.certificates:
                    for name in _cluster_names(options):
                        rig.add_issuer(name)
                if options.olm:
                    for name in _cluster_names(options):
                        rig.add_olm(name)
                if options.registry:
                    rig.start_registries()
                wish = _wish(options)
                ready = directory / "ready.json"
                ready.with_suffix(".tmp").write_text(json.dumps(wish), encoding="utf-8")
                ready.with_suffix(".tmp").rename(ready)
                signal.pause()
            except KeyboardInterrupt:
                return 0
            except RigError as error:
                print(error, flush=True)
                sys.stderr.flush()
                raise
    return 0


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _down(options: argparse.Namespace) -> int:
    directory = options.dir.resolve()
    supervisor = _supervisor(directory)
    if supervisor:
        os.kill(supervisor, signal.SIGTERM)
        if not _ended(supervisor, _SECONDS_TO_STOP):
            # Its programs die with it.
            os.kill(supervisor, signal.SIGKILL)
            _ended(supervisor, _SECONDS_TO_STOP)
    shutil.rmtree(directory, ignore_errors=True)
    print(f"rig: nothing runs in {directory}")
    return 0


def _ended(process: int, seconds: float) -> bool:
    """Wait for the end of a process that is no child of ours."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


def _supervisor(directory: Path) -> int | None:
    """The process id of the supervisor that runs in a directory: it holds a lock as long as it lives."""
    try:
        with open(directory / "supervisor.pid", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(lock.read() or "0") or None
    except FileNotFoundError:
        pass
    return None


def _say(text: str) -> None:
    print(f"rig: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
