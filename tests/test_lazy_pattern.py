"""Patterns that are compiled when they are first used."""

import gc
import importlib
import re
from pathlib import Path

import pytest

import weft
from weft.lazy_pattern import lazy_pattern


def test_a_pattern_finds_what_pythons_does():
    text = "a1 b22\nc333"
    for words, flags in ((r"[a-z](\d+)", 0), (r"^\w", re.MULTILINE), (r"C(3+)", re.IGNORECASE)):
        lazy, python = lazy_pattern(words, flags), re.compile(words, flags)
        assert lazy.pattern == words
        assert lazy.findall(text) == python.findall(text)
        assert lazy.sub("-", text) == python.sub("-", text)
        assert lazy.subn("-", text) == python.subn("-", text)
        assert lazy.split(text) == python.split(text)
        assert [m.span() for m in lazy.finditer(text)] == [m.span() for m in python.finditer(text)]
        for method in ("search", "match", "fullmatch"):
            assert str(getattr(lazy, method)(text, 1)) == str(getattr(python, method)(text, 1))
    assert lazy_pattern(rb"\d+").search(b"x12")[0] == b"12"
    with pytest.raises(AttributeError):
        _ = lazy_pattern("x").flags


def test_all_patterns_of_weft_compile():
    root = Path(weft.__file__).parent
    for path in root.rglob("*.py"):
        if "lazy_pattern(" in path.read_text():
            importlib.import_module(".".join(path.relative_to(root.parent).with_suffix("").parts))
    patterns = [found for found in gc.get_objects() if type(found) is lazy_pattern]
    assert len(patterns) > 200
    for pattern in patterns:
        re.compile(pattern.pattern, pattern._flags)
