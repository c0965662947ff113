# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Credentials as container tools keep them."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_credentials import Credentials, find_credentials
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_reference import Reference
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError

IMAGE = Reference("registry.example:5000", "team/product/bundle", "v1")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, with nothing in the environment that leads elsewhere."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    for name in ("REGISTRY_AUTH_FILE", "XDG_CONFIG_HOME", "DOCKER_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def auth(user: str) -> dict[str, str]:
    return {"auth": base64.b64encode(f"{user}:pass:word".encode()).decode()}


def find(**options: Any) -> Credentials:
    return find_credentials(IMAGE, options.get("username"), options.get("password"), options.get("auth_file"))


def test_options_come_first(home: Path) -> None:
    write(home / ".docker/config.json", {"auths": {"registry.example:5000": auth("file")}})
    assert find(username="me", password="mine") == Credentials("me", "mine", "the registry options")


@pytest.mark.parametrize("given", [{"username": "me"}, {"password": "mine"}])
def test_half_of_them_is_refused(given: dict[str, str]) -> None:
    with pytest.raises(OptionError, match="username and password must be given together"):
        find(**given)


def test_the_files_in_the_order_of_container_tools(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_CONFIG", str(home / "docker"))
    places = [".docker/config.json", "docker/config.json", ".config/containers/auth.json", "run/containers/auth.json"]
    for number, place in enumerate(places):
        write(home / place, {"auths": {"registry.example:5000": auth(f"user{number}")}})
        assert find() == Credentials(f"user{number}", "pass:word", str(home / place))
    chosen = write(home / "chosen.json", {"auths": {"registry.example:5000": auth("chosen")}})
    monkeypatch.setenv("REGISTRY_AUTH_FILE", str(chosen))
    assert find().username == "chosen"
    option = write(home / "option.json", {"auths": {"registry.example:5000": auth("option")}})
    assert find(auth_file=str(option)).username == "option"


def test_a_file_without_the_registry_is_passed_over(home: Path) -> None:
    write(home / "run/containers/auth.json", {"auths": {"other.example": auth("other")}})
    write(home / ".docker/config.json", {"auths": {"registry.example:5000": auth("right")}})
    assert find().username == "right"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["registry.example:5000", "registry.example:5000/team"], "registry.example:5000/team"),
        (
            ["registry.example:5000/team", "registry.example:5000/team/product/bundle"],
            "registry.example:5000/team/product/bundle",
        ),
        (["registry.example:5000", "registry.example:5000/team/prod"], "registry.example:5000"),
        (["https://registry.example:5000/v1/"], "https://registry.example:5000/v1/"),
        (["registry.example", "registry.example:5000/other"], ""),
    ],
)
def test_the_most_specific_entry_wins(home: Path, keys: list[str], expected: str) -> None:
    write(home / ".docker/config.json", {"auths": {key: auth(key.replace(":", "~")) for key in keys}})
    assert find().username.replace("~", ":") == expected


@pytest.mark.parametrize("helper", [{"credsStore": "desktop"}, {"credHelpers": {"registry.example:5000": "cloud"}}])
def test_helpers_are_not_run_and_that_is_said(home: Path, helper: dict[str, Any]) -> None:
    write(home / ".docker/config.json", {"auths": {"registry.example:5000": {}}, **helper})
    found = find()
    assert not found.given
    assert "helpers are not run here" in found.origin


BAD = {
    "no JSON": ("{secret-password", "is no JSON"),
    "no object": ("[]", "holds no JSON object"),
    "auth without colon": (
        {"auths": {"registry.example:5000": {"auth": "c2VjcmV0"}}},
        "is not user:password in base64",
    ),
    "auth that is no base64": (
        {"auths": {"registry.example:5000": {"auth": "secret!"}}},
        "is not user:password in base64",
    ),
    "identity token": ({"auths": {"registry.example:5000": {"identitytoken": "secret"}}}, "holds an identity token"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_used_is_named_and_not_quoted(home: Path, name: str) -> None:
    content, words = BAD[name]
    path = write(home / "auth.json", content)
    with pytest.raises(OptionError) as caught:
        find(auth_file=str(path))
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_file_that_was_asked_for_must_be_there(home: Path) -> None:
    with pytest.raises(OptionError, match=r"nowhere\.json does not exist"):
        find(auth_file=str(home / "nowhere.json"))


def test_none_at_all() -> None:
    assert find().origin == "no auth file was found"


def test_a_password_is_never_shown() -> None:
    assert "mine" not in repr(find(username="me", password="mine"))
