# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From connection options to what a request needs: address, credentials, TLS, proxy.

Reading kubeconfig users (tokens, certificates, exec plugins, providers) and in-cluster
credentials is left to the official client; the order in which places are looked at
is that of kubernetes.core.
"""

from __future__ import annotations

import base64
import binascii
import json
import logging
import os
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from ..errors import MissingLibrary, OptionError
from .connection import Connection

try:
    import yaml
    from kubernetes.client import Configuration
    from kubernetes.client.rest import should_bypass_proxies
    from kubernetes.config import kube_config
    from kubernetes.config.config_exception import ConfigException
    from kubernetes.config.incluster_config import load_incluster_config
    from urllib3.util import make_headers
except ImportError as import_error:
    LIBRARY_ERROR: ImportError | None = import_error
else:
    LIBRARY_ERROR = None

_PROXIES = ("http", "https", "socks4", "socks4a", "socks5", "socks5h")
# The official loader keeps the files it writes for inline certificates in one table of the process.
_LOADER_LOCK = threading.Lock()
_MAXIMUM_DEPTH = 100
# Seconds for which an Authorization header is taken as it was last given.
_ASKED_AGAIN = 10.0


@dataclass(frozen=True)
class Access:
    """All that is needed to send a request to one API server."""

    host: str
    name: str
    tls: ssl.SSLContext | None
    tls_server_name: str | None
    proxy: str | None
    proxy_headers: Mapping[str, str]
    impersonation: tuple[tuple[str, str], ...]
    authorization: Callable[[], str | None]

    def __str__(self) -> str:
        return f"{self.name} ({self.host})" if self.name else self.host


def require_library() -> None:
    """Say so where the official client is not installed."""
    if LIBRARY_ERROR is not None:
        raise MissingLibrary(
            f"talking to a cluster needs the Python library 'kubernetes', which is not installed here ({LIBRARY_ERROR}); "
            "install the collection's requirements.txt into the Python that runs the task"
        )


def open_access(connection: Connection) -> Access:
    """Find out how to reach the cluster; nothing is sent yet."""
    require_library()
    with _LOADER_LOCK:
        configuration = Configuration()
        try:
            name = _load_credentials(connection, configuration)
            _overlay_options(connection, configuration)
            host = _checked_host(configuration.host)
            tls = _tls_context(configuration) if host.startswith("https:") else None
        finally:
            # Private, but the only way: a forked worker never runs the exit handlers that would do it,
            # and private keys would stay behind in the temporary directory.
            kube_config._cleanup_temp_files()
    authorization = _authorization(connection, configuration)
    if tls is None and authorization():
        raise OptionError(
            f"refusing to send credentials to {host} without TLS; use an address that starts with https:// "
            "or leave the credentials out"
        )
    bypassed = configuration.proxy and should_bypass_proxies(host, no_proxy=configuration.no_proxy or "")
    proxy = _checked_proxy(configuration.proxy) if not bypassed else None
    return Access(
        host=host,
        name=name,
        tls=tls,
        tls_server_name=configuration.tls_server_name or None,
        proxy=proxy,
        proxy_headers=dict(configuration.proxy_headers or {}),
        impersonation=_impersonation(connection),
        authorization=authorization,
    )


def _load_credentials(connection: Connection, configuration: Any) -> str:
    """Fill `configuration` from a kubeconfig or from the pod we run in; return a name for messages."""
    enough = connection.host and (
        connection.api_key
        or (connection.username and connection.password)
        or (connection.client_cert and connection.client_key)
    )
    if enough:
        return ""
    if connection.kubeconfig is None and connection.context is None:
        try:
            load_incluster_config(client_configuration=configuration)
        except ConfigException:
            pass
        else:
            return "in-cluster"
    if isinstance(connection.kubeconfig, Mapping):
        return _load_kubeconfig(dict(connection.kubeconfig), "the kubeconfig mapping", "", connection, configuration)
    if not isinstance(connection.kubeconfig, str | None):
        raise OptionError("kubeconfig must be the path of a file, or a mapping")
    path = os.path.expanduser(connection.kubeconfig or os.environ.get("KUBECONFIG") or "~/.kube/config")
    if connection.kubeconfig is None and not os.path.exists(path.split(os.pathsep)[0]) and connection.host:
        return ""
    if os.pathsep in path or connection.persist_config:
        return _load_with_merging(path, connection, configuration)
    return _load_kubeconfig(read_kubeconfig(path), path, os.path.dirname(path) or ".", connection, configuration)


def read_kubeconfig(path: str) -> Any:
    """The content of a kubeconfig file, whatever it is."""
    try:
        with open(path, "rb") as stream:
            return parse_kubeconfig(stream, f"the kubeconfig {path}")
    except OSError as error:
        raise OptionError(
            f"cannot read the kubeconfig {path}: {error.strerror}; set 'kubeconfig', K8S_AUTH_KUBECONFIG or KUBECONFIG"
        ) from error


def parse_kubeconfig(text: Any, where: str) -> Any:
    """What a kubeconfig says, whatever it is; `text` is bytes, text or a stream."""
    try:
        return yaml.load(text, Loader=_loader())  # noqa: S506 - a safe loader
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1})" if mark else ""
        raise OptionError(f"{where} is not valid YAML{place}; 'kubectl config view' shows more") from None


def _loader() -> Any:
    """PyYAML's C loader: the official client parses in pure Python, 40 times slower, which a file of a hundred contexts
    makes felt on every host. It is bounded in depth, because it overflows the stack where Python would raise."""
    if not yaml.__with_libyaml__:
        return yaml.SafeLoader
    depth = 0

    def descend(_loader: object, _node: object, _index: object) -> None:
        nonlocal depth
        depth += 1
        if depth > _MAXIMUM_DEPTH:
            raise yaml.YAMLError("nested too deeply")

    def ascend(_loader: object) -> None:
        nonlocal depth
        depth -= 1

    return type("_KubeconfigLoader", (yaml.CSafeLoader,), {"descend_resolver": descend, "ascend_resolver": ascend})


def _load_kubeconfig(config: Any, where: str, base_path: str, connection: Connection, configuration: Any) -> str:
    context = checked_context(config, where, connection.context)
    with _loader_problems(where, context):
        kube_config.KubeConfigLoader(
            config_dict=config, active_context=context, config_base_path=base_path
        ).load_and_set(configuration)
    return context


def _load_with_merging(path: str, connection: Connection, configuration: Any) -> str:
    """Several files, or one to be written back when a token was refreshed: the official client's own way."""
    with _loader_problems(path, connection.context or "current"):
        kube_config.load_kube_config(
            config_file=path,
            context=connection.context,
            client_configuration=configuration,
            persist_config=connection.persist_config,
        )
    return connection.context or ""


def checked_context(config: Any, where: str, wanted: str | None) -> str:
    """The context to use, after a look at the parts of the kubeconfig that it needs."""
    if not isinstance(config, Mapping):
        raise OptionError(f"{where} is no kubeconfig: it holds no mapping at its top level")
    name = wanted or config.get("current-context")
    if not name:
        raise OptionError(f"{where} has no current-context; set 'context' to one of: {_names(config, 'contexts')}")
    context = kubeconfig_entry(config, "contexts", str(name), "context", where)
    cluster = kubeconfig_entry(config, "clusters", context.get("cluster"), "cluster", where)
    if not isinstance(cluster.get("server"), str):
        raise OptionError(f"{where}: cluster '{context['cluster']}' of context '{name}' has no server address")
    if context.get("user"):
        kubeconfig_entry(config, "users", context["user"], "user", where)
    return str(name)


def kubeconfig_entry(config: Mapping[str, Any], section: str, name: Any, kind: str, where: str) -> Mapping[str, Any]:
    """The settings of a context, cluster or user of that name."""
    entries = config.get(section)
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, Mapping) and entry.get("name") == name:
            value = entry.get(kind)
            if isinstance(value, Mapping):
                return value
            raise OptionError(f"{where}: {kind} '{name}' has no settings under '{kind}'")
    raise OptionError(f"{where} has no {kind} named '{name}'; it has: {_names(config, section)}")


def _names(config: Mapping[str, Any], section: str) -> str:
    entries = config.get(section)
    names = [str(item.get("name")) for item in entries or [] if isinstance(item, Mapping)]
    return ", ".join(names[:10]) + (", …" if len(names) > 10 else "") if names else "none"


@contextmanager
def _loader_problems(where: str, context: str) -> Iterator[None]:
    """Turn what the official loader raises, or only logs, into one error."""
    logged: list[str] = []
    handler = logging.Handler(level=logging.ERROR)
    handler.emit = lambda record: logged.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        yield
    except ConfigException as error:
        raise OptionError(f"{where}, context '{context}': {_one_line(error)}") from error
    except (KeyError, TypeError, AttributeError, ValueError, OSError, yaml.YAMLError) as error:
        raise OptionError(
            f"{where}, context '{context}': the credentials cannot be read ({type(error).__name__}: {_one_line(error)})"
        ) from error
    finally:
        logging.getLogger().removeHandler(handler)
    if logged:
        raise OptionError(
            f"{where}, context '{context}': the credential plugin failed: {_one_line(logged[-1])}; run it by hand to see why"
        )


def _overlay_options(connection: Connection, configuration: Any) -> None:
    """Single options win over what a kubeconfig says, as with kubernetes.core."""
    for name, value in (
        ("host", connection.host),
        ("username", connection.username),
        ("password", connection.password),
        ("verify_ssl", connection.validate_certs),
        ("ssl_ca_cert", _path(connection.ca_cert)),
        ("cert_file", _path(connection.client_cert)),
        ("key_file", _path(connection.client_key)),
        ("tls_server_name", connection.tls_server_name),
        ("proxy", connection.proxy),
        ("no_proxy", connection.no_proxy),
    ):
        if value is not None:
            setattr(configuration, name, value)
    if connection.proxy_headers:
        headers: dict[str, Any] = {key: value for key, value in connection.proxy_headers.items() if value}
        configuration.proxy_headers = make_headers(**headers)


def _path(option: str | None) -> str | None:
    return os.path.expanduser(option) if option else None


def _authorization(connection: Connection, configuration: Any) -> Callable[[], str | None]:
    """A function that gives the Authorization header; called for each request, since tokens get renewed.

    The library sets its whole configuration again whenever it is asked. Tokens are renewed minutes before they end, so it is asked now and then.
    """
    if connection.api_key:
        given = _checked_header(f"Bearer {connection.api_key.strip()}")
        return lambda: given

    def current() -> str | None:
        # auth_settings runs the hook that renews a token which is about to expire.
        for setting in configuration.auth_settings().values():
            if setting.get("value"):
                return _checked_header(str(setting["value"]).strip())
        if configuration.username and configuration.password:
            return _checked_header(str(configuration.get_basic_auth_token()))
        return None

    header: str | None = None
    good_until = 0.0

    def remembered() -> str | None:
        nonlocal header, good_until
        if time.monotonic() >= good_until:
            header, good_until = current(), time.monotonic() + _ASKED_AGAIN
        return header

    return remembered


def _checked_header(value: str) -> str:
    # http.client would put the whole value, a secret, into its error.
    if not value.isascii() or not value.isprintable():
        raise OptionError(
            "the token holds a character that no HTTP header may have (a line break?); give the bare token"
        )
    return value


def _is_address(text: str, schemes: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(text)
        # A port that is none is an error when it is asked for.
        return parts.scheme in schemes and bool(parts.hostname) and parts.port is not False
    except ValueError:
        return False


def _checked_host(host: str) -> str:
    if not _is_address(host, ("http", "https")):
        raise OptionError(f"'{host}' is no address of an API server; it must look like https://HOST:PORT")
    parts = urlsplit(host)
    if parts.username or parts.password:
        raise OptionError(
            "the address of the API server must not hold a user name or password; use the options for them"
        )
    return host.rstrip("/")


def _checked_proxy(proxy: Any) -> str | None:
    """The address of a proxy, which is not shown: it may hold a password."""
    if not proxy:
        return None
    if not _is_address(str(proxy), _PROXIES):
        raise OptionError(
            "the address of the proxy must look like http://HOST:PORT, with https or a kind of socks for http"
        )
    return str(proxy)


def _impersonation(connection: Connection) -> tuple[tuple[str, str], ...]:
    headers = [("Impersonate-User", connection.impersonate_user)] if connection.impersonate_user else []
    headers += [("Impersonate-Group", group) for group in connection.impersonate_groups]
    return tuple((name, _checked_header(str(value))) for name, value in headers)


def _tls_context(configuration: Any) -> ssl.SSLContext:
    # Not ssl.create_default_context: from Python 3.13 on it is stricter than kubectl
    # and refuses the authorities of many real clusters.
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if not configuration.verify_ssl:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif configuration.ssl_ca_cert:
        try:
            context.load_verify_locations(cafile=configuration.ssl_ca_cert)
        except (OSError, ValueError) as error:
            raise OptionError(
                f"cannot read certificates from ca_cert {configuration.ssl_ca_cert}: {_one_line(error)}; it must be a PEM file"
            ) from error
    else:
        context.load_default_certs()
    if configuration.cert_file:
        try:
            # The empty password keeps OpenSSL from asking for one on the terminal.
            context.load_cert_chain(configuration.cert_file, configuration.key_file or None, password="")
        except (OSError, ValueError) as error:
            raise OptionError(
                f"cannot use the client certificate with its key: {_one_line(error)}; "
                "both must be PEM files that belong together, the key not encrypted"
            ) from error
    return context


def token_expiry(authorization: str | None) -> datetime | None:
    """When a bearer token that is a JWT says it expires; None where it does not say."""
    parts = (authorization or "").removeprefix("Bearer ").split(".")
    if len(parts) != 3:
        return None
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
        return datetime.fromtimestamp(claims["exp"], tz=UTC)
    except (binascii.Error, ValueError, KeyError, TypeError, OverflowError, OSError):
        return None


def _one_line(text: object) -> str:
    return " ".join(str(text).split())
