"""The target that clang compiles for, and the conversion of its module to the actual target.

clang compiles for SPIR rather than for the host. SPIR's calling convention passes every scalar and vector
directly and every structure in memory, so a built-in has the same signature on every CPU and the vector form
of a call follows from its scalar form; the host's convention would split, merge and spill arguments depending
on the CPU's features (`<2 x float>` as `double`, `<16 x float>` through memory without AVX-512). Sizes and
alignments of types are the same, so replacing the triple and the data layout retargets the module. Names are
mangled as for a host (`PU8CLglobali`); address spaces are 0 private, 1 global, 2 constant, 3 local, 4
generic; events, images and samplers are plain pointers, and a sampler that the program defines is its
initializer, cast to a pointer. Pipes are pointers to global memory (`pipes.py`).

All code that is linked together (kernels and built-ins) must pass through here.
"""

import re

from weft.frontend.generic_pointers import define_generic_functions
from weft.frontend.pipes import has_pipes, lower_pipes
from weft.lazy_pattern import lazy_pattern
from weft.target import Target

TARGET_ARGUMENTS = (
    *("-triple", "spir64-unknown-unknown", "-faddress-space-map-mangling=no"),
    # SPIR is only an intermediate target, which programs must not detect.
    *("-U__SPIR__", "-U__SPIR64__", "-U__SPIR", "-U__SPIR64"),
)

_LAYOUT = lazy_pattern(r'^target datalayout = "[^"]*"\ntarget triple = "[^"]*"$', re.MULTILINE)
_CONVENTION = " spir_func "
# The convention occurs in instructions and heads of functions; elsewhere it is part of a string.
_WITH_CONVENTION = ("  ", "define ", "declare ")
_OPAQUE = lazy_pattern(r'target\("spirv\.\w+"[^)"]*\)( zeroinitializer)?')

# C++ has templates and inline functions in comdat groups; functions have alignments.
_COMDAT = lazy_pattern(
    r"^(?:\$[^\n]* = comdat any\n+"
    r"|(define[^\n]*?) comdat(?:\(\$[^\n)]*\))?(?: align \d+)?(?= )"
    r"|(@[^\n]*?), comdat(?:\(\$[^\n)]*\))?(?=,|$))",
    re.MULTILINE,
)
# Section attributes of the program, which have no meaning here.
_SECTION = lazy_pattern(r'^((?:define|@)[^\n]*?),? section "[^"\n]*"', re.MULTILINE)
_SAMPLER = lazy_pattern(r"= call ptr @__translate_sampler_initializer\(i32 (\d+)\)[^\n]*")


def fma_macros(target: Target) -> list[str]:
    """Return the macros that tell a program that fma() is fast, if it is."""
    return ["-DFP_FAST_FMAF=1", "-DFP_FAST_FMA=1"] if target.fast_fma else []


def with_layout(ir: str, target: Target) -> str:
    """Replace data layout and triple of a module by those of a target."""
    layout = f'target datalayout = "{target.data_layout}"\ntarget triple = "{target.triple}"'
    return _LAYOUT.sub(layout, ir, count=1)


def for_target(ir: str, target: Target) -> str:
    """Convert a module that clang compiled with TARGET_ARGUMENTS to a target."""
    ir = with_layout(ir, target)
    ir = _without_convention(ir)
    if ' section "' in ir:
        ir = _SECTION.sub(r"\1", ir)
    if " = comdat any\n" in ir:
        ir = _COMDAT.sub(lambda match: match[1] or match[2] or "", ir)
    if has_pipes(ir):
        ir = lower_pipes(ir)
    if 'target("spirv.' in ir:
        ir = _OPAQUE.sub(lambda match: "ptr null" if match[1] else "ptr", ir)
        ir = _SAMPLER.sub(r"= inttoptr i64 \1 to ptr", ir)
    return define_generic_functions(ir)


def _without_convention(ir: str) -> str:
    """Remove the SPIR calling convention from functions and calls; kernels have another one."""
    kept = []
    position = line = 0
    # Searching for the word is ten times faster than iterating over lines.
    while (at := ir.find(_CONVENTION, max(position, line))) >= 0:
        start = ir.rfind("\n", 0, at) + 1
        if ir.startswith(_WITH_CONVENTION, start):
            kept.append(ir[position : at + 1])
            position = at + len(_CONVENTION)
        line = ir.find("\n", at)  # at most one in a line
        if line < 0:
            break
    return "".join((*kept, ir[position:]))
