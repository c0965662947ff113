# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A connection that is local without Ansible knowing it, so that work goes through a module and not in-process."""

from __future__ import annotations

from pathlib import Path

NAME = "elsewhere"
_PLUGIN = '''
DOCUMENTATION = """
name: elsewhere
short_description: A local connection under another name
description: For tests.
author: fleet.olm
options: {}
"""
from ansible.plugins.connection.local import Connection as Local


class Connection(Local):
    transport = "elsewhere"
'''


def add_connection(playbooks: Path) -> None:
    """Put the connection beside playbooks, where Ansible finds it."""
    (playbooks / "connection_plugins").mkdir(parents=True)
    (playbooks / "connection_plugins" / f"{NAME}.py").write_text(_PLUGIN, encoding="utf-8")
