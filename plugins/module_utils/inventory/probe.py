# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether clusters answer, and their versions: one request each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..cluster.client import Client
from ..cluster.connection import Connection
from ..cluster.info import read_kubernetes
from ..errors import FleetError
from .hub import in_parallel
from .model import Cluster, Settings


def probed(clusters: Iterable[Cluster], settings: Settings) -> list[Cluster]:
    """The clusters with the version that they tell, or with the problem that was met."""
    return in_parallel(lambda cluster: _probed(cluster, settings.probe_timeout), clusters, settings.threads)


def _probed(cluster: Cluster, seconds: float) -> Cluster:
    if cluster.problem and not cluster.options and not cluster.credentials and not cluster.inline:
        # There is nothing to reach it with, and without options a connection is one to the user's own current cluster.
        return cluster
    options = {**cluster.options, **cluster.inline}
    known = cluster.credentials or cluster.extract
    if known is not None:
        options = {**cluster.options, "kubeconfig": known}
    try:
        with Client(Connection.from_options(options), retry_seconds=0, timeout=seconds) as client:
            return replace(cluster, version=read_kubernetes(client).version, problem="")
    except FleetError as error:
        return replace(cluster, problem=str(error))
