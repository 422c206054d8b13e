"""Turn recursion into loops where LLVM can: calls of a function by itself right before it returns.

    int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }       // a loop
    int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }       // a loop that accumulates the product

Private arrays live as long as their function, so nothing is left to do after such a call. OpenCL C does not
support recursion, and the kernel compiler rejects what remains of it, but programs use forms that become
loops and that other compilers accept. Mutually recursive functions are inlined into each other first.
Programs without recursion are not changed. Runs on clang's output. Takes linear time, plus a few LLVM passes
for programs with recursion.

Works on text: only programs with recursion need more than a search for calls.
"""

import re
from bisect import bisect
from collections.abc import Collection

from weft.codegen.hidden_divisions import hide, show
from weft.codegen.optimise import run_passes
from weft.ir.graph import cycles
from weft.lazy_pattern import lazy_pattern
from weft.target import Target

_PASSES = ("always-inline", "sroa", "simplifycfg", "tailcallelim", "simplifycfg")
# Once for functions that call themselves, again for those that do after inlining.
_ROUNDS = 3
_NAME = r'@("[^"]*"|[-\w.$]+)\('
# Patterns that begin with plain text are matched many times faster.
_HEAD = lazy_pattern(rf"\ndefine [^\n]*?{_NAME}[^\n]*")
# `call` starts its line, or follows `=` or `tail`; inline assembly is excluded.
_CALL = lazy_pattern(rf' call (?<=[ =l] call )(?![^"\n]* asm )[^@\n]*{_NAME}')
_LIFETIME = lazy_pattern(r"^  call void @llvm\.lifetime\.[^\n]*\n", re.MULTILINE)
_FUNCTION = lazy_pattern(rf"{_HEAD.pattern}.*?\n\}}(?=\n)", re.DOTALL)
_ATTRIBUTES = lazy_pattern(r"(?: #\d+)?((?: ![\w.]+ !\d+)*) \{$")


def remove_tail_calls(ir: str, target: Target) -> str:
    """Return the module with loops in place of recursive calls, as far as LLVM can convert them."""
    recursive = recursive_functions(ir)
    if not recursive:
        return ir
    ir = hide(ir)
    for _ in range(_ROUNDS):
        ir = run_passes(_to_inline(ir, recursive), _PASSES, target)
        recursive = recursive_functions(ir)
        if not recursive:
            break
    return show(ir)


def recursive_functions(ir: str) -> frozenset[str]:
    """Return the names, as written in the text, of the functions that reach themselves."""
    heads = list(_HEAD.finditer(f"\n{ir}"))
    starts = [head.start() for head in heads]
    names = [head[1] for head in heads]
    called: dict[str, dict[str, None]] = {name: {} for name in names}
    for call in _CALL.finditer(f"\n{ir}"):
        if call[1] in called and (place := bisect(starts, call.start())):
            called[names[place - 1]][call[1]] = None
    components = cycles(names, lambda name: list(called[name]))
    return frozenset(name for component in components for name in component)


def _to_inline(ir: str, functions: Collection[str]) -> str:
    """Return the module with some functions marked for inlining.

    Functions that call themselves cannot be inlined.
    """

    def marked(function: re.Match[str]) -> str:
        if function[1] not in functions:
            return function[0]
        head, _, body = function[0][1:].partition("\n")
        head = _ATTRIBUTES.sub(r" alwaysinline nounwind\1 {", head)
        return f"\n{head}\n{_LIFETIME.sub('', body)}"

    return _FUNCTION.sub(marked, f"\n{ir}")
