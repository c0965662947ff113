# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names of rendered objects."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from ..kubernetes.go_json import go_json

LONGEST_NAME = 63
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
PAIRS = [first + second for first in DIGITS for second in DIGITS]
RULE_FIELDS = ("apiGroups", "resources", "resourceNames", "nonResourceURLs")
DNS_1123_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def with_suffix(base: str, suffix: str) -> str:
    """`base-suffix`; where it would be too long, the base is cut."""
    if len(base) + len(suffix) > LONGEST_NAME:
        base = base[: LONGEST_NAME - len(suffix) - 1]
    return f"{base}-{suffix}"


def permission_name(csv_name: str, service_account: str, permission: Mapping[str, Any]) -> str:
    """The name of the role that a permission of the ClusterServiceVersion becomes."""
    return with_suffix(f"{csv_name}-{service_account}", permission_hash(permission))


def permission_hash(permission: Mapping[str, Any]) -> str:
    """SHA-224 in base 36 of the permission as Go's json.Encoder writes it, its newline included."""
    rules = permission.get("rules")
    written = {
        "serviceAccountName": permission.get("serviceAccountName", ""),
        "rules": None if rules is None else [ordered_rule(rule) for rule in rules],
    }
    digest = hashlib.sha224(f"{go_json(written)}\n".encode()).digest()
    return base36(int.from_bytes(digest, "big"))


def ordered_rule(rule: Mapping[str, Any]) -> dict[str, Any]:
    """A rule with its fields in the order of the Go type, empty ones but the verbs left out."""
    return {"verbs": rule.get("verbs"), **{field: rule[field] for field in RULE_FIELDS if rule.get(field)}}


def base36(number: int) -> str:
    """A number in digits and lower-case letters."""
    out = ""
    while number:
        number, pair = divmod(number, len(PAIRS))
        out = PAIRS[pair] + out
    return out.lstrip("0") or "0"


def service_name(deployment: str) -> str:
    """The Service in front of a deployment that serves webhooks."""
    return with_suffix(deployment.replace(".", "-"), "service")


def certificate_name(deployment: str) -> str:
    """The certificate of that Service, and the Secret that holds it."""
    return with_suffix(service_name(deployment), "cert")


def is_subdomain(name: str) -> bool:
    """Whether a name is a DNS-1123 subdomain, as most Kubernetes names must be."""
    return len(name) <= 253 and DNS_1123_SUBDOMAIN.fullmatch(name) is not None
