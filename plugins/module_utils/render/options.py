# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What every generator is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ALL_NAMESPACES = ("",)


@dataclass(frozen=True)
class Options:
    """How a bundle is to be rendered. `targets` are the watched namespaces; an empty name stands for all."""

    install_namespace: str
    targets: tuple[str, ...]
    certificate_provider: str
    deployment_config: Mapping[str, Any]

    @property
    def watches_everything(self) -> bool:
        return self.targets == ALL_NAMESPACES
