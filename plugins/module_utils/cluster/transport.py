# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One HTTP request to one API server, and what can go wrong with it in words."""

from __future__ import annotations

import base64
import json
import re
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from ..errors import (
    ApiError,
    Cause,
    CertificateRejected,
    ClusterError,
    Conflict,
    Forbidden,
    MissingLibrary,
    NotFound,
    NotKubernetes,
    OptionError,
    Unauthorized,
    Unreachable,
)
from ..nested import at, mappings
from .authentication import Access, token_expiry

try:
    import urllib3
    from urllib3.exceptions import (
        ConnectTimeoutError,
        HTTPError,
        NameResolutionError,
        NewConnectionError,
        ProtocolError,
        ProxyError,
        ReadTimeoutError,
        SSLError,
    )
except ImportError:  # the same installation brings it as brings the official client: see authentication
    pass

CONNECT_TIMEOUT = 10.0
READ_TIMEOUT = 60.0

# `299 - "text"`, several of them joined with commas; 299 is the one code that Kubernetes sends.
_WARNING = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"')

# X509_V_ERR_* codes of OpenSSL.
_EXPIRED, _NOT_YET_VALID = 10, 9
_OTHER_HOST_NAME, _OTHER_ADDRESS = 62, 64

# What a server says in an alert when it will not take us, whatever we try.
_ABOUT_CERTIFICATES = ("CERTIFICATE", "UNKNOWN_CA", "ACCESS_DENIED", "HANDSHAKE_FAILURE", "PROTOCOL_VERSION")

_ERROR_CLASSES: Mapping[int, type[ApiError]] = {401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict}


class ConnectionLost(Exception):
    """The connection broke after the request may have reached the server: it may have acted, or not."""


@dataclass(frozen=True)
class Answer:
    """What a server sent back; `retry_after` in seconds where it asked for a pause. `audited`: it has the mark that
    API servers put on all they say."""

    status: int
    content_type: str
    body: bytes
    retry_after: float | None
    warnings: tuple[str, ...] = ()
    audited: bool = False

    @property
    def asks_to_wait(self) -> bool:
        """Overload, told before the server acted: safe to repeat whatever the method."""
        return self.status in (429, 503) and self.retry_after is not None


@dataclass(frozen=True)
class Stream:
    """An answer whose body comes piece by piece for as long as the server likes; a refusal has its body in `answer`."""

    answer: Answer
    pieces: Iterator[bytes]

    def lines(self) -> Iterator[bytes]:
        """The body line by line."""
        rest = b""
        for piece in self.pieces:
            *lines, rest = (rest + piece).split(b"\n")
            yield from lines
        if rest:
            raise ConnectionLost("the answer broke off in the middle of a line")


class Transport:
    """Sends requests over kept-alive connections; counts them and their bytes."""

    def __init__(self, access: Access, connections: int, timeout: float | None = None) -> None:
        self._access = access
        self._connect_timeout = timeout or CONNECT_TIMEOUT
        self._read_timeout = timeout or READ_TIMEOUT
        self._pool = _pool(access, connections, block=True)
        # Streams keep a connection for long: with one of their own they never hold up another request.
        self._streams = _pool(access, 1, block=False)
        self.requests = 0
        self.bytes_sent = 0
        self.bytes_received = 0
        self._counting = threading.Lock()

    def send(self, method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        """One request. Raises ConnectionLost where a retry may or may not repeat an effect, Unreachable and
        CertificateRejected where nothing was sent."""
        response = self._request(method, path, headers, body, self._read_timeout)
        return _answer(response, response.data)

    @contextmanager
    def stream(self, path: str, headers: Mapping[str, str], silence: float) -> Iterator[Stream]:
        """One GET whose answer is read as it comes; it is lost after `silence` seconds without a byte."""
        response = self._request("GET", path, headers, None, silence, streamed=True)
        try:
            if response.status == 200:
                yield Stream(_answer(response, b""), self._pieces(response, silence))
            else:
                yield Stream(_answer(response, b"".join(self._pieces(response, silence))), iter(()))
        finally:
            # A connection whose body was read to the end is back in the pool by now, and stays open.
            response.close()

    def _pieces(self, response: Any, silence: float) -> Iterator[bytes]:
        try:
            for piece in response.stream(65536, decode_content=True):
                with self._counting:
                    self.bytes_received += len(piece)
                yield piece
        except HTTPError as error:
            raise _connection_problem(error, self._access, self._connect_timeout, silence) from error

    def _request(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: bytes | None,
        silence: float,
        *,
        streamed: bool = False,
    ) -> Any:
        merged = urllib3.HTTPHeaderDict(headers)
        authorization = self._access.authorization()
        if authorization:
            merged["Authorization"] = authorization
        for name, value in self._access.impersonation:
            merged.add(name, value)
        with self._counting:
            self.requests += 1
            self.bytes_sent += len(body or b"")
        try:
            response = (self._streams if streamed else self._pool).request(
                method,
                self._access.host + path,
                body=body,
                headers=merged,
                retries=False,
                redirect=False,
                preload_content=not streamed,
                timeout=urllib3.Timeout(connect=self._connect_timeout, read=silence),
            )
        except HTTPError as error:
            raise _connection_problem(error, self._access, self._connect_timeout, silence) from error
        except ValueError as error:
            # Host names that only the TLS library or the encoding of international names refuses.
            raise OptionError(
                f"the address or tls_server_name of cluster {self._access} cannot be used: {error}"
            ) from error
        if not streamed:
            with self._counting:
                self.bytes_received += len(response.data)
        return response

    def close(self) -> None:
        self._pool.clear()
        self._streams.clear()


def _answer(response: Any, body: bytes) -> Answer:
    return Answer(
        status=response.status,
        content_type=response.headers.get("Content-Type", "").partition(";")[0].strip().lower(),
        body=body,
        retry_after=_seconds(response.headers.get("Retry-After")),
        warnings=tuple(_WARNING.findall(response.headers.get("Warning", ""))),
        audited="Audit-Id" in response.headers,
    )


def decoded(answer: Answer, access: Access, doing: str) -> dict[str, Any]:
    """The JSON object in a good answer; the fitting error for any other."""
    if 300 <= answer.status < 400:
        raise NotKubernetes(
            f"{doing}: {access} answered with a redirect ({answer.status}), as a login page does, not as a Kubernetes API "
            "server; check the address"
        )
    content = json_object(answer.body)
    if answer.status >= 400:
        raise refusal(answer, content, access, doing)
    if content is None:
        raise NotKubernetes(
            f"{doing}: {access} answered {answer.status} with {_kind_of_body(answer)} where a Kubernetes API server sends "
            "JSON; check the address, and the proxy if there is one"
        )
    return content


def refusal(answer: Answer, content: dict[str, Any] | None, access: Access, doing: str) -> ClusterError:
    """The error for an HTTP status of 400 and above."""
    if content is None or content.get("kind") != "Status":
        if answer.status == 401:
            return _unauthorized(access, doing, "")
        if answer.status == 404 and answer.audited:
            # Of an API that is not served, such as one whose CRD is gone, they say so in plain text.
            said = "it serves no such API"
            return NotFound(f"{doing}: {access} answered 404: {said}", status=404, reason="NotFound", said=said)
        if answer.status in (502, 503, 504):
            return _nobody_there(answer, f"{doing}: {access} answered {answer.status} with {_kind_of_body(answer)}")
        return NotKubernetes(
            f"{doing}: {access} answered {answer.status} with {_kind_of_body(answer)}, not as a Kubernetes API server "
            "does; check the address, and the proxy if there is one"
        )
    reason = str(content.get("reason") or "")
    message = " ".join(str(content.get("message") or reason or "no reason given").split())
    if answer.status == 401:
        return _unauthorized(access, doing, reason)
    if answer.status == 403:
        return Forbidden(
            f"{doing}: {access} does not allow it: {message}; ask for a role that does, or use other credentials",
            status=403,
            reason=reason,
            said=message,
        )
    kind = _ERROR_CLASSES.get(answer.status, ApiError)
    return kind(
        f"{doing}: {access} answered {answer.status}: {message}",
        status=answer.status,
        reason=reason,
        said=message,
        causes=tuple(_cause_of(item) for item in mappings(at(content, "details", "causes"))),
    )


def _nobody_there(answer: Answer, answered: str) -> ClusterError:
    """The error for an answer of who hands requests on: an API server, to who serves some of its APIs, or a load balancer, to API servers."""
    if answer.audited:
        said = "who serves this API for it is not there"
        return ApiError(f"{answered}: {said}", status=answer.status, reason="ServiceUnavailable", said=said)
    return Unreachable(f"{answered}, as a load balancer does that reaches no API server")


def _cause_of(item: Mapping[str, Any]) -> Cause:
    return Cause(*(str(item.get(key) or "") for key in ("reason", "field", "message")))


def _unauthorized(access: Access, doing: str, reason: str) -> Unauthorized:
    authorization = access.authorization()
    expiry = token_expiry(authorization)
    if expiry is not None and expiry < datetime.now(UTC):
        problem = f"the token expired at {expiry:%Y-%m-%d %H:%M:%S} UTC; log in again or give a fresh one"
    elif authorization is None:
        problem = "no credentials that it accepts were sent; give a kubeconfig, an api_key or a client certificate"
    else:
        problem = "the credentials are not accepted: wrong, revoked or expired; log in again or give others"
    return Unauthorized(f"{doing}: {access} answered 401 Unauthorized: {problem}", status=401, reason=reason)


def _pool(access: Access, connections: int, *, block: bool) -> Any:
    settings: dict[str, Any] = {"maxsize": connections, "block": block, "num_pools": 1}
    if access.tls is not None:
        settings["ssl_context"] = access.tls
        if access.tls.verify_mode == ssl.CERT_NONE:
            settings["cert_reqs"] = "CERT_NONE"
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        if access.tls_server_name:
            settings["server_hostname"] = access.tls_server_name
    if access.proxy is None:
        return urllib3.PoolManager(**settings)
    if access.proxy.startswith("socks"):
        try:
            from urllib3.contrib.socks import SOCKSProxyManager
        except ImportError as error:
            raise MissingLibrary(
                "a SOCKS proxy needs the Python library 'PySocks', which is not installed here"
            ) from error
        return SOCKSProxyManager(access.proxy, **settings)
    return urllib3.ProxyManager(access.proxy, proxy_headers=_proxy_headers(access), **settings)


def _proxy_headers(access: Access) -> dict[str, str]:
    """With the user and password of the proxy's address, which the library would leave out."""
    parts = urlsplit(access.proxy or "")
    if not parts.username:
        return dict(access.proxy_headers)
    credentials = base64.b64encode(f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()).decode()
    return {"proxy-authorization": f"Basic {credentials}", **access.proxy_headers}


def _connection_problem(error: Any, access: Access, connect: float, silence: float) -> Exception:
    """What a failure of the connection means. The order matters: urllib3's classes overlap."""
    if isinstance(error, ProxyError):
        return Unreachable(
            f"cannot reach cluster {access} through its proxy: {_cause(error)}; check the option 'proxy'"
        )
    if isinstance(error, SSLError):
        return _tls_problem(error, access)
    if isinstance(error, NameResolutionError):
        return Unreachable(f"cannot reach cluster {access}: its host name is not known; check the address and your DNS")
    if isinstance(error, ConnectTimeoutError) and not isinstance(error, NewConnectionError):
        return Unreachable(
            f"cannot reach cluster {access}: no connection within {connect:.3g} s; "
            "check the address, the network and firewalls"
        )
    if isinstance(error, NewConnectionError):
        return Unreachable(
            f"cannot reach cluster {access}: {_cause(error)}; check the address and that the API server runs"
        )
    if isinstance(error, ReadTimeoutError):
        return ConnectionLost(f"no answer within {silence:.3g} s")
    if isinstance(error, ProtocolError):
        return ConnectionLost(_cause(error))
    return Unreachable(f"cannot reach cluster {access}: {_cause(error)}; check the address")


def _tls_problem(error: BaseException, access: Access) -> Exception:
    verification = next((item for item in _chain(error) if isinstance(item, ssl.SSLCertVerificationError)), None)
    if verification is not None:
        code = verification.verify_code
        if code in (_OTHER_HOST_NAME, _OTHER_ADDRESS):
            advice = "use an address that it names, or set 'tls_server_name' to one"
        elif code in (_EXPIRED, _NOT_YET_VALID):
            advice = "renew the server's certificate, or check this machine's clock"
        else:
            advice = "give the authority that signed it in 'ca_cert' or the kubeconfig"
        return CertificateRejected(
            f"the TLS certificate of cluster {access} is not trusted: {verification.verify_message.rstrip('.')}; {advice}"
        )
    text = _cause(error)
    if "WRONG_VERSION_NUMBER" in text or "RECORD_LAYER" in text:
        return NotKubernetes(
            f"cannot reach cluster {access}: what listens there does not speak TLS; check the port and the address"
        )
    # Other alerts, such as a decode error on a busy machine, pass: the next try gets through.
    if any(word in text for word in _ABOUT_CERTIFICATES):
        return CertificateRejected(
            f"cluster {access} broke off the TLS handshake ({text}); check the client certificate and its authority"
        )
    return ConnectionLost(text)


def _chain(error: BaseException | None) -> list[BaseException]:
    """An exception, what it wraps and what caused it: urllib3 keeps the real one in several places."""
    found: list[BaseException] = []
    queue: list[Any] = [error]
    while queue:
        item = queue.pop(0)
        if isinstance(item, BaseException) and item not in found:
            found.append(item)
            queue += [item.__cause__, item.__context__, getattr(item, "reason", None), *item.args]
    return found


def _cause(error: BaseException) -> str:
    """The innermost reason, in a few words."""
    chain = _chain(error)
    system = next((item for item in chain if isinstance(item, OSError) and item.strerror), None)
    text = system.strerror if isinstance(system, OSError) and system.strerror else str(chain[-1])
    text = re.sub(r"<[^>]*>:?\s*", "", " ".join(text.split()))
    return text[:200].lower() if text.isascii() and text[:1].isupper() and text[1:2].islower() else text[:200]


def json_object(body: bytes) -> dict[str, Any] | None:
    """The JSON object that a body is; None where it is none."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _kind_of_body(answer: Answer) -> str:
    if not answer.body:
        return "nothing"
    if answer.content_type == "text/html" or answer.body.lstrip()[:1] == b"<":
        return "an HTML page"
    return f"{answer.content_type or 'something'} that is no JSON object"


def _seconds(header: str | None) -> float | None:
    try:
        return max(0.0, float(header)) if header else None
    except ValueError:
        return None
