# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where Ansible meets the core: what a module is, and the one place where errors become failures.

A module file says what it is in a `Program`: its options and one function that does
the work. Ansible starts it in one of two ways, as a module in a process of its own or in-process
by the action plugin of the same name; both end up in `perform`, so both return the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.common.parameters import remove_values

from .call import Call, Outcome
from .cluster.connection_secrets import secrets_in_connection
from .errors import FleetError

__all__ = ("Call", "Outcome", "Program", "perform", "run_as_module", "secrets", "without_secrets")


@dataclass(frozen=True)
class Program:
    """A module: its options, the relations between them, its work, and what of the libraries it needs is missing here."""

    argument_spec: Mapping[str, Any]
    run: Callable[[Call], Outcome]
    constraints: Mapping[str, Any] = field(default_factory=dict)
    library_error: ImportError | None = None


def perform(program: Program, call: Call) -> dict[str, Any]:
    """Do the work of a module; the result as Ansible wants it, free of secrets, failed or not."""
    try:
        outcome = program.run(call)
    except FleetError as error:
        result: dict[str, Any] = {"failed": True, "changed": False, "msg": str(error), **error.details}
    else:
        result = {"changed": outcome.changed, **outcome.result}
        if outcome.warnings:
            result["warnings"] = list(outcome.warnings)
    clean: dict[str, Any] = without_secrets(result, program, call.options)
    return clean


class _Module(AnsibleModule):  # type: ignore[misc]
    """A module that knows the secrets inside its options before Ansible writes the options to the system log."""

    def hide_secrets(self) -> None:
        self.no_log_values.update(secrets(self.argument_spec, self.params))

    def _log_invocation(self) -> None:
        self.hide_secrets()
        super()._log_invocation()


def run_as_module(program: Program) -> NoReturn:
    """The main function of a module file."""
    module = _Module(argument_spec=dict(program.argument_spec), supports_check_mode=True, **program.constraints)
    module.hide_secrets()
    # `_diff` is private by its name only: it is what the documentation of Ansible tells module authors to use.
    result = perform(program, Call(module.params, module.check_mode, module._diff))
    for warning in result.pop("warnings", ()):
        module.warn(warning)
    if result.pop("failed", False):
        module.fail_json(**result)
    module.exit_json(**result)
    raise AssertionError("exit_json returned")


def without_secrets(value: Any, program: Program, options: Mapping[str, Any]) -> Any:
    """A copy of `value` in which no secret among the options can be read."""
    return remove_values(value, set(secrets(program.argument_spec, options)))


def secrets(argument_spec: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[str]:
    """The secret strings among options: those declared so, and those inside connection options."""
    for name, spec in argument_spec.items():
        value = options.get(name)
        if isinstance(value, Mapping) and spec.get("options"):
            yield from secrets(spec["options"], value)
        elif value and spec.get("no_log"):
            yield str(value)
    yield from secrets_in_connection(options)
