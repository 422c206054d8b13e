"""`weft explain` reports remarks and records: it reads no IR text and matches no messages."""

import ast
from pathlib import Path

import weft.explain

FOLDER = Path(weft.explain.__file__).parent
# Highlights OpenCL C.
MAY_MATCH = {"colour.py"}
PATTERNS = {"re", "weft.lazy_pattern"}


def _imports(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    names = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    return names | {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.module}


def test_no_module_matches_text_by_patterns() -> None:
    matching = {path.name for path in FOLDER.glob("*.py") if _imports(path) & PATTERNS}
    assert matching == MAY_MATCH


def test_no_module_parses_ir() -> None:
    found = [
        p.name
        for p in FOLDER.glob("*.py")
        if "ir.parse" in p.read_text() or "print_function" in p.read_text()
    ]
    assert found == []
