# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Where Ansible meets the core: secrets are hidden, errors become failures, results are plain."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.testing import patch_module_args
from ansible_collections.fleet.olm.plugins.module_utils.connection_options import CONNECTION_OPTIONS
from ansible_collections.fleet.olm.plugins.module_utils.entry import Call, Outcome, Program, perform, run_as_module
from ansible_collections.fleet.olm.plugins.module_utils.errors import FleetError

SPEC = {
    "name": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "inner": {"type": "dict", "options": {"token": {"type": "str", "no_log": True}}},
}


def call(**options: Any) -> Call:
    return Call(options, check_mode=False, diff=False)


def test_a_result_is_unchanged_unless_it_says_so() -> None:
    assert perform(Program(SPEC, lambda _call: Outcome({"answer": 42})), call()) == {"changed": False, "answer": 42}
    assert perform(Program(SPEC, lambda _call: Outcome({}, changed=True)), call()) == {"changed": True}


def test_an_error_becomes_a_failure_with_its_words() -> None:
    def work(_call: Call) -> Outcome:
        raise FleetError("it is too late; come earlier")

    assert perform(Program(SPEC, work), call()) == {
        "failed": True,
        "changed": False,
        "msg": "it is too late; come earlier",
    }


def test_another_error_is_a_fault_of_ours_and_stays_one() -> None:
    def work(_call: Call) -> Outcome:
        raise KeyError("bug")

    with pytest.raises(KeyError):
        perform(Program(SPEC, work), call())


@pytest.mark.parametrize(
    "options", [{"password": "hidden-word"}, {"inner": {"token": "hidden-word"}}, {"proxy": "http://me:hidden-word@x"}]
)
def test_no_secret_leaves_in_a_result_an_error_or_a_warning(options: dict[str, Any]) -> None:
    def fail(_call: Call) -> Outcome:
        raise FleetError("cannot use hidden-word")

    def work(_call: Call) -> Outcome:
        return Outcome({"echo": ["it is hidden-word"]}, warnings=("hidden-word is weak",))

    for program in (Program(SPEC, fail), Program(SPEC, work)):
        assert "hidden-word" not in json.dumps(perform(program, call(**options)))


def test_a_module_exits_with_the_result(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    # Another test of this process may have loaded what runs in controllers, where warnings go to the screen.
    monkeypatch.setattr("ansible.module_utils._internal.is_controller", False)

    def work(given: Call) -> Outcome:
        return Outcome({"got": given.options["name"], "check": given.check_mode}, warnings=("mind the gap",))

    with (
        patch_module_args({"name": "me", "password": "hidden-word", "_ansible_check_mode": True}),
        pytest.raises(SystemExit),
    ):
        run_as_module(Program(SPEC, work))
    printed = json.loads(capsys.readouterr().out)
    assert (printed["got"], printed["check"], printed["changed"]) == ("me", True, False)
    assert "mind the gap" in json.dumps(printed["warnings"])
    assert "hidden-word" not in json.dumps(printed)


def test_a_module_fails_with_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    def work(_call: Call) -> Outcome:
        raise FleetError("no")

    with patch_module_args({}), pytest.raises(SystemExit) as ended:
        run_as_module(Program(SPEC, work))
    printed = json.loads(capsys.readouterr().out)
    assert (ended.value.code, printed["failed"], printed["msg"]) == (1, True, "no")


def test_secrets_inside_options_stay_out_of_the_system_log(monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[str] = []
    monkeypatch.setattr(
        AnsibleModule, "log", lambda _self, message, log_args=None: logged.append(f"{message} {log_args}")
    )
    arguments = {"kubeconfig": {"users": [{"user": {"token": "hidden-word"}}]}, "context": "shown-word"}
    program = Program(CONNECTION_OPTIONS, lambda _call: Outcome({}))
    with patch_module_args(arguments), pytest.raises(SystemExit):
        run_as_module(program)
    assert "shown-word" in str(logged)
    assert "hidden-word" not in str(logged)


def test_connection_options_that_are_secret_say_so() -> None:
    secret = {name for name, spec in CONNECTION_OPTIONS.items() if spec.get("no_log")}
    assert secret == {"api_key", "password"}
    inner = CONNECTION_OPTIONS["proxy_headers"]["options"]
    assert {name for name, spec in inner.items() if spec.get("no_log")} == {"proxy_basic_auth", "basic_auth"}
