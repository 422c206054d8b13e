"""Eliminate common subexpressions within a block, and hoist loop-invariant operations.

If-conversion merges code of several blocks, such as the address computations of guarded accesses. A loop here
is a block that branches to itself, which is the form of work-item loops and inner loops without calls.
"""

from .clean import substitute
from .code import SELECT, Block, Code, Operand, Value
from .operations import OPERATIONS

# Maximum number of hoisted values: each occupies a register during the loop.
MOST_HOISTED = 24


def share(code: Code) -> None:
    """Remove repeated operations within blocks, and hoist loop-invariant operations."""
    for block in code.blocks:
        _share_in(code, block)
    predecessors = code.predecessors()
    for block in code.blocks:
        before = [p for p in predecessors[block] if p is not block]
        if block in block.successors() and len(before) == 1 and before[0].successors() == [block]:
            _hoist(block, before[0])


def _is_pure(name: str) -> bool:
    return name != SELECT and OPERATIONS[name].pure


def _share_in(code: Code, block: Block) -> None:
    known: dict[tuple[object, ...], Value] = {}
    new: dict[Value, Operand] = {}
    kept = []
    for operation in block.operations:
        operation.operands = [new.get(o, o) if isinstance(o, Value) else o for o in operation.operands]
        if operation.guard is not None and operation.guard[0] in new:
            guard = new[operation.guard[0]]
            assert isinstance(guard, Value)
            operation.guard = guard, operation.guard[1]
        result = operation.result
        if result is None or operation.guard is not None:
            kept.append(operation)
            continue
        if operation.name != SELECT and not OPERATIONS[operation.name].pure:
            kept.append(operation)
            continue
        key = (operation.name, result.boolean, *operation.operands)
        if key in known:
            new[result] = known[key]
        else:
            known[key] = result
            kept.append(operation)
    block.operations = kept
    if new:
        substitute(code, new)


def _hoist(block: Block, before: Block) -> None:
    defined = {phi.result for phi in block.phis} | {
        o.result for o in block.operations if o.result is not None
    }
    kept = []
    hoisted = 0
    for operation in block.operations:
        varies = any(value in defined for value in operation.values())
        if (
            hoisted < MOST_HOISTED
            and _is_pure(operation.name)
            and not varies
            and operation.result is not None
        ):
            before.operations.append(operation)
            defined.discard(operation.result)
            hoisted += 1
        else:
            kept.append(operation)
    block.operations = kept
