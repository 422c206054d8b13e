"""Parts of Weft import only the parts below them: the order of docs/architecture.md, checked by AST."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import weft

ROOT = Path(weft.__file__).parent

EVERYWHERE = {"errors", "faults", "settings", "abi", "locks", "recursion", "limits"}
ALL = "any part"

# Part -> the parts it may import besides itself and EVERYWHERE.
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "errors": set(),
    "faults": set(),
    "settings": set(),
    "abi": set(),
    "locks": set(),
    "limits": set(),
    "recursion": set(),
    "ir": set(),
    "frontend": {"ir"},
    "interp": {"ir"},
    "smt": set(),
    "remarks": {"ir"},
    "analysis": {"ir", "smt", "remarks"},
    "transform": {"ir", "analysis", "smt", "remarks"},
    "codegen": {"ir", "frontend", "remarks"},
    "builtins": {"frontend", "codegen"},
    "trace": {"ir"},
    "records": set(),
    "kernel": {"frontend", "records"},
    "binary": {"codegen", "records"},
    "functions": {"ir", "analysis", "transform", "codegen"},
    "barrier_warnings": {"kernel", "ir", "analysis"},
    "argument_layout": {"kernel", "frontend", "ir"},
    "compiler": {
        "argument_layout",
        "barrier_warnings",
        "functions",
        "kernel",
        "trace",
        "remarks",
        "ir",
        "frontend",
        "analysis",
        "smt",
        "transform",
        "codegen",
        "builtins",
    },
    "verify_binary": {"compiler", "kernel", "codegen", "frontend", "ir"},
    "build_process": {"compiler", "frontend", "codegen"},
    "explain": {
        "functions",
        "kernel",
        "trace",
        "remarks",
        "compiler",
        "ir",
        "frontend",
        "analysis",
        "smt",
        "transform",
        "codegen",
        "builtins",
        "device",
        "runtime",
    },
    "profile": set(),
    "group_code": {"kernel", "compiler", "codegen", "profile"},
    "toolchain": {"codegen", "frontend"},
    "tiers": {"group_code", "kernel", "codegen"},
    "program": {
        "group_code",
        "tiers",
        "toolchain",
        "kernel",
        "binary",
        "records",
        "verify_binary",
        "build_process",
        "compiler",
        "builtins",
        "frontend",
        "codegen",
    },
    "unit": {
        "program",
        "build_process",
        "binary",
        "records",
        "verify_binary",
        "compiler",
        "toolchain",
        "frontend",
        "codegen",
    },
    "device": {"compiler", "codegen"},
    "runtime": {"device", "group_code", "kernel", "program", "toolchain", "unit"},
    "api": {"runtime"},
    "icd": {"api", "runtime", "profile"},
    "cli": {ALL},
    "__main__": {"cli"},
}


def part_of(path: Path, root: Path = ROOT) -> str:
    return path.relative_to(root).parts[0].removesuffix(".py")


def imports(source: str, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of everything imported, at any depth, by a module inside `package`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"
        elif isinstance(node, ast.Call) and _is_dynamic_import(node.func):
            match node.args:
                case [ast.Constant(value=str(name)), *_] if not name.startswith("."):
                    yield node.lineno, name


def _is_dynamic_import(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("import_module", "__import__")


def violations(path: Path, source: str, root: Path = ROOT) -> list[str]:
    part = part_of(path, root)
    package = ("weft", *path.relative_to(root).parent.parts)
    allowed = MAY_IMPORT[part]
    found = []
    for line, name in imports(source, package):
        first, _, rest = name.partition(".")
        imported = rest.split(".")[0]
        # `import weft` and `from weft import __version__` import no part.
        if first != "weft" or imported not in MAY_IMPORT:
            continue
        if imported not in EVERYWHERE | {part} | allowed and ALL not in allowed:
            found.append(f"{path.relative_to(root.parent)}:{line}: {part} must not import {imported}")
    return found


def test_every_module_belongs_to_a_known_part():
    unknown = {part_of(path) for path in ROOT.rglob("*.py")} - MAY_IMPORT.keys()
    assert not unknown, f"say in MAY_IMPORT what these may import: {sorted(unknown)}"


def test_no_module_imports_a_part_above_it():
    found = [v for path in sorted(ROOT.rglob("*.py")) for v in violations(path, path.read_text())]
    assert not found, "\n".join(found)


def test_the_order_has_no_cycle():
    seen: set[str] = set()
    rest = {part: allowed - {ALL} for part, allowed in MAY_IMPORT.items()}
    while ready := [part for part, allowed in rest.items() if allowed <= seen]:
        seen.update(ready)
        for part in ready:
            del rest[part]
    assert not rest


@pytest.mark.parametrize(
    "source",
    [
        "import weft.device",
        "import weft.device.base as base",
        "from weft.device import base",
        "from weft import device",
        "from weft import errors, device",
        "from ..device import base",
        "from .. import device",
        "def f():\n    from weft.device.base import Device",
        "if True:\n    try:\n        import weft.device\n    finally:\n        pass",
        "import importlib\nimportlib.import_module('weft.device.base')",
        "__import__('weft.device')",
    ],
)
def test_every_way_to_import_is_seen(source):
    assert violations(ROOT / "codegen" / "somewhere.py", source)


@pytest.mark.parametrize(
    "source",
    [
        "import weft",
        "from weft import __version__, errors, settings",
        "from weft.abi import LAUNCH_SIZE",
        "import os, llvmlite.binding",
        "from weft.ir import parse",
        "from . import target",
        "from .target import Target",
        "from weft.codegen import cache",
        "import_module('.target', 'weft.codegen')",
    ],
)
def test_what_is_allowed_is_allowed(source):
    assert not violations(ROOT / "codegen" / "somewhere.py", source)


def test_relative_imports_are_resolved_from_nested_packages():
    path = ROOT / "transform" / "workgroup" / "regions.py"
    assert violations(path, "from ...compiler import build")
    for source in ("from ...analysis import shape", "from ..canonical import inline", "from . import loops"):
        assert not violations(path, source)
