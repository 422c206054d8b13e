"""Find loops in which work-items may wait for one another.

Such a loop has an atomic or volatile access or a fence, or calls a function that has one. A work-item in such
a loop is interrupted from time to time, so that all make progress. (The compiler distinguishes loops that
wait from others; here interrupting a loop that does not wait is harmless.)
"""

from collections.abc import Callable, Iterable

from weft.ir import Block, Function, Instruction, Module
from weft.ir.loops import loop_forest

_NAMES = ("atomic_", "atom_", "_fence")


def waiting_loops(module: Module) -> dict[Function, frozenset[Block]]:
    """Return the headers of these loops by function; of irreducible cycles, all blocks."""
    observing = callers_of(module, (f for f in module.functions if any(map(_observes, f.instructions()))))
    headers_of = {f: _headers(f, lambda i: _observes(i) or i.called_function in observing) for f in observing}
    return {f: headers for f, headers in headers_of.items() if headers}


def callers_of(module: Module, functions: Iterable[Function]) -> dict[Function, None]:
    """Return functions and their direct and indirect callers."""
    callers: dict[Function, list[Function]] = {}
    for function in module.functions:
        for instruction in function.instructions():
            callee = instruction.called_function
            if callee is not None:
                callers.setdefault(callee, []).append(function)
    result = dict.fromkeys(functions)
    work = list(result)
    while work:
        for caller in callers.get(work.pop(), ()):
            if caller not in result:
                result[caller] = None
                work.append(caller)
    return result


def _observes(i: Instruction) -> bool:
    if i.opcode == "call":
        return any(name in i.callee_name for name in _NAMES)
    return i.opcode in ("atomicrmw", "cmpxchg", "fence") or (i.opcode == "load" and i.is_ordered)


def _headers(function: Function, observes: Callable[[Instruction], bool]) -> frozenset[Block]:
    forest = loop_forest(function)
    headers = {loop.header for loop in forest.loops if any(map(observes, loop.instructions()))}
    return frozenset(headers.union(*forest.irreducible))
