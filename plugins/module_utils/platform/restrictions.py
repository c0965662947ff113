# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What may be a platform operator: `OF_PACKAGES` and `OF_BUNDLES`, each with what it says of those that may not."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..bundle.facts import apis
from ..bundle.model import REGISTRY_V1, Bundle

_PACKAGE = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
# With `-system` behind it, it is as long as the name of a namespace may be.
LONGEST_PACKAGE = 56


def package_pattern(package: str) -> str:
    """Package names are such that objects can be named after them."""
    if _PACKAGE.fullmatch(package):
        return ""
    return f"the package name '{package}' must be of lower case letters, digits and '-', with no '-' at its ends"


def package_length(package: str) -> str:
    """Package names are short."""
    if len(package) <= LONGEST_PACKAGE:
        return ""
    return f"the package name '{package}' has {len(package)} characters, and {LONGEST_PACKAGE} is the most"


def bundle_format(bundle: Bundle) -> str:
    """Only the format registry+v1."""
    return "" if bundle.format == REGISTRY_V1 else f"its format is {bundle.format}, and must be {REGISTRY_V1}"


def all_namespaces(bundle: Bundle) -> str:
    """Platform operators watch the whole cluster."""
    if "AllNamespaces" in bundle.supported_install_modes:
        return ""
    modes = ", ".join(bundle.supported_install_modes) or "no install mode"
    return f"it must support the install mode AllNamespaces, and supports {modes}"


def required_apis(bundle: Bundle) -> str:
    """No dependency on APIs that others bring."""
    required = apis(bundle, "required")
    names = [str(crd.get("name")) for crd in required["crds"]]
    names += [f"{service.get('kind')}.{service.get('group')}" for service in required["api_services"]]
    return f"it depends on APIs of other operators: {', '.join(names)}" if names else ""


def webhooks(bundle: Bundle) -> str:
    """No webhooks."""
    names = [str(webhook.get("generateName")) for webhook in bundle.webhooks]
    return f"it has webhooks: {', '.join(names)}" if names else ""


def api_services(bundle: Bundle) -> str:
    """No aggregated APIs."""
    names = [f"{service.get('kind')}.{service.get('group')}" for service in apis(bundle, "owned")["api_services"]]
    return f"it has APIServices: {', '.join(names)}" if names else ""


OF_PACKAGES: tuple[Callable[[str], str], ...] = (package_pattern, package_length)
OF_BUNDLES: tuple[Callable[[Bundle], str], ...] = (
    bundle_format,
    all_namespaces,
    required_apis,
    webhooks,
    api_services,
)


def package_problems(package: str) -> list[str]:
    """Why a package cannot be a platform operator, whatever it holds."""
    return [problem for rule in OF_PACKAGES if (problem := rule(package))]


def bundle_problems(bundle: Bundle) -> list[str]:
    """Why a bundle cannot be a platform operator."""
    return [problem for rule in OF_BUNDLES if (problem := rule(bundle))]
