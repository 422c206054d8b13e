"""Generate machine code with clang: the same LLVM as llvmlite's, in a separate process.

It compiles a linked module to the object file that llvmlite would emit. llvmlite's LLVM is built with
assertions: it is slower, and a failed assertion would end the user's program. clang's LLVM has none, and a
crash of clang is a reportable error. To avoid its start-up time, a process compiles several modules
(`weft/frontend/clang_workers.py`) and starts early, on another core, while the kernel compiler runs.
"""

from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from types import TracebackType

from weft.codegen.isolate import NO_WRAP_TESTS, NOT_VECTORIZED, emit, last_words
from weft.codegen.relocations import has_distant_relocation
from weft.codegen.wrap_tests import PRINT_VECTORIZED, lacks_wrap_test, without_functions
from weft.errors import LimitExceeded, ToolError, TooSlow, tell
from weft.faults import is_verbose
from weft.frontend.clang import available, binary
from weft.frontend.clang_workers import Answer, pool
from weft.lazy_pattern import lazy_pattern
from weft.limits import run_process
from weft.target import Target

_FIRST = b";"  # first byte of modules

# Bytes of text from which on loops are not unrolled: the time to unroll a loop grows with the function around
# it, and kernels with many barriers become functions with hundreds of loops. Most modules have a tenth of it.
LARGE = 1 << 19
_NOT_UNROLLED = (b"-mllvm", b"-opt-disable=loop-unroll")
# Branches to one block, as at the end of a switch, from which on the code generator leaves blocks in their
# order: placing them takes 1.2 s for 2,000 branches, 9.4 of 9.5 s for 4,000.
MOST_BRANCHES = 1_000
_NOT_PLACED = (b"-mllvm", b"-disable-block-placement")
_TARGET = lazy_pattern(rb"label (%[^ ,\n]+)")
# For loops that LLVM's vectorizer miscompiles.
_NOT_VECTORIZED = (b"-mllvm", NOT_VECTORIZED.encode())
# Processor time limit for a module, and for each byte of its text: ten times what LLVM takes for large ones.
# Some analyses take exponential time, such as the vectorizer's for a chain of saturated additions in a loop.
SECONDS = 3.0
SECONDS_PER_BYTE = 4e-5
# Length of a block, in instructions (one per line), from which on baseline code is generated at level 0.
# Combining and scheduling instructions (the latter twice) takes time quadratic in the size of a block: 1.5 s
# for 15,000 instructions, 25 s for 50,000, over 600 s for 160,000. Level 0 takes 0.3 s for those. It gives
# each spilled value its own stack slot: 7 MB for 65,000 instructions on double16. Waiting host threads run
# kernels too, and many have stacks of 1 or 2 MiB, so code with larger frames than LARGEST_FRAME is not used.
LONG_BLOCK = 8_000
LARGEST_FRAME = 1 << 19
_LEAST_BYTES = 16  # of a line
# clang writes a line for each function, with the size of its frame, to standard error.
_LEVEL_0 = (b"-O0", b"-stack-usage-file", b"/dev/fd/2")
_FRAME = lazy_pattern(rb"\t(\d+)\t(?:static|dynamic)")
# How many memory accesses of a block the schedulers compare with each other, and how many they drop beyond
# that. With LLVM's defaults (1,000 and 500), accesses that may alias, such as those of scatters, take time
# cubic in their number: 27 of 30 s for a kernel with 742 masked stores.
_FEWER_DEPENDENCES = ("-dag-maps-huge-region=200", "-dag-maps-reduction-size=100")
# 64-bit addresses everywhere: larger and slower code, which can always be linked.
_WIDE_ADDRESSES = (b"-mrelocation-model", b"static", b"-mcmodel=large")


def prepare(target: Target, level: int, quick: bool = False) -> AbstractContextManager["Backend | None"]:
    """Return the backend of `emit_object` for a module, as a context; None if clang is not installed.

    `quick`: the code will soon be replaced, so little time is spent on it.
    """
    if not available():
        return nullcontext()
    return Backend(target, level, quick)


def accepts(module: str, target: Target) -> bool:
    """Return whether LLVM accepts a module; a separate process verifies it, and may crash."""
    if not available():
        try:
            return bool(emit([module], target, 0, ()))
        except ToolError:
            return False
    words = (str(binary()), "clang", "-cc1", "-triple", target.triple, "-disable-llvm-passes")
    command = tuple(w.encode() for w in (*words, "-x", "ir", "-emit-llvm", "-o", "-"))
    text = module.encode("utf-8", "surrogateescape")
    if b"\0" in text:
        return False
    # All modules start with this byte; a comment changes nothing.
    return pool.run(command, _FIRST + b"\n" + text) is not None


class Backend:
    """clang for modules of one kind; within its context an idle process is ready."""

    def __init__(self, target: Target, level: int, quick: bool = False) -> None:
        clang = str(binary())
        self._command = _command(clang, target, level, quick)
        self._is_quick = quick
        # For modules that take too long to optimize; None if they are not optimized.
        self._quick = Backend(target, level, True) if level and not quick else None
        # For unoptimized code on which the back end fails: level 1 has no vectorizers.
        self._least = _command(clang, target, 1, False)

    def __enter__(self) -> "Backend":
        pool.start(self._command, _FIRST)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Keep an idle process for the next module."""

    def emit(self, module: bytes, alone: bool = False) -> bytes:
        """Return the object file of a module given as text; raise ToolError with LLVM's last message.

        `alone`: use a process of its own for the module. If optimization takes too long, the code is not
        optimized. If the back end fails on unoptimized code, the code is optimized.
        """
        if self._quick is not None:
            seconds = SECONDS + SECONDS_PER_BYTE * len(module)
            try:
                return self._emit(module, alone, seconds)
            except TooSlow:
                if is_verbose():
                    tell(
                        f"LLVM optimized a module of {len(module)} bytes for {seconds:.0f} s: it goes without"
                    )
                return self._quick._emit_at_any_price(module, alone=True)
        # Code that will soon be replaced may be slow.
        if self._is_quick and has_long_block(module):
            simple = self._emit_at_level_0(module)
            if simple is not None:
                return simple
        return self._emit_at_any_price(module, alone)

    def _emit_at_level_0(self, module: bytes) -> bytes | None:
        """Return the object file; None if its frames are too large, or if the back end fails."""
        try:
            answer = _compile_alone((*self._command, *_for_size(module), *_LEVEL_0), module, None)
        except LimitExceeded:
            raise
        except ToolError:
            return None
        frames = [int(size) for size in _FRAME.findall(answer.diagnostics)]
        return answer.output if frames and sum(frames) <= LARGEST_FRAME else None

    def _emit_at_any_price(self, module: bytes, alone: bool) -> bytes:
        try:
            return self._emit(module, alone, None)
        except LimitExceeded:
            raise
        except ToolError:
            return _emit_alone((*self._least, *_for_size(module)), module, None)

    def _emit(self, module: bytes, alone: bool, seconds: float | None) -> bytes:
        more = _for_size(module)
        reusable = module.startswith(_FIRST) and not more and not alone
        answer = pool.run(self._command, module, seconds) if reusable else None
        if answer is not None and lacks_wrap_test(answer.diagnostics):
            more = _NOT_VECTORIZED
        elif answer is not None and not has_distant_relocation(answer.output):
            return answer.output
        return _emit_alone((*self._command, *more), module, seconds)


def _for_size(module: bytes) -> tuple[bytes, ...]:
    """Return the additional options for large modules."""
    options = _NOT_UNROLLED if len(module) >= LARGE else ()
    return (*options, *_NOT_PLACED) if has_crowded_block(module) else options


def has_crowded_block(module: bytes) -> bool:
    """Return whether MOST_BRANCHES branches of a function of a module go to one block."""
    if len(module) < MOST_BRANCHES * _LEAST_BYTES:
        return False
    functions = (Counter(_TARGET.findall(function)) for function in module.split(b"\n}\n"))
    return any(max(targets.values(), default=0) >= MOST_BRANCHES for targets in functions)


def has_long_block(module: bytes) -> bool:
    """Return whether a module has a block of LONG_BLOCK instructions."""
    if len(module) < LONG_BLOCK * _LEAST_BYTES:
        return False
    length = 0
    for line in module.splitlines():
        length = length + 1 if line.startswith(b"  ") else 0
        if length >= LONG_BLOCK:
            return True
    return False


def _emit_alone(command: tuple[bytes, ...], module: bytes, seconds: float | None) -> bytes:
    """Return the object file, compiled by a new process."""
    return _compile_alone(command, module, seconds).output


def _compile_alone(command: tuple[bytes, ...], module: bytes, seconds: float | None) -> Answer:
    """Return the object file and what clang says, compiled by a new process."""
    answer = _object_file(command, module, seconds)
    if lacks_wrap_test(answer.diagnostics):
        command += _NOT_VECTORIZED
        answer = _object_file(command, module, seconds)
    if has_distant_relocation(answer.output):
        answer = _object_file((*command, *_WIDE_ADDRESSES), module, seconds)
    return answer


def _object_file(command: tuple[bytes, ...], module: bytes, seconds: float | None) -> Answer:
    done = run_process([*command, b"-"], module, {}, seconds)
    messages = without_functions(done.diagnostics)
    # The status is unknown in a program that ignores SIGCHLD or waits for all its children.
    if done.returncode != 0 or not done.output or b"error:" in messages:
        raise ToolError(f"LLVM could not generate code: {last_words(messages)}")
    return Answer(done.output, done.diagnostics)


@lru_cache(maxsize=16)
def _command(clang: str, target: Target, level: int, quick: bool) -> tuple[bytes, ...]:
    features = (word for feature in target.features.split(",") for word in ("-target-feature", feature))
    loops: list[str] = []
    if level >= 1:
        # At level 1, LLVM vectorizes only loops for which the kernel requests it.
        loops += ("-funroll-loops", *(word for option in PRINT_VECTORIZED for word in ("-mllvm", option)))
    if level >= 2:
        # No SLP vectorizer: it miscompiles some sums of products of bytes.
        loops.append("-vectorize-loops")
    if quick:
        # The kernel compiler's output is in good shape already; the optimizer takes longer than the rest of
        # clang. Of the rest, loop strength reduction takes a seventh and gains as little.
        loops = ["-disable-llvm-passes", "-mllvm", "-disable-lsr"]
    words = (
        *(clang, "clang", "-cc1", "-triple", target.triple, "-target-cpu", target.cpu, *features),
        # Position-independent code of the small model; `weft.codegen.machine` has the reason.
        *("-mrelocation-model", "pic", "-pic-level", "2", "-mcmodel=small"),
        *(word for option in (*NO_WRAP_TESTS, *_FEWER_DEPENDENCES) for word in ("-mllvm", option)),
        *(f"-O{level}", *loops, "-x", "ir", "-emit-obj", "-o", "-"),
    )
    return tuple(word.encode() for word in words)
