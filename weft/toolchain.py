"""The common part of all cache keys: everything that compiled code depends on besides the program."""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from weft import __version__, settings
from weft.codegen.cache import digest
from weft.frontend.clang import binary as clang_binary

# Suffixes of files that are part of the compiler.
_SUFFIXES = (".py", ".cl", ".h", ".json", ".so")
_FOLDERS = (
    "target",
    "ir",
    "analysis",
    "smt",
    "transform",
    "codegen",
    "builtins",
    "frontend",
    "compiler",
)


@cache
def toolchain_key() -> str:
    """Return a key that changes with everything that affects compiled code, except program and options.

    That is Weft itself (including edits of its files), clang, LLVM and the processor. It uses sizes and times
    of files rather than their contents, because every process needs the key.
    """
    parts = [__version__, _status(clang_binary()), _processor(), settings.get("WEFT_CPU")]
    for entry in _files(os.path.dirname(os.path.abspath(__file__))):
        status = entry.stat()
        parts.append(f"{entry.name} {status.st_size} {status.st_mtime_ns}")
    parts += (_status(path) for path in _llvm_files())
    return digest(*parts)


def _files(folder: str | Path) -> "Iterator[os.DirEntry[str]]":
    """Yield the files of Weft that affect compiled code."""
    for name in _FOLDERS:
        yield from _files_below(os.path.join(folder, name))
    yield from (entry for entry in _entries(folder) if entry.name.endswith(".py"))


def _files_below(folder: str) -> "Iterator[os.DirEntry[str]]":
    for entry in _entries(folder):
        if entry.name.endswith(_SUFFIXES):
            yield entry
        elif entry.name != "__pycache__" and entry.is_dir():
            yield from _files_below(entry.path)


def _entries(folder: str | Path) -> "list[os.DirEntry[str]]":
    # Not as `Path` objects, which would take three times as long for hundreds of files.
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def _llvm_files() -> Iterator[Path]:
    from importlib.util import find_spec  # finds the package without importing it

    spec = find_spec("llvmlite")
    for location in (spec.submodule_search_locations or ()) if spec else ():
        yield from Path(location, "binding").glob("libllvmlite*")


def _status(path: Path) -> str:
    status = os.stat(path)
    return f"{path.name} {status.st_size} {status.st_mtime_ns}"


def _processor() -> str:
    """Return the description of the first processor: model and features, without fields that vary."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            text = file.read(16384).partition("\n\n")[0]
    except OSError:
        return "unknown"
    moving = ("cpu MHz", "bogomips", "BogoMIPS", "processor", "core id", "apicid", "initial apicid")
    return "\n".join(line for line in text.splitlines() if not line.startswith(moving))
