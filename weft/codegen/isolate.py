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

# Options for LLVM, which hands a number on from a store to the load of the next iteration, and makes two
# loops of one where the kernel asks for it, also where it must test at run time that the addresses do not
# wrap around. It may get that test wrong, as its vectorizer does (`wrap_tests.py`): it does without.
NO_WRAP_TESTS = (
    "-loop-load-elimination-scev-check-threshold=0",
    "-loop-distribute-scev-check-threshold-with-pragma=0",
)
# An option for LLVM where its vectorizer gets a loop wrong, or nobody looks at what it makes: it leaves those
# loops as well that the kernel asks to vectorize.
NOT_VECTORIZED = "-opt-disable=loop-vectorize"

_DANGEROUS = lazy_pattern(r"\basm\b|<vscale\b|\bx86_amx\b|@llvm\.(?:read_|read_volatile_|write_)register\b")
_WORDS = ("asm", "<vscale", "x86_amx", "register")
_TARGET_INTRINSIC = lazy_pattern(
    r"@llvm\.((?:aarch64|amdgcn|amdgpu|arm|bpf|dx|hexagon|loongarch|mips|nvvm|ppc|r600|riscv|s390|spv|ve|wasm"
    r"|x86|xcore)\.[\w.]+)"
)


def needed(texts: Sequence[str], target: Target) -> bool:
    """Whether LLVM could end the process while generating code for one of the modules."""
    return any(_is_dangerous(text) or _foreign_intrinsic(text, target) for text in texts)


def _is_dangerous(text: str) -> bool:
    # Looking for a word is many times quicker than searching by pattern, and hardly any text has one.
    return any(word in text for word in _WORDS) and _DANGEROUS.search(text) is not None


def _foreign_intrinsic(text: str, target: Target) -> bool:
    if "@llvm." not in text:
        return False
    return any(not target.has_intrinsic(name) for name in _TARGET_INTRINSIC.findall(text))


def emit(texts: Sequence[str], target: Target, level: int, exported: Sequence[str]) -> bytes:
    """`emit_object` in a child process; the child's death is a ToolError with LLVM's last words."""
    # Imported only here: this path is rare.
    import json

    words = (target.triple, target.cpu, target.features)
    request = {"target": words, "level": level, "exported": list(exported)}
    request["modules"] = list(texts)
    # Modules are not to be found in whatever folder the program is in.
    command = [interpreter(), "-P", "-m", "weft.codegen.isolate_child"]
    child = run_process(command, json.dumps(request).encode(), environment())
    if child.returncode != 0 or not child.output:
        raise ToolError(f"LLVM could not generate code: {last_words(child.diagnostics)}")
    return child.output


def environment() -> dict[str, str]:
    """What such an interpreter finds the same modules with as this one."""
    # Names of what is no folder (of import hooks) keep Python from starting if the working folder is gone.
    folders = [os.path.abspath(path) for path in sys.path if path and os.path.exists(path)]
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    if package not in folders:  # it was found in the working folder, or by a hook
        folders.insert(0, package)
    # Python's own modules first: the program's folder may have modules of the same names.
    own = os.path.dirname(os.path.abspath(os.__file__))
    folders.sort(key=lambda folder: folder not in (own, os.path.join(own, "lib-dynload")))
    return {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}


def interpreter() -> str:
    """A Python interpreter to start; if the host program embeds Python, sys.executable may be the program."""
    for path in (sys.executable, os.path.join(sys.prefix, "bin", "python3")):
        if path and os.path.basename(path).startswith("python") and os.access(path, os.X_OK):
            return path
    raise ToolError("the kernel must be compiled by a separate Python interpreter, but none was found")


def last_words(stderr: bytes) -> str:
    """What a compiler complained of before it ended."""
    lines = stderr.decode(errors="replace").strip().splitlines()
    # What follows the complaint is a stack dump of LLVM's.
    start = next((n for n, line in enumerate(lines) if "rror:" in line or "ERROR:" in line), 0)
    words = itertools.takewhile(lambda line: not line.startswith(("PLEASE", "Stack dump")), lines[start:])
    return "\n".join(words) or "the process ended without a message"
