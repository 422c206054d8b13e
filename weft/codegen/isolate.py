"""Generate code in a separate process, for modules on which LLVM might abort.

LLVM reports most errors, but its back end exits or aborts on a few that a user's kernel can cause: invalid
inline assembly, intrinsics of another processor, unknown register names, scalable vectors. A program must not
die because it built such a kernel. If clang is installed, it generates all code (`weft.codegen.backend`);
otherwise a Python process compiles such modules. That is a new interpreter, not a fork: the host program may
have threads and exit handlers that must not run twice.

`isolate_child.py` is that child.
"""

import itertools
import os
import sys
from collections.abc import Sequence

from weft.errors import ToolError
from weft.lazy_pattern import lazy_pattern
from weft.limits import run_process
from weft.target import Target

# LLVM forwards a value from a store to the load of the next iteration, and splits loops where the kernel
# requests it, even if it must test at run time that addresses do not wrap. It may get that test wrong, as its
# vectorizer does (`wrap_tests.py`), so these options forbid such tests.
NO_WRAP_TESTS = (
    "-loop-load-elimination-scev-check-threshold=0",
    "-loop-distribute-scev-check-threshold-with-pragma=0",
)
# Disables the vectorizer for modules that it miscompiles, or whose output is not checked, even for loops that
# the kernel asks to vectorize.
NOT_VECTORIZED = "-opt-disable=loop-vectorize"

_DANGEROUS = lazy_pattern(r"\basm\b|<vscale\b|\bx86_amx\b|@llvm\.(?:read_|read_volatile_|write_)register\b")
_WORDS = ("asm", "<vscale", "x86_amx", "register")
_TARGET_INTRINSIC = lazy_pattern(
    r"@llvm\.((?:aarch64|amdgcn|amdgpu|arm|bpf|dx|hexagon|loongarch|mips|nvvm|ppc|r600|riscv|s390|spv|ve|wasm"
    r"|x86|xcore)\.[\w.]+)"
)


def needed(texts: Sequence[str], target: Target) -> bool:
    """Return whether LLVM could end the process while generating code for one of the modules."""
    return any(_is_dangerous(text) or _foreign_intrinsic(text, target) for text in texts)


def _is_dangerous(text: str) -> bool:
    # Searching for a word is many times faster than matching a pattern, and few texts have one.
    return any(word in text for word in _WORDS) and _DANGEROUS.search(text) is not None


def _foreign_intrinsic(text: str, target: Target) -> bool:
    if "@llvm." not in text:
        return False
    return any(not target.has_intrinsic(name) for name in _TARGET_INTRINSIC.findall(text))


def emit(texts: Sequence[str], target: Target, level: int, exported: Sequence[str]) -> bytes:
    """Run `emit_object` in a child process; if the child dies, raise ToolError with LLVM's last message."""
    # Imported only here: this path is rare.
    import json

    words = (target.triple, target.cpu, target.features)
    request = {"target": words, "level": level, "exported": list(exported)}
    request["modules"] = list(texts)
    # Modules must not be searched in the working folder of the program.
    command = [interpreter(), "-P", "-m", "weft.codegen.isolate_child"]
    child = run_process(command, json.dumps(request).encode(), environment())
    if child.returncode != 0 or not child.output:
        raise ToolError(f"LLVM could not generate code: {last_words(child.diagnostics)}")
    return child.output


def environment() -> dict[str, str]:
    """Return the environment in which another interpreter finds the same modules as this one."""
    # Entries that are not folders (of import hooks) prevent Python from starting if the working folder is
    # gone.
    folders = [os.path.abspath(path) for path in sys.path if path and os.path.exists(path)]
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if package not in folders:  # it was found in the working folder, or by a hook
        folders.insert(0, package)
    # Python's own modules come first, because the program's folder may have modules of the same names.
    own = os.path.dirname(os.path.abspath(os.__file__))
    folders.sort(key=lambda folder: folder not in (own, os.path.join(own, "lib-dynload")))
    # This interpreter may have ignored variables that would prevent another one from starting.
    unwanted = "PYTHON" if sys.flags.ignore_environment else "PYTHONPATH"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    return {**kept, "PYTHONPATH": os.pathsep.join(folders)}


def interpreter() -> str:
    """Return a Python interpreter to start.

    If the host program embeds Python, sys.executable may be the program.
    """
    for path in (sys.executable, os.path.join(sys.prefix, "bin", "python3")):
        if path and os.path.basename(path).startswith("python") and os.access(path, os.X_OK):
            return path
    raise ToolError("the kernel must be compiled by a separate Python interpreter, but none was found")


def last_words(stderr: bytes) -> str:
    """Return the error message that a compiler printed before it ended."""
    lines = stderr.decode(errors="replace").strip().splitlines()
    # LLVM prints a stack dump after the message.
    start = next((n for n, line in enumerate(lines) if "rror:" in line or "ERROR:" in line), 0)
    words = itertools.takewhile(lambda line: not line.startswith(("PLEASE", "Stack dump")), lines[start:])
    return "\n".join(words) or "the process ended without a message"
