# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The cache: whole entries or none, whatever happens to those who make them."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.cache import Cache, Entry, default_root, open_cache
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source import open_source
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError
from ansible_collections.fleet.olm.tests.rig.images import tar
from ansible_collections.fleet.olm.tests.rig.scripts import start_python

FILES = {"manifests/csv.yaml": b"kind: ClusterServiceVersion\n", "metadata/annotations.yaml": b"annotations: {}\n"}


def maker(size: int = 10, calls: list[Path] | None = None) -> Callable[[Path], dict[str, Any]]:
    def make(work: Path) -> dict[str, Any]:
        (work / "tree" / "manifests").mkdir(parents=True)
        (work / "tree" / "manifests" / "file").write_bytes(b"x" * size)
        if calls is not None:
            calls.append(work)
        return {"digest": "d"}

    return make


def never(_work: Path) -> dict[str, Any]:
    raise AssertionError("the entry should have been found")


def names(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir())


def used(cache: Cache, key: str, size: int, when: float) -> None:
    entry = cache.entry(key, maker(size))
    entry.release()
    os.utime(entry.directory / "entry.json", (when, when))


def test_made_once_found_ever_after(tmp_path: Path) -> None:
    cache = open_cache(tmp_path / "cache", 1000)
    calls: list[Path] = []
    for _run in range(3):
        entry = cache.entry("key", maker(calls=calls))
        assert (entry.tree / "manifests" / "file").read_bytes() == b"x" * 10
        assert entry.facts["digest"] == "d"
        entry.release()
    assert len(calls) == 1
    assert names(tmp_path / "cache") == ["key"]


def test_nobody_else_may_look_inside(tmp_path: Path) -> None:
    root = tmp_path / "cache"
    root.mkdir(0o777)
    open_cache(root, 1000).entry("key", maker()).release()
    assert stat.S_IMODE(root.stat().st_mode) == 0o700
    assert stat.S_IMODE((root / "key").stat().st_mode) == 0o700
    assert stat.S_IMODE((root / "key" / "entry.json").stat().st_mode) == 0o600


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    def fail(work: Path) -> dict[str, Any]:
        (work / "half").write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        open_cache(tmp_path / "cache", 1000).entry("key", fail)
    assert names(tmp_path / "cache") == []


def cut_off(entry: Path) -> None:
    (entry / "tree" / "manifests" / "file").write_bytes(b"")


def half_removed(entry: Path) -> None:
    (entry / "tree" / "manifests" / "file").unlink()


def without_facts(entry: Path) -> None:
    (entry / "entry.json").unlink()


def empty_facts(entry: Path) -> None:
    (entry / "entry.json").write_bytes(b"")


def of_another_format(entry: Path) -> None:
    facts = json.loads((entry / "entry.json").read_bytes())
    (entry / "entry.json").write_text(json.dumps({**facts, "format": 0}), encoding="utf-8")


@pytest.mark.parametrize("damage", [cut_off, half_removed, without_facts, empty_facts, of_another_format])
def test_a_damaged_entry_is_made_anew(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    cache = open_cache(tmp_path, 1000)
    cache.entry("key", maker()).release()
    damage(tmp_path / "key")
    calls: list[Path] = []
    entry = cache.entry("key", maker(calls=calls))
    assert len(calls) == 1
    assert (entry.tree / "manifests" / "file").read_bytes() == b"x" * 10
    assert names(tmp_path) == ["key"]


def test_the_least_recently_used_go_first(tmp_path: Path) -> None:
    cache = open_cache(tmp_path, 2500)
    used(cache, "old", 1000, 1000.0)
    used(cache, "older", 1000, 500.0)
    found = cache.find("older")  # and is the younger from now on
    assert found is not None
    found.release()
    cache.entry("new", maker(1000)).release()
    assert names(tmp_path) == ["new", "older"]


def test_an_entry_in_use_is_never_removed(tmp_path: Path) -> None:
    cache = open_cache(tmp_path, 1500)
    held = cache.entry("held", maker(1000))
    os.utime(held.directory / "entry.json", (1.0, 1.0))
    cache.entry("new", maker(1000)).release()
    assert (held.tree / "manifests" / "file").read_bytes() == b"x" * 1000
    held.release()
    cache.entry("newer", maker(1000)).release()
    assert names(tmp_path) == ["newer"]


def test_what_others_keep_beside_an_entry_counts_and_goes_with_it(tmp_path: Path) -> None:
    archive = tmp_path / "bundle.tar"
    archive.write_bytes(tar(FILES))
    options = SourceOptions(cache_directory=str(tmp_path / "cache"))
    for source in (str(archive), str(directory_of(tmp_path / "directory"))):
        with open_source(source, options) as opened:
            assert not opened.sidecar("parsed.v1").exists()
            opened.write_sidecar("parsed.v1", b"first")
            opened.write_sidecar("parsed.v1", b"parsed form")
        with open_source(source, options) as opened:
            assert opened.sidecar("parsed.v1").read_bytes() == b"parsed form"
            assert stat.S_IMODE(opened.sidecar("parsed.v1").stat().st_mode) == 0o600
            with pytest.raises(OptionError):
                opened.sidecar("../parsed")
    cache = open_cache(tmp_path / "cache", 100)
    cache.entry("new", maker(90)).release()
    assert names(tmp_path / "cache") == ["new"]


def directory_of(path: Path) -> Path:
    for name, data in FILES.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


CHILD = """
import os, sys
from pathlib import Path
from ansible_collections.fleet.olm.plugins.module_utils.bundle.cache import open_cache
def make(work):
    (work / "tree").mkdir()
    (work / "tree" / "half").write_bytes(b"half")
    print("making", flush=True)
    sys.stdin.read(1)
    with open(sys.argv[2], "a") as log:
        log.write("made\\n")
    return {"digest": "d"}
entry = open_cache(Path(sys.argv[1]), 1000).entry("key", make)
print("done", (entry.tree / "half").read_text(), flush=True)
"""


def child(tmp_path: Path) -> subprocess.Popen[str]:
    return start_python(CHILD, str(tmp_path / "cache"), str(tmp_path / "log"))


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_who_is_killed_while_making_leaves_nothing_that_is_trusted(tmp_path: Path) -> None:
    with child(tmp_path) as killed:
        assert line(killed) == "making"
        killed.send_signal(signal.SIGKILL)
    assert names(tmp_path / "cache") == [".key.building", ".key.lock"]
    (tmp_path / "cache" / ".another.lock").touch()
    cache = open_cache(tmp_path / "cache", 1000)
    assert cache.find("key") is None
    cache.entry("other", maker()).release()
    assert names(tmp_path / "cache") == ["other"]
    cache.entry("key", maker()).release()
    assert names(tmp_path / "cache") == ["key", "other"]


def test_what_somebody_is_making_is_left_alone(tmp_path: Path) -> None:
    with child(tmp_path) as busy:
        assert line(busy) == "making"
        open_cache(tmp_path / "cache", 1000).entry("other", maker()).release()
        assert busy.stdin is not None
        busy.stdin.write("go")
        busy.stdin.close()
        assert line(busy) == "done half"
    assert names(tmp_path / "cache") == ["key", "other"]


def test_of_many_who_want_an_entry_one_makes_it(tmp_path: Path) -> None:
    children = [child(tmp_path) for _number in range(5)]
    for process in children:
        assert process.stdin is not None
        process.stdin.write("go")
        process.stdin.close()
    for process in children:
        assert process.stdout is not None
        assert process.stdout.read().splitlines()[-1] == "done half"
        process.stdout.close()
        assert process.wait() == 0
    assert (tmp_path / "log").read_text() == "made\n"
    assert names(tmp_path / "cache") == ["key"]


CROWD = """
import random, sys
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source import open_source
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
for number in range(int(sys.argv[2])):
    name = random.choice("abcd")
    options = SourceOptions(cache_directory=sys.argv[1] + "/cache", cache_bytes=6000)
    with open_source(f"{sys.argv[1]}/{name}.tar", options) as source:
        source.write_sidecar("parsed", name.encode() * 100)
        for file in range(3):
            assert (source.directory / str(file)).read_bytes() == name.encode() * 1000
        assert source.sidecar("parsed").read_bytes() == name.encode() * 100
    print(number, flush=True)
"""


def test_a_crowd_in_a_cache_too_small_for_it_with_some_killed_at_any_moment(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / f"{name}.tar").write_bytes(tar({str(file): name.encode() * 1000 for file in range(3)}))
    survivors = [start_python(CROWD, str(tmp_path), "60") for _number in range(3)]
    for lines in (3, 20, 37):
        with start_python(CROWD, str(tmp_path), "1000000") as victim:
            for _line in range(lines):
                assert line(victim)
            victim.kill()
    for process in survivors:
        process.communicate()
    assert [process.returncode for process in survivors] == [0, 0, 0]
    open_cache(tmp_path / "cache", 6000).entry("last", maker()).release()
    assert [name for name in names(tmp_path / "cache") if name.startswith(".")] == []


def test_where_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_root() == tmp_path / "xdg" / "fleet.olm" / "bundles"
    for ignored in ("", "relative/path"):
        monkeypatch.setenv("XDG_CACHE_HOME", ignored)
        assert default_root() == tmp_path / ".cache" / "fleet.olm" / "bundles"


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "cache").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermissionError):
        open_cache(tmp_path / "cache", 1000)


def test_an_entry_that_is_found_is_not_made(tmp_path: Path) -> None:
    cache = open_cache(tmp_path, 1000)
    cache.entry("key", maker()).release()
    entry: Entry = cache.entry("key", never)
    entry.release()
