"""`weft prepare`: compiles Weft's modules and built-ins ahead, into the folder of the installation.

Programs find them there. Without them they compile what they need themselves, at each start or until it is
in the cache of the user.
"""

import argparse
import gc
import marshal
import os
from array import array
from collections.abc import Iterator, Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from re import _compiler as compiler  # type: ignore[attr-defined]
from typing import Any

from weft import module_archive
from weft.archive import ArchiveWriter, open_archive
from weft.builtins import precompiled
from weft.builtins.library import compile_ahead
from weft.codegen.host import host_target
from weft.dataclasses import compile_method, is_dataclass, method_texts
from weft.lazy_pattern import lazy_pattern
from weft.module_archive import FOLDER, identity

# A source: the name of its module, its path in the package, whether it is a package, its size and time.
Source = tuple[str, str, bool, int, int]


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="weft prepare",
        description="Compiles Weft's modules and built-in functions ahead, so that programs start sooner.",
        epilog="It writes to the folder in which Weft is installed, for this Python and this processor.",
    )
    parser.add_argument("--remove", action="store_true", help="remove the files that it has written")
    if parser.parse_args(arguments).remove:
        removed = [path for path in (module_archive.PATH, precompiled.PATH) if os.path.exists(path)]
        for path in removed:
            os.unlink(path)
        print(f"removed {len(removed)} {'file' if len(removed) == 1 else 'files'}")
        return 0
    steps = {"modules": prepare_modules, "built-ins": prepare_builtins}
    written = [name for name, step in steps.items() if step()]
    print(f"prepared {' and '.join(written)}" if written else "up to date")
    return 0


def prepare_modules() -> bool:
    """Write the archive of modules; return False if it is up to date."""
    sources = list(_sources())
    archive = open_archive(module_archive.PATH, identity())
    if (
        archive is not None
        and [(name, *entry[:4]) for name, entry in archive.index["modules"].items()] == sources
    ):
        return False
    writer = ArchiveWriter()
    modules = {}
    for name, path, *state in sources:
        code = SourceFileLoader(name, os.path.join(FOLDER, path)).get_code(name)
        modules[name] = (path, *state, writer.add(marshal.dumps(code)))
    _load_everything()
    sections = {"patterns": _patterns(), "methods": _methods()}
    places = {name: writer.add(marshal.dumps(section)) for name, section in sections.items()}
    writer.write(module_archive.PATH, identity(), {"modules": modules, **places})
    return True


def prepare_builtins() -> bool:
    """Write the archive of built-ins for this processor; return False if it is up to date."""
    return compile_ahead(host_target())


def _sources() -> Iterator[Source]:
    root = Path(FOLDER)
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        status = path.stat()
        name = ".".join(parts[:-1] if is_package else parts)
        yield name, path.relative_to(root).as_posix(), is_package, status.st_size, status.st_mtime_ns


def _load_everything() -> None:
    """Import all that programs, the compile server and its children import."""
    from weft.group_code import load_compiler

    load_compiler()


def _patterns() -> dict[Any, Any]:
    """Return what Python's compiler of regular expressions makes of the patterns of the imported modules."""
    found = {}
    for pattern in [known for known in gc.get_objects() if type(known) is lazy_pattern]:
        text, flags = pattern.pattern, int(pattern._flags)
        all_flags, code, groups, names, numbers = _compiled(text, flags)
        key = isinstance(text, bytes), text, flags
        found[key] = all_flags, array("I", code).tobytes(), groups, dict(names), numbers
    return found


def _compiled(text: str | bytes, flags: int) -> tuple[Any, ...]:
    """Return the arguments of `_sre.compile` for a pattern, without the pattern."""
    parsed = compiler._parser.parse(text, flags)
    names = parsed.state.groupdict
    numbers = [None] * parsed.state.groups
    for name, number in names.items():
        numbers[number] = name
    code = compiler._code(parsed, flags)
    return int(flags | parsed.state.flags), code, parsed.state.groups - 1, names, tuple(numbers)


def _methods() -> dict[str, bytes]:
    classes = [known for known in gc.get_objects() if isinstance(known, type) and is_dataclass(known)]
    texts = {text for cls in classes if cls.__module__.startswith("weft.") for text in method_texts(cls)}
    return {text: marshal.dumps(compile_method(text)) for text in sorted(texts)}
