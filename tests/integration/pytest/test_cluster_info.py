# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""cluster_info on real API servers: what it finds, what it costs, and what it says when things are wrong."""

from __future__ import annotations

import base64
import json
import socket
import ssl
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.fleet.olm.plugins.module_utils import errors
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection
from ansible_collections.fleet.olm.plugins.module_utils.cluster.engine import choose_engine
from ansible_collections.fleet.olm.plugins.module_utils.cluster.info import cluster_info
from ansible_collections.fleet.olm.plugins.module_utils.cluster.permissions import Action, review
from ansible_collections.fleet.olm.tests.rig.cluster import Cluster
from ansible_collections.fleet.olm.tests.rig.definitions import add_crds, minimal_crd
from ansible_collections.fleet.olm.tests.rig.faults import Answer, FaultProxy
from ansible_collections.fleet.olm.tests.rig.olm_definitions import olm_crds
from ansible_collections.fleet.olm.tests.rig.olm_samples import example_shelf
from ansible_collections.fleet.olm.tests.rig.operator_controller import OperatorController
from ansible_collections.fleet.olm.tests.rig.reach import connection_to
from ansible_collections.fleet.olm.tests.rig.rig import Rig
from ansible_collections.fleet.olm.tests.rig.wait import wait_for
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

MAY_CREATE_CRDS = Action("create", "customresourcedefinitions", "apiextensions.k8s.io")
MAY_DEPLOY = Action("create", "deployments", "apps", namespace="default")


def look(connection: Connection, *may: Action) -> tuple[dict[str, Any], int]:
    with Client(connection) as client:
        found = cluster_info(client, may)
        return found, client.requests


def test_a_bare_cluster_takes_three_requests(cluster: Cluster) -> None:
    found, requests = look(connection_to(cluster))
    assert requests == 3
    assert found["kubernetes"] == {"version": "1.36.3", "platform": "linux/amd64"}
    assert found["identity"]["username"] == "admin"
    assert "system:masters" in found["identity"]["groups"]
    assert (found["openshift"], found["olm_v0"]["installed"], found["olm_v1"]["installed"]) == (None, False, False)
    assert (found["certificate_providers"], found["may"], found["unknown"]) == ([], [], [])


@pytest.mark.parametrize(
    ("user", "may", "expected", "requests"),
    [
        ("admin", (MAY_CREATE_CRDS,), [True], 4),
        ("limited", (MAY_CREATE_CRDS,), [False], 4),
        ("admin", (MAY_DEPLOY, Action("get", "pods", namespace="default")), [True, True], 4),
        ("limited", (MAY_DEPLOY, Action("get", "pods", namespace="default")), [False, False], 4),
        ("admin", (MAY_CREATE_CRDS, MAY_DEPLOY), [True, True], 5),
    ],
)
def test_may_is_answered_by_the_cluster(
    cluster: Cluster, user: str, may: tuple[Action, ...], expected: list[bool], requests: int
) -> None:
    found, spent = look(connection_to(cluster, user), *may)
    assert ([verdict["allowed"] for verdict in found["may"]], spent) == (expected, requests)


def test_may_agrees_with_the_authorizer_for_each_kind_of_rule(cluster: Cluster, namespace: str) -> None:
    """Rules reviews read locally, against one access review each by the real RBAC authorizer."""
    rules = [
        {"apiGroups": ["apps"], "resources": ["deployments", "deployments/status"], "verbs": ["get", "update"]},
        {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["only"], "verbs": ["*"]},
        {"apiGroups": ["batch"], "resources": ["*"], "verbs": ["list"]},
        {"apiGroups": ["*"], "resources": ["*/scale"], "verbs": ["patch"]},
    ]
    roles = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    cluster.request("POST", f"{roles}/roles", {"metadata": {"name": "some"}, "rules": rules})
    cluster.request(
        "POST",
        f"{roles}/rolebindings",
        {
            "metadata": {"name": "some"},
            "subjects": [{"kind": "User", "name": "limited", "apiGroup": "rbac.authorization.k8s.io"}],
            "roleRef": {"kind": "Role", "name": "some", "apiGroup": "rbac.authorization.k8s.io"},
        },
    )
    asked = [
        Action(verb, resource, group, subresource, name, where)
        for verb in ("get", "update", "list", "patch", "delete")
        for group, resource, subresource in (
            ("apps", "deployments", ""),
            ("apps", "deployments", "status"),
            ("apps", "deployments", "scale"),
            ("", "configmaps", ""),
            ("batch", "jobs", ""),
            ("batch", "jobs", "status"),
        )
        for name in ("", "only", "other")
        for where in (namespace, "")
    ]
    together, _requests = look(connection_to(cluster, "limited"), *asked)
    with Client(connection_to(cluster, "limited")) as client:
        one_by_one = [review(client, (action,))[0].allowed for action in asked]
    assert [verdict["allowed"] for verdict in together["may"]] == one_by_one
    assert 0 < sum(one_by_one) < len(asked)


CONTROLLER = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "operator-controller-controller-manager", "namespace": "default"},
    "spec": {
        "selector": {"matchLabels": {"app": "olm"}},
        "template": {
            "metadata": {"labels": {"app": "olm"}},
            "spec": {
                "containers": [
                    {
                        "name": "manager",
                        "image": "registry.example.com/operator-controller:v1.8.0",
                        "args": ["--leader-elect", "--feature-gates=SingleOwnNamespaceInstallSupport=true,Other=false"],
                    }
                ]
            },
        },
    },
}


def test_everything_that_can_be_there_within_six_requests(fresh_cluster: Cluster) -> None:
    cluster = fresh_cluster
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    add_crds(
        cluster,
        minimal_crd("olm.operatorframework.io", "clusterextensions", "ClusterExtension", "v1", config=anything),
        minimal_crd("operators.coreos.com", "subscriptions", "Subscription", "v1alpha1", scope="Namespaced"),
        minimal_crd(
            "operators.coreos.com", "clusterserviceversions", "ClusterServiceVersion", "v1alpha1", scope="Namespaced"
        ),
        minimal_crd("cert-manager.io", "certificates", "Certificate", "v1", scope="Namespaced"),
        minimal_crd("cert-manager.io", "issuers", "Issuer", "v1", scope="Namespaced"),
    )
    cluster.request("POST", "/apis/apps/v1/namespaces/default/deployments", CONTROLLER)
    cluster.request(
        "POST",
        "/apis/operators.coreos.com/v1alpha1/namespaces/default/clusterserviceversions",
        {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "ClusterServiceVersion",
            "metadata": {"name": "packageserver", "labels": {"olm.version": "v0.31.0"}},
        },
    )

    found, requests = look(connection_to(cluster))
    assert requests == 6
    assert found["olm_v1"] == {
        "installed": True,
        "version": "1.8.0",
        "ready": False,
        "config_supported": True,
        "feature_gates": {"SingleOwnNamespaceInstallSupport": True, "Other": False},
        "crds": {"clusterextensions.olm.operatorframework.io": ["v1"]},
    }
    assert (found["olm_v0"]["installed"], found["olm_v0"]["version"]) == (True, "0.31.0")
    assert sorted(found["olm_v0"]["crds"]) == [
        "clusterserviceversions.operators.coreos.com",
        "subscriptions.operators.coreos.com",
    ]
    assert (found["certificate_providers"], found["unknown"]) == (["cert-manager"], [])

    found, requests = look(connection_to(cluster), MAY_DEPLOY)
    assert requests == 6
    assert found["unknown"] == [
        {"what": "olm_v0.version", "why": "not read: it would have taken more than 6 requests"},
    ]

    found, requests = look(connection_to(cluster, "limited"))
    assert requests == 6
    assert found["olm_v1"]["config_supported"] is True
    assert [item["what"] for item in found["unknown"]] == ["olm_v1.feature_gates", "olm_v0.version"]
    assert all("cannot list resource" in item["why"] for item in found["unknown"])


def test_openshift_and_an_olm_without_spec_config(fresh_cluster: Cluster) -> None:
    cluster = fresh_cluster
    add_crds(
        cluster,
        minimal_crd(
            "olm.operatorframework.io", "clusterextensions", "ClusterExtension", "v1", namespace={"type": "string"}
        ),
        minimal_crd("config.openshift.io", "clusterversions", "ClusterVersion", "v1"),
        minimal_crd("config.openshift.io", "infrastructures", "Infrastructure", "v1"),
        minimal_crd("operator.openshift.io", "servicecas", "ServiceCA", "v1"),
    )
    history = [{"state": "Partial", "version": "4.21.4"}, {"state": "Completed", "version": "4.21.3"}]
    for plural, kind, name, status in (
        ("clusterversions", "ClusterVersion", "version", {"history": history, "desired": {"version": "4.21.4"}}),
        ("infrastructures", "Infrastructure", "cluster", {"platformStatus": {"type": "BareMetal"}}),
    ):
        cluster.request(
            "POST",
            f"/apis/config.openshift.io/v1/{plural}",
            {"apiVersion": "config.openshift.io/v1", "kind": kind, "metadata": {"name": name}, "status": status},
        )
    found, requests = look(connection_to(cluster))
    assert requests == 6
    assert found["openshift"] == {"version": "4.21.3", "platform": None}
    assert found["olm_v1"]["config_supported"] is False
    assert found["certificate_providers"] == ["openshift-service-ca"]
    assert [item["what"] for item in found["unknown"]] == ["olm_v1.version", "openshift.platform"]
    assert found["engine"]["name"] == "direct"


def engine(cluster: Cluster, *may: Action, user: str = "admin") -> tuple[str | None, str]:
    """The engine, as a user of the module and as the core gets to know it."""
    found, requests = look(connection_to(cluster, user), *may)
    assert requests <= 6 or len(may) > 2
    told = found["engine"]["name"], found["engine"]["why"]
    with Client(connection_to(cluster, user)) as client:
        choice = choose_engine(client, "auto")
        assert may or (choice.engine, choice.why) == told
        assert client.requests <= 3
    return told


def test_the_engine_is_olm_where_its_controller_answers(fresh_cluster: Cluster) -> None:
    cluster = fresh_cluster
    assert engine(cluster) == ("direct", "the cluster does not serve ClusterExtensions")
    add_crds(cluster, *olm_crds())
    place = "/apis/olm.operatorframework.io/v1/clustercatalogs"
    with Client(connection_to(cluster)) as client:
        # The API server asks for a pause while it begins to serve a CRD, which would count as a request.
        client.read(place)
    nobody = "ClusterExtensions are served, but no controller of OLM v1 can be seen at work"
    assert engine(cluster) == ("direct", nobody)
    with OperatorController(connection_to(cluster), example_shelf()), Client(connection_to(cluster)) as client:
        spec = {"source": {"type": "Image", "image": {"ref": "registry.example.com/catalog:v1"}}}
        kind = {"apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterCatalog"}
        client.apply(f"{place}/alive", {**kind, "metadata": {"name": "alive"}, "spec": spec})
        wait_for(lambda: bool(client.read(f"{place}/alive").get("status")))
    answered = ("olm", "ClusterCatalog alive has been answered for")
    assert engine(cluster) == answered
    # Who may see neither the controller nor a catalog is not told that there is one.
    assert engine(cluster, user="limited") == ("direct", nobody)
    deployments = "/apis/apps/v1/namespaces/default/deployments"
    cluster.request("POST", deployments, CONTROLLER)
    name = CONTROLLER["metadata"]["name"]
    assert engine(cluster) == ("direct", f"Deployment {name} has no replica that is available")
    status = {"status": {"replicas": 1, "readyReplicas": 1, "availableReplicas": 1}}
    cluster.request("PATCH", f"{deployments}/{name}/status", status, "application/merge-patch+json")
    assert engine(cluster) == ("olm", f"Deployment {name} is available")
    everywhere = [Action("get", "pods", namespace=name) for name in ("default", "kube-system", "kube-public")]
    assert engine(cluster, *everywhere) == (None, "not read: it would have taken more than 6 requests")


def admin(cluster: Cluster, **changes: Any) -> Connection:
    """A direct connection to a cluster as admin, with some of it changed."""
    given = {"host": cluster.url, "api_key": cluster.tokens["admin"], "ca_cert": str(cluster.ca_file), **changes}
    return Connection(**given)


def service_account_token(rig: Rig, expires: datetime) -> str:
    """A token as the API server would issue it, signed with its own key."""

    def part(content: dict[str, Any]) -> bytes:
        return base64.urlsafe_b64encode(json.dumps(content).encode()).rstrip(b"=")

    claims = {
        "iss": "https://kubernetes.default.svc",
        "aud": ["https://kubernetes.default.svc"],
        "sub": "system:serviceaccount:default:default",
        "exp": int(expires.timestamp()),
        "iat": int((expires - timedelta(hours=1)).timestamp()),
    }
    unsigned = part({"alg": "RS256", "typ": "JWT"}) + b"." + part(claims)
    key = serialization.load_pem_private_key(rig.service_account_key.read_bytes(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    signature = key.sign(unsigned, padding.PKCS1v15(), hashes.SHA256())
    return (unsigned + b"." + base64.urlsafe_b64encode(signature).rstrip(b"=")).decode()


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_nothing_listens(cluster: Cluster) -> None:
    with pytest.raises(
        errors.Unreachable, match=r"cannot reach cluster https://\S+: connection refused; check the address"
    ):
        look(admin(cluster, host=f"https://127.0.0.1:{closed_port()}"))


def test_a_host_name_that_nobody_knows(cluster: Cluster) -> None:
    with pytest.raises(errors.Unreachable, match="its host name is not known; check the address and your DNS"):
        look(admin(cluster, host="https://no-such-host.invalid:6443"))


def test_a_certificate_of_another_authority(cluster: Cluster, proxy: FaultProxy) -> None:
    with pytest.raises(
        errors.CertificateRejected, match=r"is not trusted: .*; give the authority that signed it in 'ca_cert'"
    ):
        look(admin(cluster, ca_cert=str(proxy.ca_file)))


def test_a_certificate_for_another_name(cluster: Cluster) -> None:
    with pytest.raises(errors.CertificateRejected, match=r"mismatch.*or set 'tls_server_name' to one"):
        look(admin(cluster, tls_server_name="other.example.com"))


@pytest.mark.parametrize("name", [".example.com", "a..b", "x" * 300, "\N{SNOWMAN}" * 70])
def test_a_name_that_can_be_none(cluster: Cluster, name: str) -> None:
    for changes in ({"tls_server_name": name}, {"host": f"https://{name}:6443"}):
        with pytest.raises(errors.FleetError) as caught:
            look(admin(cluster, **changes))
        assert "\n" not in str(caught.value)


def test_a_name_in_the_certificate_can_be_chosen(cluster: Cluster) -> None:
    assert look(admin(cluster, tls_server_name="kubernetes.default.svc"))[1] == 3


def test_verification_can_be_switched_off_but_is_on_by_default(cluster: Cluster) -> None:
    assert look(Connection(host=cluster.url, api_key=cluster.tokens["admin"], validate_certs=False))[1] == 3
    with pytest.raises(errors.CertificateRejected):
        look(Connection(host=cluster.url, api_key=cluster.tokens["admin"]))


def test_a_token_that_nobody_knows(cluster: Cluster) -> None:
    with pytest.raises(errors.Unauthorized, match="401 Unauthorized: the credentials are not accepted") as caught:
        look(admin(cluster, api_key="not-a-token"))
    assert "not-a-token" not in str(caught.value)


def test_an_expired_token(rig: Rig, cluster: Cluster) -> None:
    token = service_account_token(rig, datetime.now(UTC) - timedelta(hours=2))
    with pytest.raises(
        errors.Unauthorized, match=r"the token expired at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC; log in again"
    ):
        look(admin(cluster, api_key=token))


def test_a_user_who_may_not_even_ask(cluster: Cluster) -> None:
    """Impersonating somebody takes a right of its own."""
    connection = Connection(kubeconfig=cluster.kubeconfig("limited"), impersonate_user="admin")
    with pytest.raises(
        errors.Forbidden, match=r'does not allow it: .*User "limited" cannot impersonate.*ask for a role'
    ):
        look(connection)


def test_impersonation_shows_in_the_identity(cluster: Cluster) -> None:
    connection = Connection(
        kubeconfig=cluster.kubeconfig(), impersonate_user="somebody", impersonate_groups=("first", "second")
    )
    found, _requests = look(connection)
    assert found["identity"] == {"username": "somebody", "groups": ["first", "second", "system:authenticated"]}


HTML = {"Content-Type": "text/html"}
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            Answer(200, b"<html>Welcome</html>", HTML),
            "answered 200 with an HTML page where a Kubernetes API server sends JSON",
        ),
        (
            Answer(404, b"<html>not here</html>", HTML),
            "answered 404 with an HTML page, not as a Kubernetes API server does",
        ),
        (
            Answer(302, b"", {"Location": "https://login.example.com/"}),
            "answered with a redirect .302., as a login page does",
        ),
        (Answer(200, b'{"hello": "world"}', JSON), "does not say its version as a Kubernetes API server does"),
        (Answer(200, b"[1, 2]", JSON), "with application/json that is no JSON object"),
        (Answer(200, b"", JSON), "answered 200 with nothing"),
        (Answer(200, b'{"gitVersion": 5}', JSON), "does not say its version"),
        (
            Answer(500, b"oh no", {"Content-Type": "text/plain"}),
            "answered 500 with text/plain that is no JSON object",
        ),
    ],
)
def test_not_a_kubernetes_server(answer: Answer, message: str) -> None:
    with FaultProxy() as server:
        server.on("*", ".*", answer, times=1000)
        with pytest.raises(errors.NotKubernetes, match=message) as caught:
            look(Connection(host=server.url, api_key="some-token", ca_cert=str(server.ca_file)))
    assert "\n" not in str(caught.value)


def test_a_port_that_does_not_speak_tls() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _address = server.accept()
            with connection:
                connection.recv(100)
                connection.sendall(b"220 mail.example.com ready\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(errors.NotKubernetes, match="what listens there does not speak TLS; check the port"):
            look(Connection(host=f"https://127.0.0.1:{server.getsockname()[1]}", api_key="some-token"))
        thread.join()


MALFORMED: list[Any] = [
    None,
    0,
    "text",
    [],
    {},
    [None],
    {"items": "x"},
    {"status": []},
    {"items": [1, {"versions": 3}]},
]


@pytest.mark.parametrize("path", ["/version", "/apis", ".*selfsubjectreviews"])
def test_answers_of_any_shape_never_make_a_traceback(path: str, cluster: Cluster, proxy: FaultProxy) -> None:
    for content in MALFORMED:
        proxy.clear()
        proxy.on("*", path, Answer(200, json.dumps(content).encode(), JSON))
        with suppress(errors.FleetError):
            look(Connection(host=proxy.url, api_key=cluster.tokens["admin"], ca_cert=str(proxy.ca_file)))


def test_client_certificates_leave_no_file_behind(
    rig: Rig, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inline certificates go through temporary files in the official client; keys must not stay there."""
    import tempfile

    import trustme

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    certificate = trustme.CA().issue_cert("somebody")
    config = cluster.kubeconfig()
    encoded = {
        "client-certificate-data": base64.b64encode(certificate.cert_chain_pems[0].bytes()).decode(),
        "client-key-data": base64.b64encode(certificate.private_key_pem.bytes()).decode(),
    }
    config["users"][0]["user"].update(encoded)
    ca = cluster.ca_file.read_bytes()
    config["clusters"][0]["cluster"] = {
        "server": cluster.url,
        "certificate-authority-data": base64.b64encode(ca).decode(),
    }
    for _time in range(2):
        assert look(Connection(kubeconfig=config))[0]["identity"]["username"] == "admin"
        assert list(tmp_path.iterdir()) == []


EXEC_PLUGIN = """#!/bin/sh
echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "'$TOKEN'"}}'
"""


def exec_config(cluster: Cluster, plugin: Path) -> dict[str, Any]:
    config = cluster.kubeconfig()
    config["users"][0]["user"] = {
        "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": str(plugin),
            "interactiveMode": "Never",
            "env": [{"name": "TOKEN", "value": cluster.tokens["admin"]}],
        }
    }
    return config


def test_an_exec_plugin_gives_the_token(cluster: Cluster, tmp_path: Path) -> None:
    plugin = tmp_path / "plugin"
    plugin.write_text(EXEC_PLUGIN)
    plugin.chmod(0o755)
    assert look(Connection(kubeconfig=exec_config(cluster, plugin)))[0]["identity"]["username"] == "admin"


@pytest.mark.parametrize("script", ["#!/bin/sh\nexit 3\n", "#!/bin/sh\necho nonsense\n", "#!/bin/sh\necho '{}'\n"])
def test_an_exec_plugin_that_fails_is_named(cluster: Cluster, tmp_path: Path, script: str) -> None:
    plugin = tmp_path / "plugin"
    plugin.write_text(script)
    plugin.chmod(0o755)
    with pytest.raises(errors.OptionError, match=r"context 'shared': the credential plugin failed: .*; run it by hand"):
        look(Connection(kubeconfig=exec_config(cluster, plugin)))


def test_relative_paths_in_a_kubeconfig_are_relative_to_it(cluster: Cluster, tmp_path: Path) -> None:
    config = cluster.kubeconfig()
    (tmp_path / "authority.pem").write_bytes(cluster.ca_file.read_bytes())
    config["clusters"][0]["cluster"]["certificate-authority"] = "authority.pem"
    (tmp_path / "config").write_text(yaml.safe_dump(config))
    assert look(Connection(kubeconfig=str(tmp_path / "config")))[1] == 3


def test_several_kubeconfig_files_are_merged(rig: Rig, cluster: Cluster, tmp_path: Path) -> None:
    config = cluster.kubeconfig()
    for section in ("users", "clusters"):
        part = {"apiVersion": "v1", "kind": "Config", section: config.pop(section)}
        (tmp_path / section).write_text(yaml.safe_dump(part))
    (tmp_path / "contexts").write_text(yaml.safe_dump(config))
    paths = ":".join(str(tmp_path / name) for name in ("contexts", "users", "clusters"))
    assert look(Connection(kubeconfig=paths, context="shared"))[1] == 3


def test_a_tls_proxy_in_between(cluster: Cluster) -> None:
    """An HTTP proxy that the client has to tunnel through."""
    tunnel = Tunnel(cluster.url)
    with tunnel:
        assert look(admin(cluster, proxy=f"http://user:secret@127.0.0.1:{tunnel.port}"))[1] == 3
        assert tunnel.connects == 1
        assert look(admin(cluster, proxy=f"http://127.0.0.1:{tunnel.port}", no_proxy="127.0.0.1"))[1] == 3
        assert tunnel.connects == 1
    with pytest.raises(errors.Unreachable, match=r"through its proxy: .*check the option 'proxy'") as caught:
        look(admin(cluster, proxy=f"http://user:secret@127.0.0.1:{closed_port()}"))
    assert "secret" not in str(caught.value)


class Tunnel:
    """A proxy that understands CONNECT and nothing else."""

    def __init__(self, target: str) -> None:
        self._target = int(target.rpartition(":")[2])
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._server.getsockname()[1])
        self.connects = 0

    def __enter__(self) -> Tunnel:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _address = self._server.accept()
            except OSError:
                return
            self.connects += 1
            while b"\r\n\r\n" not in near.recv(65536):
                pass
            far = socket.create_connection(("127.0.0.1", self._target))
            near.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    @staticmethod
    def _pump(source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except (OSError, ssl.SSLError):
            return
