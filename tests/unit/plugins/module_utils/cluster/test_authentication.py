# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""From options to an address and credentials: what is looked at, and what is said of a kubeconfig that does not fit."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.plugins.module_utils.cluster import authentication
from ansible_collections.fleet.olm.plugins.module_utils.cluster.authentication import open_access, token_expiry
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection_secrets import secrets_in_connection
from ansible_collections.fleet.olm.plugins.module_utils.cluster.transport import _proxy_headers
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError, Unreachable


def kubeconfig(**changes: Any) -> dict[str, Any]:
    config: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "edge",
        "clusters": [{"name": "edge", "cluster": {"server": "https://edge.example.com:6443"}}],
        "users": [{"name": "me", "user": {"token": "the-token"}}],
        "contexts": [{"name": "edge", "context": {"cluster": "edge", "user": "me"}}],
    }
    return {**config, **changes}


@pytest.fixture(autouse=True)
def _no_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_a_kubeconfig_mapping_gives_address_and_token() -> None:
    access = open_access(Connection(kubeconfig=kubeconfig()))
    assert (access.host, access.name) == ("https://edge.example.com:6443", "edge")
    assert access.authorization() == "Bearer the-token"


def test_single_options_win_over_the_kubeconfig() -> None:
    given = Connection(kubeconfig=kubeconfig(), host="https://other.example.com/", api_key="other-token\n")
    access = open_access(given)
    assert (access.host, access.authorization()) == ("https://other.example.com", "Bearer other-token")


def test_a_token_that_expires_is_renewed_and_not_for_every_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin, runs = tmp_path / "plugin", tmp_path / "runs"
    answer = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": "TOKEN", "expirationTimestamp": "2020-01-01T00:00:00Z"},
    }
    (tmp_path / "answer").write_text(json.dumps(answer))
    plugin.write_text(f"#!/bin/sh\necho run >> {runs}\nsed s/TOKEN/token-$(wc -l < {runs})/ {tmp_path / 'answer'}\n")
    plugin.chmod(0o755)
    execute = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin), "interactiveMode": "Never"}
    access = open_access(Connection(kubeconfig=kubeconfig(users=[{"name": "me", "user": {"exec": execute}}])))
    first = access.authorization()
    assert [access.authorization() for _request in range(3)] == [first] * 3
    now = authentication.time.monotonic()
    monkeypatch.setattr(authentication.time, "monotonic", lambda: now + 60)
    assert access.authorization() not in (first, None)


def test_the_file_of_the_environment_is_read_at_the_time_of_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").write_text(yaml.safe_dump(kubeconfig()))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    assert open_access(Connection()).name == "edge"


def test_the_default_file_is_read_last(tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    (tmp_path / ".kube" / "config").write_text(yaml.safe_dump(kubeconfig()))
    assert open_access(Connection()).name == "edge"


def test_an_address_alone_needs_no_file() -> None:
    access = open_access(Connection(host="https://edge.example.com"))
    assert access.authorization() is None


def test_a_user_name_with_password_is_basic_authentication() -> None:
    access = open_access(Connection(host="https://edge.example.com", username="me", password="pass"))
    assert access.authorization() == "Basic " + base64.b64encode(b"me:pass").decode()


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (kubeconfig(**{"current-context": None}), "has no current-context; set 'context' to one of: edge"),
        (kubeconfig(**{"current-context": "gone"}), "has no context named 'gone'; it has: edge"),
        (kubeconfig(contexts=[]), "has no context named 'edge'; it has: none"),
        (kubeconfig(contexts="text"), "has no context named 'edge'; it has: none"),
        (kubeconfig(contexts=[{"name": "edge"}]), "context 'edge' has no settings under 'context'"),
        (kubeconfig(clusters=[]), "has no cluster named 'edge'; it has: none"),
        (
            kubeconfig(clusters=[{"name": "edge", "cluster": {}}]),
            "cluster 'edge' of context 'edge' has no server address",
        ),
        (kubeconfig(users=[]), "has no user named 'me'; it has: none"),
        (kubeconfig(users=[{"name": "me", "user": ["token"]}]), "user 'me' has no settings under 'user'"),
        (
            kubeconfig(users=[{"name": "me", "user": {"client-certificate-data": "%%%", "client-key-data": "%%%"}}]),
            "cannot use the client certificate with its key",
        ),
        (
            kubeconfig(users=[{"name": "me", "user": {"client-certificate": "/no/such/file"}}]),
            "context 'edge': ",
        ),
    ],
)
def test_a_kubeconfig_that_does_not_fit_is_named_with_the_place(config: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        open_access(Connection(kubeconfig=config))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"- a\n- list\n", "is no kubeconfig: it holds no mapping"),
        (b"", "is no kubeconfig: it holds no mapping"),
        (b"a: [1, 2\nb: 3\n", "is not valid YAML (line 2)"),
        (b"\x00\x01binary\x02", "is not valid YAML"),
        (b"[" * 100_000, "is not valid YAML"),
    ],
)
def test_a_file_that_is_no_kubeconfig(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "config").write_bytes(content)
    with pytest.raises(OptionError) as caught:
        open_access(Connection(kubeconfig=str(tmp_path / "config")))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(
        OptionError, match=r"cannot read the kubeconfig .*/missing: No such file or directory; set 'kubeconfig'"
    ):
        open_access(Connection(kubeconfig=str(tmp_path / "missing")))


@pytest.mark.parametrize(
    "host", ["edge.example.com:6443", "ftp://edge.example.com", "https://", "https://edge:port", "//x"]
)
def test_an_address_must_look_like_one(host: str) -> None:
    with pytest.raises(OptionError, match="must look like https://HOST:PORT"):
        open_access(Connection(host=host, api_key="token"))


def test_an_address_holds_no_password() -> None:
    with pytest.raises(OptionError, match="must not hold a user name or password") as caught:
        open_access(Connection(host="https://me:hidden@edge.example.com", api_key="token"))
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("proxy", ["me:hidden@proxy", "foo://[hidden", "ftp://me:hidden@proxy", "http://", 5])
def test_an_address_of_a_proxy_must_look_like_one_and_is_not_shown(proxy: Any) -> None:
    with pytest.raises(OptionError, match=r"the address of the proxy must look like http://HOST:PORT") as caught:
        open_access(Connection(host="https://edge.example.com", api_key="token", proxy=proxy))
    assert "hidden" not in str(caught.value)


def test_a_proxy_that_is_not_used_is_not_looked_at() -> None:
    given = Connection(host="https://edge.example.com", api_key="token", proxy="proxy:3128", no_proxy=".example.com")
    assert open_access(given).proxy is None


def test_where_there_is_no_way_none_is_tried() -> None:
    with pytest.raises(Unreachable, match="there is no way to this cluster: it has no credentials"):
        Connection.from_options({"unreachable_reason": "it has no credentials", "kubeconfig": kubeconfig()})


@pytest.mark.parametrize("text", ["users:\n- user: {token: hidden}\n", '{"users": [{"user": {"token": "hidden"}}]}'])
def test_a_kubeconfig_as_a_text_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(OptionError, match="kubeconfig: must be a path, and is the content of a kubeconfig") as caught:
        Connection.from_options({"kubeconfig": text})
    assert "hidden" not in str(caught.value)
    assert list(secrets_in_connection({"kubeconfig": text})) == [text]


def test_credentials_are_not_sent_in_the_clear() -> None:
    with pytest.raises(OptionError, match=r"refusing to send credentials to http://edge.example.com without TLS"):
        open_access(Connection(host="http://edge.example.com", api_key="token"))


@pytest.mark.parametrize("token", ["two\nlines", "nul\0", "naïve"])
def test_a_token_that_no_header_can_hold_is_refused_without_showing_it(token: str) -> None:
    with pytest.raises(OptionError) as caught:
        open_access(Connection(host="https://edge.example.com", api_key=token))
    assert token not in str(caught.value)


def test_a_key_that_does_not_fit_its_certificate(tmp_path: Path) -> None:
    (tmp_path / "cert.pem").write_text("no certificate\n")
    given = Connection(
        host="https://edge.example.com", client_cert=str(tmp_path / "cert.pem"), client_key=str(tmp_path / "cert.pem")
    )
    with pytest.raises(OptionError, match="cannot use the client certificate with its key: "):
        open_access(given)


def test_an_authority_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate\n")
    given = Connection(host="https://edge.example.com", api_key="token", ca_cert=str(tmp_path / "ca.pem"))
    with pytest.raises(OptionError, match=r"cannot read certificates from ca_cert .*; it must be a PEM file"):
        open_access(given)


def test_a_connection_does_not_write_its_secrets_out() -> None:
    given = Connection(kubeconfig=kubeconfig(), api_key="hidden", password="hidden", proxy="http://me:hidden@proxy")
    assert "hidden" not in repr(given)
    assert "the-token" not in repr(given)


def test_secrets_are_found_wherever_a_kubeconfig_keeps_them() -> None:
    users = [
        {"name": "a", "user": {"token": "s1", "password": "s2", "client-key-data": "s3", "username": "shown"}},
        {
            "name": "b",
            "user": {"auth-provider": {"config": {"id-token": "s4", "client-secret": "s5", "idp-issuer-url": "shown"}}},
        },
        {"name": "c", "user": {"exec": {"command": "shown", "env": [{"name": "shown", "value": "s6"}]}}},
        {"name": "d", "user": None},
        "nonsense",
    ]
    clusters = [{"cluster": {"proxy-url": "http://me:s7%21@proxy"}}, {"cluster": {"proxy-url": "http://[bad"}}]
    options = {"kubeconfig": {"users": users, "clusters": clusters}, "proxy": "http://me:s8@proxy"}
    assert sorted(secrets_in_connection(options)) == ["s1", "s2", "s3", "s4", "s5", "s6", "s7!", "s7%21", "s8"]


def test_a_path_holds_no_secret() -> None:
    assert list(secrets_in_connection({"kubeconfig": "/some/path", "proxy": None})) == []


def jwt(**claims: Any) -> str:
    return "Bearer x." + base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=") + ".y"


@pytest.mark.parametrize(
    ("header", "year"),
    [
        (jwt(exp=1767225600), 2026),
        (jwt(sub="me"), None),
        (jwt(exp="soon"), None),
        (jwt(exp=10**30), None),
        ("Bearer opaque", None),
        ("Bearer a.b.c", None),
        (None, None),
    ],
)
def test_when_a_token_expires(header: str | None, year: int | None) -> None:
    expiry = token_expiry(header)
    assert (expiry.year if expiry else None) == year


@pytest.mark.parametrize(
    ("proxy", "headers", "sent"),
    [
        ("http://proxy:1", {}, {}),
        ("http://me:a%40b@proxy:1", {}, {"proxy-authorization": f"Basic {base64.b64encode(b'me:a@b').decode()}"}),
        (
            "http://me:%C5%82@proxy:1",
            {},
            {"proxy-authorization": f"Basic {base64.b64encode('me:ł'.encode()).decode()}"},
        ),
        ("http://me:x@proxy:1", {"proxy-authorization": "Basic own"}, {"proxy-authorization": "Basic own"}),
    ],
)
def test_user_and_password_of_a_proxy_are_sent(proxy: str, headers: dict[str, str], sent: dict[str, str]) -> None:
    access = open_access(Connection(host="https://edge.example.com", api_key="token", proxy=proxy))
    assert _proxy_headers(replace(access, proxy_headers=headers)) == sent
