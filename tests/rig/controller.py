# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of a module in processes that can be killed.

A process of its own has everything imported and forks one child a run, so that a run costs what its work costs and a test can walk
through hundreds of them. `Controllers` is what tests use; run as a program, this file is that process.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

_MODULES = "ansible_collections.fleet.olm.plugins.modules"


@dataclass
class Run:
    """A run that was started: its process, and how to get what came of it."""

    process: int
    _answer: Callable[[], dict[str, Any] | None]

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        os.kill(self.process, signal.SIGKILL)

    def result(self) -> dict[str, Any] | None:
        """What the module returned; None where it was killed."""
        return self._answer()


class Controllers:
    """Runs modules, one at a time, each in a process of its own."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Controllers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._parent.stdin is not None
        self._parent.stdin.close()
        self._parent.wait()

    def start(self, module: str, options: dict[str, Any], *, check: bool = False, diff: bool = False) -> Run:
        """Start a module."""
        assert self._parent.stdin is not None
        self._parent.stdin.write(
            json.dumps({"module": module, "options": options, "check": check, "diff": diff}) + "\n"
        )
        self._parent.stdin.flush()
        return Run(self._read()["process"], lambda: self._read()["result"])

    def run(self, module: str, options: dict[str, Any], *, check: bool = False, diff: bool = False) -> dict[str, Any]:
        """Run a module to its end."""
        result = self.start(module, options, check=check, diff=diff).result()
        assert result is not None, "nobody killed it, and it was killed"
        return result

    def _read(self) -> dict[str, Any]:
        assert self._parent.stdout is not None
        answer: dict[str, Any] = json.loads(self._parent.stdout.readline())
        return answer


def main() -> None:
    """Read orders from standard input, one a line, until it ends."""
    from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
    from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, perform

    for line in sys.stdin:
        order = json.loads(line)
        program = importlib.import_module(f"{_MODULES}.{order['module']}").PROGRAM
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            checked = ArgumentSpecValidator(dict(program.argument_spec), **program.constraints).validate(
                order["options"]
            )
            if checked.error_messages:
                result = {"failed": True, "msg": checked.error_messages[0]}
            else:
                result = perform(program, Call(checked.validated_parameters, order["check"], order["diff"]))
            with os.fdopen(writing, "w") as stream:
                stream.write(json.dumps(result))
            os._exit(0)
        os.close(writing)
        sys.stdout.write(json.dumps({"process": child}) + "\n")
        sys.stdout.flush()
        with os.fdopen(reading) as stream:
            text = stream.read()
        os.waitpid(child, 0)
        sys.stdout.write(json.dumps({"result": json.loads(text) if text else None}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
