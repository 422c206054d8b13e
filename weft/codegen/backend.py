"""Machine code by clang: the LLVM of llvmlite once more, in a process of its own.

It takes a linked module and gives the object file that llvmlite would give. llvmlite's LLVM is
built with self-checks: it takes half as long again, and a check that fails ends the process, which here is
the user's program. clang's has none, and whatever happens to it is an error to report. Starting it takes
some 8 ms, so that a process is started when it is known that code will be needed, and comes up on another
core while the kernel compiler works.
"""

import subprocess
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache
from types import TracebackType

from weft.codegen.isolate import last_words
from weft.codegen.target import Target
from weft.errors import ToolError
from weft.frontend.clang import binary

_TIMEOUT_SECONDS = 300


@cache
def available() -> bool:
    """Whether clang is installed: programs that come as binaries run without it."""
    try:
        binary()
    except ToolError:
        return False
    return True


def prepare(target: Target, level: int, lone: bool = False) -> AbstractContextManager["Backend | None"]:
    """What `emit_object` will use for a module, in a context that ends it; None if it needs no clang."""
    return Backend(target, level, slp(level, lone)) if level and available() else nullcontext()


def slp(level: int, lone: bool) -> bool:
    """Whether LLVM looks for vectors in straight code.

    It takes up to a third of the optimizer's time and finds next to nothing in what work-items do in
    loops, which run in lanes already.
    """
    return level >= 3 or (lone and level == 2)


class Backend:
    """A run of clang that waits for the module; leaving its context ends it."""

    def __init__(self, target: Target, level: int, straight: bool) -> None:
        self._command = [str(binary()), *_arguments(target, level, straight)]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts clang, unless it runs."""
        if self._process is None:
            pipe = subprocess.PIPE
            try:
                self._process = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=pipe, env={})
            except OSError as error:
                raise ToolError(f"cannot start '{self._command[0]}': {error.strerror or error}") from error

    def emit(self, module: bytes) -> bytes:
        """The object file of a module, bitcode or text; ToolError with LLVM's last words if there is none."""
        self.start()
        process, self._process = self._process, None
        assert process is not None
        try:
            code, words = process.communicate(module, _TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired as error:
            _end(process)
            raise ToolError(f"code generation did not end in {_TIMEOUT_SECONDS} s") from error
        if process.returncode != 0 or not code:
            raise ToolError(f"LLVM could not generate code: {last_words(words)}")
        return code

    def __enter__(self) -> "Backend":
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            _end(self._process)
            self._process = None


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    with suppress(OSError):  # nobody reads what could not be written any more
        process.communicate()


def _arguments(target: Target, level: int, straight: bool) -> tuple[str, ...]:
    features = (word for feature in target.features.split(",") for word in ("-target-feature", feature))
    loops = (*(["-funroll-loops"] * (level >= 1)), *(["-vectorize-loops"] * (level >= 2)))
    return (
        *("clang", "-cc1", "-triple", target.triple, "-target-cpu", target.cpu, *features),
        # Position-independent code of the small model, as `weft.codegen.target` says why.
        *("-mrelocation-model", "pic", "-pic-level", "2", "-mcmodel=small"),
        *(f"-O{level}", *loops, *(["-vectorize-slp"] * straight), "-x", "ir", "-emit-obj", "-o", "-", "-"),
    )
