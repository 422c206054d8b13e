"""Clean up code: trivial phis, dead operations, blocks that can be merged."""

from .code import SELECT, Block, Code, Operand, Value


def clean(code: Code) -> None:
    """Remove trivial phis, unused operations and unreachable blocks; merge straight-line blocks."""
    _drop_unreachable(code)
    _drop_trivial_phis(code)
    _join(code)
    _drop_unused(code)


def substitute(code: Code, new: dict[Value, Operand]) -> None:
    """Replace values everywhere; a replacement may itself be a key of `new`.

    If a constant replaces the value of a guard, a select or a branch condition, the guard, select or branch
    is folded.
    """
    while new:
        new = _substituted(code, new)


def _substituted(code: Code, new: dict[Value, Operand]) -> dict[Value, Operand]:
    """Replace values; return replacements for the results of operations that were folded."""
    folded: dict[Value, Operand] = {}

    def final(operand: Operand) -> Operand:
        while isinstance(operand, Value) and operand in new:
            operand = new[operand]
        return operand

    for block in code.blocks:
        for phi in block.phis:
            phi.incoming = {source: final(operand) for source, operand in phi.incoming.items()}
        kept = []
        for operation in block.operations:
            operation.operands = [final(operand) for operand in operation.operands]
            guard = final(operation.guard[0]) if operation.guard is not None else None
            if operation.guard is not None and isinstance(guard, int):
                if bool(guard & 1) is not operation.guard[1]:
                    if operation.result is not None:
                        # the result of a load that does not happen must not be used
                        folded[operation.result] = 0
                    continue
                operation.guard = None
            elif operation.guard is not None and isinstance(guard, Value):
                operation.guard = guard, operation.guard[1]
            condition = operation.operands[0]
            if operation.name == SELECT and isinstance(condition, int) and operation.result is not None:
                folded[operation.result] = operation.operands[1 if condition & 1 else 2]
                continue
            kept.append(operation)
        block.operations = kept
        if block.condition is not None:
            decided = final(block.condition)
            if isinstance(decided, Value):
                block.condition = decided
            else:
                block.then = block.then if decided & 1 else block.other
                block.condition = block.other = None
    return folded


def _drop_unreachable(code: Code) -> None:
    reached: dict[Block, None] = {}
    work = [code.blocks[0]]
    while work:
        block = work.pop()
        if block not in reached:
            reached[block] = None
            work += block.successors()
    code.blocks = [block for block in code.blocks if block in reached]
    for block in code.blocks:
        for phi in block.phis:
            phi.incoming = {s: v for s, v in phi.incoming.items() if s in reached and block in s.successors()}


def _drop_trivial_phis(code: Code) -> None:
    while True:
        new: dict[Value, Operand] = {}
        for block in code.blocks:
            kept = []
            for phi in block.phis:
                others = {v for v in phi.incoming.values() if v is not phi.result}
                if len(others) == 1:
                    new[phi.result] = others.pop()
                else:
                    kept.append(phi)
            block.phis = kept
        if not new:
            return
        substitute(code, new)


def _join(code: Code) -> None:
    """Append a block to its only predecessor if that has no other successor."""
    predecessors = code.predecessors()
    merged: set[Block] = set()
    for block in code.blocks:
        if block in merged:
            continue
        while True:
            following = block.then
            if block.condition is not None or following is None or following is block:
                break
            if predecessors[following] != [block] or following.phis or following is code.blocks[0]:
                break
            block.operations += following.operations
            block.condition, block.then, block.other = following.condition, following.then, following.other
            block.parallel = following.parallel
            merged.add(following)
            for successor in block.successors():
                predecessors[successor] = [block if p is following else p for p in predecessors[successor]]
                for phi in successor.phis:
                    if following in phi.incoming:
                        phi.incoming[block] = phi.incoming.pop(following)
    code.blocks = [block for block in code.blocks if block not in merged]


def _drop_unused(code: Code) -> None:
    used: set[Value] = set()
    work: list[Value] = []

    def use(operand: Operand) -> None:
        if isinstance(operand, Value) and operand not in used:
            used.add(operand)
            work.append(operand)

    needs: dict[Value, list[Operand]] = {}
    for block in code.blocks:
        for phi in block.phis:
            needs[phi.result] = list(phi.incoming.values())
        for operation in block.operations:
            if operation.result is None:
                for value in operation.values():
                    use(value)
            else:
                needs[operation.result] = list(operation.values())
        if block.condition is not None:
            use(block.condition)
    while work:
        for operand in needs.get(work.pop(), ()):
            use(operand)
    for block in code.blocks:
        block.phis = [phi for phi in block.phis if phi.result in used]
        block.operations = [o for o in block.operations if o.result is None or o.result in used]
