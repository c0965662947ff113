# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A callback that writes the result of every task to the file RECORD_FILE, a line each, so that the demo can tell what happened in its own words."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: record
type: notification
short_description: Writes results to a file
description: Writes results to a file.
"""


class CallbackModule(CallbackBase):  # type: ignore[misc]
    """Called by Ansible."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "record"

    def v2_runner_on_ok(self, result: Any) -> None:
        """A task is done."""
        self._write(result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:  # noqa: ARG002
        """A task failed."""
        self._write(result)

    def _write(self, result: Any) -> None:
        line = {"cluster": result.host.get_name(), "task": result.task.get_name(), "result": result.result}
        with Path(os.environ["RECORD_FILE"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, default=str) + "\n")
