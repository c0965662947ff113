# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Where catalogs come from; the same for every module that reads one."""

    DOCUMENTATION = r"""
options:
  catalog:
    description:
      - The file-based catalog. A directory, in which C(.indexignore) files are honoured; a file C(.json), C(.jsonl), C(.yaml) or C(.yml); a
        C(.tar), C(.tar.gz) or C(.tgz) of a directory, of C(docker save) or of an OCI archive; a directory in OCI image layout; an image in a
        registry as V(docker://HOST[:PORT]/REPOSITORY:TAG) or V(docker://HOST[:PORT]/REPOSITORY@sha256:DIGEST); or an URL that serves JSON
        lines, such as that of catalogd, V(https://HOST/catalogs/NAME/api/v1/all). Of an URL that ends in V(/api/v1/metas) only what
        belongs to the package is fetched.
      - "Or a mapping with V(catalog), which is one of these, or V(cluster_catalog), the name of a ClusterCatalog, which is read through the API server with
        the connection options. It can have V(name), V(priority), V(labels) and, for an URL, V(ca_cert), the path of a PEM file. Or a list of several. Of
        two that have an answer, one that is not deprecated comes first, then the higher priority, which is 0 where it is not given."
      - What comes from an archive, an image or a server is kept in E(XDG_CACHE_HOME)C(/fleet.olm/catalogs), with an index
        of every catalog, so that a later query reads only its package.
    type: raw
    required: true
  selector:
    description:
      - Which of several catalogs are asked, a label selector as Kubernetes has it, with V(matchLabels) and V(matchExpressions).
      - Beside its labels, every catalog has the label V(olm.operatorframework.io/metadata.name) with its name.
    type: dict
"""
