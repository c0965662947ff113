# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The shared base of the action plugins: run a module in-process where that is possible.

Starting a module costs far more than most of the work that is to be done. With a local connection the
work is done in Ansible's own worker process; otherwise, or where the controller's Python lacks the
libraries, the module of the same name runs as any other.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.module_utils.common.json import Direction, get_module_encoder
from ansible.module_utils.errors import UnsupportedError
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Program, perform, without_secrets

# Modules import these only where they need them, since each costs a fresh process time. Workers are forked from a process
# that loaded this file: what it imported, none of them does again.
_WANTED_BY_MOST = ("bundle.registry_v1", "config.derived_schema", "config.given", "manifests.tree")
for _name in _WANTED_BY_MOST:
    importlib.import_module(f"ansible_collections.fleet.olm.plugins.module_utils.{_name}")
with suppress(ImportError):
    # Wherever a configuration is given. Whoever lacks it is told then.
    importlib.import_module("jsonschema")


class InProcessAction(ActionBase):  # type: ignore[misc]
    """An action plugin that is the in-process twin of a module; a subclass names the module's Program."""

    PROGRAM: ClassVar[Program]
    _supports_async = True

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if "kubeconfig" in cls.PROGRAM.argument_spec and cls.PROGRAM.library_error is None:
            # Imported only here: what talks to no cluster need not load the libraries for it.
            importlib.import_module(
                "ansible_collections.fleet.olm.plugins.module_utils.cluster.first_time"
            ).get_it_over_with()

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Called by Ansible."""
        super().run(tmp, task_vars)
        module = "fleet.olm." + type(self).__module__.rpartition(".")[2]
        if not self._runs_here():
            asynchronous = self._task.async_val and not self._task.check_mode
            return self._execute_module(module_name=module, task_vars=task_vars, wrap_async=asynchronous)  # type: ignore[no-any-return]
        host = (task_vars or {}).get("inventory_hostname", "")

        def progress(text: str) -> None:
            Display().display(f"[{host}] {self._task.get_name()}: {text}")

        with self._task_environment(), _heap_left_alone():
            return self._in_process(module, progress)

    def _runs_here(self) -> bool:
        return (
            self._connection.transport == "local"
            and self._connection.become is None
            and not self._task.async_val
            and self.PROGRAM.library_error is None
        )

    def _in_process(self, module: str, progress: Callable[[str], None]) -> dict[str, Any]:
        program = self.PROGRAM
        checked = ArgumentSpecValidator(dict(program.argument_spec), **program.constraints).validate(
            _as_a_module_gets_them(self._task.args)
        )
        options = checked.validated_parameters
        if checked.error_messages:
            message = checked.error_messages[0]
            if isinstance(checked.errors[0], UnsupportedError):
                message = f"Unsupported parameters for ({module}) module: {message}"
            result: dict[str, Any] = without_secrets({"failed": True, "msg": message}, program, options)
        else:
            result = perform(program, Call(options, self._task.check_mode, self._task.diff, progress))
        result["invocation"] = without_secrets({"module_args": options}, program, options)
        return result

    @contextmanager
    def _task_environment(self) -> Iterator[None]:
        """The task's `environment`, which a module would find in its process."""
        wanted: dict[str, str] = {}
        self._compute_environment_string(wanted)
        before = dict(os.environ)
        os.environ.update({name: str(value) for name, value in wanted.items()})
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


@contextmanager
def _heap_left_alone() -> Iterator[None]:
    """Keep the garbage collector from going through all that Ansible has in memory. In a forked worker that memory is shared with the parent until
    something writes to it, and the collector writes to every object: it would be copied for each of the forks."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _as_a_module_gets_them(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Task arguments as plain data, free of Ansible's tags, by the very encoding that a module gets them in."""
    encoder = get_module_encoder("legacy", Direction.CONTROLLER_TO_MODULE)
    plain = json.loads(json.dumps(dict(arguments), cls=encoder))
    return plain if isinstance(plain, dict) else {}
