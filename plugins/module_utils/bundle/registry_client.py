# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One repository of one registry: digests of tags, manifests and blobs, and what can go wrong in words."""

from __future__ import annotations

import ssl
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from ..errors import MissingLibrary, RegistryError
from ..nested import at, mappings
from .registry_credentials import Credentials
from .registry_reference import Reference
from .registry_session import CONNECT_AND_READ_SECONDS, USER_AGENT, AnswerLimit, open_session
from .unpack_limits import Limits, shown

_CHUNK = 1 << 16
_SPEAKS_NO_TLS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST")


@dataclass(frozen=True)
class RegistryAccess:
    """How to reach a registry."""

    credentials: Credentials = field(default_factory=Credentials)
    validate_certs: bool = True
    ca_cert: str | None = None
    plain_http: bool = False


class RegistryClient:
    """Asks one registry for one repository. Use it in a `with` statement."""

    def __init__(self, reference: Reference, access: RegistryAccess, limits: Limits) -> None:
        self._reference = reference
        self._access = access
        self._limits = limits
        self._limit = AnswerLimit(limits.document_bytes)
        self._plain_http = access.plain_http
        # As container tools do: on this machine a registry without TLS is found out, elsewhere it must be said.
        self._may_fall_back = reference.is_loopback and not access.plain_http and access.ca_cert is None
        self._client = self._connect()

    def __enter__(self) -> RegistryClient:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._client.__exit__(None, None, None)

    def digest_of_tag(self, tag: str) -> str | None:
        """The digest of a tag with one small request; None where the registry does not tell it so."""
        with self._told(tag):
            digest, _answer = self._asked("head_manifest_and_response", tag)
            return digest if isinstance(digest, str) else None

    def manifest(self, tag_or_digest: str) -> tuple[bytes, str]:
        """A manifest or index as sent, and the media type that came with it."""
        with self._told(tag_or_digest):
            _text, answer = self._asked("get_manifest_and_response", tag_or_digest)
            kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            if kind == "text/html":
                raise RegistryError(
                    "answered with an HTML page where a registry sends a manifest; check the address, and the proxy if "
                    "there is one"
                )
            return answer.content, kind

    def blob(self, digest: str, size: int) -> Generator[bytes]:
        """The bytes of a blob."""
        with self._told(digest):
            # Redirects and tokens on the way are answers too. The exact size is for who reads the blob to check.
            self._limit.bytes = max(size, self._limits.document_bytes)
            try:
                yield from self._asked("pull_blob", digest, chunk_size=_CHUNK)
            finally:
                self._limit.bytes = self._limits.document_bytes

    def push_blob(self, path: str, digest: str) -> None:
        """Upload a file, unless the repository has it."""
        with self._told(digest, "pushing"):
            self._asked("push_blob", path)

    def push_manifest(self, tag: str, manifest: str) -> None:
        """Give a manifest a tag."""
        with self._told(tag, "pushing"):
            self._asked("set_manifest", tag, manifest)

    def _connect(self) -> Any:
        try:
            from dxf import DXF
        except ImportError as error:
            raise MissingLibrary(
                "reading from registries needs the Python library 'python-dxf' where the task runs; install it there "
                "(pip install python-dxf)"
            ) from error
        client = DXF(
            self._reference.host,
            self._reference.repository,
            auth=self._authenticate,
            insecure=self._plain_http,
            tlsverify=(self._access.ca_cert or True) if self._access.validate_certs else False,
            timeout=CONNECT_AND_READ_SECONDS,  # type: ignore[arg-type]
        )
        # The library offers no way to bring a session; it takes the first of this list.
        sessions = getattr(client, "_sessions", None)
        if not isinstance(sessions, list):
            raise MissingLibrary(
                "reading from registries needs the Python library 'python-dxf' 12; another version is installed"
            )
        sessions.insert(0, open_session(self._limit, plain_http=self._plain_http))
        return client

    def _authenticate(self, client: Any, response: Any) -> None:
        given = self._access.credentials
        if "WWW-Authenticate" not in response.headers:
            return  # no way is told to authenticate: the refusal stands
        client.authenticate(given.username or None, given.password or None, response=response, user_agent=USER_AGENT)

    def _asked(self, method: str, *arguments: Any, **options: Any) -> Any:
        from requests.exceptions import SSLError

        may_fall_back, self._may_fall_back = self._may_fall_back, False
        try:
            return getattr(self._client, method)(*arguments, **options)
        except SSLError as error:
            if not may_fall_back or not any(word in str(error) for word in _SPEAKS_NO_TLS):
                raise
        self._client.__exit__(None, None, None)
        self._plain_http = True
        self._client = self._connect()
        return getattr(self._client, method)(*arguments, **options)

    @contextmanager
    def _told(self, tag_or_digest: str, verb: str = "pulling") -> Iterator[None]:
        """Everything that the libraries below raise, as one kind of error."""
        from dxf.exceptions import DXFAuthInsecureError, DXFDigestMismatchError, DXFError, DXFUnauthorizedError
        from requests.exceptions import (
            ChunkedEncodingError,
            HTTPError,
            InvalidJSONError,
            InvalidSchema,
            RequestException,
        )

        registry = f"registry {self._reference.host}"
        what = f"{self._reference.repository}{'@' if ':' in tag_or_digest else ':'}{tag_or_digest}"
        try:
            yield
        except RegistryError as error:
            raise RegistryError(f"{verb} {what}: {registry} {error}") from error
        except DXFUnauthorizedError as error:
            raise RegistryError(f"{verb} {what}: {registry} {self._unauthorized()}", status=401) from error
        except DXFAuthInsecureError as error:
            raise RegistryError(
                f"{verb} {what}: {registry} asks for credentials over plain HTTP, where anybody could read them; none were "
                "sent; use TLS",
                status=401,
            ) from error
        except HTTPError as error:
            raise self._refusal(f"{verb} {what}", registry, error.response) from error
        except InvalidSchema as error:
            raise RegistryError(
                f"{verb} {what}: {registry} redirects between TLS and plain HTTP; not followed"
            ) from error
        except DXFDigestMismatchError as error:
            raise RegistryError(f"{verb} {what}: {registry} sent something else or not all of it: {error}") from error
        except ChunkedEncodingError as error:
            raise RegistryError(
                f"{verb} {what}: {registry} broke off: {self._clean(innermost_reason(error))}"
            ) from error
        except InvalidJSONError as error:
            raise RegistryError(
                f"{verb} {what}: {registry} answered as no registry does: with a token that is no JSON"
            ) from error
        except RequestException as error:
            raise RegistryError(
                f"{verb} {what}: cannot reach {self._where(error)}: {self._clean(innermost_reason(error))}"
            ) from error
        except (DXFError, LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
            # The library takes challenges, tokens and digests as they come.
            raise RegistryError(
                f"{verb} {what}: {registry} answered as no registry does: {self._clean(str(error))}"
            ) from error

    def _where(self, error: Any) -> str:
        """The registry, or the host that it sent us to for a token or a blob."""
        registry = f"registry {self._reference.host}"
        host = urlsplit(error.request.url).netloc if error.request is not None else self._reference.host
        return registry if host == self._reference.host else f"{shown(host)}, where {registry} sends us"

    def _unauthorized(self) -> str:
        given = self._access.credentials
        if given.given:
            return f"did not accept user {given.username!r} with the password from {given.origin} (401)"
        return f"asks for credentials (401): {given.origin or 'none were given'}"

    def _refusal(self, what: str, registry: str, response: Any) -> RegistryError:
        status = int(response.status_code)
        if status == 401:
            return RegistryError(f"{what}: {registry} {self._unauthorized()}", status=401)
        words = {
            403: "does not allow it",
            404: "has no such image",
            429: "was asked too often; wait, or use credentials with a higher limit",
        }.get(status, "failed")
        pause = response.headers.get("Retry-After", "")
        asked = f"; it asks to wait {pause} s" if pause.isdigit() else ""
        told = self._clean(_message(response))
        return RegistryError(
            f"{what}: {registry} {words} ({status}{': ' + told if told else ''}){asked}", status=status
        )

    def _clean(self, text: str) -> str:
        """A text from outside on one line, without the password should it be in there."""
        secret = self._access.credentials.password
        return shown(" ".join((text.replace(secret, "***") if secret else text).split()))


def _message(response: Any) -> str:
    try:
        errors = mappings(at(response.json(), "errors"))
    except (ValueError, RegistryError, RecursionError):
        return ""
    return str(errors[0].get("message") or errors[0].get("code") or "") if errors else ""


def innermost_reason(error: BaseException) -> str:
    """The innermost reason: requests and urllib3 wrap it several times."""
    queue: list[Any] = [error]
    seen: list[BaseException] = []
    while queue:
        item = queue.pop(0)
        if isinstance(item, BaseException) and item not in seen:
            seen.append(item)
            queue += [item.__cause__, item.__context__, getattr(item, "reason", None), *item.args]
    for item in seen:
        if isinstance(item, ssl.SSLCertVerificationError):
            message = item.verify_message.rstrip(".")
            return (
                f"its TLS certificate is not trusted: {message}; give the authority that signed it in registry_ca_cert"
            )
        if isinstance(item, ssl.SSLError) and any(word in str(item) for word in _SPEAKS_NO_TLS):
            return "what listens there speaks no TLS; plain HTTP must be asked for with registry_plain_http"
    system = next((item.strerror for item in seen if isinstance(item, OSError) and item.strerror), None)
    return system or str(seen[-1])
