# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a tar may hold, and what happens to one that holds something else."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import zlib
from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.unpack import unpack_archive, unpack_layer
from ansible_collections.fleet.olm.plugins.module_utils.bundle.unpack_limits import Budget, Limits
from ansible_collections.fleet.olm.plugins.module_utils.errors import SourceError
from ansible_collections.fleet.olm.tests.rig.images import gzipped, member, tar

FILES = {
    "manifests/": b"",
    "manifests/csv.yaml": b"kind: ClusterServiceVersion\n",
    "metadata/annotations.yaml": b"a: 1\n",
}


def unpack(data: bytes, target: Path, limits: Limits | None = None) -> dict[str, bytes]:
    unpack_archive(io.BytesIO(data), target, Budget(limits or Limits(), "bundle.tar"))
    return content(target)


def content(target: Path) -> dict[str, bytes]:
    return {str(path.relative_to(target)): path.read_bytes() for path in sorted(target.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("pack", [bytes, gzipped, lambda data: gzipped(data[:700]) + gzipped(data[700:]) + b"\0" * 512])
def test_files_come_out_as_they_went_in(tmp_path: Path, pack: object) -> None:
    assert unpack(pack(tar(FILES)), tmp_path) == {name: data for name, data in FILES.items() if data}


def test_nobody_else_may_read_what_was_unpacked(tmp_path: Path) -> None:
    open_to_all = member("shared", tarfile.DIRTYPE)
    open_to_all.mode = 0o7777
    unpack(tar(FILES, [open_to_all]), tmp_path)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {0o700, 0o600}


def test_links_inside_the_tree_are_kept(tmp_path: Path) -> None:
    links = [
        member("manifests/soft.yaml", tarfile.SYMTYPE, "../metadata/annotations.yaml"),
        member("hard.yaml", tarfile.LNKTYPE, "metadata/annotations.yaml"),
        member("dir", tarfile.SYMTYPE, "manifests"),
    ]
    found = unpack(tar(FILES, links), tmp_path)
    assert found["manifests/soft.yaml"] == found["hard.yaml"] == b"a: 1\n"


REFUSED = {
    "absolute path": (tar({"/etc/motd": b"x"}), "/etc/motd is an absolute path"),
    "path out of the tree": (tar({"manifests/../../x": b"x"}), "manifests/../../x has '..' in its path"),
    "absolute link": (tar({}, [member("a", tarfile.SYMTYPE, "/etc/passwd")]), "a is a link to /etc/passwd"),
    "link out": (tar({}, [member("m/a", tarfile.SYMTYPE, "../../b")]), "m/a is a link to ../../b, which leads out"),
    "hard link out": (tar({}, [member("a", tarfile.LNKTYPE, "../b")]), "../b has '..' in its path"),
    "absolute hard link": (tar({}, [member("a", tarfile.LNKTYPE, "/etc/passwd")]), "/etc/passwd is an absolute path"),
    "hard link to nothing": (tar({}, [member("a", tarfile.LNKTYPE, "b")]), "a is a link to b, which is not there"),
    "hard link to itself": (tar({"a": b""}, [member("a", tarfile.LNKTYPE, "a")]), "a is a link to itself"),
    "hard link to a directory": (tar({"b/": b""}, [member("a", tarfile.LNKTYPE, "b")]), "which is no file"),
    "character device": (tar({}, [member("null", tarfile.CHRTYPE)]), "null is a device file"),
    "block device": (tar({}, [member("disk", tarfile.BLKTYPE)]), "disk is a device file"),
    "fifo": (tar({}, [member("pipe", tarfile.FIFOTYPE)]), "pipe is a FIFO"),
    "unknown type": (tar({}, [member("what", b"Z")]), "what is"),
    "file below a file": (tar({"a": b"x", "a/b": b"y"}), "a/b lies below a file"),
    "name with a line break": (tar({"/a\nb": b""}), r"/a\nb is an absolute path"),
    "deep path": (tar({"a/" * 70 + "b": b""}), "lies deeper than 64 directories"),
    "no tar": (b"hello, I am a text\n" * 100, "is no tar"),
    "nothing": (b"", "is no tar"),
    "truncated in a file": (tar({"a": b"x" * 5000})[:2000], "the tar breaks off after 2000 bytes"),
    "truncated at a header": (tar({"a": b"x" * 512, "b": b"y"})[:1024], "damaged or breaks off at byte 1024"),
    "header damaged": (tar({"a": b"x", "b": b"y"}).replace(b"b\0", b"c\0", 1), "damaged or breaks off at byte"),
    "truncated gzip": (gzipped(tar(FILES))[:-20], "the gzip breaks off after"),
    "damaged gzip": (gzipped(tar(FILES))[:-8] + b"\xff" * 8, "is no sound gzip"),
    "gzip with something after it": (gzipped(tar(FILES)) + b"something", "is no sound gzip"),
    "bzip2": (b"BZh91AY&SY", "is compressed with bzip2; accepted are tar, gzip and zstd"),
    "xz": (b"\xfd7zXZ\0\0", "is compressed with xz"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(tmp_path: Path, name: str) -> None:
    data, words = REFUSED[name]
    with pytest.raises(SourceError) as caught:
        unpack(data, tmp_path)
    assert words in str(caught.value)
    assert str(caught.value).startswith("bundle.tar: ")
    assert "\n" not in str(caught.value)


def test_no_file_is_written_through_a_link_that_leads_out(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = tmp_path / "target"
    target.mkdir()
    (target / "door").symlink_to(outside)
    with pytest.raises(SourceError, match="door/x goes through a link that leads out of the archive"):
        unpack(tar({"door/x": b"x"}), target)
    assert list(outside.iterdir()) == []


def test_a_file_replaces_a_link_and_leaves_its_target_alone(tmp_path: Path) -> None:
    first = tar({"a": b"a"}, [member("b", tarfile.SYMTYPE, "a"), member("c", tarfile.LNKTYPE, "a")])
    unpack(first, tmp_path)
    assert unpack(tar({"b": b"new", "c": b"new"}), tmp_path) == {"a": b"a", "b": b"new", "c": b"new"}


LIMITS = {
    "files": (tar({str(number): b"" for number in range(30)}), Limits(files=20), "more than 20 files"),
    "directories on the way count": (tar({"/".join("abcdefgh"): b""}), Limits(files=5), "more than 5 files"),
    "total": (tar({"a": b"x" * 9000, "b": b"x" * 9000}), Limits(total_bytes=10_000), "more than 10000 bytes"),
    "one file": (tar({"big": b"x" * 9000}), Limits(file_bytes=8000), "big has 9000 bytes"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_limit(tmp_path: Path, name: str) -> None:
    data, limits, words = LIMITS[name]
    with pytest.raises(SourceError, match=words):
        unpack(data, tmp_path, limits)


class Endless:
    """A gzip of zeros without end, as a server could send it."""

    def __init__(self) -> None:
        self.sent = 0
        packer = zlib.compressobj(9, wbits=31)
        start = tarfile.TarInfo("zeros")
        start.size = 1 << 50
        self._ready = packer.compress(start.tobuf(tarfile.GNU_FORMAT)) + packer.flush(zlib.Z_FULL_FLUSH)
        self._again = packer.compress(b"\0" * (8 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)

    def read(self, size: int, /) -> bytes:
        self._ready = self._ready or self._again
        data, self._ready = self._ready[:size], self._ready[size:]
        self.sent += len(data)
        return data


def test_a_gzip_without_end_is_left_early(tmp_path: Path) -> None:
    endless = Endless()
    limits = Limits(file_bytes=1 << 51, total_bytes=1 << 51)
    with pytest.raises(SourceError, match="expands to more than 200 times its size"):
        unpack_archive(endless, tmp_path, Budget(limits, "bundle.tar"))
    assert endless.sent < 200_000
    assert sum(path.stat().st_size for path in tmp_path.rglob("*")) < 20 << 20


def test_a_header_without_end_is_not_read_into_memory(tmp_path: Path) -> None:
    header = member("pax", tarfile.XHDTYPE)
    header.size = 200 << 20
    data = gzip.compress(header.tobuf(tarfile.GNU_FORMAT) + b"9" * (3 << 20), 1)
    with pytest.raises(SourceError, match="has a header of more than 1048576 bytes"):
        unpack(data, tmp_path)


def test_headers_nested_without_end(tmp_path: Path) -> None:
    block = member("pax", tarfile.XHDTYPE)
    block.size = 10
    data = (block.tobuf(tarfile.GNU_FORMAT) + b"10 path=ab".ljust(512, b"\0")) * 1000
    with pytest.raises(SourceError, match=r"^bundle\.tar: "):
        unpack(data, tmp_path)


LAYERS = {
    "a later layer wins": ([{"a": b"1", "b": b"1"}, {"a": b"2"}], {"a": b"2", "b": b"1"}),
    "whiteout of a file": ([{"d/a": b"1", "d/b": b"1"}, {"d/.wh.a": b""}], {"d/b": b"1"}),
    "whiteout of a directory": ([{"d/a": b"1", "e": b"1"}, {".wh.d": b""}], {"e": b"1"}),
    "whiteout of nothing there": ([{"a": b"1"}, {".wh.b": b""}], {"a": b"1"}),
    "whiteout and new in one layer": ([{"a": b"1"}, {".wh.a": b"", "a": b"2"}], {"a": b"2"}),
    "new before its whiteout": ([{"a": b"1"}, {"a": b"2", ".wh.a": b""}], {"a": b"2"}),
    "opaque": ([{"d/a": b"1", "d/e/b": b"1"}, {"d/.wh..wh..opq": b"", "d/c": b"2"}], {"d/c": b"2"}),
    "opaque after what it keeps": (
        [{"d/a": b"1", "d/e/b": b"1"}, {"d/e/c": b"2", "d/.wh..wh..opq": b""}],
        {"d/e/c": b"2"},
    ),
    "opaque root": ([{"a": b"1"}, {".wh..wh..opq": b"", "b": b"2"}], {"b": b"2"}),
    "notes of a storage driver": ([{"a": b"1"}, {".wh..wh.plnk/x": b"", ".wh..wh.aufs": b""}], {"a": b"1"}),
    "directory replaces file": ([{"a": b"1"}, {"a/": b"", "a/b": b"2"}], {"a/b": b"2"}),
    "file replaces directory": ([{"a/b": b"1"}, {"a": b"2"}], {"a": b"2"}),
}


@pytest.mark.parametrize("name", LAYERS)
def test_layers(tmp_path: Path, name: str) -> None:
    layers, expected = LAYERS[name]
    for files in layers:
        unpack_layer(io.BytesIO(tar(files)), tmp_path, Budget(Limits(), "layer"))
    found = content(tmp_path)
    assert {path: data for path, data in found.items() if not path.startswith(".wh..wh.")} == expected


@pytest.mark.parametrize("name", [".wh...", ".wh..", ".wh.", "d/.wh..."])
def test_a_whiteout_never_reaches_beyond_its_directory(tmp_path: Path, name: str) -> None:
    target = tmp_path / "target"
    (target / "d").mkdir(parents=True)
    with pytest.raises(SourceError, match="is a whiteout of nothing"):
        unpack_layer(io.BytesIO(tar({name: b""})), target, Budget(Limits(), "layer"))
    assert target.is_dir()


def test_zstd_needs_its_library(tmp_path: Path) -> None:
    try:
        import zstandard
    except ImportError:
        with pytest.raises(SourceError, match="the Python library 'zstandard' is needed"):
            unpack(b"\x28\xb5\x2f\xfd" + b"\0" * 100, tmp_path)
    else:
        assert unpack(zstandard.compress(tar(FILES)), tmp_path)["metadata/annotations.yaml"] == b"a: 1\n"


def test_running_as_root_changes_no_owner(tmp_path: Path) -> None:
    foreign = tarfile.TarInfo("foreign")
    foreign.uid = foreign.gid = 12345
    unpack(tar({}, [foreign]), tmp_path)
    assert (tmp_path / "foreign").stat().st_uid == os.geteuid()
