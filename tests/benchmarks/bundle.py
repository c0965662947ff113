# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How long reading, validating and rendering a bundle takes, next to its YAML parser alone in the same run.

    bundle.py [DIRECTORY …] [--profile]

Without a directory, the examples are taken, and the bundles of the corpus beside the checkout where there is one. Prints ratios; asserts nothing.
"""

from __future__ import annotations

import cProfile
import pstats
import shutil
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

from ansible_collections.fleet.olm.plugins.module_utils.bundle import yaml_text
from ansible_collections.fleet.olm.plugins.module_utils.bundle.load import load_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.model import Bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.objects import read_text
from ansible_collections.fleet.olm.plugins.module_utils.bundle.registry_v1 import read_bundle
from ansible_collections.fleet.olm.plugins.module_utils.bundle.source_options import SourceOptions
from ansible_collections.fleet.olm.plugins.module_utils.config.parse import Config
from ansible_collections.fleet.olm.plugins.module_utils.config.schema import schema_of
from ansible_collections.fleet.olm.plugins.module_utils.render.pipeline import render
from ansible_collections.fleet.olm.tests.benchmarks.measure import best, best_in_turns

try:
    import ryaml
except ImportError:
    ryaml = None

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "bundles"
EXAMPLES = ROOT / "examples" / "bundles"
NAMESPACE = "install-ns"


def main(arguments: list[str]) -> int:
    """Measure each bundle, print a line for each and the median."""
    directories = [Path(argument) for argument in arguments if not argument.startswith("-")]
    places = (path for place in (CORPUS, EXAMPLES) if place.is_dir() for path in place.iterdir())
    # Those with a ClusterServiceVersion; the others have nothing that Go could be compared with.
    directories = directories or sorted(path for path in places if (path / "metadata" / "annotations.yaml").is_file())
    if "--profile" in arguments:
        profile(directories)
        return 0
    ratios, times, parses = [], [], []
    print(f"{'bundle':45} {'KiB':>6} {'parse ms':>9} {'read ms':>8} {'render ms':>9} {'all/parse':>9}")
    for directory in directories:
        bundle = read_bundle(directory)
        watch = {} if "AllNamespaces" in bundle.supported_install_modes else {"watchNamespace": NAMESPACE}
        texts = [read_text(path, path.name) or "" for path in sorted((directory / "manifests").iterdir())]
        parse, read, rendered = best_in_turns(
            partial(parser_alone, texts), partial(read_bundle, directory), partial(configure_and_render, bundle, watch)
        )
        ratios.append((read + rendered) / parse)
        times.append(read + rendered)
        parses.append(parse)
        size = sum(map(len, texts)) // 1024
        print(
            f"{directory.name:45} {size:6} {parse * 1e3:9.2f} {read * 1e3:8.2f} {rendered * 1e3:9.2f} {ratios[-1]:9.2f}"
        )
    print(f"parser: {'ryaml' if ryaml else 'PyYAML'}")
    print(
        f"median: {statistics.median(times) * 1e3:.2f} ms a bundle, {statistics.median(ratios):.2f} times the parser alone"
    )
    print(f"all bundles together: {sum(times) * 1e3:.0f} ms, {sum(times) / sum(parses):.2f} times the parser alone")
    cached = [from_the_cache(directory) for directory in directories]
    print(f"opened from the cache, an archive each: median {statistics.median(cached) * 1e3:.2f} ms a bundle")
    return 0


def from_the_cache(directory: Path) -> float:
    """Seconds for a bundle in an archive that was unpacked and parsed before."""
    with tempfile.TemporaryDirectory() as scratch:
        archive = shutil.make_archive(f"{scratch}/bundle", "gztar", directory)
        load = partial(load_bundle, archive, SourceOptions(cache_directory=f"{scratch}/cache"))
        load()
        return best(load)


def configure_and_render(bundle: Bundle, watch: dict[str, str]) -> None:
    """What follows reading: schema, configuration, validators and generators."""
    render(bundle, Config.parse(watch, schema_of(bundle), NAMESPACE), NAMESPACE, "cert-manager")


def parser_alone(texts: list[str]) -> None:
    """The parser that reading uses for these texts, and nothing else."""
    for text in texts:
        if ryaml is None:
            yaml_text.parse_with_pyyaml(text, "benchmark", [])
            continue
        try:
            ryaml.loads_all(text) if "\n---" in text else ryaml.loads(text)
        except ryaml.InvalidYamlError:
            yaml_text.parse_with_pyyaml(text, "benchmark", [])


def profile(directories: list[Path]) -> None:
    """Where the time goes."""
    profiler = cProfile.Profile()
    for directory in directories:
        bundle = profiler.runcall(read_bundle, directory)
        watch = {} if "AllNamespaces" in bundle.supported_install_modes else {"watchNamespace": NAMESPACE}
        config = profiler.runcall(Config.parse, watch, schema_of(bundle), NAMESPACE)
        profiler.runcall(render, bundle, config, NAMESPACE, "cert-manager")
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
