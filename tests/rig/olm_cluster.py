# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A cluster with OLM v1, as far as tests need it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .cluster import Cluster
from .olm_definitions import add_olm
from .olm_samples import example_shelf
from .operator_controller import OperatorController
from .reach import connection_to
from .rig import Rig


@contextmanager
def cluster_with_olm(rig: Rig, name: str) -> Iterator[Cluster]:
    """A cluster with controllers and OLM v1, whose catalog image is that of the examples."""
    cluster = rig.add_cluster(name, full=True)
    try:
        add_olm(cluster)
        with OperatorController(connection_to(cluster), example_shelf()):
            yield cluster
    finally:
        rig.remove_cluster(name)
