# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Text to data as Kubernetes' Go parser reads it: the rules of go-yaml, which are those of neither YAML 1.1 nor 1.2.

ryaml is four times as fast as PyYAML and reads plain scalars by YAML 1.2. What it gives is taken where go-yaml
cannot have read it otherwise; PyYAML's parser and our own construction read the rest, and everything where
ryaml is not installed, with equal results.
"""

from __future__ import annotations

import math
import re
from typing import Any

from ..errors import MissingLibrary
from .problems import DEEPEST, BadBundle

try:
    import ryaml
except ImportError:
    ryaml = None

# Unquoted, go-yaml takes these for booleans; ryaml does not. It merges what stands under `<<`, and has no null keys.
WORDS_THAT_DIFFER = frozenset(
    ["y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF", "<<", None]
)
LONGEST_WORD = 3
# Numbers that only one of them knows, and tags, of which ryaml makes keys. All of them sort before `:`.
NUMBER_OR_TAG = re.compile(
    r"[-+]?(?:0[0-9XBO_]|0[xbo][0-9a-fA-F]*_|[0-9][0-9.]*_)[0-9a-fA-FxXoObB_.+-]*|!.*", re.DOTALL
)
AFTER_NUMBERS = ":"
LONG = 8192  # however deep a shorter text is, parsers refuse it soon enough
BRACKETS = re.compile(r"[\[\]{}]")


def parse_document(text: str, where: str, warnings: list[str]) -> Any:
    """The data of one YAML or JSON document; `where` names it in messages."""
    refuse_deep_brackets(text, where)
    if ryaml is not None and "!!" not in text:
        try:
            data = ryaml.loads(text)
            if not may_differ(data):
                return data
        except (ryaml.InvalidYamlError, ValueError) as error:
            if "recursion limit" in str(error):
                raise BadBundle(f"{where}: nested deeper than {DEEPEST} levels") from None
            # It may be what only ryaml refuses, a duplicate key above all; the other parser decides.
    return parse_with_pyyaml(text, where, warnings)


def may_differ(data: Any) -> bool:
    """Whether go-yaml may have read the text of this data otherwise: that depends on quotes, which data does not show.

    It looks at every value of every bundle, hence the shape of it: cheap questions to all, the others to few.
    """
    doubtful: set[Any] = set()
    containers: list[Any] = [[data]]
    while containers:
        container = containers.pop()
        items = container
        if container.__class__ is dict:
            doubtful.update(container)
            items = container.values()
        for item in items:
            kind = item.__class__
            if kind is str:
                if item < AFTER_NUMBERS or len(item) <= LONGEST_WORD:
                    doubtful.add(item)
            elif kind is dict or kind is list:
                containers.append(item)
            elif kind is float and not math.isfinite(item):
                return True
    return not WORDS_THAT_DIFFER.isdisjoint(doubtful) or any(
        NUMBER_OR_TAG.fullmatch(text) for text in doubtful if text.__class__ is str and text < AFTER_NUMBERS
    )


def refuse_deep_brackets(text: str, where: str) -> None:
    """Parsers take time that grows with the square of the depth, or crash: look before they do."""
    if len(text) < LONG or text.count("[") + text.count("{") < 1000:
        return
    depth = 0
    for match in BRACKETS.finditer(text):
        depth += 1 if match[0] in "[{" else -1
        if depth > 20 * DEEPEST:
            raise BadBundle(f"{where}: nested deeper than {DEEPEST} levels")
        depth = max(depth, 0)


def parse_with_pyyaml(text: str, where: str, warnings: list[str]) -> Any:
    """The same with PyYAML's parser."""
    # Only here: most bundles are read by the fast parser alone.
    from .go_yaml import Construction, place

    try:
        import yaml
    except ImportError:
        raise MissingLibrary("PyYAML is not installed; it is needed to read YAML: pip install PyYAML") from None
    try:
        return Construction(where, warnings).document(
            yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        )
    except yaml.MarkedYAMLError as error:
        raise BadBundle(
            f"{where}: not valid YAML{place(error.problem_mark)}: {error.problem or error.context}"
        ) from None
    except yaml.YAMLError as error:
        raise BadBundle(f"{where}: not valid YAML: {str(error).splitlines()[0]}") from None
    except (ValueError, RecursionError) as error:
        raise BadBundle(f"{where}: not valid YAML: {error}") from None
