"""Parts of Weft import only the parts below them, and no module imports itself by way of others.

The order of the parts is that of docs/architecture.md. Imports are read from the syntax trees: those inside
functions count like all others. An import under `if TYPE_CHECKING:` may close a circle, because nothing runs
it; it keeps to the order of the parts all the same.
"""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import weft

ROOT = Path(weft.__file__).parent

EVERYWHERE = {
    "errors",
    "faults",
    "settings",
    "abi",
    "locks",
    "threads",
    "recursion",
    "limits",
    "integers",
    "messages",
}
EVERYWHERE |= {"versions", "signals", "dataclasses", "lazy_pattern", "deferred", "sha256", "garbage"}
EVERYWHERE |= {"archive", "module_archive"}
ALL = "any part"

# Part -> the parts it may import besides itself and EVERYWHERE.
MAY_IMPORT: dict[str, set[str]] = {
    "__init__": set(),
    "archive": set(),
    "module_archive": set(),
    "dataclasses": set(),
    "lazy_pattern": set(),
    "deferred": set(),
    "garbage": set(),
    "sha256": set(),
    "errors": set(),
    "faults": set(),
    "settings": set(),
    "abi": set(),
    "locks": set(),
    "threads": set(),
    "signals": set(),
    "limits": set(),
    "recursion": set(),
    "versions": set(),
    "pipe_layout": set(),
    "target": set(),
    "icd.toolchain": set(),
    "integers": set(),
    "messages": {"ir"},
    "ir": set(),
    "frontend": {"ir", "target", "pipe_layout"},
    "interp": {"ir"},
    "smt": set(),
    "remarks": {"ir"},
    "analysis": {"target", "ir", "smt", "remarks"},
    "transform": {"target", "ir", "analysis", "smt", "remarks"},
    "codegen": {"target", "ir", "frontend", "remarks"},
    "builtins": {"target", "frontend", "codegen"},
    "trace": {"ir"},
    "records": set(),
    "kernel": {"frontend", "records", "target"},
    "binary": {"codegen", "records"},
    "functions": {"target", "ir", "analysis", "transform", "codegen"},
    "kernel_traits": {"functions", "kernel", "ir", "analysis", "codegen"},
    "tile_policy": {"kernel"},
    "likely_range": {"kernel"},
    "barrier_warnings": {"kernel", "ir", "analysis"},
    "launch_form": {"kernel"},
    "compiler": {
        "launch_form",
        "barrier_warnings",
        "functions",
        "kernel",
        "kernel_traits",
        "trace",
        "remarks",
        "target",
        "ir",
        "frontend",
        "analysis",
        "smt",
        "transform",
        "codegen",
        "builtins",
    },
    "verify_binary": {"compiler", "kernel", "codegen", "frontend", "ir"},
    "build_process": {"compiler", "frontend", "codegen", "kernel"},
    "explain": {
        "launch_form",
        "functions",
        "kernel",
        "tile_policy",
        "trace",
        "remarks",
        "compiler",
        "target",
        "ir",
        "frontend",
        "analysis",
        "transform",
        "codegen",
        "builtins",
        "device",
    },
    "consecutive": {"ir", "analysis", "smt", "smt.studies"},
    "tta": {
        "compiler",
        "transform",
        "codegen",
        "frontend",
        "ir",
        "kernel",
        "launch_form",
        "target",
        "trace",
    },
    "profile": set(),
    "group_code": {
        "kernel",
        "launch_form",
        "records",
        "compiler",
        "codegen",
        "frontend",
        "profile",
        "target",
    },
    "toolchain": {"codegen", "frontend"},
    "program_variables": {"group_code", "kernel", "codegen", "target", "toolchain", "ir"},
    "compile_server": {
        "build_process",
        "group_code",
        "launch_form",
        "kernel",
        "codegen",
        "frontend",
        "target",
        "toolchain",
    },
    "tiers": {"compile_server", "group_code", "launch_form", "kernel", "codegen", "frontend", "toolchain"},
    "program": {
        "compile_server",
        "device",
        "program_variables",
        "launch_form",
        "group_code",
        "tiers",
        "tile_policy",
        "likely_range",
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
    "device": {"icd.toolchain", "target", "compiler", "codegen", "ir", "kernel", "tta"},
    "il": {"frontend"},
    "runtime": {
        "pipe_layout",
        "il",
        "codegen",
        "device",
        "group_code",
        "kernel",
        "tile_policy",
        "tiers",
        "program",
        "toolchain",
        "unit",
    },
    "api": {"runtime"},
    "icd": {"api", "icd.toolchain", "runtime", "profile"},
    "source": {"frontend", "ir", "analysis", "smt", "kernel", "compiler", "consecutive"},
    "cli": {ALL},
    "__main__": {"cli"},
}


def part_of(module: str) -> str | None:
    """The part of a module, by its full name: the longest name in MAY_IMPORT that the module begins with."""
    first, *names = module.split(".")
    if first != "weft":
        return None
    beginnings = (".".join(names[:count]) for count in range(len(names), 0, -1))
    return next((name for name in beginnings if name in MAY_IMPORT), None)


def name_of(path: Path, root: Path = ROOT) -> str:
    """The full name of the module in a file; a package's is that of its `__init__`."""
    return ".".join(path.relative_to(root.parent).with_suffix("").parts)


def imports(source: str, module: str, for_types: bool = True) -> Iterator[tuple[int, str]]:
    """Line and full dotted name of everything imported, at any depth, by a module of this name.

    Without `for_types`, not what type checkers alone import.
    """
    package = module.split(".")[:-1]
    waiting: list[ast.AST] = [ast.parse(source)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and not for_types and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
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


def violations(path: Path, source: str) -> list[str]:
    """The imports of a module that its part does not allow."""
    module = name_of(path)
    part = part_of(module)
    assert part is not None
    allowed = MAY_IMPORT[part]
    found = []
    for line, name in imports(source, module):
        # `import weft` and `from weft import __version__` import no part.
        imported = part_of(name)
        if imported is None:
            continue
        if imported not in EVERYWHERE | {part} | allowed and ALL not in allowed:
            found.append(f"{path.relative_to(ROOT.parent)}:{line}: {part} must not import {imported}")
    return found


def import_graph(sources: Mapping[str, str]) -> dict[str, set[str]]:
    """Of modules by their full names: which of them each one imports when it runs."""
    graph: dict[str, set[str]] = {}
    for module, source in sources.items():
        graph[module] = set()
        for _, name in imports(source, module, for_types=False):
            # The last part of a name is a module, a package, or something that a module defines.
            names = (name, name.rpartition(".")[0])
            candidates = [file for stem in names for file in (stem, f"{stem}.__init__")]
            graph[module].update([file for file in candidates if file in sources][:1])
    return graph


def import_cycle(sources: Mapping[str, str]) -> list[str]:
    """The modules of a circle of imports, each imported by the next; none if there is no circle."""
    try:
        TopologicalSorter(import_graph(sources)).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_every_module_belongs_to_a_known_part():
    unknown = [name for path in ROOT.rglob("*.py") if part_of(name := name_of(path)) is None]
    assert not unknown, f"say in MAY_IMPORT what these may import: {sorted(unknown)}"


def test_no_module_imports_a_part_above_it():
    found = [v for path in sorted(ROOT.rglob("*.py")) for v in violations(path, path.read_text())]
    assert not found, "\n".join(found)


def test_the_order_has_no_cycle():
    TopologicalSorter({part: allowed - {ALL} for part, allowed in MAY_IMPORT.items()}).prepare()


@pytest.mark.parametrize("folder", ["weft", "bench", "tools"])
def test_imports_have_no_cycles(folder):
    root = ROOT.parent / folder
    sources = {name_of(path, root): path.read_text() for path in root.rglob("*.py")}
    assert len(sources) > 1
    assert import_cycle(sources) == []


def test_a_cycle_is_found_in_a_folder_and_inside_functions():
    sources = {"weft.ir.a": "from . import b", "weft.ir.b": "def f():\n    from weft.ir.a import x"}
    assert set(import_cycle(sources)) == {"weft.ir.a", "weft.ir.b"}
    through_package = {"weft.ir.__init__": "from .a import x", "weft.ir.a": "from weft.ir import y"}
    assert set(import_cycle(through_package)) == through_package.keys()
    for_types = sources | {"weft.ir.b": "if TYPE_CHECKING:\n    from .a import x\nelse:\n    import os"}
    assert import_cycle(for_types) == []


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
        "from . import host",
        "from .host import host_target",
        "from weft.codegen import cache",
        "import_module('.host', 'weft.codegen')",
    ],
)
def test_what_is_allowed_is_allowed(source):
    assert not violations(ROOT / "codegen" / "somewhere.py", source)


def test_relative_imports_are_resolved_from_nested_packages():
    path = ROOT / "transform" / "workgroup" / "regions.py"
    assert violations(path, "from ...compiler import build")
    for source in ("from ...analysis import shape", "from ..canonical import inline", "from . import loops"):
        assert not violations(path, source)
