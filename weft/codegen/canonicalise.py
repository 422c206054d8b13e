"""Bring clang's module into canonical form, the input of the kernel compiler.

In canonical form, every kernel is one function without calls of the program's functions (OpenCL has no
recursion), in SSA form, with one exit, natural loops with preheaders and a single latch, and LCSSA. Work-item
functions, barriers and the larger built-ins are still calls. In programs that would become too large, some
functions are not inlined; they have the same form (`weft/functions.py` chooses them).
"""

import re
from collections import Counter
from collections.abc import Container, Sequence

from weft.codegen.hidden_divisions import hide, is_hidden, show, show_harmless, show_known
from weft.codegen.optimise import FULL_UNROLL, run_passes
from weft.codegen.program_text import ProgramText
from weft.codegen.reachable_defaults import reachable_defaults
from weft.codegen.return_from_unreachable import has_unreachable_or_assumptions, return_from_unreachable
from weft.codegen.self_checks import SelfCheckFailed
from weft.errors import tell
from weft.faults import is_verbose
from weft.lazy_pattern import lazy_pattern
from weft.target import Target

_FIRST_PASSES = ("always-inline", "globaldce", "sroa", "simplifycfg", "instcombine")
_UNROLLING = (
    "jump-threading", "simplifycfg", "newgvn", "dce", "loop-simplify", "lcssa", "loop-full-unroll", "sroa",
)  # fmt: skip
_LAST_PASSES = (
    "instcombine", "sroa", "simplifycfg", "newgvn", "dce", "unify-exits", "loop-simplify", "lcssa",
    "strip-dead-prototypes",
)  # fmt: skip

# Passes that the form does not depend on. In some programs an LLVM assertion fails in one of them.
_OPTIONAL = frozenset({"jump-threading", "instcombine", "newgvn", "dce", "loop-full-unroll", "simplifycfg"})

# Bytes of a function's text, after inlining, from which on no loop is unrolled: for each loop that LLVM
# considers, it takes time that grows with the function around it (2.8 of 7.7 s for a kernel of 3,000 lines
# with 333 loops, of 750 KB). Modules of fewer bytes than LARGE are not measured.
LARGE_FUNCTION = 1 << 18
LARGE = 1 << 19

# Uses of a private array from which on instcombine is left out: it visits the array again whenever one of its
# uses changes, and then visits all uses (0.5 s for 3,000, 5 s for 6,000, 114 s for 24,000).
MOST_USES = 3_000
_LEAST_BYTES = 40  # of a line with a use
_COMBINE = "instcombine"

# Patterns that begin with plain text are matched many times faster.
_GROUP = lazy_pattern(r"(\nattributes #\d+ = \{ )(.*)")
_FUNCTION = lazy_pattern(r"^define .*?^\}$", re.MULTILINE | re.DOTALL)
_NOT_INLINED = lazy_pattern(r"\b(?:noinline|optnone|optsize|minsize|alwaysinline) ?")
_OWN_FUNCTION = lazy_pattern(
    r"\ndefine (?:(?:dso_local|private|internal|available_externally|linkonce|linkonce_odr|weak|weak_odr"
    r"|common|hidden|protected) )*(?!.*\bspir_kernel\b)"
)
# The text after the parameters of a function: attributes, metadata.
_END_OF_HEAD = lazy_pattern(r"(?: #\d+)?(?: ![\w.]+ !\d+)* \{\n$")

_ALLOCATED = lazy_pattern(r"\n  (%[^ ]+) = alloca ")
_AGGREGATE = lazy_pattern(r" = alloca [\[%]")
_ADDRESS = lazy_pattern(r"ptr (%[^ ,)\n]+)")

# Before anything is inlined, so that sizes are those of code in SSA form.
_EACH_ALONE = ("sroa", "simplifycfg", "instcombine")


def canonicalise(ir: str, target: Target, parts: Sequence[str] = ()) -> str:
    """Return the canonical form of a module; `parts` define built-ins that are inlined as well."""
    ir = _GROUP.sub(lambda group: f"{group[1]}alwaysinline {_NOT_INLINED.sub('', group[2])}", ir)
    return _with_ways_out(hide(_OWN_FUNCTION.sub("\ndefine internal ", f"\n{ir}")), target, parts)


def inline_parts(ir: str, target: Target, parts: Sequence[str]) -> str:
    """Inline the functions that `parts` define into a module in canonical form, and restore that form."""
    return reachable_defaults(show(_run(hide(f"\n{ir}"), (*_FIRST_PASSES, *_LAST_PASSES), target, parts)))


def unroll_marked_loops(ir: str, target: Target) -> str:
    """Unroll the marked loops of a module in canonical form, and restore that form."""
    ir = show(_run(hide(f"\n{ir}"), ("loop-full-unroll", "sroa", *_LAST_PASSES), target))
    return reachable_defaults(ir)


def simplify(ir: str, target: Target) -> str:
    """Simplify each function of a module before anything is inlined, as input of `canonicalise_calls`."""
    ir = _GROUP.sub(lambda group: f"{group[1]}{_NOT_INLINED.sub('', group[2])}", ir)
    return _run(hide(_OWN_FUNCTION.sub("\ndefine internal ", f"\n{ir}")), _EACH_ALONE, target)


def canonicalise_calls(
    text: ProgramText, order: Sequence[str], kept: Container[str], target: Target, parts: Sequence[str]
) -> str:
    """Return the canonical form of a simplified module with its functions in `order`; `kept` ones stay."""

    def head(name: str) -> str:
        attribute = "noinline" if name in kept else "alwaysinline"
        return _END_OF_HEAD.sub(lambda end: f" {attribute}{end[0]}", text.head(name), count=1)

    return _with_ways_out(text.only(order, head), target, parts)


def _run(ir: str, passes: Sequence[str], target: Target, parts: Sequence[str] = ()) -> str:
    """Run LLVM passes over a module; skip optional passes that take too long or fail by an LLVM assertion."""
    if _COMBINE in passes and len(ir) >= MOST_USES * _LEAST_BYTES and _AGGREGATE.search(ir):
        if start := passes.index(_COMBINE):  # sroa, which replaces some arrays, comes first
            ir, passes, parts = _run(ir, passes[:start], target, parts), passes[start:], ()
        if _has_crowded_array(ir):
            passes = [name for name in passes if name != _COMBINE]
    try:
        return run_passes(ir, passes, target, parts)
    except SelfCheckFailed:
        ir = run_passes(ir, (), target, parts)
    for name in passes:
        try:
            ir = run_passes(ir, (name,), target)
        except SelfCheckFailed as failure:
            if name not in _OPTIONAL:
                raise
            if is_verbose():
                tell(f"LLVM's pass {name} is skipped: {failure}")
    return ir


def _has_crowded_array(ir: str) -> bool:
    """Return whether a function of a module uses a private array more than MOST_USES times."""
    for function in ir.split("\n}\n"):
        arrays = set(_ALLOCATED.findall(function))
        if arrays:
            uses = Counter(name for name in _ADDRESS.findall(function) if name in arrays)
            if max(uses.values(), default=0) > MOST_USES:
                return True
    return False


def _with_ways_out(ir: str, target: Target, parts: Sequence[str]) -> str:
    ir = reachable_defaults(_optimise(ir, target, parts))
    if has_unreachable_or_assumptions(ir):
        # LLVM finds defaults that are unreachable without assumptions.
        ir = reachable_defaults(show(_run(hide(return_from_unreachable(ir)), _LAST_PASSES, target)))
    return ir


def _optimise(ir: str, target: Target, parts: Sequence[str]) -> str:
    is_large = len(ir) >= LARGE
    if not is_large and not is_hidden(ir):
        return _run(ir, _FIRST_PASSES + _UNROLLING + _LAST_PASSES, target, parts)
    ir = _run(ir, _FIRST_PASSES, target, parts)
    unrolls = not is_large or _longest_function(ir) < LARGE_FUNCTION
    unrolling = tuple(name for name in _UNROLLING if unrolls or name != FULL_UNROLL)
    if is_hidden(ir):
        # Divisions by numbers, which arguments of inlined functions and counters become, get cheaper.
        ir = show_harmless(ir)
    if not is_hidden(ir):
        return _run(ir, unrolling + _LAST_PASSES, target)
    return show(_run(show_known(_run(ir, unrolling, target)), _LAST_PASSES, target))


def _longest_function(ir: str) -> int:
    """Return the length of the longest definition of a module, as text."""
    return max((len(function[0]) for function in _FUNCTION.finditer(ir)), default=0)
