"""Starts clang: the only place that does.

The `ziglang` wheel carries an unmodified clang in its one binary (`zig clang`). Weft talks to the compiler
proper (`-cc1`) without clang's driver: no search for a system compiler, no include folder but the user's,
no environment variable with a meaning, and a call takes about 10 ms. Source goes in by standard input and
output comes back by standard output, so there are no temporary files.
"""

import importlib.util
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from weft.errors import ToolError

# What diagnostics and __FILE__ call the program's source. No file can have this name by accident, so an
# #include never means it.
SOURCE_NAME = "<source>"


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
def version() -> str:
    """Identifies the clang binary in cache keys, without the cost of starting it."""
    path = binary()
    folder = path.parent.parent
    releases = sorted(name for name in os.listdir(folder) if name.startswith("ziglang-"))
    status = path.stat()
    # Without package metadata (an unusual installation) only the file itself can tell versions apart.
    return f"{releases or status.st_mtime_ns} {status.st_size}"


def run_clang(arguments: Sequence[str], source: str) -> ClangResult:
    """Run clang's compiler proper with `arguments` over `source`.

    Bytes that are not UTF-8 may stand in `source` and `arguments` as surrogate escapes; ValueError if a
    text cannot be encoded.
    A source that does not compile is a result; ToolError is for a clang that cannot run at all.
    """
    command = [
        str(binary()),
        "clang",
        "-cc1",
        *arguments,
        # Gives standard input a name, so that diagnostics need no rewriting.
        "-remap-file",
        f"{SOURCE_NAME};/dev/stdin",
        SOURCE_NAME,
    ]
    data = source.encode("utf-8", "surrogateescape")
    # Encoded here, because a host program's locale must not decide how.
    words = [word.encode("utf-8", "surrogateescape") for word in command]
    try:
        # The environment is empty on purpose: a build depends on its inputs only.
        done = subprocess.run(words, input=data, capture_output=True, env={}, check=False)
    except OSError as error:
        reason = error.strerror or error
        raise ToolError(f"cannot start the OpenCL C front end '{command[0]}': {reason}") from error
    return ClangResult(
        done.returncode,
        done.stdout.decode("utf-8", "surrogateescape"),
        done.stderr.decode("utf-8", "replace"),
    )
