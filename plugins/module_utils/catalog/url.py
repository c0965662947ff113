# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Catalogs that are served over HTTP as JSON lines, by catalogd above all.

All of a catalog is asked for once and kept; later runs ask whether it changed. Of a server that answers queries, only
what belongs to one package.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from ..bundle.cache import sidecar_path, write_sidecar
from ..bundle.registry_session import CONNECT_AND_READ_SECONDS, AnswerLimit, open_session
from ..bundle.source_options import SourceOptions
from ..bundle.source_place import Place
from ..bundle.unpack_limits import shown
from ..errors import MissingLibrary, OptionError, SourceError
from .model import PACKAGE

QUERIES, EVERYTHING = "/api/v1/metas", "/api/v1/all"
FILE = "catalog.json"
_CHUNK = 1 << 16
_VALIDATORS = (("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since"))


@dataclass(frozen=True)
class Served:
    """A catalog, or the part of one, that was fetched into a directory; `digest` names its content."""

    directory: Path
    digest: str
    place: Place


# Fetches a ClusterCatalog by its name.
OfCluster: TypeAlias = Callable[[str, SourceOptions], Served]


@dataclass(frozen=True)
class _Fetched:
    digest: str
    validators: Mapping[str, str]
    status: int


def fetch(url: str, package: str, options: SourceOptions) -> Served:
    """Fetch a catalog, or of a server that answers queries what belongs to one package."""
    parts = urlsplit(url)
    if parts.username or parts.password:
        raise OptionError("catalog: an URL holds no user name and no password")
    if not parts.hostname:
        raise OptionError(f"catalog: {shown(repr(url))} names no host")
    if parts.path.endswith(QUERIES):
        if package:
            return _fetch_package(url, package, options)
        url = urlunsplit(parts._replace(path=parts.path.removesuffix(QUERIES) + EVERYTHING, query=""))
    return _fetch_all(url, options)


def _fetch_all(url: str, options: SourceOptions) -> Served:
    record, place = Place(options), Place(options)
    try:
        entry = record.entry("sha256:" + hashlib.sha256(url.encode()).hexdigest())
        known = _record(sidecar_path(entry, "answer"))
        kept = place.kept("served", known["digest"]) if known else None
        with _scratch() as scratch:
            with open(scratch / FILE, "wb") as file:
                fetched = _get(url, file, options, known if kept else {})
            if fetched.status == 304 and kept:
                return Served(kept.tree, known["digest"], place)
            # The new answer is to be the one that is held.
            place.close()
            found = place.keep("served", fetched.digest, lambda work: _move(scratch / FILE, work), _named(url))
        with suppress(OSError, SourceError):
            write_sidecar(entry, "answer", json.dumps({**fetched.validators, "digest": fetched.digest}).encode())
        return Served(found.tree, fetched.digest, place)
    except BaseException:
        place.close()
        raise
    finally:
        record.close()


def _fetch_package(url: str, package: str, options: SourceOptions) -> Served:
    place = Place(options)
    whole = hashlib.sha256()
    try:
        with _scratch() as scratch:
            with open(scratch / FILE, "wb") as file:
                # A package's own document has its name and no package.
                for query in ({"schema": PACKAGE, "name": package}, {"package": package}):
                    whole.update(_get(_with_query(url, query), file, options, {}).digest.encode())
                    file.write(b"\n")
                # A package that is not there is no catalog without content.
                if file.tell() == 2:
                    file.write(b'{"schema": "fleet.olm.nothing"}\n')
            digest = "sha256:" + whole.hexdigest()
            found = place.keep("served", digest, lambda work: _move(scratch / FILE, work), _named(url))
        return Served(found.tree, digest, place)
    except BaseException:
        place.close()
        raise


def _with_query(url: str, query: Mapping[str, str]) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=urlencode([*parse_qsl(parts.query), *query.items()])))


@contextmanager
def _scratch() -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp(prefix="fleet.olm-"))
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _move(path: Path, work: Path) -> None:
    (work / "tree").mkdir(0o700)
    shutil.move(path, work / "tree" / FILE)


def _record(path: Path) -> Mapping[str, str]:
    """What was kept of an earlier answer; nothing where it is not whole."""
    try:
        record = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    digest = record.get("digest") if isinstance(record, dict) else None
    return {str(key): str(value) for key, value in record.items()} if isinstance(digest, str) else {}


def _named(url: str) -> str:
    return f"catalog {shown(url)}"


def _get(url: str, file: BinaryIO, options: SourceOptions, known: Mapping[str, str]) -> _Fetched:
    """Write an answer to a file; with the validators of an earlier one the server may say that nothing changed."""
    try:
        from requests.exceptions import RequestException
    except ImportError as error:
        raise MissingLibrary(
            "reading catalogs over HTTP needs the Python library 'requests' where the task runs; install it there "
            "(pip install requests)"
        ) from error
    headers = {asks: known[name] for name, asks in _VALIDATORS if name in known}
    limit = AnswerLimit(options.limits.total_bytes)
    whole = hashlib.sha256()
    try:
        with open_session(limit, plain_http=url.startswith("http://")) as session:
            answer = session.get(
                url,
                headers={"Accept": "application/jsonl, application/json", "Accept-Encoding": "identity", **headers},
                stream=True,
                verify=_verification(options),
                timeout=CONNECT_AND_READ_SECONDS,
            )
            with answer:
                status = int(answer.status_code)
                if status != 304:
                    _check(status, answer, url)
                    for chunk in answer.iter_content(_CHUNK):
                        whole.update(chunk)
                        file.write(chunk)
    except RequestException as error:
        raise SourceError(f"{_named(url)}: {_reason(error)}") from error
    except SourceError as error:
        raise SourceError(f"{_named(url)}: {error}") from error
    validators = {name: answer.headers[name] for name, _asks in _VALIDATORS if name in answer.headers}
    return _Fetched("sha256:" + whole.hexdigest(), validators, status)


def _verification(options: SourceOptions) -> bool | str:
    if not options.validate_certs:
        return False
    if not options.ca_cert:
        return True
    path = os.path.expanduser(options.ca_cert)
    if not os.path.isfile(path):
        raise SourceError(f"the file {options.ca_cert} with certificate authorities does not exist")
    return path


def _check(status: int, answer: Any, url: str) -> None:
    if status == 404 and "/api/v1/" not in url:
        raise SourceError(f"is not there (404); catalogd serves a catalog below its address at {EVERYTHING}")
    if status != 200:
        words = {401: "asks for credentials", 403: "does not allow it", 404: "is not there"}.get(status, "failed")
        raise SourceError(f"{words} ({status})")
    if str(answer.headers.get("Content-Type", "")).startswith("text/html"):
        raise SourceError("answered with an HTML page where a catalog is JSON lines; check the address")


def _reason(error: BaseException) -> str:
    """The innermost reason on one line: requests and urllib3 wrap it several times."""
    from ..bundle.registry_client import innermost_reason

    return "cannot be read: " + shown(" ".join(innermost_reason(error).split()))
