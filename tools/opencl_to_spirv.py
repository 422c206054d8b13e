"""Compiles OpenCL C to SPIR-V, for tests and benchmarks.

    python -m tools.opencl_to_spirv kernel.cl -o kernel.spv
    python -m tools.opencl_to_spirv --writer khronos --options=-cl-std=CL3.0 kernel.cl -o kernel.spv

There are two writers. `llvm` is the back end in the clang that Weft uses. `khronos` is llvm-spirv, Khronos's
translator from LLVM IR, with a matching clang (Debian: clang-15, llvm-spirv-15).
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from weft.frontend.clang import binary
from weft.frontend.options import BuildOptions, parse_options
from weft.frontend.several import includes
from weft.limits import run_process

CLANG, TRANSLATOR = "clang-15", "llvm-spirv-15"
# Writers record that integers do not wrap only if this extension is enabled.
_NO_WRAP = "+SPV_KHR_no_integer_wrap_decoration"
# Extensions that the back end may use, for functions that are instructions of extensions.
_OF_BACK_END = (
    "+SPV_EXT_shader_atomic_float16_add,+SPV_EXT_shader_atomic_float_add"
    ",+SPV_EXT_shader_atomic_float_min_max,+SPV_KHR_bit_instructions,+SPV_KHR_integer_dot_product"
    ",+SPV_KHR_shader_clock,+SPV_KHR_subgroup_rotate"
)


class NotCompiled(Exception):
    """A writer did not accept a source."""


def has_translator() -> bool:
    """Return whether the writer `khronos` is installed."""
    return shutil.which(CLANG) is not None and shutil.which(TRANSLATOR) is not None


@cache
def spirv_of(source: str, options: str = "", optimized: bool = False, writer: str = "llvm") -> bytes:
    """Return the module that a writer produces from OpenCL C; raise NotCompiled if it fails.

    `optimized`: run clang's passes. They treat divisions by zero and similar operations as impossible, in
    contrast to Weft.
    """
    passes = ["-O2"] if optimized else ["-O2", "-disable-llvm-passes"]
    return _WRITERS[writer](source, parse_options(options), passes)


def _by_back_end(source: str, options: BuildOptions, passes: Sequence[str]) -> bytes:
    words = [str(binary()), "clang", "-cc1", *passes, *options.clang_arguments()]
    words += ["-triple", "spirv64-unknown-unknown", "-U__SPIR__", "-U__SPIRV__"]
    words += ["-x", "cl", "-fdeclare-opencl-builtins", *includes((source,), options), "-nostdsysteminc"]
    words += ["-mllvm", f"-spirv-ext={_NO_WRAP},{_OF_BACK_END}"]
    words += ["-nobuiltininc", "-cl-kernel-arg-info", "-emit-obj", "-o", "-", "-"]
    return _run(words, source)


def _by_translator(source: str, options: BuildOptions, passes: Sequence[str]) -> bytes:
    # This clang does not know all extensions and warnings that Weft uses.
    shared = [word for word in options.clang_arguments() if not word.startswith(("-cl-ext=", "-W"))]
    words = [_installed(CLANG), "-cc1", *passes, *shared, "-cl-ext=+all"]
    # This version of the translator accepts only typed pointers.
    words += ["-triple", "spir64-unknown-unknown", "-no-opaque-pointers"]
    words += ["-x", "cl", "-fdeclare-opencl-builtins", "-finclude-default-header"]
    words += ["-cl-kernel-arg-info", "-emit-llvm-bc"]
    with tempfile.TemporaryDirectory(prefix="weft-spirv-") as folder:
        bitcode, module = Path(folder, "module.bc"), Path(folder, "module.spv")
        _run([*words, "-o", str(bitcode), "-"], source, bitcode)
        allowed = f"--spirv-ext={_NO_WRAP}"
        return _run([_installed(TRANSLATOR), allowed, str(bitcode), "-o", str(module)], "", module)


_WRITERS: dict[str, Callable[[str, BuildOptions, Sequence[str]], bytes]] = {
    "llvm": _by_back_end,
    "khronos": _by_translator,
}


def _installed(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise NotCompiled(f"{program} is not installed")
    return path


def _run(words: Sequence[str], text: str, result: Path | None = None) -> bytes:
    done = run_process([word.encode() for word in words], text.encode(), {})
    output = done.output if result is None else result.read_bytes() if result.exists() else b""
    if done.returncode or not output:
        lines = done.diagnostics.decode(errors="replace").splitlines()
        errors = [line for line in lines if "rror:" in line or "Assertion" in line] or lines
        raise NotCompiled(errors[0] if errors else f"status {done.returncode}")
    return output


def main(arguments: Sequence[str]) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.opencl_to_spirv",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("source", type=Path, help="a file of OpenCL C")
    parser.add_argument("-o", dest="module", type=Path, required=True, help="the module to write")
    parser.add_argument("--writer", choices=sorted(_WRITERS), default="llvm", help="default: llvm")
    parser.add_argument("--options", default="", help="build options, as --options=-cl-std=CL3.0")
    parser.add_argument("--optimized", action="store_true", help="run clang's passes")
    options = parser.parse_args(arguments)
    try:
        module = spirv_of(options.source.read_text(), options.options, options.optimized, options.writer)
    except NotCompiled as error:
        print(f"{options.source}: {error}", file=sys.stderr)
        return 1
    options.module.write_bytes(module)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
