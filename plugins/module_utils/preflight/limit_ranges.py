# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What LimitRanges would fill in and refuse. No request: the caller has read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from ..nested import at, mappings
from .pod_resources import Amounts, Pod, amounts, written


def filled_in(pod: Pod, limit_ranges: Sequence[Mapping[str, Any]]) -> Pod:
    """The pod with the defaults of all LimitRanges."""
    for limit_range in limit_ranges:
        for limit in mappings(at(limit_range, "spec", "limits")):
            if limit.get("type") == "Container":
                pod = pod.with_defaults(amounts(limit.get("defaultRequest")), amounts(limit.get("default")))
    return pod


def limit_range_problems(pod: Pod, limit_ranges: Sequence[Mapping[str, Any]]) -> list[str]:
    """Why a pod that was filled in would be refused, without the name of the Deployment."""
    problems = [problem for container in pod.containers for problem in _above_limit(container.name, container)]
    for limit_range in limit_ranges:
        name = f"LimitRange {at(limit_range, 'metadata', 'name')}"
        for limit in mappings(at(limit_range, "spec", "limits")):
            if limit.get("type") == "Container":
                for container in pod.containers:
                    who = f"container {container.name}"
                    problems += _broken(limit, who, container.requests, container.limits, name)
            elif limit.get("type") == "Pod":
                problems += _broken(limit, "the pod", pod.requests, pod.limits, name)
    return problems


def _above_limit(name: str, container: Any) -> Iterator[str]:
    """A default limit below what a container asks for makes the pod invalid."""
    for resource, asked in container.requests.items():
        limit = container.limits.get(resource)
        if limit is not None and asked > limit:
            yield (
                f"container {name} asks for {resource} {written(asked, resource)}, "
                f"more than its limit of {written(limit, resource)}"
            )


def _broken(limit: Mapping[str, Any], who: str, requests: Amounts, limits: Amounts, name: str) -> Iterator[str]:
    for resource, least in amounts(limit.get("min")).items():
        rule = f"{name} wants at least {resource} {written(least, resource)}"
        if resource not in requests:
            yield f"{who} asks for no {resource}, and {rule}"
        elif requests[resource] < least:
            yield f"{who} asks for {resource} {written(requests[resource], resource)}, and {rule}"
        elif resource in limits and limits[resource] < least:
            yield f"{who} has a limit of {resource} {written(limits[resource], resource)}, and {rule}"
    for resource, most in amounts(limit.get("max")).items():
        rule = f"{name} allows at most {resource} {written(most, resource)}"
        if resource not in limits:
            yield f"{who} has no limit of {resource}, and {rule}"
        elif limits[resource] > most:
            yield f"{who} has a limit of {resource} {written(limits[resource], resource)}, and {rule}"
        elif requests.get(resource, Decimal(0)) > most:
            yield f"{who} asks for {resource} {written(requests[resource], resource)}, and {rule}"
    for resource, most in amounts(limit.get("maxLimitRequestRatio")).items():
        rule = f"{name} allows a limit of {resource} at most {written(most, '')} times what is asked for"
        asked, limited = requests.get(resource), limits.get(resource)
        if not asked or not limited:
            yield f"{who} does not set both a request and a limit of {resource}, and {rule}"
        elif limited / asked > most:
            yield (
                f"{who} asks for {resource} {written(asked, resource)} with a limit of "
                f"{written(limited, resource)}, and {rule}"
            )
