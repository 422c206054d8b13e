"""The project's own promises: documentation that agrees with the code, commands that exist, a licence."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from setuptools import find_packages

from weft import __version__
from weft.cli.main import COMMANDS
from weft.cli.settings import markdown
from weft.compiler.passes import LAUNCH_PASSES

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md")])
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def make_targets() -> set[str]:
    """The targets that a user of the Makefile may name."""
    match = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert match
    return set(match.group(1).split())


def requirements() -> dict[str, str]:
    """Every package the project names, with its range."""
    project = PROJECT["project"]
    lines = [*PROJECT["build-system"]["requires"], *project["dependencies"]]
    lines += [line for extra in project["optional-dependencies"].values() for line in extra]
    lines += [
        line for line in (ROOT / "bench" / "peers.txt").read_text().splitlines() if not line.startswith("#")
    ]
    found: dict[str, str] = {}
    for line in lines:
        match = re.fullmatch(r"([\w-]+)(.*)", line)
        assert match, line
        name, pinned = match.groups()
        assert found.setdefault(name, pinned) == pinned, f"{name} has two ranges"
    return found


def test_settings_in_the_documentation_are_those_of_the_code() -> None:
    text = (ROOT / "docs" / "usage.md").read_text()
    assert markdown() in text, "put the output of `weft settings --markdown` into docs/usage.md"


def test_every_command_is_documented() -> None:
    text = (ROOT / "docs" / "usage.md").read_text()
    assert [name for name in COMMANDS if f"`weft {name}" not in text] == []


def test_passes_are_documented_in_their_order() -> None:
    text = (ROOT / "docs" / "kernel-compiler.md").read_text()
    names = {p.name: p for p in LAUNCH_PASSES}
    rows = re.findall(r"^\| [`*]([a-z-]+)[`*] \|([^|]*)\|", text, re.MULTILINE)
    documented = [(name, re.findall("`([a-z-]+)`", forms)) for name, forms in rows if name in names]
    assert documented == [(name, [form.name for form in p.requires]) for name, p in names.items()]


def test_every_package_has_its_place_in_the_architecture() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    folders = [path.parent.name for path in (ROOT / "weft").glob("*/__init__.py")]
    modules = [path.name for path in (ROOT / "weft").glob("*.py") if not path.name.startswith("__")]
    assert folders
    assert [name for name in folders if f"`{name}/`" not in text] == []
    assert [name for name in modules if f"`{name}`" not in text] == []


def test_every_page_is_reached_from_the_architecture() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text()
    others = [page.name for page in PAGES if page.parent.name == "docs" and page.name != "architecture.md"]
    assert [name for name in others if f"({name})" not in text] == []


def test_every_dependency_has_a_reason_and_a_bounded_range() -> None:
    text = (ROOT / "docs" / "dependencies.md").read_text()
    for name, pinned in requirements().items():
        assert f"| `{name}` | `{pinned}` |" in text, f"docs/dependencies.md: `{name}` `{pinned}`"
        assert name == "setuptools" or "<" in pinned or "==" in pinned, f"{name} has no upper bound"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_files_that_the_documentation_names_exist() -> None:
    folders = [ROOT / name for name in ("weft", "bench", "tools", "tests", "examples")]
    sources = [ROOT / "setup.py", *(path for folder in folders for path in folder.rglob("*.[pch]*"))]
    tracked = [f"/{path.relative_to(ROOT)}" for path in sources]
    # spirv.md is about files to come.
    texts = {page.name: page.read_text() for page in PAGES if page.name != "spirv.md"}
    named = {
        (page, name) for page in texts for name in re.findall(r"`([a-z_0-9/]+\.(?:py|c|h))`", texts[page])
    }
    assert len(named) > 100
    assert [(page, name) for page, name in named if not any(t.endswith(f"/{name}") for t in tracked)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_make_targets_in_the_documentation_exist(page: Path) -> None:
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(), re.MULTILINE))
    assert named <= make_targets()


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "usage.md"], ids=lambda page: page.name)
def test_python_in_the_documentation_runs(page: Path) -> None:
    (text,) = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    environment = os.environ | {"PYOPENCL_NO_CACHE": "1"}
    result = subprocess.run(
        [sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    shown = re.search(r"print\(.*\) +# (.*)", text)
    assert shown is None or result.stdout == f"{shown.group(1)}\n"


def test_readme_starts_with_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    assert "\n```sh\nmake demo" in text
    assert "\nmake test" in text


def test_readme_shows_the_current_version() -> None:
    shown = re.findall(r"OpenCL 3\.1 Weft ([\d.]+)", (ROOT / "README.md").read_text())
    assert shown == [__version__]


def test_continuous_integration_runs_the_tests() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert script.read_text().splitlines()[-1] == "exec make test"


def test_licence_is_the_one_that_the_package_names() -> None:
    assert PROJECT["project"]["license"] == "MIT"
    assert (ROOT / "LICENSE").read_text().startswith("MIT License\n")


def test_only_the_package_is_installed() -> None:
    found = find_packages(str(ROOT), include=PROJECT["tool"]["setuptools"]["packages"]["find"]["include"])
    assert {name.partition(".")[0] for name in found} == {"weft"}
    assert not [name for name in found if name.split(".")[-1] in ("bench", "tools", "tests")]
