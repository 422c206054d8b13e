"""Run clang; no other module starts it for OpenCL C.

The binary of the `ziglang` wheel contains an unmodified clang (`zig clang`). Weft runs the compiler proper
(`-cc1`) without clang's driver: it searches for no system compiler, uses no include folder but the user's,
and ignores environment variables. Persistent processes avoid its start-up time
(`weft/frontend/clang_workers.py`). Source goes to standard input and output comes from standard output, so
there are no temporary files.
"""

import importlib.util
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from weft.dataclasses import dataclass
from weft.errors import ToolError
from weft.frontend.clang_workers import pool
from weft.lazy_pattern import lazy_pattern
from weft.limits import run_process

# The name of the program's source in diagnostics and __FILE__. No real file has this name, so an #include
# never finds it.
SOURCE_NAME = "<source>"

# A directive that names the source if it is one of several inputs, and the name that it has otherwise.
_NAMED = f'#line 1 "{SOURCE_NAME}"\n'.encode()
_INPUT = lazy_pattern(rb"/dev/fd/\d+")


@dataclass(frozen=True)
class ClangResult:
    """The result of a run of clang: exit status (negative: a signal), standard output and diagnostics."""

    returncode: int
    output: str
    diagnostics: str


@cache
def binary() -> Path:
    """Return the path of the binary that contains clang; raise ToolError if the ziglang package is missing or
    incomplete."""
    # find_spec finds the package without executing its code.
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder, "zig")
        if path.is_file():
            return path
    raise ToolError(
        "the OpenCL C front end is not installed: the package 'ziglang' is missing or incomplete; "
        "`pip install --force-reinstall 'ziglang==0.17.*'` repairs it"
    )


@cache
def available() -> bool:
    """Return whether clang is installed; programs that come as binaries run without it."""
    try:
        binary()
    except ToolError:
        return False
    return True


@cache
def version() -> str:
    """Identify the clang binary in cache keys, without starting it."""
    path = binary()
    folder = path.parent.parent
    releases = sorted(name for name in os.listdir(folder) if name.startswith("ziglang-"))
    status = path.stat()
    # Without package metadata (an unusual installation), only the file itself distinguishes versions.
    return f"{releases or status.st_mtime_ns} {status.st_size}"


def run_clang(arguments: Sequence[str], source: str, *, reuse: bool = False) -> ClangResult:
    """Run clang's compiler proper with `arguments` on `source`.

    `source` and `arguments` may contain bytes that are not UTF-8 as surrogate escapes; raise ValueError if a
    text cannot be encoded. With `reuse`, a clang process that has compiled other sources may do it, which
    takes a fraction of the time; nothing that the source makes clang read or remember may affect later
    sources. A source that does not compile is a result. Raise ToolError if clang cannot run, and
    LimitExceeded if it takes too much time or memory.
    """
    data = _encode(source)
    if reuse:
        result = _run_by_worker(_command(arguments), data)
        if result is not None:
            return result
    # Name standard input, so that diagnostics need no rewriting.
    words = _command([*arguments, "-remap-file", f"{SOURCE_NAME};/dev/stdin", SOURCE_NAME])
    # The environment is intentionally empty: a build depends only on its inputs.
    done = run_process(words, data, {})
    return _result(done.returncode, done.output, done.diagnostics)


def start_worker(arguments: Sequence[str]) -> None:
    """Start a clang process that `run_clang` will use for these arguments, without waiting for it."""
    pool.start(_command(arguments), _NAMED[:1])


def read_ir(ir: str, triple: str) -> ClangResult:
    """Let clang read a module of LLVM IR, verify it and print it, without other changes."""
    arguments = ("-triple", triple, "-disable-llvm-passes", "-x", "ir", "-emit-llvm", "-o", "-", "-")
    done = run_process(_command(arguments), _encode(ir), {})
    return _result(done.returncode, done.output, done.diagnostics)


def _run_by_worker(command: tuple[bytes, ...], source: bytes) -> ClangResult | None:
    """Compile a source in a worker process; return None if a separate process must compile it."""
    answer = pool.run(command, _NAMED + source)
    if answer is None:
        return None
    # The head of a module contains the input's name.
    return _result(0, _INPUT.sub(SOURCE_NAME.encode(), answer.output, count=2), answer.diagnostics)


def _result(status: int, output: bytes, diagnostics: bytes) -> ClangResult:
    return ClangResult(
        status, output.decode("utf-8", "surrogateescape"), diagnostics.decode("utf-8", "replace")
    )


def _command(arguments: Sequence[str]) -> tuple[bytes, ...]:
    """Return the words of a command, encoded here so that the host program's locale has no effect."""
    return tuple(map(_encode, (str(binary()), "clang", "-cc1", *arguments)))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
