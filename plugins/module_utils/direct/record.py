# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the ledger remembers of one revision, and how that is stored.

A revision is a Secret, so that whoever may not read Secrets does not read configurations. What
rarely changes (the manifests) and what is written again when a revision is closed (everything else) are two
entries of it: closing uploads no manifests. Manifests too large for one Secret go on in further ones, named by
the digest of what they hold.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

from ..cluster.objects import Collection, ObjectKey
from ..errors import ClusterError
from ..nested import at
from .holder import read_claim
from .ownership import Extension
from .record_shape import OBJECT, RECORD, fitting, fitting_manifests, parsed
from .text import ManifestText

State = Literal["pending", "installed", "failed", "superseded"]
_STATES: Mapping[str, State] = {state: state for state in get_args(State)}

FORMAT = 1
SECRET_TYPE = "fleet.olm/revision.v1"  # noqa: S105 - the type of Secrets, none itself
LEDGER = "fleet.olm/ledger"
STATE = "fleet.olm/state"
NUMBER = "fleet.olm/revision"
PART_OF = "fleet.olm/part-of"
HOLDER = "fleet.olm/holder"

# The API server takes 1 MiB of data in a Secret; the rest of the record has to fit as well.
PART_BYTES = 700 * 1024
# What unpacks to more than this was not written by us.
_LARGEST = 256 * 1024 * 1024


@dataclass(frozen=True)
class Placed:
    """An object that a revision put on the cluster, and the state in which it left it.

    `digest` tells the manifest, `revision` is the one that changed it last. Where `retained` is set the bundle no
    longer has the object, and it stays because nobody asked by name to delete it. Where `shared` is set it belongs to
    another extension that brings the same.
    """

    key: ObjectKey
    digest: str
    revision: int
    uid: str = ""
    generation: int | None = None
    resource_version: str = ""
    retained: bool = False
    shared: bool = False

    @property
    def own_uid(self) -> str:
        """The uid of an object of our own; empty where it belongs to another extension."""
        return "" if self.shared else self.uid


@dataclass(frozen=True)
class Record:
    """One revision."""

    extension: Extension
    number: int
    state: State
    bundle: Mapping[str, Any]
    config: Any
    certificate_provider: str | None
    digest: str
    objects: tuple[Placed, ...]
    started: str
    by: str
    finished: str = ""
    outcome: str = ""
    rolled_back_to: int | None = None
    removing: bool = False
    parts: tuple[str, ...] = ()
    # What is to be written beside it, and how the Secret was seen; not part of what is remembered.
    texts: tuple[ManifestText, ...] = field(default=(), compare=False, repr=False)
    resource_version: str = field(default="", compare=False, repr=False)
    holder: Mapping[str, Any] | None = field(default=None, compare=False)

    @property
    def secret_name(self) -> str:
        return secret_name(self.extension, self.number)

    @property
    def good(self) -> bool:
        """Whether it was installed once."""
        return self.outcome == "" and self.state in ("installed", "superseded")

    def closed(self, state: State, objects: tuple[Placed, ...], finished: str, outcome: str = "") -> Record:
        """The same revision when its work is done."""
        return replace(self, state=state, objects=objects, finished=finished, outcome=outcome)


def secret_name(extension: Extension, number: int) -> str:
    """The Secret of a revision."""
    return f"fleet.olm.{extension.name}.v{number}"


def to_secrets(record: Record) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
    """The Secret of a revision, and those that hold what did not fit into it."""
    packed = gzip.compress(f"[{','.join(map(str, record.texts))}]".encode(), 6, mtime=0)
    pieces = [packed[start : start + PART_BYTES] for start in range(0, len(packed), PART_BYTES)] or [b""]
    parts = []
    for piece in pieces[1:]:
        name = f"{record.secret_name}.{hashlib.sha256(piece).hexdigest()[:16]}"
        labels = {LEDGER: record.extension.name, PART_OF: f"v{record.number}"}
        parts.append(_secret(record.extension, name, labels, {"manifests": piece}))
    whole = replace(record, parts=tuple(part["metadata"]["name"] for part in parts))
    head = _secret(record.extension, record.secret_name, labels_of(whole), {**head_data(whole), "manifests": pieces[0]})
    return head, tuple(parts)


def labels_of(record: Record) -> dict[str, str]:
    """The labels that the ledger is searched by."""
    return {LEDGER: record.extension.name, STATE: record.state, NUMBER: str(record.number)}


def head_data(record: Record) -> dict[str, bytes]:
    """What is written again when a revision is closed."""
    remembered = {
        "format": FORMAT,
        "bundle": dict(record.bundle),
        "config": record.config,
        "certificate_provider": record.certificate_provider,
        "digest": record.digest,
        "objects": [_placed_data(item) for item in record.objects],
        "started": record.started,
        "finished": record.finished,
        "by": record.by,
        "outcome": record.outcome,
        "rolled_back_to": record.rolled_back_to,
        "removing": record.removing,
        "parts": list(record.parts),
    }
    return {"record": gzip.compress(_json(remembered), 6, mtime=0)}


def encoded(data: Mapping[str, bytes]) -> dict[str, str]:
    """The data of a Secret as the API takes it."""
    return {key: base64.b64encode(value).decode() for key, value in data.items()}


def from_secret(secret: Mapping[str, Any], extension: Extension) -> Record:
    """The revision in a Secret, its manifests still packed: `unpacked` gives them."""
    name = str(at(secret, "metadata", "name") or "")
    labels = at(secret, "metadata", "labels") or {}
    try:
        content = fitting(parsed(_unpack(base64.b64decode(at(secret, "data", "record") or ""))), {}, "the record")
        if content["format"] != FORMAT:
            raise ClusterError(
                f"{extension}: the record Secret {extension.namespace}/{name} has format {content['format']}, and this is written for format "
                f"{FORMAT}; use the version of fleet.olm that wrote it, or a newer one"
            )
        fitting(content, RECORD, "the record")
        return Record(
            extension=extension,
            number=int(labels[NUMBER]),
            state=_state(labels[STATE]),
            bundle=content["bundle"],
            config=content["config"],
            certificate_provider=content["certificate_provider"],
            digest=content["digest"],
            objects=tuple(_placed(item) for item in content["objects"]),
            started=content["started"],
            finished=content["finished"],
            by=content["by"],
            outcome=content["outcome"],
            rolled_back_to=content["rolled_back_to"],
            removing=content["removing"],
            parts=tuple(content["parts"]),
            resource_version=str(at(secret, "metadata", "resourceVersion") or ""),
            holder=read_claim(at(secret, "metadata", "annotations", HOLDER)),
        )
    except KeyError as error:
        raise damaged(extension, name, f"it has no {error}") from error
    except (ValueError, TypeError, RecursionError, EOFError, OSError, zlib.error) as error:
        raise damaged(extension, name, error) from error


def manifests_in(secrets: Sequence[Mapping[str, Any]], extension: Extension) -> tuple[dict[str, Any], ...]:
    """The manifests of a revision from its Secret and those that go on with it, in order."""
    name = str(at(secrets[0], "metadata", "name") or "")
    try:
        packed = b"".join(base64.b64decode(at(secret, "data", "manifests") or "") for secret in secrets)
        return fitting_manifests(parsed(_unpack(packed)))
    except KeyError as error:
        raise damaged(extension, name, f"a manifest has no {error}") from error
    except (ValueError, TypeError, EOFError, OSError, zlib.error) as error:
        raise damaged(extension, name, error) from error


def damaged(extension: Extension, name: str, error: object) -> ClusterError:
    """The error for a record that cannot be read."""
    return ClusterError(
        f"{extension}: the record Secret {extension.namespace}/{name} cannot be read ({error}); restore it, or delete it to "
        "have the extension taken over as it is"
    )


def _secret(extension: Extension, name: str, labels: Mapping[str, str], data: Mapping[str, bytes]) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": extension.namespace, "labels": dict(labels)},
        "type": SECRET_TYPE,
        "data": encoded(data),
    }


def _placed_data(item: Placed) -> dict[str, Any]:
    collection = item.key.collection
    return {**asdict(item), "key": [*asdict(collection).values(), item.key.name]}


def _placed(content: Mapping[str, Any]) -> Placed:
    group, version, plural, kind, namespace, name = fitting(content, OBJECT, "an object")["key"]
    return Placed(**{**content, "key": ObjectKey(Collection(group, version, plural, kind, namespace), name)})


def _state(label: Any) -> State:
    if label not in _STATES:
        raise ValueError(f"its state is {label!r}, which is none of {', '.join(_STATES)}")
    return _STATES[label]


def _json(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()


def _unpack(packed: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    content = unpacker.decompress(packed, _LARGEST)
    if not unpacker.eof:
        raise ValueError("it ends too early, or holds too much")
    return content
