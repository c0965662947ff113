# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Images for tests, made from nothing: as blobs, pushed to a registry, as an OCI layout, as archives."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import urllib3

OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
OCI_INDEX = "application/vnd.oci.image.index.v1+json"
OCI_CONFIG = "application/vnd.oci.image.config.v1+json"
OCI_LAYER = "application/vnd.oci.image.layer.v1.tar"
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"


@dataclass(frozen=True)
class Image:
    """A manifest or an index as bytes, and every blob and further manifest below it."""

    document: bytes
    media_type: str
    blobs: Mapping[str, bytes]
    children: tuple[Image, ...] = field(default=())

    @property
    def digest(self) -> str:
        return digest_of(self.document)

    def everything(self) -> dict[str, bytes]:
        """Every blob by digest, manifests among them."""
        found = {self.digest: self.document, **self.blobs}
        for child in self.children:
            found.update(child.everything())
        return found


def digest_of(data: bytes) -> str:
    """The sha256 digest as registries write it."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    """The header of a tar member that is not a plain file."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def tar(files: Mapping[str, bytes], more: Iterable[tarfile.TarInfo] = ()) -> bytes:
    """A tar of files, a name that ends in a slash being a directory, and of bare headers after them."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name.rstrip("/"))
            info.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for info in more:
            archive.addfile(info)
    return buffer.getvalue()


def gzipped(data: bytes) -> bytes:
    """The same bytes every time, for the same digest every time."""
    return gzip.compress(data, mtime=0)


def image(
    layers: Sequence[bytes], *, labels: Mapping[str, str] | None = None, layer_type: str = OCI_LAYER + "+gzip"
) -> Image:
    """An image of gzip-compressed tars; give another `layer_type` for layers that are something else."""
    diff_ids = [digest_of(gzip.decompress(item) if item[:2] == b"\x1f\x8b" else item) for item in layers]
    configuration: dict[str, Any] = {"architecture": "amd64", "os": "linux", "config": {"Labels": dict(labels or {})}}
    config = json.dumps({**configuration, "rootfs": {"type": "layers", "diff_ids": diff_ids}}).encode()
    manifest = {
        "schemaVersion": 2,
        "mediaType": OCI_MANIFEST,
        "config": descriptor(config, OCI_CONFIG),
        "layers": [descriptor(item, layer_type) for item in layers],
    }
    blobs = {digest_of(item): item for item in (config, *layers)}
    return Image(json.dumps(manifest).encode(), OCI_MANIFEST, blobs)


def index(platforms: Mapping[str, Image]) -> Image:
    """An index of images, one a platform such as linux/arm64."""
    manifests = []
    for platform, child in platforms.items():
        system, _slash, architecture = platform.partition("/")
        entry = {**descriptor(child.document, child.media_type)}
        manifests.append({**entry, "platform": {"os": system, "architecture": architecture}})
    document = json.dumps({"schemaVersion": 2, "mediaType": OCI_INDEX, "manifests": manifests}).encode()
    return Image(document, OCI_INDEX, {}, tuple(platforms.values()))


def descriptor(data: bytes, media_type: str) -> dict[str, Any]:
    """What a manifest says of a blob."""
    return {"mediaType": media_type, "digest": digest_of(data), "size": len(data)}


def write_layout(directory: Path, content: Image, *, tag: str = "latest") -> Path:
    """An OCI image layout directory."""
    blobs = directory / "blobs" / "sha256"
    blobs.mkdir(parents=True)
    for digest, data in content.everything().items():
        (blobs / digest.removeprefix("sha256:")).write_bytes(data)
    entry = {**descriptor(content.document, content.media_type)}
    entry["annotations"] = {"org.opencontainers.image.ref.name": tag}
    (directory / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [entry]}), encoding="utf-8")
    (directory / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}', encoding="utf-8")
    return directory


def archive_of(directory: Path) -> bytes:
    """A tar of what a directory holds."""
    files = {
        str(path.relative_to(directory)): path.read_bytes() for path in sorted(directory.rglob("*")) if path.is_file()
    }
    return tar(files)


def docker_save(content: Image, *, compressed: bool = False) -> bytes:
    """What `docker save` writes, in its older form without an OCI layout; other tools compress the layers in it."""
    manifest = json.loads(content.document)
    config = manifest["config"]["digest"].removeprefix("sha256:") + ".json"
    files = {config: content.blobs[manifest["config"]["digest"]]}
    names = []
    for number, layer in enumerate(manifest["layers"]):
        names.append(f"{number}/layer.tar")
        data = content.blobs[layer["digest"]]
        files[names[-1]] = data if compressed else gzip.decompress(data)
    files["manifest.json"] = json.dumps([{"Config": config, "RepoTags": ["bundle:v1"], "Layers": names}]).encode()
    return tar(files)


@dataclass(frozen=True)
class Push:
    """Where to push to, and as whom."""

    address: str
    ca_file: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def push(self, content: Image, repository: str, tag: str = "") -> None:
        """Push an image or an index with all it holds."""
        for child in content.children:
            self.push(child, repository)
        for digest, data in content.blobs.items():
            answer = self._send("POST", f"{self._base}/{repository}/blobs/uploads/", b"", {})
            location = urllib3.util.parse_url(answer.headers["Location"])
            where = f"{self._base.removesuffix('/v2')}{location.path}?{location.query}&digest={digest}"
            self._send("PUT", where, data, {"Content-Type": "application/octet-stream"})
        where = f"{self._base}/{repository}/manifests/{tag or content.digest}"
        self._send("PUT", where, content.document, {"Content-Type": content.media_type})

    @property
    def _base(self) -> str:
        return f"{'https' if self.ca_file else 'http'}://{self.address}/v2"

    def _send(self, method: str, url: str, body: bytes, headers: Mapping[str, str]) -> urllib3.BaseHTTPResponse:
        with urllib3.PoolManager(ca_certs=self.ca_file or None) as pool:
            answer = pool.request(method, url, body=body, headers={**self.headers, **headers}, retries=False)
        assert answer.status < 300, f"{method} {url}: {answer.status} {answer.data!r}"
        return answer
