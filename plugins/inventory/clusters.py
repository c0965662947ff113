# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: clusters
short_description: Kubernetes clusters as hosts
version_added: 0.1.0
author:
  - The fleet.olm contributors (!UNKNOWN)
description:
  - Makes one host of each cluster, from kubeconfig files, from hubs that know clusters (Open Cluster Management, Cluster API, Argo CD), or
    from a list.
  - The host variables by which a cluster is reached are named like the connection options of the modules of this collection and of
    kubernetes.core, such as C(kubeconfig), C(context) and C(host). Besides there are C(labels), C(region), C(provider),
    C(kubernetes_version), C(cluster_source), C(claims) for ManagedClusters, and C(ansible_connection=local).
  - All clusters are in the group C(fleet), and in C(region_REGION), C(provider_PROVIDER) and C(version_MAJOR_MINOR) as far as these are known.
    A cluster that does not answer is in the group C(unreachable) and has the reason in C(unreachable_reason).
  - Credentials from Secrets of a hub, and those that stand in this file, are written to kubeconfig files that only you can read. They are
    not in host variables, unless O(inline_credentials) says so, and never in the cache.
extends_documentation_fragment:
  - constructed
  - inventory_cache
options:
  plugin:
    description: The name of this plugin.
    type: str
    required: true
    choices: [fleet.olm.clusters]
  sources:
    description:
      - Where clusters come from. Each source has one of the keys O(sources[].kubeconfig), O(sources[].folder),
        O(sources[].managed_clusters), O(sources[].cluster_api), O(sources[].argocd) and O(sources[].clusters).
      - Relative paths are below the folder that the inventory file is in.
      - A host is called as its cluster is, with V(-) for slashes and what Ansible reads in patterns of hosts, as the colons of an EKS context, and a warning.
      - Clusters of one name get the file, namespace or kind of source that they come from added to their names, with a warning. One that is
        found twice under the same name and address is one host.
      - Jinja expressions can be used in it, as in C(api_key={{ lookup('env', 'TOKEN') }}), and values encrypted with Ansible Vault.
    type: list
    elements: dict
    required: true
    suboptions:
      kubeconfig:
        description:
          - Paths of kubeconfig files, of folders with such files, or globs. Each context is a host of its name.
          - A context or a cluster in the file can have C(labels), a C(region) and a C(provider) in an extension named V(fleet.olm).
        type: list
        elements: path
      contexts:
        description: Patterns of the contexts of O(sources[].kubeconfig) to take. All of them where it is not given.
        type: list
        elements: str
      folder:
        description:
          - Folders or globs of kubeconfig files with one cluster each, as downloaded from Rancher. The file's name is the host's,
            and its current context is used.
        type: list
        elements: path
      managed_clusters:
        description:
          - The hub of Open Cluster Management whose ManagedClusters are the hosts, by the connection options of all modules.
          - C(label_selector) takes some of them only.
          - C(secret) names the Secret with the credentials of each cluster, with C({name}) for the name of the cluster, for example
            V({name}-kubeconfig). It holds a kubeconfig under C(kubeconfig) or C(value), or a C(token) as ManagedServiceAccounts do.
            C(secret_namespace) is where it is, V({name}) where it is not given.
          - C(credentials) are the same for all clusters, C(api_key) or C(username) and C(password), with C(ca_cert) and C(validate_certs).
          - C(proxy_url) is the address of the cluster proxy with C({name}) in it. Without it the addresses of the ManagedClusters are used.
          - The ManagedCluster of the hub itself, with the label C(local-cluster=true), is reached as the hub is.
        type: dict
      cluster_api:
        description:
          - The management cluster of Cluster API whose Clusters are the hosts, by the connection options of all modules.
          - C(namespaces) and C(label_selector) take some of them only.
          - The kubeconfig is taken from the Secret C(NAME-kubeconfig) that Cluster API keeps beside a Cluster.
        type: dict
      argocd:
        description:
          - The cluster that Argo CD runs on, whose cluster Secrets are the hosts, by the connection options of all modules.
          - C(namespace) is Argo CD's, V(argocd) where it is not given. C(label_selector) takes some of the Secrets only.
        type: dict
      clusters:
        description: A list of clusters, each with a C(name), connection options, and C(labels), C(region) and C(provider).
        type: list
        elements: dict
      labels:
        description: Labels for all clusters of the source that do not have them themselves.
        type: dict
      region:
        description: The region of the clusters of the source that do not say it themselves, also not by a label.
        type: str
      provider:
        description: The provider of the clusters of the source that do not say it themselves, also not by a label.
        type: str
  probe:
    description:
      - Whether to ask each cluster for its version, with one request, and so find out which do not answer.
      - Without it, what the sources say counts.
    type: bool
    default: true
  probe_timeout:
    description: How many seconds a cluster has to answer.
    type: float
    default: 5
  threads:
    description: How many clusters are asked at a time.
    type: int
    default: 16
  inline_credentials:
    description:
      - Whether to put credentials into host variables instead of files. C(ansible-inventory --list) then shows them. The inventory
        is not cached in that case.
    type: bool
    default: false
  allow_exec:
    description:
      - Whether credentials from a hub may run a program on this machine, as those of cloud providers do. Whoever may write the Secrets of the hub
        can then run programs as you.
    type: bool
    default: false
  credentials_dir:
    description:
      - Where the files with credentials are written, in a folder of their own for each inventory file. Files of clusters that are no more are removed.
      - C(fleet.olm/credentials) in the user's cache directory where it is not given.
    type: path
  leading_separator:
    description:
      - Whether groups of O(keyed_groups) without a prefix begin with the separator.
    type: bool
    default: false
requirements:
  - kubernetes >= 31.0.0
"""

EXAMPLES = r"""
# clusters.yml: every context of some kubeconfig files, and groups from labels
plugin: fleet.olm.clusters
sources:
  - kubeconfig: ~/.kube/fleet/*.yaml
keyed_groups:
  - key: labels.env
---
# A hub of Open Cluster Management; tokens of a ManagedServiceAccount, through the cluster proxy
plugin: fleet.olm.clusters
sources:
  - managed_clusters:
      kubeconfig: ~/.kube/hub.yaml
      label_selector: env=prod
      secret: fleet-olm
      proxy_url: https://cluster-proxy.hub.example.com/{name}
      credentials:
        ca_cert: hub-ca.pem
---
# Cluster API, Argo CD, files from Rancher and a list, together and cached
plugin: fleet.olm.clusters
sources:
  - cluster_api:
      kubeconfig: ~/.kube/management.yaml
      namespaces: [production]
  - argocd:
      kubeconfig: ~/.kube/hub.yaml
      namespace: argocd
  - folder: rancher/
    provider: rancher
  - clusters:
      - name: lab
        host: https://lab.example.com:6443
        api_key: "{{ lookup('env', 'LAB_TOKEN') }}"
        ca_cert: lab-ca.pem
        labels:
          env: test
keyed_groups:
  - key: labels.env
  - prefix: team
    key: labels['example.com/team']
compose:
  short_name: inventory_hostname | split('.') | first
cache: true
cache_plugin: ansible.builtin.jsonfile
cache_connection: ~/.ansible/inventory
"""

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin, Cacheable, Constructable
from ansible.template import trust_as_template
from ansible_collections.fleet.olm.plugins.module_utils.bundle.cache import default_root
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError
from ansible_collections.fleet.olm.plugins.module_utils.inventory.collect import collect
from ansible_collections.fleet.olm.plugins.module_utils.inventory.model import Settings
from ansible_collections.fleet.olm.plugins.module_utils.similar import did_you_mean


class InventoryModule(BaseInventoryPlugin, Constructable, Cacheable):  # type: ignore[misc]
    """Clusters as hosts."""

    NAME = "fleet.olm.clusters"

    def verify_file(self, path: str) -> bool:
        return bool(super().verify_file(path)) and path.endswith((".yml", ".yaml"))

    def parse(self, inventory: Any, loader: Any, path: str, cache: bool = True) -> None:
        super().parse(inventory, loader, path, cache)
        config = self._read_config_data(path)
        for key in config:
            if key not in self._options and key != "plugin":
                raise AnsibleParserError(f"{path}: unknown key '{key}'{did_you_mean(str(key), self._options)}")
        for host in self._hosts(path, cache):
            self._add(host)

    def _hosts(self, path: str, cache: bool) -> list[dict[str, Any]]:
        """The hosts as plain data: from the cache, or from their sources."""
        caching = self.get_option("cache") and not self.get_option("inline_credentials")
        key, written = self.get_cache_key(path), os.stat(path)
        # An inventory file that was edited is another inventory.
        edition = f"{written.st_mtime_ns} {written.st_size}"
        if caching and cache:
            kept = self._cache.get(key)
            if kept and kept.get("edition") == edition and all(os.path.exists(file) for file in kept["files"]):
                return list(kept["hosts"])
        fleet = self._collected(path)
        hosts = [asdict(host) for host in fleet.hosts]
        if caching:
            self._cache[key] = {"edition": edition, "files": list(fleet.files), "hosts": hosts}
        return hosts

    def _collected(self, path: str) -> Any:
        settings = Settings(
            base=os.path.dirname(os.path.abspath(path)),
            **{
                name: self.get_option(name)
                for name in ("inline_credentials", "allow_exec", "probe", "probe_timeout", "threads")
            },
        )
        directory = self.get_option("credentials_dir")
        root = Path(directory) if directory else default_root().parent / "credentials"
        try:
            if settings.threads < 1 or settings.probe_timeout <= 0:
                raise AnsibleParserError(f"{path}: threads and probe_timeout must be greater than 0")
            sources = _plain(self.templar.template(self.get_option("sources")))
            fleet = collect(sources, settings, os.path.abspath(path), root)
        except FleetError as error:
            raise AnsibleParserError(f"{path}: {' '.join(str(error).split())}") from error
        for warning in fleet.warnings:
            self.display.warning(f"{path}: {warning}")
        return fleet

    def _add(self, host: Mapping[str, Any]) -> None:
        name = str(host["name"])
        self.inventory.add_host(name)
        for key, value in host["variables"].items():
            self.inventory.set_variable(name, key, value)
        # Modules run on this machine, and with the Python that Ansible itself runs with, which has their libraries.
        self.inventory.set_variable(name, "ansible_connection", "local")
        self.inventory.set_variable(
            name, "ansible_python_interpreter", trust_as_template("{{ ansible_playbook_python }}")
        )
        for group in host["groups"]:
            self.inventory.add_child(self.inventory.add_group(self._sanitize_group_name(group)), name)
        variables = self.inventory.get_host(name).get_vars()
        strict = self.get_option("strict")
        self._set_composite_vars(self.get_option("compose"), variables, name, strict=strict)
        self._add_host_to_composed_groups(self.get_option("groups"), variables, name, strict=strict)
        self._add_host_to_keyed_groups(self.get_option("keyed_groups"), variables, name, strict=strict)


def _plain(value: Any) -> Any:
    """Without the marks that Ansible puts on what it read, and decrypted."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float) else str(value)
