"""OpenCL C source to LLVM IR: one run of clang and the little that has to happen before and after it.

clang compiles for SPIR rather than for the host. SPIR's calling convention passes every scalar and vector
as itself and every structure through memory, so a built-in has the same signature on every CPU and the
vector form of a call follows from its scalar form; the host's convention would split, merge and spill
arguments depending on the CPU's features. Sizes and alignments of types are the same, so that afterwards
the module becomes one for the host by exchanging triple and data layout. Names are mangled as for a host
(`PU8CLglobali`), address spaces are 0 private, 1 global, 2 constant, 3 local, 4 generic, and events, images
and samplers are plain pointers.
"""

import hashlib
import os
import platform
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from weft import __version__
from weft.errors import BuildError, ToolError
from weft.frontend.clang import ClangResult, run_clang, version
from weft.frontend.metadata import KernelInfo, read_kernels
from weft.frontend.options import BuildOptions

HEADER = Path(__file__).with_name("include") / "weft_opencl.h"

_ARGUMENTS = (
    *("-triple", "spir64-unknown-unknown", "-faddress-space-map-mangling=no"),
    *("-x", "cl", "-fdeclare-opencl-builtins", "-include", str(HEADER)),
    *("-nostdsysteminc", "-nobuiltininc"),
    # The target is Weft's, not SPIR, and images are announced by the header when there are any.
    *("-U__SPIR__", "-U__SPIR64__", "-U__SPIR", "-U__SPIR64", "-U__IMAGE_SUPPORT__"),
    # Level 2 for what clang writes for an optimizer (alias and lifetime information); its passes stay off.
    *("-O2", "-disable-llvm-passes", "-cl-kernel-arg-info", "-emit-llvm", "-o", "-"),
    *("-ferror-limit", "100"),
)

# Triple and data layout of LLVM 22 for the processors Weft runs on.
_HOSTS = {
    "x86_64": (
        "x86_64-unknown-linux-gnu",
        "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    ),
    "aarch64": (
        "aarch64-unknown-linux-gnu",
        "e-m:e-p270:32:32-p271:32:32-p272:64:64-i8:8:32-i16:16:32-i64:64-i128:128-n32:64-S128-Fn32",
    ),
}

# x86 processors, as LLVM names them, whose fma() is a function call rather than an instruction.
_WITHOUT_FMA = frozenset(
    "generic x86-64 x86-64-v2 k8 opteron athlon64 athlon-fx k8-sse3 opteron-sse3 athlon64-sse3 amdfam10 barcelona "
    "btver1 btver2 bdver1 nocona core2 penryn nehalem corei7 westmere sandybridge corei7-avx ivybridge core-avx-i "
    "bonnell atom silvermont slm goldmont goldmont-plus tremont x86-64-v1".split()
)

_INCLUDED = re.compile(r"^\.+ (.*)\n", re.MULTILINE)
_SUMMARY = re.compile(r"^\d+ (?:warnings?|errors?)(?: and \d+ errors?)? generated\.\n", re.MULTILINE)
_CRASH = re.compile(r"^(?:PLEASE submit|Stack dump:|thread \d+ panic).*", re.MULTILINE | re.DOTALL)
_LAYOUT = re.compile(r'^target datalayout = "[^"]*"\ntarget triple = "[^"]*"$', re.MULTILINE)
# Only in instructions and function heads, not in the strings of the program.
_CONVENTION = re.compile(r"^((?:  |define |declare ).*?)\bspir_func ", re.MULTILINE)
_OPAQUE = re.compile(r'target\("spirv\.\w+"[^)"]*\)( zeroinitializer)?')


@dataclass(frozen=True)
class Translation:
    """A program in LLVM IR: its text, clang's warnings, its kernels in source order, and the (path, sha256)
    of each file that an #include brought in."""

    ir: str
    log: str
    kernels: tuple[KernelInfo, ...]
    dependencies: tuple[tuple[str, str], ...]


def source_text(data: bytes) -> str:
    """A program's bytes as the text that compile_source takes; bytes that are not UTF-8 survive."""
    return data.decode("utf-8", "surrogateescape")


def compile_source(source: str, options: BuildOptions, cpu: str) -> Translation:
    """Translate OpenCL C for processor `cpu` (LLVM's name); raises BuildError with clang's diagnostics."""
    arguments = [*_ARGUMENTS, *_macros(cpu), *options.clang_arguments()]
    includes = "include" in source
    if includes:
        arguments.append("-H")
    try:
        # Hosts that count a C string's terminator as part of the source are many.
        result = run_clang(arguments, source.rstrip("\0"))
    except ValueError as error:
        raise BuildError(f"error: the source or the build options are not valid text: {error}\n") from None
    log = _log(result)
    if result.returncode != 0 or not result.output.startswith("; ModuleID"):
        raise BuildError(log)
    dependencies = _dependencies(result.diagnostics) if includes else ()
    ir = _for_host(result.output)
    return Translation(ir, log, read_kernels(ir), dependencies)


def translation_key(source: str, options: BuildOptions, cpu: str) -> str:
    """A digest of all that decides a translation, except the contents of included files (`dependencies`)."""
    # Relative includes are looked up from the working directory.
    folder = os.getcwd() if "include" in source else ""
    parts = (header_key(), source, options.key(), cpu, folder)
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def unchanged(dependencies: tuple[tuple[str, str], ...]) -> bool:
    """Whether every included file still has the contents it was compiled with."""
    return all(_file_digest(path) == digest for path, digest in dependencies)


@cache
def header_key() -> str:
    """Identifies the front end (its header, its code and its clang) in cache keys."""
    digest = hashlib.sha256(f"{__version__} {version()} {platform.machine()}".encode())
    folder = Path(__file__).parent
    for path in (HEADER, *sorted(folder.glob("*.py"))):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _macros(cpu: str) -> list[str]:
    """The predefined macros that depend on the processor."""
    if cpu in _WITHOUT_FMA:
        return []
    return ["-DFP_FAST_FMAF=1", "-DFP_FAST_FMA=1"]


def _log(result: ClangResult) -> str:
    """clang's diagnostics as the build log: no list of includes, no path of Weft's own files."""
    text = _SUMMARY.sub("", _INCLUDED.sub("", result.diagnostics))
    if result.returncode not in (0, 1):
        text = _CRASH.sub("", text) + f"error: clang ended abnormally (status {result.returncode})\n"
    elif not text and not result.output:
        text = "error: clang gave neither output nor a diagnostic\n"
    return text.replace(str(HEADER), HEADER.name)


def _dependencies(diagnostics: str) -> tuple[tuple[str, str], ...]:
    """(absolute path, sha256) of each file in clang's list of includes."""
    paths = dict.fromkeys(os.path.abspath(path) for path in _INCLUDED.findall(diagnostics))
    return tuple((path, _file_digest(path)) for path in paths)


def _file_digest(path: str) -> str:
    """The sha256 of a file; empty, and so equal to no digest, when it cannot be read."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


def _for_host(ir: str) -> str:
    """The module, written for SPIR, as one for this machine."""
    try:
        triple, layout = _HOSTS[platform.machine()]
    except KeyError:
        raise ToolError(f"Weft does not compile for {platform.machine()} processors") from None
    ir = _LAYOUT.sub(f'target datalayout = "{layout}"\ntarget triple = "{triple}"', ir, count=1)
    ir = _CONVENTION.sub(r"\1", ir)
    if 'target("spirv.' in ir:
        ir = _OPAQUE.sub(lambda found: "ptr null" if found[1] else "ptr", ir)
    return ir
