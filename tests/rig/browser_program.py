# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A browser to look at pages with: the one that is installed, or Debian's, unpacked into the cache without installing it."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from .binaries import cache_directory
from .problem import RigError

PROGRAM = "chromium"
# Without a font of its own a page would be a page of boxes.
_PACKAGES = (PROGRAM, "fonts-dejavu-core")
_FONTS = "fonts.conf"
# The loader of the machine goes with the C library of the machine, and with no other.
_OF_THE_MACHINE = ("libc6_", "libc-bin_", "libgcc-s1_")


class NoBrowser(RigError):
    """There is none, and none can be had; the message says why."""


@dataclass(frozen=True)
class BrowserProgram:
    """What to start, and what it needs in its environment."""

    path: Path
    environment: Mapping[str, str] = field(default_factory=dict)


def find_browser(say: Callable[[str], None]) -> BrowserProgram:
    """A browser that is on the PATH, or else Debian's from the cache, fetched where apt-get is there."""
    installed = shutil.which(PROGRAM)
    if installed:
        return BrowserProgram(Path(installed))
    home = cache_directory().parent / "browser"
    if not home.is_dir():
        for tool in ("apt-get", "dpkg"):
            if shutil.which(tool) is None:
                raise NoBrowser(f"no {PROGRAM} on the PATH, and no {tool} to fetch Debian's with")
        home.parent.mkdir(parents=True, exist_ok=True)
        with open(home.parent / ".browser.lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not home.is_dir():
                say(f"fetching Debian's {PROGRAM}: once, about 150 MB, kept in {home}")
                _fetch(home)
    return _unpacked(home)


def _fetch(home: Path) -> None:
    """Every package that the browser needs on an empty machine, unpacked side by side. Nothing is installed and no rights are needed."""
    with tempfile.TemporaryDirectory(dir=home.parent, prefix=".browser-") as scratch, _apt(Path(scratch)) as apt:
        _run([*apt, "update"])
        _run([*apt, "install", "--download-only", "--yes", "--no-install-recommends", *_PACKAGES])
        tree = Path(scratch) / "tree"
        for package in sorted((Path(scratch) / "archives").glob("*.deb")):
            if not package.name.startswith(_OF_THE_MACHINE):
                _run(["dpkg", "-x", str(package), str(tree)])
        (tree / _FONTS).write_text(
            '<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n<fontconfig>'
            f"<dir>{home}/usr/share/fonts</dir><cachedir>{home}/font-cache</cachedir></fontconfig>\n",
            encoding="utf-8",
        )
        os.replace(tree, home)


@contextmanager
def _apt(directory: Path) -> Iterator[list[str]]:
    """apt-get with the machine's sources, and with everything that it writes in a directory of its own."""
    for name in ("lists", "archives"):
        (directory / name / "partial").mkdir(parents=True)
    (directory / "status").touch()
    places = {
        "Dir::State": directory,
        "Dir::State::status": directory / "status",
        "Dir::State::lists": directory / "lists",
        "Dir::Cache": directory,
        "Dir::Cache::archives": directory / "archives",
        "Dir::Log": directory,
        # As root apt would go on as another user, who may not write here.
        "APT::Sandbox::User": "root",
        "Debug::NoLocking": "1",
    }
    yield ["apt-get", "--quiet=2", *(word for name, value in places.items() for word in ("-o", f"{name}={value}"))]


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    if done.returncode != 0:
        raise NoBrowser(f"no {PROGRAM} on the PATH, and {command[0]} could not fetch it: {done.stderr.strip()[-500:]}")


def _unpacked(home: Path) -> BrowserProgram:
    found = (path for top in ("lib", "usr/lib") for path in home.glob(f"{top}/*-linux-gnu/**/*.so*"))
    libraries = sorted({str(path.parent) for path in found})
    return BrowserProgram(
        home / "usr/lib/chromium/chromium",
        {"LD_LIBRARY_PATH": os.pathsep.join(libraries), "FONTCONFIG_FILE": str(home / _FONTS)},
    )
