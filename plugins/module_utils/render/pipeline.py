# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rendering a bundle: the manifests that OLM v1 would apply."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..bundle.model import WITH_CSV, Bundle
from ..bundle.problems import InvalidBundle
from ..config.parse import Config
from ..errors import OptionError
from . import validators as check
from .certificates import known_provider
from .deployments import deployments
from .install_mode import target_namespaces
from .kinds import apply_rank
from .options import Options
from .rbac import cluster_roles, roles, service_accounts
from .shipped import crds, other_manifests
from .webhooks import certificates, mutating_webhooks, validating_webhooks, webhook_services

VALIDATORS: tuple[Callable[[Bundle], list[str]], ...] = (
    check.duplicate_deployments,
    check.deployment_names,
    check.duplicate_crds,
    check.missing_owned_crds,
    check.package_name,
    check.conversion_needs_all_namespaces,
    check.webhook_deployments,
    check.duplicate_webhooks,
    check.webhook_names,
    check.one_conversion_a_crd,
    check.conversion_of_owned_crds,
    check.webhook_rules,
    check.supported_kinds,
)

GENERATORS: tuple[Callable[[Bundle, Options], list[dict[str, Any]]], ...] = (
    service_accounts,
    roles,
    cluster_roles,
    crds,
    other_manifests,
    deployments,
    validating_webhooks,
    mutating_webhooks,
    webhook_services,
    certificates,
)


def render(
    bundle: Bundle, config: Config, install_namespace: str, certificate_provider: str | None
) -> tuple[dict[str, Any], ...]:
    """The manifests of a bundle, in the order to apply them in. They share data with the bundle: do not change them."""
    if bundle.format not in WITH_CSV:
        raise OptionError(
            f"bundle '{bundle.name}' has the format {bundle.format}; only {' and '.join(WITH_CSV)} can be rendered"
        )
    validate(bundle)
    if config.install_namespace != install_namespace:
        raise OptionError(
            f"the configuration was checked for the install namespace '{config.install_namespace}', not for '{install_namespace}'"
        )
    options = Options(
        install_namespace=install_namespace,
        targets=target_namespaces(bundle, config.watch_namespace, install_namespace),
        certificate_provider=known_provider(certificate_provider),
        deployment_config=config.deployment_config,
    )
    manifests = [manifest for generate in GENERATORS for manifest in generate(bundle, options)]
    return tuple(sorted(manifests, key=apply_rank))


def validate(bundle: Bundle) -> None:
    """Refuse a bundle that cannot be rendered, with all reasons at once."""
    problems = problems_of(bundle)
    if problems:
        raise InvalidBundle(bundle.name or bundle.package, problems)


def problems_of(bundle: Bundle) -> list[str]:
    """Why a bundle cannot be rendered, one line for each reason, in a stable order."""
    return [problem for validator in VALIDATORS for problem in validator(bundle)]


def digest(manifests: Iterable[Mapping[str, Any]]) -> str:
    """What tells two renderings apart: equal manifests in equal order have equal digests."""
    text = json.dumps(list(manifests), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
