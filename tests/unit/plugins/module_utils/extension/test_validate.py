# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What can be said of a bundle for OLM v1 without asking a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.extension.validate import format_problems

EXAMPLES = Path(__file__).resolve().parents[5] / "examples" / "bundles"


@pytest.mark.parametrize(("example", "refused"), [("greeter", False), ("kiali-k8sv1", True)])
def test_a_format_that_olm_v1_does_not_know_is_told_with_the_way_out(example: str, refused: bool) -> None:
    problems = format_problems(load_bundle(str(EXAMPLES / example), SourceOptions()).bundle)
    assert bool(problems) is refused
    for problem in problems:
        assert "k8s+v1" in problem
        assert "bundle_convert and bundle_build" in problem
