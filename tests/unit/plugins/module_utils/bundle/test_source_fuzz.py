# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Mutated archives and images: whatever they are, the only error is ours, and nothing is left behind.

FLEET_OLM_FUZZ=100000 runs that many, FLEET_OLM_SEED=… repeats a run.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import shutil
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source import open_source
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.bundle.unpack_limits import Limits
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError
from ansible_collections.fleet.olm.tests.rig.images import (
    OCI_MANIFEST,
    Image,
    archive_of,
    docker_save,
    gzipped,
    image,
    index,
    member,
    tar,
    write_layout,
)

RUNS = int(os.environ.get("FLEET_OLM_FUZZ", "400"))
SEED = os.environ.get("FLEET_OLM_SEED") or str(random.SystemRandom().randrange(1 << 32))

FILES = {"manifests/csv.yaml": b"kind: ClusterServiceVersion\n" * 30, "metadata/annotations.yaml": b"annotations: {}\n"}
LINKS = [member("soft", tarfile.SYMTYPE, "manifests"), member("hard", tarfile.LNKTYPE, "manifests/csv.yaml")]
LIMITS = Limits(files=200, total_bytes=4 << 20, file_bytes=1 << 20, document_bytes=1 << 16)
ODD_NAMES = [
    "/etc/x",
    "../x",
    "a/../../x",
    ".",
    "",
    "..",
    "a\0b",
    "\udcff",
    "x" * 300,
    "a/" * 100,
    ".wh..",
    "./manifests//y",
    "\n",
]
ODD_VALUES: list[Any] = [None, -1, 1 << 70, 1.5, "", "sha256:x", [], {}, [[]], True, "../../x", OCI_MANIFEST]


def with_pax_names() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in FILES.items():
            header = tarfile.TarInfo(name + "-" * 120)
            header.size = len(data)
            header.pax_headers = {"comment": "x", "mtime": "1.5"}
            archive.addfile(header, io.BytesIO(data))
    return buffer.getvalue()


def flip_bytes(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    for _number in range(dice.randint(1, 8)):
        changed[dice.randrange(len(changed))] = dice.randrange(256)
    return bytes(changed)


def cut(data: bytes, dice: random.Random) -> bytes:
    return data[: dice.randrange(len(data))]


def repeat_a_part(data: bytes, dice: random.Random) -> bytes:
    start = dice.randrange(len(data))
    part = data[start : start + dice.choice((1, 512, 1024))]
    return data[:start] + part * dice.randint(2, 40) + data[start:]


def change_a_header(data: bytes, dice: random.Random) -> bytes:
    """One field of one tar header, its checksum made right again, so that what lies behind the checksum is reached."""
    changed = bytearray(data)
    start = dice.randrange(len(changed) // 512) * 512
    field_start, length = dice.choice(
        ((0, 100), (100, 8), (124, 12), (136, 12), (156, 1), (157, 100), (257, 8), (345, 155))
    )
    fillings: list[Callable[[], bytes]] = [
        lambda: dice.randbytes(length),
        lambda: bytes(length),
        lambda: b"\x80" + b"\xff" * (length - 1),
        lambda: b"7" * length,
        lambda: dice.choice(b"0123456789LKxgSDV\0").to_bytes(1, "big").ljust(length, b"\0"),
        lambda: dice.choice(ODD_NAMES).encode("utf-8", "surrogateescape")[:length].ljust(length, b"\0"),
    ]
    changed[start + field_start : start + field_start + length] = dice.choice(fillings)()
    changed[start + 148 : start + 156] = b" " * 8
    changed[start + 148 : start + 156] = b"%06o\0 " % sum(changed[start : start + 512])
    return bytes(changed[: len(data)])


def mutated_tar(dice: random.Random) -> bytes:
    data = dice.choice((tar(FILES, LINKS), with_pax_names(), docker_save(image([gzipped(tar(FILES))]))))
    for _number in range(dice.randint(1, 3)):
        data = dice.choice((flip_bytes, cut, repeat_a_part, change_a_header, change_a_header))(data, dice) or b"\0"
    if dice.random() < 0.3:
        data = gzip.compress(data, 1)
        if dice.random() < 0.5:
            data = dice.choice((flip_bytes, cut, repeat_a_part))(data, dice)
    return data


def mutated_document(document: Any, dice: random.Random) -> Any:
    """One value somewhere inside, exchanged or removed."""
    if isinstance(document, (dict, list)) and document and dice.random() < 0.9:
        key = dice.choice(list(document) if isinstance(document, dict) else range(len(document)))
        copy: Any = dict(document) if isinstance(document, dict) else list(document)
        if dice.random() < 0.15:
            del copy[key]
        else:
            copy[key] = mutated_document(document[key], dice)
        return copy
    return dice.choice(ODD_VALUES)


def mutated_layout(directory: Path, dice: random.Random) -> Path:
    good = image([gzipped(tar(FILES)), gzipped(tar({"manifests/.wh.x": b""}))])
    whole = dice.choice((good, index({"linux/arm64": good, "linux/amd64": good})))
    if dice.random() < 0.5:
        document = json.dumps(mutated_document(json.loads(whole.document), dice)).encode()
        document = flip_bytes(document, dice) if dice.random() < 0.2 else document
        write_layout(directory, Image(document, whole.media_type, whole.blobs, whole.children))
    else:
        # Layers that are damaged but have the right digest: the digest of the damaged one.
        write_layout(directory, image([mutated_tar(dice), gzipped(tar(FILES))]))
    if dice.random() < 0.3:
        path = directory / "index.json"
        path.write_text(json.dumps(mutated_document(json.loads(path.read_text()), dice)), encoding="utf-8")
    return directory


def mutated_source(tmp_path: Path, dice: random.Random) -> Path:
    kind = dice.randrange(3)
    if kind == 0:
        return mutated_layout(tmp_path / "layout", dice)
    path = tmp_path / "x.tar"
    path.write_bytes(mutated_tar(dice) if kind == 1 else archive_of(mutated_layout(tmp_path / "layout", dice)))
    return path


def refusal(source: Path, cache: Path, where: str) -> str | None:
    """What was said of a source that was refused; None for one that was read."""
    try:
        open_source(str(source), SourceOptions(cache_directory=str(cache), limits=LIMITS)).close()
    except FleetError as error:
        return str(error)
    except Exception as error:
        raise AssertionError(f"{where}: {source} raised {error!r}") from error
    return None


def test_mutants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = {"read": 0, "refused": 0, "not written": 0}
    for name in ("scratch", "cache"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    for number in range(RUNS):
        where = f"FLEET_OLM_SEED={SEED}, run {number}"
        work = tmp_path / "work"
        work.mkdir()
        try:
            source = mutated_source(work, random.Random(f"{SEED}/{number}"))  # noqa: S311
        except (OSError, EOFError, ValueError, zlib.error):
            outcomes["not written"] += 1
        else:
            message = refusal(source, tmp_path / "cache", where)
            outcomes["read" if message is None else "refused"] += 1
            assert "\n" not in (message or ""), where
            assert message is None or not os.listdir(tmp_path / "cache"), where
        assert os.listdir(tmp_path / "scratch") == [], where
        assert sorted(os.listdir(tmp_path)) == ["cache", "scratch", "work"], where
        shutil.rmtree(work)
        shutil.rmtree(tmp_path / "cache")
        (tmp_path / "cache").mkdir()
    with capsys.disabled():
        print(f"\nfuzz of sources: FLEET_OLM_SEED={SEED}, {RUNS} runs, {outcomes}")
    assert outcomes["refused"] > RUNS / 3
