# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The one family of errors that fleet.olm raises.

Every message can be shown to a user as it stands: it says what was being done,
to what, what was seen, and what to do about it. It never holds a secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


class FleetError(Exception):
    """Anything a user can cause or cure. `str(error)` is the message for them, `details` the same as data."""

    @property
    def details(self) -> Mapping[str, Any]:
        return {}


def lines_of(name: str, message: str) -> list[str]:
    """The lines of a message about something, each with its name before it, once."""
    return [f"{name}: {line.removeprefix(f'{name}: ')}" for line in message.splitlines()]


class Told(FleetError):
    """An error whose `details` are known when it is raised."""

    def __init__(self, message: str, details: Mapping[str, Any]) -> None:
        super().__init__(message)
        self._details = details

    @property
    def details(self) -> Mapping[str, Any]:
        return self._details


class Problems(FleetError):
    """Several things are wrong. They are told together, each in a line of its own that begins with `prefix`."""

    def __init__(self, problems: Iterable[str], prefix: str = "") -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(prefix + problem for problem in self.problems))

    @property
    def details(self) -> Mapping[str, Any]:
        return {"problems": str(self).splitlines()}


class OptionError(FleetError):
    """An option, or a file that an option names, cannot be used as it is."""


class MissingLibrary(FleetError):
    """A Python library that the work needs is not installed where it runs."""


class ClusterError(FleetError):
    """A cluster did not do what it was asked to."""


class Unreachable(ClusterError):
    """No answer: wrong address, nothing listening, name not known, timeout, connection lost."""


class CertificateRejected(ClusterError):
    """The server's TLS certificate could not be verified."""


class NotKubernetes(ClusterError):
    """Something answered, but not as a Kubernetes API server does."""


@dataclass(frozen=True)
class Cause:
    """One of the reasons that an API server gives for a refusal, and the field that it is about."""

    reason: str
    field: str
    message: str


class ApiError(ClusterError):
    """The API server refused a request.

    `status` is the HTTP status, `reason` the machine-readable reason of the Kubernetes Status object (`NotFound`,
    `Conflict`, `Invalid`, …) or an empty string, `said` the server's own message, `causes` its details.
    """

    def __init__(
        self, message: str, *, status: int, reason: str = "", said: str = "", causes: tuple[Cause, ...] = ()
    ) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason
        self.said = said or message
        self.causes = causes


class Unauthorized(ApiError):
    """401: the credentials were not accepted."""


class Forbidden(ApiError):
    """403: known, but not allowed."""


class NotFound(ApiError):
    """404: no such object, or no such API."""


class Conflict(ApiError):
    """409: it exists already, was changed meanwhile, or another field manager owns a field."""


class NotReady(FleetError):
    """Objects did not become ready in time, or never will; `objects` says of each the condition and what was seen."""

    def __init__(self, message: str, *, objects: Iterable[Mapping[str, str]] = ()) -> None:
        super().__init__(message)
        self.objects = tuple(objects)

    @property
    def details(self) -> Mapping[str, Any]:
        return {"not_ready": [dict(item) for item in self.objects]}


class StillThere(Problems):
    """Deleted objects did not go away in time; `objects` says of each the finalizers that hold it."""

    def __init__(self, problems: Iterable[str], *, objects: Iterable[Mapping[str, Any]] = ()) -> None:
        super().__init__(problems)
        self.objects = tuple(objects)

    @property
    def details(self) -> Mapping[str, Any]:
        return {**super().details, "still_there": [dict(item) for item in self.objects]}


class SourceError(FleetError):
    """What `source` names cannot be read as a bundle: not there, damaged, unsafe or without end."""


class RegistryError(SourceError):
    """A registry did not deliver; `status` is the HTTP status of its answer, 0 where there was none."""

    def __init__(self, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.status = status
