# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""docker://host[:port]/repository:tag or @sha256:…, taken apart."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from ..errors import OptionError
from .source_options import SCHEME
from .unpack_limits import shown

_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
_REPOSITORY_PART = re.compile(r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*")
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True)
class Reference:
    """An image in a registry, by tag or by digest; the digest counts where both are given."""

    host: str
    repository: str
    tag: str = ""
    digest: str = ""

    def __str__(self) -> str:
        return f"{SCHEME}{self.host}/{self.repository}" + (f"@{self.digest}" if self.digest else f":{self.tag}")

    def pinned(self, digest: str) -> str:
        """The same image by digest."""
        return f"{SCHEME}{self.host}/{self.repository}@{digest}"

    @property
    def is_loopback(self) -> bool:
        """Whether the registry runs on this machine, where nobody listens in."""
        name = re.sub(r":[0-9]+$", "", self.host).strip("[]")
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return name == "localhost"


def parse_reference(text: str, option: str = "source") -> Reference:
    """A reference from what a user wrote in an option."""
    host, _slash, rest = text.removeprefix(SCHEME).partition("/")
    if "@" in host:
        raise OptionError(
            f"{option}: an image reference holds no user name and no password; give them in the registry options or an auth file"
        )
    path, _at, digest = rest.partition("@")
    repository, _colon, tag = path.partition(":")
    problem = ""
    if not _HOST.fullmatch(host) or not ("." in host or ":" in host or host == "localhost"):
        problem = "names no registry host"
    elif not all(_REPOSITORY_PART.fullmatch(part) for part in repository.split("/")) or len(repository) > 255:
        problem = "has no valid repository"
    elif not tag and not digest:
        problem = "has neither tag nor digest"
    elif (_colon and not _TAG.fullmatch(tag)) or (_at and not _DIGEST.fullmatch(digest)):
        problem = "has an invalid tag or digest"
    if problem:
        raise OptionError(
            f"{option}: {shown(text)!r} {problem}; write {SCHEME}host[:port]/repository:tag or "
            f"{SCHEME}host[:port]/repository@sha256:…"
        )
    return Reference(host, repository, tag, digest)
