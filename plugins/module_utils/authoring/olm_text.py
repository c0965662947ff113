# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""olm.yaml as text: a first one with comments for whoever fills it in, and the refreshing of one that people wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..bundle.model import INSTALL_MODES
from ..errors import MissingLibrary, OptionError
from .found import FIRST_VERSION, Found

try:
    import yaml
except ImportError as import_error:
    YAML_ERROR: ImportError | None = import_error
else:
    YAML_ERROR = None

_KEYS = ("apis", "apiDescriptions")
_INFERRED = {"group", "version", "kind", "name", "apiVersion"}
_TEMPLATE = """---
# What nobody can read off the manifests. Lines marked FILL IN are yours; everything else was inferred, look at it once.
name: {package}.v{version}
version: {version}{version_note}
# The oldest Kubernetes that the operator runs on. FILL IN
minKubeVersion: 1.16.0
# What the operator can watch. Inferred from its permissions and whether it reads olm.targetNamespaces.
installModes:
{modes}
# What catalogs and consoles show. FILL IN
displayName: {display}
# description: |
#   What the operator does, in Markdown.
# maturity: alpha
# keywords: [{package}]
# maintainers:
#   - name: Your Team
#     email: team@example.com
# provider:
#   name: Your Company
# links:
#   - name: Documentation
#     url: https://example.com/docs
# icon:
#   - base64data: ""
#     mediatype: image/svg+xml
# The version that this one takes the place of.
# replaces: {package}.v0.0.0
# Packages that have to be there before.
# packageDependencies:
#   - packageName: other-operator
#     version: ">=1.0.0"
"""


def first_olm_yaml(found: Found, package: str, version: str) -> str:
    """The text of an olm.yaml for manifests that have none yet."""
    number = version or found.version or FIRST_VERSION
    modes = "\n".join(
        f"  - type: {mode}\n    supported: {'true' if mode in found.install_modes else 'false'}"
        for mode in INSTALL_MODES
    )
    text = _TEMPLATE.format(
        package=package,
        version=number,
        version_note="" if version or found.version else "  # FILL IN",
        modes=modes,
        display=" ".join(word.capitalize() for word in package.replace("_", "-").split("-") if word) or package,
    )
    if found.unknown:
        text += "# The operator is allowed to use these, but nothing says what kind they are. Add them to apis, with version, kind and name,\n"
        text += "# or mark the binding as optional.\n"
        text += "".join(f"#   {resource}.{group}\n" for group, resource in found.unknown)
    if found.apis:
        text += "# The APIs that the operator provides. Descriptors help consoles to draw forms.\n"
        text += f"apis:\n{_entries(found.apis, '  ')}"
    return text


def _entries(apis: Iterable[Mapping[str, str]], indent: str) -> str:
    return "".join(
        f"{indent}- group: {api['group']}\n{indent}  version: {api['version']}\n{indent}  kind: {api['kind']}\n"
        for api in apis
    )


def refreshed(text: str, found: Found, where: str) -> str:
    """The text with what is inferred brought up to date: APIs added and taken away, every other line as it was."""
    if YAML_ERROR is not None:
        raise MissingLibrary(
            f"reading olm.yaml needs the Python library 'PyYAML', which is not installed here ({YAML_ERROR})"
        )
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise OptionError(f"{where}: not valid YAML: {' '.join(str(error).split())}") from None
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    listed = next((value for key, value in pairs if key.value in _KEYS), None)
    if listed is None:
        if not found.apis:
            return text
        return f"{text if text.endswith(chr(10)) else text + chr(10)}apis:\n{_entries(found.apis, '  ')}"
    if not isinstance(listed, yaml.SequenceNode) or listed.flow_style:
        if getattr(listed, "value", None):
            raise OptionError(f"{where}: apis must be a list with an item on lines of its own to be refreshed")
        end = listed.end_mark.index
        return (
            text[: listed.start_mark.index].rstrip(" ") + "\n" + _entries(found.apis, "  ").rstrip("\n") + text[end:]
            if found.apis
            else text
        )
    return _edited(text, listed, found)


def _edited(text: str, listed: Any, found: Found) -> str:
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    provided = {_key(api) for api in found.apis}
    groups = {api["group"] for api in found.apis}
    present = set()
    gone: set[int] = set()
    last = listed.start_mark.line
    for item in listed.value:
        entry = {key.value: getattr(value, "value", None) for key, value in getattr(item, "value", ())}
        key = _key(entry)
        present.add(key)
        first, end = item.start_mark.line, _last_line(item)
        # Only what was inferred goes: an entry with words of a person, or of a group that others provide, stays.
        if key not in provided and set(entry) <= _INFERRED and key[0] in groups:
            gone |= set(range(first, end + 1))
        last = max(last, end)
    indent = " " * (listed.value[0].start_mark.column - 2) if listed.value else "  "
    new = [api for api in found.apis if _key(api) not in present]
    out = [line for number, line in enumerate(lines[: last + 1]) if number not in gone]
    return "".join([*out, _entries(new, indent), *lines[last + 1 :]])


def _key(api: Mapping[str, Any]) -> tuple[str, str, str]:
    group, _slash, version = str(api.get("apiVersion") or "").rpartition("/")
    return str(api.get("group") or group), str(api.get("version") or version), str(api.get("kind") or "")


def _last_line(node: Any) -> int:
    """The last line that a node has something on; its own end mark lies behind the comments that follow."""
    if isinstance(node.value, list) and node.value and not node.flow_style:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.line
    return end if node.end_mark.column else end - 1
