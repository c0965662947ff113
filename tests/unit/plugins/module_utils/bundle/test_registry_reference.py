# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""docker://host[:port]/repository:tag or @sha256:…"""

from __future__ import annotations

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_reference import Reference, parse_reference
from ansible_collections.fleet.olm.plugins.module_utils.errors import OptionError

DIGEST = "sha256:" + "0123456789abcdef" * 4

GOOD = {
    "docker://registry.example/team/bundle:v1.2.3": Reference("registry.example", "team/bundle", "v1.2.3"),
    "docker://registry.example:5000/bundle:v1": Reference("registry.example:5000", "bundle", "v1"),
    "docker://localhost/a/b/c:x": Reference("localhost", "a/b/c", "x"),
    "docker://[::1]:5000/a:x": Reference("[::1]:5000", "a", "x"),
    f"docker://registry.example/a@{DIGEST}": Reference("registry.example", "a", "", DIGEST),
    f"docker://registry.example/a:v1@{DIGEST}": Reference("registry.example", "a", "v1", DIGEST),
    "docker://registry.example/a__b/c-d.e:v1": Reference("registry.example", "a__b/c-d.e", "v1"),
}


@pytest.mark.parametrize("text", GOOD)
def test_taken_apart(text: str) -> None:
    assert parse_reference(text) == GOOD[text]


BAD = {
    "docker://": "names no registry host",
    "docker://bundle:v1": "names no registry host",
    "docker://team/bundle:v1": "names no registry host",
    "docker:///bundle:v1": "names no registry host",
    "docker://registry.example": "has no valid repository",
    "docker://registry.example/Team/bundle:v1": "has no valid repository",
    "docker://registry.example/../x:v1": "has no valid repository",
    "docker://registry.example/a//b:v1": "has no valid repository",
    "docker://registry.example/a?b:v1": "has no valid repository",
    "docker://registry.example/a": "has neither tag nor digest",
    "docker://registry.example/a:": "has neither tag nor digest",
    "docker://registry.example/a:v 1": "has an invalid tag or digest",
    "docker://registry.example/a:v1/../x": "has an invalid tag or digest",
    "docker://registry.example/a@sha256:abc": "has an invalid tag or digest",
    "docker://registry.example/a:v1@md5:abc": "has an invalid tag or digest",
    "docker://registry.example/a:v1\nHost: x": "has an invalid tag or digest",
}


@pytest.mark.parametrize("text", BAD)
def test_refused(text: str) -> None:
    with pytest.raises(OptionError, match=r"write docker://host\[:port\]/repository:tag") as caught:
        parse_reference(text)
    assert BAD[text] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_password_in_it_is_refused_and_not_repeated() -> None:
    with pytest.raises(OptionError) as caught:
        parse_reference("docker://user:hunter2@registry.example/a:v1")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("localhost:5000", True),
        ("127.0.0.1:5000", True),
        ("127.1.2.3", True),
        ("[::1]:5000", True),
        ("10.0.0.1", False),
        ("registry.example:5000", False),
        ("localhost.example", False),
    ],
)
def test_loopback(host: str, expected: bool) -> None:
    assert Reference(host, "a", "v1").is_loopback is expected
