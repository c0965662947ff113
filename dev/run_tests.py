# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""`make test`: every check of the collection, one line a stage, and one count over all of them at the end.

A stage is a function that runs tools and returns what it counted. A stage that counted nothing has failed:
a tool that finds no files and is content would otherwise hide that it looked in the wrong place.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / ".build"
VENV = ROOT / ".venv"
COLLECTION = BUILD / "collections/ansible_collections/fleet/olm"
TREE = BUILD / "tree/ansible_collections/fleet/olm"
RIG = BUILD / "test-rig"
LOGS = BUILD / "logs"
# What is slow to make and the same for every checkout.
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fleet.olm"
ANSIBLE_TEST_HOME = CACHE / "ansible-test"
# The Python versions that ansible-core 2.19 and 2.21 run on as controller.
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


@dataclass(frozen=True)
class Count:
    """What a stage counted; `notes` are said to the reader, and every skip needs one."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    notes: tuple[str, ...] = ()

    def __add__(self, other: Count) -> Count:
        return Count(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.notes + other.notes,
        )


def run(
    name: str, command: Sequence[object], *, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Run a tool; its exit code and all it printed, which is also kept in a log."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(BUILD / "collections"),
        "ANSIBLE_COLLECTIONS_PATH": str(BUILD / "collections"),
        "ANSIBLE_HOME": str(BUILD / "ansible"),
        "PATH": os.pathsep.join([str(VENV / "bin"), str(BUILD / "pythons"), _path_without_shims()]),
        **(env or {}),
    }
    log = LOGS / f"{name}.log"
    with open(log, "ab") as output:
        output.write(f"$ {' '.join(str(word) for word in command)}\n".encode())
        output.flush()
        start = output.tell()
        code = subprocess.run(
            [str(word) for word in command],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        ).returncode
    with open(log, "rb") as printed:
        printed.seek(start)
        return code, printed.read().decode(errors="replace")


def _path_without_shims() -> str:
    """pyenv's shims answer for versions that are not active, with an error that ansible-test takes as fatal."""
    return os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if "shims" not in part)


def check(name: str, command: Sequence[object], proof: str, **options: Path | Mapping[str, str]) -> Count:
    """A tool that is one check: it must end with 0 and print `proof`, which shows that it looked at something."""
    code, printed = run(name, command, **options)  # type: ignore[arg-type]
    if code == 0 and re.search(proof, printed):
        return Count(passed=1)
    missing = f" and did not print {proof!r}" if code == 0 else ""
    return Count(failed=1, notes=(f"{command[0]} ended with {code}{missing}:\n{_tail(printed)}",))


def _tail(text: str, lines: int = 40) -> str:
    return "\n".join("      " + line for line in text.rstrip().splitlines()[-lines:])


def pytest(name: str, python: Path, *arguments: str, cwd: Path = COLLECTION) -> Count:
    """Run pytest and read its own report."""
    report = LOGS / f"{name}.xml"
    report.unlink(missing_ok=True)
    code, printed = run(name, [python, "-m", "pytest", f"--junitxml={report}", "-rs", *arguments], cwd=cwd)
    if not report.exists():
        return Count(failed=1, notes=(f"pytest ended with {code}:\n{_tail(printed)}",))
    suite = next(ElementTree.parse(report).getroot().iter("testsuite"))  # noqa: S314 - written by our own pytest
    tests, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
    failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    notes = tuple(line for line in printed.splitlines() if line.startswith("SKIPPED"))
    if failed:
        notes += (_tail(printed, 80),)
    elif code != 0:
        return Count(failed=1, notes=(f"pytest ended with {code}:\n{_tail(printed)}",))
    return Count(tests - failed - skipped, failed, skipped, notes)


@cache
def installed_pythons() -> dict[str, Path]:
    """The interpreters on this machine that ansible-core could run on."""
    found: dict[str, Path] = {}
    roots = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for version in PYTHONS:
        candidates = [shutil.which(f"python{version}", path=_path_without_shims())]
        candidates += [str(path) for path in sorted(roots.glob(f"{version}.*/bin/python{version}"))]
        for candidate in filter(None, candidates):
            # Debian's python without python3-venv cannot make environments.
            probe = subprocess.run([candidate, "-c", "import ensurepip"], capture_output=True, check=False)
            if probe.returncode == 0:
                found[version] = Path(candidate).resolve()
                break
    return found


def environment(name: str, python: Path, requirements: Path) -> Path:
    """A virtual environment with pinned requirements; its Python."""
    key = hashlib.sha256(f"{python}\n{requirements.read_text()}".encode()).hexdigest()[:16]
    home = CACHE / f"venv-{name}-{key}"
    if not (home / ".ready").exists():
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([str(python), "-m", "venv", str(home)], check=True)
        code, printed = run(f"venv-{name}", [home / "bin/pip", "install", "--quiet", "-r", requirements])
        if code != 0:
            raise SystemExit(f"cannot install {requirements}:\n{_tail(printed)}")
        (home / ".ready").touch()
    return home / "bin/python"


# The stages


def lint() -> Count:
    """ruff, mypy, yamllint, ansible-lint."""
    packages = ["-p", "ansible_collections.fleet.olm.plugins", "-p", "ansible_collections.fleet.olm.tests.rig"]
    return (
        check("lint", ["ruff", "check", "."], "All checks passed")
        + check("lint", ["ruff", "format", "--check", "."], r"[1-9]\d* files already formatted")
        + check("lint", ["mypy", *packages], r"no issues found in [1-9]\d* source files")
        + check("lint", ["mypy", "dev", "tests/benchmarks"], r"no issues found in [1-9]\d* source files")
        + check("lint", ["bash", "-c", "yamllint --strict . && git ls-files '*.yml' | wc -l"], r"^[1-9]\d*$")
        + check("lint", ["ansible-lint", "--offline"], r"0 failure\(s\), 0 warning\(s\) in [1-9]\d* files", cwd=TREE)
    )


def sanity() -> Count:
    """ansible-test sanity, all of it on the oldest Python, and the tests by version on every other one."""
    pythons = installed_pythons()
    counted = _sanity("sanity", VENV / "bin/python", "3.11", ())
    versions = [version for version in pythons if version not in ("3.11", "3.14")]
    for version in versions:
        counted += _sanity("sanity", VENV / "bin/python", version, ("compile", "import"))
    newest = newest_environment()
    if newest:
        counted += _sanity("sanity-newest", newest, "3.13", ())
    said = f"ansible-core 2.19 with Python {', '.join(['3.11', *versions])}" + ("; 2.21 with 3.13" if newest else "")
    absent = [version for version in PYTHONS if version not in pythons]
    return counted + Count(notes=(said + (f"; not installed: {', '.join(absent)}" if absent else ""),))


def _sanity(name: str, python: Path, version: str, tests: Sequence[str]) -> Count:
    chosen = [word for test in tests for word in ("--test", test)]
    command = [python.parent / "ansible-test", "sanity", "--python", version, "--color", "no", *chosen]
    path = os.pathsep.join([str(python.parent), str(VENV / "bin"), str(BUILD / "pythons"), _path_without_shims()])
    code, printed = run(name, command, cwd=TREE, env={"PATH": path, "HOME": str(ANSIBLE_TEST_HOME)})
    ran = len(re.findall(r"^Running sanity test", printed, re.MULTILINE))
    failed = re.search(r"The (\d+) sanity test\(s\) listed below \(out of \d+\) failed", printed)
    if code != 0:
        bad = int(failed.group(1)) if failed else 1
        return Count(max(0, ran - bad), bad, 0, (f"ansible-test sanity on Python {version}:\n{_tail(printed)}",))
    return Count(passed=ran)


def unit() -> Count:
    """Unit tests on the pinned, the newest and the lowest libraries."""
    counted = pytest("unit", VENV / "bin/python", "-n2", "tests/unit")
    lowest, newest = lowest_environment(), newest_environment()
    counted += pytest("unit-lowest", lowest, "tests/unit") if lowest else _skip("lowest", "3.11")
    counted += pytest("unit-newest", newest, "tests/unit") if newest else _skip("newest", "3.13")
    return counted


def lowest_environment() -> Path | None:
    """The lowest versions that the collection allows, on Python 3.11, where that is installed."""
    python = installed_pythons().get("3.11")
    return environment("lowest", python, ROOT / "dev/lowest.txt") if python else None


def newest_environment() -> Path | None:
    """ansible-core 2.21 on Python 3.13, where that is installed."""
    python = installed_pythons().get("3.13")
    return environment("newest", python, ROOT / "dev/newest.txt") if python else None


def _skip(what: str, version: str) -> Count:
    return Count(skipped=1, notes=(f"SKIPPED: the {what} libraries need Python {version}, which is not installed",))


def integration() -> Count:
    """Tests on real API servers and registries, those of the client on the lowest libraries too."""
    # Each of the two workers has a rig of its own; a file is not torn apart, because tests of one share a cluster.
    counted = pytest("integration", VENV / "bin/python", "-n2", "--dist=loadfile", "tests/integration/pytest")
    lowest = lowest_environment()
    client = ["tests/integration/pytest/test_client.py", "tests/integration/pytest/test_cluster_info.py"]
    return counted + (pytest("integration-lowest", lowest, *client) if lowest else _skip("lowest", "3.11"))


def targets() -> Count:
    """The targets of ansible-test integration, on the rig as on any cluster, with each supported ansible-core."""
    config = TREE / "tests/integration/integration_config.yml"
    settings = {
        "kubeconfig": f"{RIG}/kubeconfig",
        "context": "one",
        "limited_kubeconfig": f"{RIG}/limited.kubeconfig",
        "examples": f"{TREE}/examples",
    }
    config.write_text("---\n" + "".join(f"{name}: {value}\n" for name, value in settings.items()))
    names = sorted(path.parent.name for path in (TREE / "tests/integration/targets").glob("*/aliases"))
    counted = Count()
    newest = newest_environment()
    for label, python, version in (("", VENV / "bin/python", "3.11"), ("-newest", newest, "3.13")):
        if python is None:
            counted += _skip("newest", version)
            continue
        command = [python.parent / "ansible-test", "integration", "--local", "--python", version, "--color", "no"]
        path = os.pathsep.join([str(python.parent), str(BUILD / "pythons"), _path_without_shims()])
        env = {
            "PATH": path,
            "HOME": str(ANSIBLE_TEST_HOME),
            "ANSIBLE_COLLECTIONS_PATH": str(BUILD / "tree"),
            "PYTHONPATH": "",
        }
        code, printed = run(f"targets{label}", command, cwd=TREE, env=env)
        ran = [name for name in names if f"Running {name} integration test" in printed]
        good = len(ran) if code == 0 else max(0, len(ran) - 1)
        bad = len(names) - good
        counted += Count(good, bad, 0, (f"ansible-test integration:\n{_tail(printed, 60)}",) if bad else ())
    return counted


def docs() -> Count:
    """Documentation and changelog."""
    plugins = "|".join(path.stem for path in (ROOT / "plugins/modules").glob("*.py"))
    lint_docs = ["antsibull-docs", "lint-collection-docs", "--plugin-docs"]
    return (
        check("docs", [*lint_docs, "--validate-collection-refs", "self", TREE], "^$|", cwd=TREE)
        + check("docs", ["antsibull-changelog", "lint"], "^$|", cwd=TREE)
        + check("docs", ["ansible-doc", "-t", "module", "--list", "fleet.olm"], rf"fleet\.olm\.({plugins})")
        + check("docs", ["ansible-doc", "-t", "inventory", "fleet.olm.clusters"], "Makes one host of each cluster")
    )


def package() -> Count:
    """The tarball: built, imported as a galaxy would, installed into an empty path and used from there."""
    dist, home = BUILD / "dist", BUILD / "installed"
    for directory in (dist, home):
        shutil.rmtree(directory, ignore_errors=True)
    counted = check(
        "package", ["ansible-galaxy", "collection", "build", "--output-path", dist, TREE], "Created collection"
    )
    tarball = next(iter(dist.glob("fleet-olm-*.tar.gz")), dist / "missing")
    imported = ["python", "-m", "galaxy_importer.main", tarball]
    config = {"GALAXY_IMPORTER_CONFIG": str(ROOT / "dev/galaxy-importer.cfg")}
    code, printed = run("package", imported, cwd=dist, env=config)
    complaints = [line for line in printed.splitlines() if re.match(r"(WARNING|ERROR|CRITICAL)", line)]
    good = code == 0 and not complaints and "Importer processing completed successfully" in printed
    counted += Count(passed=1) if good else Count(failed=1, notes=(f"galaxy-importer:\n{_tail(printed)}",))
    install = ["ansible-galaxy", "collection", "install", tarball, "-p", home, "--offline"]
    env = {"ANSIBLE_COLLECTIONS_PATH": str(home), "PYTHONPATH": ""}
    counted += check("package", install, "was installed successfully", env=env)
    return counted + _execution_environment(home) + _use_installed(home, env)


def _execution_environment(home: Path) -> Count:
    """What an image is built from, and what its build then finds that the installed collection needs."""
    context = BUILD / "execution-environment"
    shutil.rmtree(context, ignore_errors=True)
    definition = home / "ansible_collections/fleet/olm/examples/execution-environment/execution-environment.yml"
    create = ["ansible-builder", "create", "-f", definition, "-c", context, "--output-filename", "Containerfile"]
    needed = [
        *("python", context / "_build/scripts/introspect.py", "introspect", home),
        f"--write-pip={context}/requirements.txt",
    ]
    counted = check("package", create, "Complete!") + check("package", needed, "from collection fleet.olm")
    requirements = (ROOT / "meta/ee-requirements.txt").read_text().splitlines()
    wanted = [
        (context / "Containerfile", ["ansible-core>=2.19", "ansible-galaxy collection install", "introspect"]),
        (context / "_build/requirements.yml", ["fleet.olm"]),
        # ansible-builder leaves out what Ansible itself brings.
        (context / "requirements.txt", [line for line in requirements if not line.startswith("PyYAML")]),
    ]
    for path, texts in wanted:
        found = path.read_text() if path.exists() else ""
        missing = tuple(f"{path} lacks {text}" for text in texts if text not in found)
        counted += Count(failed=1, notes=missing) if missing else Count(passed=1)
    return counted


# A fleet, and every playbook once, in an order in which each finds what it needs.
FLEET = {
    "fleet_operators": [
        {
            "name": "installed-greeter",
            "namespace": "default",
            "source": "{{ examples }}/bundles/{{ bundle | default('greeter-1.1.0') }}",
            "wait_for": "applied",
        }
    ]
}
_FIRST: dict[str, object] = {"bundle": "greeter"}
_ONE: dict[str, object] = {"extensions": "installed-greeter"}
PLAYBOOKS: tuple[tuple[str, dict[str, object]], ...] = (
    ("lock", _FIRST),
    ("preflight", _FIRST),
    ("day_zero", _FIRST),
    ("upgrade", {"update_lock": True, "accept_permissions": "all"}),
    ("report", {}),
    ("render", {}),
    ("rollback", _ONE),
    ("remove", _ONE),
)


def _use_installed(home: Path, env: Mapping[str, str]) -> Count:
    """One call of every module and playbook of the installed collection, where no checkout can be found."""
    elsewhere = BUILD / "elsewhere"
    shutil.rmtree(elsewhere, ignore_errors=True)
    shutil.copytree(ROOT / "tests/installed", elsewhere)
    installed = home / "ansible_collections/fleet/olm"
    called = (elsewhere / "play.yml").read_text()
    modules = sorted(path.stem for path in (installed / "plugins/modules").glob("*.py"))
    forgotten = [name for name in modules if f"fleet.olm.{name}:" not in called]
    playbooks = sorted(path.stem for path in (installed / "playbooks").glob("*.yml"))
    counted = Count(
        failed=len(forgotten), notes=tuple(f"tests/installed/play.yml never calls {name}" for name in forgotten)
    )
    differing = sorted(set(playbooks) ^ {name for name, _more in PLAYBOOKS})
    counted += Count(
        failed=len(differing),
        notes=tuple(f"playbook {name} is not in both PLAYBOOKS and playbooks/" for name in differing),
    )
    given = ["ansible-playbook", "-i", RIG / "inventory.yml", "-e", f"examples={installed}/examples"]
    counted += check("package", [*given, "play.yml"], r"failed=0", cwd=elsewhere, env=env)
    for name, more in PLAYBOOKS:
        variables = json.dumps({**FLEET, **more})
        command = [*given, "-e", variables, f"fleet.olm.{name}"]
        counted += check("package", command, r"failed=0", cwd=elsewhere, env=env)
    return counted


STAGES: tuple[tuple[str, Callable[[], Count]], ...] = (
    ("lint", lint),
    ("unit", unit),
    ("sanity", sanity),
    ("docs", docs),
    ("integration", integration),
    ("targets", targets),
    ("package", package),
)
NEED_RIG = {"targets", "package"}


def prepare() -> None:
    """What the stages need: a copy of the checkout where ansible-test works, interpreters by name, a pip bootstrap."""
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    shutil.rmtree(BUILD / "tree", ignore_errors=True)
    TREE.mkdir(parents=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, TREE / name, follow_symlinks=False)
    # Without a repository of its own ansible-test takes the copy, which git ignores, for an empty one and is content.
    subprocess.run(["git", "init", "--quiet"], cwd=TREE, check=True)
    subprocess.run(["git", "add", "--all"], cwd=TREE, check=True)
    pythons = BUILD / "pythons"
    shutil.rmtree(pythons, ignore_errors=True)
    pythons.mkdir()
    for version, python in installed_pythons().items():
        (pythons / f"python{version}").symlink_to(python)
    for version in ("24.2", "25.2"):
        _bootstrap_pip(version)


def _bootstrap_pip(version: str) -> None:
    """ansible-test downloads a script that installs pip, from a place of its own; it takes one that is there already."""
    script = ANSIBLE_TEST_HOME / ".ansible/test/cache" / f"get_pip_{version.replace('.', '_')}.py"
    if script.exists():
        return
    script.parent.mkdir(parents=True, exist_ok=True)
    wheels = CACHE / "wheels"
    run("prepare", [VENV / "bin/pip", "download", "--quiet", "--no-deps", "--dest", wheels, f"pip=={version}"])
    wheel = next(wheels.glob(f"pip-{version}-*.whl"))
    script.write_text(
        "import runpy, sys\n"
        f"sys.path.insert(0, {str(wheel)!r})\n"
        f"sys.argv = ['pip', 'install', '--quiet', '--no-index', {str(wheel)!r}]\n"
        "runpy.run_module('pip', run_name='__main__')\n"
    )


def rig(*arguments: object) -> None:
    """Start or stop the rig that the stages share."""
    command = [VENV / "bin/python", "-m", "ansible_collections.fleet.olm.tests.rig", *arguments, "--dir", RIG]
    environment = {**os.environ, "PYTHONPATH": str(BUILD / "collections")}
    subprocess.run([str(word) for word in command], env=environment, check=True, stdout=subprocess.DEVNULL)


def main() -> int:
    """Run the stages named on the command line, or all."""
    wanted = sys.argv[1:] or [name for name, _stage in STAGES]
    # Tests sample the same in every run, so that a failure is about the change at hand; 'make soak' gives another seed each time.
    seed = os.environ.setdefault("FLEET_OLM_SEED", "1")
    print(f"fleet.olm: {', '.join(wanted)}; logs in {LOGS.relative_to(ROOT)}; FLEET_OLM_SEED={seed}", flush=True)
    prepare()
    total = Count()
    needs_rig = bool(NEED_RIG & set(wanted))
    try:
        if needs_rig:
            rig("up", "--clusters", "one,two,three", "--olm")
        for name, stage in STAGES:
            if name in wanted:
                total += _report(name, stage)
    finally:
        if needs_rig:
            rig("down")
    print(f"{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return 1 if total.failed else 0


def _report(name: str, stage: Callable[[], Count]) -> Count:
    print(f"  {name:<12} …", flush=True)
    start = time.monotonic()
    counted = stage()
    if counted.passed + counted.failed == 0:
        counted += Count(failed=1, notes=("this stage ran no test",))
    line = f"{counted.passed} passed, {counted.failed} failed, {counted.skipped} skipped"
    print(f"  {name:<12} {line} in {time.monotonic() - start:.0f} s", flush=True)
    for note in counted.notes:
        print(f"    {note}", flush=True)
    return counted


if __name__ == "__main__":
    sys.exit(main())
