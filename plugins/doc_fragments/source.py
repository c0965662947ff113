# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Where a bundle comes from; the same for every module that reads one."""

    DOCUMENTATION = r"""
options:
  source:
    description:
      - The bundle. A directory; a C(.tar), C(.tar.gz) or C(.tgz) of one, of C(docker save) or of an OCI archive; a directory in OCI image
        layout; or an image in a registry as V(docker://HOST[:PORT]/REPOSITORY:TAG) or V(docker://HOST[:PORT]/REPOSITORY@sha256:DIGEST).
      - "Or a mapping: V(catalog), which takes what O(fleet.olm.catalog_resolve#module:catalog) takes, V(package), and optionally V(version) and V(channels).
        It is the bundle that OLM v1 would install from there. A V(cluster_catalog) needs a cluster, so that only M(fleet.olm.bundle_install) and
        M(fleet.olm.bundle_install_info) take one; V(policy), too, counts for them alone, since nothing is installed elsewhere."
      - It holds a bundle of the format C(registry+v1) or C(k8s+v1), or a Helm chart, of which the configuration can be validated.
      - What comes from an archive or an image is verified by its digests, unpacked once, and kept in
        E(XDG_CACHE_HOME)C(/fleet.olm/bundles).
    type: raw
    required: true
"""
