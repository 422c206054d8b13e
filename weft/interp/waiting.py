"""Where work-items may wait for one another: loops that see what others write.

Such a loop has an atomic or volatile access or a fence, or calls a function that has one. A work-item that
runs in it for a while lets others run, so that all make progress. (The compiler tells loops that wait from
others; here it does not matter if one that does not wait is interrupted, too.)
"""

from collections.abc import Callable, Iterable

from weft.ir import Block, Function, Instruction, Module
from weft.ir.loops import loop_forest

_NAMES = ("atomic_", "atom_", "_fence")


def waiting_loops(module: Module) -> dict[Function, frozenset[Block]]:
    """The headers of these loops by function; in cycles that are no natural loops, all blocks."""
    observing = callers_of(module, (f for f in module.functions if any(map(_observes, f.instructions()))))
    found = {f: _headers(f, lambda i: _observes(i) or i.called_function in observing) for f in observing}
    return {f: headers for f, headers in found.items() if headers}


def callers_of(module: Module, functions: Iterable[Function]) -> dict[Function, None]:
    """Functions, and those that call them, directly or through others."""
    callers: dict[Function, list[Function]] = {}
    for function in module.functions:
        for instruction in function.instructions():
            callee = instruction.called_function
            if callee is not None:
                callers.setdefault(callee, []).append(function)
    found = dict.fromkeys(functions)
    work = list(found)
    while work:
        for caller in callers.get(work.pop(), ()):
            if caller not in found:
                found[caller] = None
                work.append(caller)
    return found


def _observes(i: Instruction) -> bool:
    if i.opcode == "call":
        return any(name in i.callee_name for name in _NAMES)
    return i.opcode in ("atomicrmw", "cmpxchg", "fence") or (i.opcode == "load" and i.is_ordered)


def _headers(function: Function, observes: Callable[[Instruction], bool]) -> frozenset[Block]:
    forest = loop_forest(function)
    found = {loop.header for loop in forest.loops if any(map(observes, loop.instructions()))}
    return frozenset(found.union(*forest.irreducible))
