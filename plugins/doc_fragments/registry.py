# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """How to reach the registry that a bundle comes from, and what reading bundles needs."""

    DOCUMENTATION = r"""
options:
  registry_username:
    description:
      - User name for the registry. Without it the credentials of C(podman login) and C(docker login) are used, as are
        anonymous pulls.
    type: str
  registry_password:
    description: Password or token for O(registry_username).
    type: str
  registry_auth_file:
    description: The path of a file with credentials, in the form of C(auth.json) of containers or C(config.json) of Docker.
    type: path
  registry_ca_cert:
    description: The path of a PEM file with the certificate authorities that may have signed the registry's certificate.
    type: path
  registry_validate_certs:
    description: Whether to verify the registry's certificate.
    type: bool
    default: true
  registry_plain_http:
    description: Whether to talk to the registry without TLS. Registries on this machine's loopback addresses are tried without it, too.
    type: bool
    default: false
requirements:
  - PyYAML >= 6.0.1
  - jsonschema >= 4.18.0
  - python-dxf >= 12.0.0, for images in registries
notes:
  - With the Python library C(ryaml) installed, bundles are read several times faster. The result is the same.
attributes:
  check_mode:
    description: Can run in check mode and says what would change, changing nothing.
    support: full
"""
