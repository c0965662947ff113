# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The deploymentConfig of a configuration, merged into a deployment as OLM v1 merges it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

AFFINITY_PARTS = ("nodeAffinity", "podAffinity", "podAntiAffinity")

Deployment = dict[str, Any]
DeploymentConfig = Mapping[str, Any]


def merge_deployment_config(deployment: Deployment, config: DeploymentConfig) -> None:
    """Change a deployment, which nobody else holds, as the configuration wants."""
    for part in PARTS:
        part(deployment, config)


def env(deployment: Deployment, config: DeploymentConfig) -> None:
    """Override by name, append the rest."""
    for container in containers(deployment):
        override_by_name(container, "env", config.get("env", ()))


def env_from(deployment: Deployment, config: DeploymentConfig) -> None:
    """Append what is not there."""
    for container in containers(deployment):
        append_new(container, "envFrom", config.get("envFrom", ()))


def volumes(deployment: Deployment, config: DeploymentConfig) -> None:
    """Override by name, append the rest."""
    override_by_name(pod(deployment), "volumes", config.get("volumes", ()))


def volume_mounts(deployment: Deployment, config: DeploymentConfig) -> None:
    """Override by name, append the rest."""
    for container in containers(deployment):
        override_by_name(container, "volumeMounts", config.get("volumeMounts", ()))


def tolerations(deployment: Deployment, config: DeploymentConfig) -> None:
    """Append what is not there."""
    append_new(pod(deployment), "tolerations", config.get("tolerations", ()))


def resources(deployment: Deployment, config: DeploymentConfig) -> None:
    """Replace in every container."""
    if "resources" in config:
        for container in containers(deployment):
            container["resources"] = config["resources"]


def node_selector(deployment: Deployment, config: DeploymentConfig) -> None:
    """Replace."""
    if "nodeSelector" in config:
        pod(deployment)["nodeSelector"] = config["nodeSelector"]


def affinity(deployment: Deployment, config: DeploymentConfig) -> None:
    """Replace the parts that are given; an empty part erases that part, an empty affinity all of them."""
    if "affinity" not in config:
        return
    wanted = config["affinity"]
    present = dict(pod(deployment).get("affinity", {})) if wanted else {}
    for part in AFFINITY_PARTS:
        if part in wanted:
            present[part] = wanted[part]
    pod(deployment)["affinity"] = {part: value for part, value in present.items() if has_terms(value)}
    if not pod(deployment)["affinity"]:
        del pod(deployment)["affinity"]


def has_terms(part: Mapping[str, Any]) -> bool:
    """Whether a part of an affinity asks for anything; one that does not counts as empty."""
    required = part.get("requiredDuringSchedulingIgnoredDuringExecution")
    terms = required.get("nodeSelectorTerms") if isinstance(required, dict) else required
    return bool(terms or part.get("preferredDuringSchedulingIgnoredDuringExecution"))


def pod_annotations(deployment: Deployment, config: DeploymentConfig) -> None:
    """Add to the deployment and its pods; what exists wins."""
    wanted = config.get("annotations")
    if wanted:
        for holder in (deployment, deployment["spec"].setdefault("template", {})):
            metadata = holder.setdefault("metadata", {})
            metadata["annotations"] = {**wanted, **metadata.get("annotations", {})}


PARTS: tuple[Callable[[Deployment, DeploymentConfig], None], ...] = (
    env,
    env_from,
    volumes,
    volume_mounts,
    tolerations,
    resources,
    node_selector,
    affinity,
    pod_annotations,
)


def pod(deployment: Deployment) -> dict[str, Any]:
    """The spec of the deployment's pods."""
    spec: dict[str, Any] = deployment["spec"].setdefault("template", {}).setdefault("spec", {})
    return spec


def containers(deployment: Deployment) -> list[dict[str, Any]]:
    """The containers of the deployment's pods; init containers are left alone."""
    found: list[dict[str, Any]] = pod(deployment).get("containers", [])
    return found


def override_by_name(holder: dict[str, Any], field: str, wanted: Any) -> None:
    """Put named items into a list: in the place of the one that has the name already, else at the end."""
    if not wanted:
        return
    items = list(holder.get(field, ()))
    places = {item.get("name", ""): place for place, item in enumerate(items)}
    for item in wanted:
        place = places.get(item.get("name", ""))
        if place is None:
            items.append(item)
        else:
            items[place] = item
    holder[field] = items


def append_new(holder: dict[str, Any], field: str, wanted: Any) -> None:
    """Put items at the end of a list unless equal ones are there."""
    if not wanted:
        return
    items = list(holder.get(field, ()))
    for item in wanted:
        if meaning(item) not in [meaning(present) for present in items]:
            items.append(item)
    holder[field] = items


def meaning(value: Any) -> Any:
    """A value without empty text, which Go does not tell from none."""
    if isinstance(value, dict):
        return {key: meaning(item) for key, item in value.items() if item != ""}
    return value
