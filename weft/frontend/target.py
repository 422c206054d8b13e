"""What clang compiles for, and how its module becomes one for this machine.

clang compiles for SPIR rather than for the host. SPIR's calling convention passes every scalar and vector
as itself and every structure through memory, so a built-in has the same signature on every CPU and the
vector form of a call follows from its scalar form; the host's convention would split, merge and spill
arguments depending on the CPU's features (`<2 x float>` as `double`, `<16 x float>` through memory without
AVX-512). Sizes and alignments of types are the same, so that afterwards the module becomes one for the host
by exchanging triple and data layout. Names are mangled as for a host (`PU8CLglobali`); address spaces are
0 private, 1 global, 2 constant, 3 local, 4 generic; events, images and samplers are plain pointers, and a
sampler that the program defines is the number it is initialized with, in the guise of a pointer.

Everything that is linked together (kernels and built-ins) has to come through here.
"""

import os
import re

from weft.errors import ToolError

TARGET_ARGUMENTS = (
    *("-triple", "spir64-unknown-unknown", "-faddress-space-map-mangling=no"),
    # SPIR is the means here, not the target, and programs must not take it for that.
    *("-U__SPIR__", "-U__SPIR64__", "-U__SPIR", "-U__SPIR64"),
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
    (
        *("generic", "x86-64", "x86-64-v2", "k8", "opteron", "athlon64", "athlon-fx", "k8-sse3", "amdfam10"),
        *("opteron-sse3", "athlon64-sse3", "barcelona", "btver1", "btver2", "bdver1", "nocona", "core2"),
        *("penryn", "nehalem", "corei7", "westmere", "sandybridge", "corei7-avx", "ivybridge", "core-avx-i"),
        *("bonnell", "atom", "silvermont", "slm", "goldmont", "goldmont-plus", "tremont"),
    )
)

_LAYOUT = re.compile(r'^target datalayout = "[^"]*"\ntarget triple = "[^"]*"$', re.MULTILINE)
_CONVENTION = " spir_func "
# Where it is one, rather than a part of the program's strings: in instructions and in heads of functions.
_WITH_CONVENTION = ("  ", "define ", "declare ")
_OPAQUE = re.compile(r'target\("spirv\.\w+"[^)"]*\)( zeroinitializer)?')

# The program's words on where a linker is to put things: there is none.
_SECTION = re.compile(r'^((?:define|@)[^\n]*?),? section "[^"\n]*"', re.MULTILINE)
_SAMPLER = re.compile(r"= call ptr @__translate_sampler_initializer\(i32 (\d+)\)[^\n]*")


def fma_macros(cpu: str) -> list[str]:
    """The macros that tell a program for processor `cpu` (LLVM's name) that fma() is fast."""
    if os.uname().machine == "x86_64" and cpu in _WITHOUT_FMA:
        return []
    return ["-DFP_FAST_FMAF=1", "-DFP_FAST_FMA=1"]


def for_host(ir: str) -> str:
    """A module that clang wrote with TARGET_ARGUMENTS as one for this machine."""
    machine = os.uname().machine
    try:
        triple, layout = _HOSTS[machine]
    except KeyError:
        raise ToolError(f"Weft does not compile for {machine} processors") from None
    ir = _LAYOUT.sub(f'target datalayout = "{layout}"\ntarget triple = "{triple}"', ir, count=1)
    ir = _without_convention(ir)
    if ' section "' in ir:
        ir = _SECTION.sub(r"\1", ir)
    if 'target("spirv.' in ir:
        ir = _OPAQUE.sub(lambda found: "ptr null" if found[1] else "ptr", ir)
        ir = _SAMPLER.sub(r"= inttoptr i64 \1 to ptr", ir)
    return ir


def _without_convention(ir: str) -> str:
    """The module with the host's calling convention for all functions but kernels."""
    kept = []
    position = line = 0
    # Looking for the word is ten times quicker than going through the lines.
    while (found := ir.find(_CONVENTION, max(position, line))) >= 0:
        start = ir.rfind("\n", 0, found) + 1
        if ir.startswith(_WITH_CONVENTION, start):
            kept.append(ir[position : found + 1])
            position = found + len(_CONVENTION)
        line = ir.find("\n", found)  # at most one in a line
        if line < 0:
            break
    return "".join((*kept, ir[position:]))
