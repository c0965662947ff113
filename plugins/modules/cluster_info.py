#!/usr/bin/python

# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_info
short_description: What a cluster is and has, as far as operators are concerned
version_added: 0.1.0
description:
  - Reads the Kubernetes and OpenShift versions of a cluster, whether OLM v0 and OLM v1 are there and what they can do,
    whether OLM v1 or fleet.olm itself is to install operators there, which certificate providers it has, who the API server takes you for,
    and, when asked, what you may do.
  - Takes at most six requests. What could not be read, or was left out for the sake of that limit, is listed in
    RV(cluster.unknown) with the reason. When O(may) names several namespaces, each one after the first takes a request more.
  - Changes nothing. Needs no rights beyond those that every authenticated user has; with more rights it finds out more.
options:
  may:
    description:
      - Actions to check whether you may do them, in terms of Kubernetes RBAC.
      - One action is answered by a C(SelfSubjectAccessReview), several by one C(SelfSubjectRulesReview) for each namespace.
    type: list
    elements: dict
    default: []
    suboptions:
      verb:
        description: The verb, for example V(create) or V(list).
        type: str
        required: true
      resource:
        description: The resource in plural, for example V(deployments).
        type: str
        required: true
      group:
        description: The API group, for example V(apps). Empty for the core group.
        type: str
        default: ""
      subresource:
        description: A subresource, for example V(status).
        type: str
        default: ""
      name:
        description: The name of one object. Empty for any.
        type: str
        default: ""
      namespace:
        description: The namespace. Empty for all namespaces, and for cluster-scoped resources.
        type: str
        default: ""
extends_documentation_fragment:
  - fleet.olm.cluster
seealso:
  - module: kubernetes.core.k8s_cluster_info
author:
  - The fleet.olm contributors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Look at the cluster of this inventory host
  fleet.olm.cluster_info:
    kubeconfig: "{{ kubeconfig }}"
    context: "{{ context }}"
  register: looked

- name: Tell what is there
  ansible.builtin.debug:
    msg: >-
      Kubernetes {{ looked.cluster.kubernetes.version }},
      OLM v1 {{ 'with' if looked.cluster.olm_v1.installed else 'not' }} installed

- name: Tell who installs operators here
  ansible.builtin.debug:
    msg: "{{ looked.cluster.engine.name }}, because {{ looked.cluster.engine.why }}"

- name: May I install an operator here?
  fleet.olm.cluster_info:
    kubeconfig: "{{ kubeconfig }}"
    context: "{{ context }}"
    may:
      - verb: create
        group: apiextensions.k8s.io
        resource: customresourcedefinitions
      - verb: create
        group: apps
        resource: deployments
        namespace: default
  register: rights

- name: Stop early where the answer is no
  ansible.builtin.assert:
    that: rights.cluster.may | rejectattr('allowed') | list | length == 0
    fail_msg: "Not allowed: {{ rights.cluster.may | rejectattr('allowed') | map(attribute='resource') | join(', ') }}"
"""

RETURN = r"""
cluster:
  description: What was found out. A value of V(null) is explained in RV(cluster.unknown).
  returned: success
  type: dict
  contains:
    host:
      description: Address of the API server.
      returned: success
      type: str
      sample: https://api.edge-1.example.com:6443
    kubernetes:
      description: The Kubernetes version and the platform that the API server runs on.
      returned: success
      type: dict
      sample: {version: 1.36.3, platform: linux/amd64}
    openshift:
      description: The OpenShift version and infrastructure platform; V(null) where the cluster is not OpenShift.
      returned: success
      type: dict
      sample: {version: 4.21.3, platform: AWS}
    olm_v0:
      description: OLM v0, the one with Subscriptions; whether it is there, its version and the CRDs served with their versions.
      returned: success
      type: dict
      sample:
        installed: true
        version: 0.31.0
        crds: {subscriptions.operators.coreos.com: [v1alpha1]}
    olm_v1:
      description:
        - OLM v1, the one with ClusterExtensions; whether it is there, the CRDs served, its version, whether its controller is ready,
          whether the ClusterExtension has C(spec.config), and the feature gates that are set on its command line.
      returned: success
      type: dict
      sample:
        installed: true
        version: 1.8.0
        ready: true
        config_supported: true
        feature_gates: {SingleOwnNamespaceInstallSupport: true}
        crds: {clusterextensions.olm.operatorframework.io: [v1]}
    engine:
      description:
        - Who is to install extensions here, for roles and playbooks that leave it to the cluster, and why. C(name) is V(olm) where OLM v1
          serves ClusterExtensions and its controller answers, for M(fleet.olm.cluster_extension); V(direct) elsewhere, for M(fleet.olm.bundle_install).
        - That the controller answers is seen by its Deployment or, where that is not there or not for us to see, by a ClusterCatalog that has
          conditions. C(name) is V(null) where the limit of requests left no room to look.
      returned: success
      type: dict
      sample: {name: olm, why: Deployment operator-controller-controller-manager is available}
    certificate_providers:
      description: Who can issue certificates for webhooks; V(cert-manager) and V(openshift-service-ca) are known.
      returned: success
      type: list
      elements: str
      sample: [cert-manager]
    identity:
      description: Who the API server takes you for.
      returned: success
      type: dict
      sample: {username: admin, groups: [system:authenticated]}
    may:
      description: The actions of O(may), each with RV(ignore:allowed).
      returned: success
      type: list
      elements: dict
      sample:
        - {verb: create, group: apps, resource: deployments, subresource: "", name: "", namespace: default, allowed: true}
    unknown:
      description: What was not found out, and why.
      returned: success
      type: list
      elements: dict
      sample:
        - {what: olm_v1.version, why: the controller's image carries no version in its tag}
requests:
  description: How many requests were sent to the API server.
  returned: success
  type: int
  sample: 3
"""

from typing import NoReturn

from ansible_collections.fleet.olm.plugins.module_utils.cluster.authentication import LIBRARY_ERROR
from ansible_collections.fleet.olm.plugins.module_utils.cluster.client import Client
from ansible_collections.fleet.olm.plugins.module_utils.cluster.connection import Connection
from ansible_collections.fleet.olm.plugins.module_utils.cluster.info import cluster_info
from ansible_collections.fleet.olm.plugins.module_utils.cluster.permissions import Action
from ansible_collections.fleet.olm.plugins.module_utils.connection_options import CONNECTION_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, run_as_module


def run(call: Call) -> Outcome:
    with Client(Connection.from_options(call.options), dry_run=call.check_mode) as client:
        cluster = cluster_info(client, tuple(Action(**action) for action in call.options["may"]))
        return Outcome({"cluster": cluster, "requests": client.requests})


PROGRAM = Program(
    argument_spec={
        **CONNECTION_OPTIONS,
        "may": {
            "type": "list",
            "elements": "dict",
            "default": [],
            "options": {
                "verb": {"type": "str", "required": True},
                "resource": {"type": "str", "required": True},
                "group": {"type": "str", "default": ""},
                "subresource": {"type": "str", "default": ""},
                "name": {"type": "str", "default": ""},
                "namespace": {"type": "str", "default": ""},
            },
        },
    },
    run=run,
    library_error=LIBRARY_ERROR,
)


def main() -> NoReturn:
    run_as_module(PROGRAM)


if __name__ == "__main__":
    main()
