# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a pod asks for and is limited to, as the API server sees it when it admits the pod."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias

from ..kubernetes.quantity import amount, binary, canonical
from ..nested import at, mappings

Amounts: TypeAlias = "Mapping[str, Decimal]"


@dataclass(frozen=True)
class Container:
    """A container; `sidecar` is an init container that keeps running."""

    name: str
    requests: Amounts
    limits: Amounts
    init: bool = False
    sidecar: bool = False


@dataclass(frozen=True)
class Pod:
    """The containers of a pod."""

    containers: tuple[Container, ...]

    @property
    def requests(self) -> Amounts:
        return _total([(container, container.requests) for container in self.containers])

    @property
    def limits(self) -> Amounts:
        return _total([(container, container.limits) for container in self.containers])

    @property
    def best_effort(self) -> bool:
        """Nothing is asked for, in Kubernetes' sense of the word."""
        return not any(
            values.get(resource)
            for container in self.containers
            for values in (container.requests, container.limits)
            for resource in ("cpu", "memory")
        )

    def with_defaults(self, requests: Amounts, limits: Amounts) -> Pod:
        """What a LimitRange fills in: only what a container leaves open."""
        return Pod(
            tuple(
                replace(container, requests={**requests, **container.requests}, limits={**limits, **container.limits})
                for container in self.containers
            )
        )


def read_pod(spec: Any) -> Pod:
    """The pod of a template. A limit without a request is the request as well: the API server fills that in first."""
    found = []
    for field, init in (("containers", False), ("initContainers", True)):
        for container in mappings(at(spec, field)):
            limits = amounts(at(container, "resources", "limits"))
            requests = {**limits, **amounts(at(container, "resources", "requests"))}
            sidecar = init and container.get("restartPolicy") == "Always"
            found.append(Container(str(container.get("name") or ""), requests, limits, init, sidecar))
    return Pod(tuple(found))


def amounts(quantities: Any) -> dict[str, Decimal]:
    """Quantities as numbers; those that cannot be read are left to the API server to refuse."""
    found: dict[str, Decimal] = {}
    for name, quantity in quantities.items() if isinstance(quantities, Mapping) else ():
        try:
            found[str(name)] = amount(quantity)
        except ValueError:
            continue
    return found


def written(number: Decimal, resource: str) -> str:
    """An amount as people write it: bytes as Mi and Gi, anything else as Kubernetes does."""
    is_bytes = resource.rpartition(".")[2] in ("memory", "storage", "ephemeral-storage") or "hugepages" in resource
    if is_bytes and number == number.to_integral_value() and number >= 1024:
        return binary(int(number))
    return canonical(f"{number:f}")


def added(first: Amounts, second: Amounts) -> dict[str, Decimal]:
    """The sum by resource."""
    return {name: first.get(name, Decimal(0)) + second.get(name, Decimal(0)) for name in {*first, *second}}


def _total(values: Iterable[tuple[Container, Amounts]]) -> Amounts:
    """Containers run together; an init container runs alone, beside the sidecars before it; the larger counts."""
    together: dict[str, Decimal] = {}
    sidecars: dict[str, Decimal] = {}
    peak: dict[str, Decimal] = {}
    for container, asked in values:
        if container.sidecar:
            sidecars, together = added(sidecars, asked), added(together, asked)
            alone: Amounts = sidecars
        elif container.init:
            alone = added(sidecars, asked)
        else:
            together = added(together, asked)
            continue
        peak = {name: max(peak.get(name, Decimal(0)), alone.get(name, Decimal(0))) for name in {*peak, *alone}}
    return {name: max(together.get(name, Decimal(0)), peak.get(name, Decimal(0))) for name in {*together, *peak}}
