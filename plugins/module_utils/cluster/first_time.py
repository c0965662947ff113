# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the first connection of a process costs more than later ones, done ahead by the parent of many processes.

OpenSSL looks up its algorithms and the Kubernetes client fills its tables on first use. A fork inherits both, and saves a third of what a small task takes.
"""

from __future__ import annotations

import ssl
from contextlib import suppress
from functools import cache

from ..errors import FleetError
from .authentication import open_access
from .connection import Connection

_NOWHERE = {
    "clusters": [{"name": "nowhere", "cluster": {"server": "https://localhost", "insecure-skip-tls-verify": True}}],
    "users": [{"name": "nobody", "user": {"token": "none"}}],
    "contexts": [{"name": "nowhere", "context": {"cluster": "nowhere", "user": "nobody"}}],
    "current-context": "nowhere",
}


@cache
def get_it_over_with() -> bytes:
    """Go as far as the first message of a TLS handshake, which is sent nowhere. What is wrong is told to whoever connects."""
    unsent = ssl.MemoryBIO()
    with suppress(FleetError, OSError):
        tls = open_access(Connection(kubeconfig=_NOWHERE)).tls
        if tls is not None:
            tls.wrap_bio(ssl.MemoryBIO(), unsent, server_hostname="localhost").do_handshake()
    return unsent.read()
