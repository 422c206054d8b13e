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

# What diagnostics and __FILE__ call the program's source. No file can have this name by accident, so an
# #include never means it.
SOURCE_NAME = "<source>"

# What names the source where it comes as one of several inputs, and what it is called otherwise.
_NAMED = f'#line 1 "{SOURCE_NAME}"\n'.encode()
_INPUT = lazy_pattern(rb"/dev/fd/\d+")


@dataclass(frozen=True)
class ClangResult:
    """How a run of clang ended: its exit status (negative: a signal), standard output and diagnostics."""

    returncode: int
    output: str
    diagnostics: str


@cache
def binary() -> Path:
    """The path of the binary that holds clang; ToolError if the ziglang package is not there or not whole."""
    # find_spec looks the package up without running any of its code.
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
    """Whether clang is installed: programs that come as binaries run without it."""
    try:
        binary()
    except ToolError:
        return False
    return True


@cache
def version() -> str:
    """Identify the clang binary in cache keys, without the cost of starting it."""
    path = binary()
    folder = path.parent.parent
    releases = sorted(name for name in os.listdir(folder) if name.startswith("ziglang-"))
    status = path.stat()
    # Without package metadata (an unusual installation) only the file itself can tell versions apart.
    return f"{releases or status.st_mtime_ns} {status.st_size}"


def run_clang(arguments: Sequence[str], source: str, *, reuse: bool = False) -> ClangResult:
    """Run clang's compiler proper with `arguments` over `source`.

    Bytes that are not UTF-8 may stand in `source` and `arguments` as surrogate escapes; ValueError if a
    text cannot be encoded. `reuse` lets a clang do it that has compiled other sources before, which takes
    a fraction of the time; nothing that the source has clang read or remember may outlast it.
    A source that does not compile is a result; ToolError is for a clang that cannot run at all, LimitExceeded
    for one that takes too much time or memory.
    """
    data = _encode(source)
    if reuse:
        result = _run_by_worker(_command(arguments), data)
        if result is not None:
            return result
    # Gives standard input a name, so that diagnostics need no rewriting.
    words = _command([*arguments, "-remap-file", f"{SOURCE_NAME};/dev/stdin", SOURCE_NAME])
    # The environment is empty on purpose: a build depends on its inputs only.
    done = run_process(words, data, {})
    return _result(done.returncode, done.output, done.diagnostics)


def start_worker(arguments: Sequence[str]) -> None:
    """Have a clang start that `run_clang` will use for these arguments, and do not wait for it."""
    pool.start(_command(arguments), _NAMED[:1])


def read_ir(ir: str, triple: str) -> ClangResult:
    """Have clang read a module of LLVM IR, verify it and print it; nothing else is done to it."""
    arguments = ("-triple", triple, "-disable-llvm-passes", "-x", "ir", "-emit-llvm", "-o", "-", "-")
    done = run_process(_command(arguments), _encode(ir), {})
    return _result(done.returncode, done.output, done.diagnostics)


def _run_by_worker(command: tuple[bytes, ...], source: bytes) -> ClangResult | None:
    """What a worker process makes of a source; None if that is to be seen by one that runs for it alone."""
    answer = pool.run(command, _NAMED + source)
    if answer is None:
        return None
    # The head of a module tells the input's name.
    return _result(0, _INPUT.sub(SOURCE_NAME.encode(), answer.output, count=2), answer.diagnostics)


def _result(status: int, output: bytes, diagnostics: bytes) -> ClangResult:
    return ClangResult(
        status, output.decode("utf-8", "surrogateescape"), diagnostics.decode("utf-8", "replace")
    )


def _command(arguments: Sequence[str]) -> tuple[bytes, ...]:
    """The words of a call, encoded here, because a host program's locale must not decide how."""
    return tuple(map(_encode, (str(binary()), "clang", "-cc1", *arguments)))


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
