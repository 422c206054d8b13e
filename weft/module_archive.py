"""Imports Weft's modules from one file, with what they compile when they run.

A program that compiles imports 400 of Weft's modules. For each of them Python searches folders, and opens and
checks a file in `__pycache__`. Then the modules compile regular expressions (`lazy_pattern.py`) and methods
of dataclasses (`dataclasses.py`) as these are first used. The archive has all of it, for one version of
Python, in the folder where Python keeps the bytecode of the package; `weft prepare` writes it.

A module whose source has another size or time than when the archive was written is imported by Python's own
means; so are all of them if there is no archive.
"""

import _sre  # type: ignore[import-not-found]
import marshal
import os
import sys
from functools import cache
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER
from re import Pattern
from types import CodeType
from typing import Any

from weft.archive import Archive, Place, open_archive

FOLDER = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.join(FOLDER, "__pycache__", f"modules.{sys.implementation.cache_tag}.archive")


def identity() -> tuple[Any, ...]:
    """Return what the content of the archive depends on besides the sources."""
    return MAGIC_NUMBER, _sre.MAGIC, sys.version, sys.flags.optimize, FOLDER


class _Loader(SourceFileLoader):
    """Python's loader of a source file, with the code at hand for the first import."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code: CodeType | None = code

    def get_code(self, fullname: str) -> CodeType | None:
        code, self._code = self._code, None
        return super().get_code(fullname) if code is None else code


class ModuleArchive:
    """The archive as an entry of `sys.meta_path`."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        # Name -> the source's path, whether it is a package, its size and time, and the place of its code.
        self._modules: dict[str, tuple[str, bool, int, int, Place]] = archive.index["modules"]

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return how to load a module; None if the archive lacks it or its source has changed."""
        entry = self._modules.get(name)
        if entry is None:
            return None
        relative, is_package, size, modified_ns, place = entry
        source = f"{FOLDER}/{relative}"
        try:
            status = os.stat(source)
        except OSError:
            return None
        if status.st_mtime_ns != modified_ns or status.st_size != size:
            return None
        code = self._archive.load(place)
        if code is None:
            return None
        spec = ModuleSpec(name, _Loader(name, source, code), origin=source, is_package=is_package)
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(source)]
        return spec

    def section(self, name: str) -> dict[Any, Any]:
        """Return a table of the archive besides its modules."""
        return self._archive.load(self._archive.index[name]) or {}


def _installed() -> ModuleArchive | None:
    found = open_archive(PATH, identity())
    return None if found is None else ModuleArchive(found)


installed = _installed()
"""The archive of this installation, if `weft prepare` has written one for this Python."""


@cache
def _section(name: str) -> dict[Any, Any]:
    return {} if installed is None else installed.section(name)


def pattern_of(text: str | bytes, flags: int) -> "Pattern[Any] | None":
    """Return a regular expression compiled ahead; None if it is not in the archive."""
    found = _section("patterns").get((isinstance(text, bytes), text, flags))
    if found is None:
        return None
    all_flags, code, groups, names, numbers = found
    words = memoryview(code).cast("I").tolist()
    return _sre.compile(text, all_flags, words, groups, names, numbers)


def method_code(text: str) -> CodeType | None:
    """Return the code of a dataclass's method compiled ahead; None if it is not in the archive."""
    code: bytes | None = _section("methods").get(text)
    return None if code is None else marshal.loads(code)
