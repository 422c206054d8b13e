"""SPIR-V for tests: made of OpenCL C by the clang that Weft brings, whose LLVM has a back end for it."""

from functools import cache

from weft.frontend.clang import binary
from weft.frontend.options import parse_options
from weft.frontend.several import HEADER
from weft.limits import run_process

_ARGUMENTS = (
    *("-triple", "spirv64-unknown-unknown", "-U__SPIR__", "-U__SPIRV__"),
    *("-x", "cl", "-fdeclare-opencl-builtins", "-include", str(HEADER), "-nostdsysteminc", "-nobuiltininc"),
    *("-cl-kernel-arg-info", "-emit-obj", "-o", "-", "-"),
)


class NotCompiled(Exception):
    """clang, or its back end for SPIR-V, does not take a source."""


@cache
def spirv_of(source: str, options: str = "", optimized: bool = False) -> bytes:
    """The module that clang makes of OpenCL C.

    Its optimizer takes divisions by zero and their like for impossible, which Weft does not.
    """
    passes = [] if optimized else ["-disable-llvm-passes"]
    words = [str(binary()), "clang", "-cc1", "-O2", *passes]
    words += [*parse_options(options).clang_arguments(), *_ARGUMENTS]
    done = run_process([word.encode() for word in words], source.encode(), {})
    if done.returncode or not done.output:
        lines = done.diagnostics.decode(errors="replace").splitlines()
        told = [line for line in lines if "rror" in line] or lines
        raise NotCompiled(told[0] if told else f"status {done.returncode}")
    return done.output
