# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The image of a bundle, as OLM and everybody else unpacks it."""

from __future__ import annotations

import os
from pathlib import Path

from ..bundle.image_build import BuiltImage, build_image
from ..bundle.model import WITH_CSV, Bundle
from ..bundle.registry_v1 import MANIFESTS
from ..csvless.files import FLAT, FLAT_METADATA, METADATA, layout_of, manifest_files
from ..errors import OptionError
from ..render.pipeline import validate
from .bundle_files import IMAGE_FOLDERS, annotations_text, bundle_annotations


def build_bundle_image(bundle: Bundle, directory: Path, work: Path, epoch: int | None) -> BuiltImage:
    """Make the image of a bundle; refused where the bundle could not be installed. Its labels are its annotations."""
    if bundle.format not in WITH_CSV:
        raise OptionError(
            f"source: {bundle.package} has the format {bundle.format}; built are {' and '.join(WITH_CSV)}"
        )
    validate(bundle)
    labels = image_labels(bundle)
    return build_image(_files(bundle, directory, work), labels, work, epoch)


def image_labels(bundle: Bundle) -> dict[str, str]:
    """The labels of the image: the annotations, and what every bundle has to say."""
    return bundle_annotations(bundle.format, bundle.package, bundle.annotations)


def _files(bundle: Bundle, directory: Path, work: Path) -> list[tuple[str, Path]]:
    if layout_of(directory) is not FLAT:
        return [
            (f"{Path(folder).relative_to(directory).as_posix()}/{name}", Path(folder) / name)
            for top in IMAGE_FOLDERS
            for folder, _folders, names in os.walk(directory / top)
            for name in names
        ]
    files = [(f"{MANIFESTS}/{where}", path) for where, path in manifest_files(directory, FLAT)]
    files += [(f"{METADATA}/{name}", directory / name) for name in FLAT_METADATA if (directory / name).is_file()]
    if not (directory / "annotations.yaml").is_file():
        made = work / "annotations.yaml"
        made.write_text(annotations_text(bundle_annotations(bundle.format, bundle.package)), encoding="utf-8")
        files.append((f"{METADATA}/annotations.yaml", made))
    return files


def date_of(text: str | None) -> int | None:
    """SOURCE_DATE_EPOCH as a number; None where it is not set."""
    if not text:
        return None
    if not text.isascii() or not text.isdecimal():
        raise OptionError(f"SOURCE_DATE_EPOCH: must be seconds since 1970, seen '{text[:40]}'")
    return int(text)
