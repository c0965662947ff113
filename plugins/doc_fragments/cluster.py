# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """How to reach a cluster; the same for every module of the action group fleet.olm.cluster."""

    DOCUMENTATION = r"""
options:
  kubeconfig:
    description:
      - The path of a kubeconfig file, or its content as a mapping.
      - Where it is not given, nor enough of the other options, credentials of the pod that the task runs in are used, then the
        file that the environment variable E(KUBECONFIG) names, then C(~/.kube/config).
      - Can also be set by the environment variable E(K8S_AUTH_KUBECONFIG).
    type: raw
  context:
    description:
      - The context of the kubeconfig to use. The current one where it is not given.
      - Can also be set by the environment variable E(K8S_AUTH_CONTEXT).
    type: str
  host:
    description:
      - The address of the API server, for example V(https://api.edge-1.example.com:6443).
      - Can also be set by the environment variable E(K8S_AUTH_HOST).
    type: str
  api_key:
    description:
      - A bearer token.
      - Can also be set by the environment variable E(K8S_AUTH_API_KEY).
    type: str
  username:
    description:
      - A user name, for the API servers and proxies in front of them that still take one with O(password).
      - Can also be set by the environment variable E(K8S_AUTH_USERNAME).
    type: str
  password:
    description:
      - The password for O(username).
      - Can also be set by the environment variable E(K8S_AUTH_PASSWORD).
    type: str
  ca_cert:
    description:
      - The path of a PEM file with the certificate authorities that may have signed the API server's certificate.
      - Can also be set by the environment variables E(K8S_AUTH_CA_CERT) and E(K8S_AUTH_SSL_CA_CERT).
    type: path
    aliases: [ssl_ca_cert]
  client_cert:
    description:
      - The path of a PEM file with a client certificate.
      - Can also be set by the environment variables E(K8S_AUTH_CLIENT_CERT) and E(K8S_AUTH_CERT_FILE).
    type: path
    aliases: [cert_file]
  client_key:
    description:
      - The path of a PEM file with the key of O(client_cert), not encrypted.
      - Can also be set by the environment variables E(K8S_AUTH_CLIENT_KEY) and E(K8S_AUTH_KEY_FILE).
    type: path
    aliases: [key_file]
  validate_certs:
    description:
      - Whether to verify the API server's certificate. It is verified unless this option or the kubeconfig says not to.
      - Can also be set by the environment variables E(K8S_AUTH_VALIDATE_CERTS) and E(K8S_AUTH_VERIFY_SSL).
    type: bool
    aliases: [verify_ssl]
  tls_server_name:
    description:
      - The name to expect in the API server's certificate, where it is not that of O(host).
      - Can also be set by the environment variable E(K8S_AUTH_TLS_SERVER_NAME).
    type: str
  proxy:
    description:
      - The URL of an HTTP or SOCKS proxy to use. SOCKS needs the Python library PySocks.
      - Can also be set by the environment variable E(K8S_AUTH_PROXY).
    type: str
  no_proxy:
    description:
      - Hosts, domains and networks, separated by commas, that are reached without the proxy.
      - Can also be set by the environment variable E(K8S_AUTH_NO_PROXY).
    type: str
  proxy_headers:
    description: Headers for the proxy.
    type: dict
    suboptions:
      proxy_basic_auth:
        description:
          - User name and password for the proxy, separated by a colon.
          - Can also be set by the environment variable E(K8S_AUTH_PROXY_HEADERS_PROXY_BASIC_AUTH).
        type: str
      basic_auth:
        description:
          - User name and password for basic authentication, separated by a colon.
          - Can also be set by the environment variable E(K8S_AUTH_PROXY_HEADERS_BASIC_AUTH).
        type: str
      user_agent:
        description:
          - The user agent to tell the proxy.
          - Can also be set by the environment variable E(K8S_AUTH_PROXY_HEADERS_USER_AGENT).
        type: str
  impersonate_user:
    description:
      - A user to act as.
      - Can also be set by the environment variable E(K8S_AUTH_IMPERSONATE_USER).
    type: str
  impersonate_groups:
    description:
      - Groups to act as.
      - Can also be set by the environment variable E(K8S_AUTH_IMPERSONATE_GROUPS), separated by commas.
    type: list
    elements: str
  persist_config:
    description:
      - Whether to write a token that was refreshed back to the kubeconfig file.
      - Can also be set by the environment variable E(K8S_AUTH_PERSIST_CONFIG).
    type: bool
  unreachable_reason:
    description:
      - Why there is no way to the cluster. The module fails with it and tries none, not even the kubeconfig of the user.
      - P(fleet.olm.clusters#inventory) sets such a variable, and P(fleet.olm.connection#filter) hands it on where the cluster has no other.
    type: str
requirements:
  - kubernetes >= 31.0.0
attributes:
  check_mode:
    description: Can run in check mode and says what would change, changing nothing.
    support: full
  diff_mode:
    description: Shows what is changed in diff mode.
    support: none
    details: Changes nothing, so there is nothing to show.
  action:
    description: Runs in-process on the controller, as an action plugin, where the connection is local; as a module elsewhere.
    support: full
  async:
    description: Can be run in the background with C(async); it then runs as a module.
    support: full
"""
