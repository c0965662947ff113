# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What operator-controller's and catalogd's errors mean to whoever wrote the task, and what to do about them.

A ClusterExtension that cannot be installed says Progressing=True/Retrying for ever. The errors in this table do not heal unless somebody acts,
so that waiting for them to is in vain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_GATES = "operator-controller's Deployment needs --feature-gates={gate}=true for it"
SINGLE_OWN_NAMESPACE, DEPLOYMENT_CONFIG = "SingleOwnNamespaceInstallSupport", "DeploymentConfig"

_Words = Callable[[re.Match[str]], str]
_Table = Sequence[tuple[str, _Words]]


def gate_words(name: str) -> str:
    """What it takes to use what is behind a feature gate."""
    return _GATES.format(gate=name)


def _no_upgrade(found: re.Match[str]) -> str:
    return (
        f"the catalog has no upgrade from the installed version {found[1]} to what is asked for; go by the versions in between, "
        "or set upgrade_constraint_policy: SelfCertified to go without the catalog's word"
    )


_OF_EXTENSIONS: _Table = (
    (r'error upgrading from currently installed version "([^"]+)": no bundles found', _no_upgrade),
    (
        r"found bundles for package .* in multiple catalogs with the same priority",
        lambda _found: "give one of the catalogs a higher priority, or choose with selector",
    ),
    (
        r'no bundles found for package "([^"]+)"',
        lambda found: (
            f"no catalog that serves has such a bundle of package {found[1]}; look what there is with cluster_catalog_info"
        ),
    ),
    (
        r"(\S+ '[^']*') already exists in namespace '[^']*' and cannot be managed by operator-controller",
        lambda found: (
            f"{found[1]} belongs to somebody else; remove it there, or hand it over with adopt_from: direct if bundle_install made it"
        ),
    ),
    (
        # operator-controller has words of its own only for what is in the way of an install; these are Helm's.
        r'Unable to continue with \w+: (\S+ "[^"]+") in namespace "[^"]*" exists and cannot be imported',
        lambda found: f"{found[1]} belongs to somebody else; remove it there",
    ),
    (
        r'validating upgrade for CRD "([^"]+)"',
        lambda found: (
            f"the new CRD {found[1]} could hurt custom resources; look at them, then set crd_upgrade_safety: none to go ahead"
        ),
    ),
    (r'namespaces "([^"]+)" not found', lambda found: f"create namespace {found[1]}, or set create_namespace: true"),
    (r"bundle does not support AllNamespaces install mode", lambda _found: gate_words(SINGLE_OWN_NAMESPACE)),
    (
        r'no matches for kind "([^"]+)" in version "([^"]+)"',
        lambda found: f"the cluster does not serve {found[1]} of {found[2]}; install what brings it",
    ),
    (
        r"unsupported bundle: (.*)",
        lambda _found: (
            "OLM v1 cannot install such a bundle; choose another version, or see what bundle_install says of it"
        ),
    ),
    (
        r"(olm\.\S+) dependency|dependency declared via property \"?([^\s\"]+)",
        lambda _found: (
            "OLM v1 resolves no dependencies and installs no bundle that declares any; choose another version"
        ),
    ),
    (
        r"([A-Z]\w+(?:\.\S+)?) \"([^\"]+)\" is invalid: .*field is immutable",
        lambda found: (
            f"{found[1]} {found[2]} cannot be changed to what the new version wants; delete it, and OLM v1 makes it again"
        ),
    ),
    (
        r"revision object collisions",
        lambda _found: (
            "OLM v1 rolls out with ClusterObjectSets here, and they take over nothing that is there already; remove it there first, "
            "and save custom resources before you remove their CRD"
        ),
    ),
    (
        r"missing ServiceAccount",
        lambda _found: "create the ServiceAccount in the install namespace, or name another in service_account",
    ),
    (
        r'pre-authorization failed|is forbidden: [Uu]ser "system:serviceaccount:',
        lambda _found: (
            "the ServiceAccount that OLM v1 applies the bundle with may not do that; grant it the rules, or name another in service_account"
        ),
    ),
    (
        r'service ?accounts? "([^"]+)" not found',
        lambda found: (
            f"create the ServiceAccount {found[1]} in the install namespace, or name another in service_account"
        ),
    ),
)

# Progressing=False is an end by itself; some of its messages need a word more. Older releases retry these, too.
_OF_REFUSALS: _Table = (
    (r'unknown field "deploymentConfig"', lambda _found: gate_words(DEPLOYMENT_CONFIG)),
    (
        r'required field "watchNamespace" is missing',
        lambda _found: "the bundle does not watch all namespaces; say in config which one to watch",
    ),
)
_OF_RETRIED_REFUSALS: _Table = (
    (
        r"invalid ClusterExtension configuration|invalid bundle configuration",
        lambda _found: "the bundle does not accept config; bundle_validate says what it accepts",
    ),
    (r"desired (?:version range|catalog selector)\b.* is invalid", lambda _found: "correct it in the task"),
)

_NO_IMAGE = r"manifest unknown|name unknown|repository .* not known"

_OF_BUNDLE_IMAGES: _Table = (
    (_NO_IMAGE, lambda _found: "the registry does not have the bundle's image, which the catalog names"),
    (
        r"unauthorized: |authentication required|requested access to the resource is denied",
        lambda _found: "operator-controller has no credentials that the registry takes; see its pull secret",
    ),
    (r"x509: ", lambda _found: "operator-controller does not trust the certificate of the registry"),
)

_OF_CATALOGS: _Table = (
    (f"{_NO_IMAGE}|not found", lambda _found: "there is no such image; check image"),
    (
        r"unauthorized|authentication required|denied",
        lambda _found: "catalogd has no credentials that the registry takes; see its pull secret",
    ),
    (r"x509|certificate", lambda _found: "catalogd does not trust the registry's certificate"),
    (
        r"no such host|connection refused|i/o timeout",
        lambda _found: "catalogd does not reach the registry; check image",
    ),
    (
        r"invalid reference format|could not parse reference|error parsing image reference",
        lambda _found: "image is no reference such as registry.example.com/catalog:v1",
    ),
    (
        r"catalog image is missing the required label",
        lambda _found: "the image is no catalog; make one with catalog_build",
    ),
)


def explain_extension(message: str) -> str:
    """What to do about an error that operator-controller retries; empty where it may heal by itself."""
    tables = (_OF_EXTENSIONS, _OF_BUNDLE_IMAGES, _OF_REFUSALS, _OF_RETRIED_REFUSALS)
    return next(filter(None, (_advice(message, table) for table in tables)), "")


def explain_refusal(message: str) -> str:
    """A word more about what operator-controller refuses; often there is none."""
    return _advice(message, _OF_REFUSALS)


def explain_catalog(message: str) -> str:
    """What to do about an error that catalogd retries; empty where it may heal by itself."""
    return _advice(message, _OF_CATALOGS)


def _advice(message: str, table: _Table) -> str:
    for pattern, words in table:
        found = re.search(pattern, message)
        if found is not None:
            return words(found)
    return ""
