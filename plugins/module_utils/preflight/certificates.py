# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether webhooks can get the certificate that an API server wants of them. No request beyond discovery."""

from __future__ import annotations

from ..bundle.model import Bundle
from ..cluster.discovery import Discovery
from ..cluster.info import certificate_providers
from ..render.certificates import CERT_MANAGER, NO_PROVIDER


def certificate_problems(discovery: Discovery, bundle: Bundle, provider: str | None) -> list[str]:
    """`provider` is who was chosen; None where the cluster was to be asked and has none, NO_PROVIDER where the user wants none."""
    deployments = sorted({str(webhook.get("deploymentName") or "") for webhook in bundle.webhooks})
    if not deployments or provider == NO_PROVIDER:
        return []
    if provider is None:
        serve = "serves" if len(deployments) == 1 else "serve"
        return [
            f"Deployment {' and '.join(deployments)} {serve} webhooks, and nothing on the cluster makes a certificate for it; "
            "install cert-manager, or set certificate_provider to none and see to the certificate yourself"
        ]
    there = certificate_providers(discovery)
    # Of cert-manager it is said already that its kinds are not served.
    if provider in there or provider == CERT_MANAGER:
        return []
    return [
        f"the certificate_provider {provider} is not on the cluster; those that are: {', '.join(there) or NO_PROVIDER}"
    ]
