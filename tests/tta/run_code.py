"""Executes code before it is scheduled, one operation after the other: what a schedule must compute."""

from weft.tta.code import SELECT, Block, Code, Operand, Value
from weft.tta.operations import OPERATIONS, compute


def run_code(code: Code, memory: bytearray) -> None:
    """Runs code from its first block to its end."""
    values: dict[Value, int] = {}

    def get(operand: Operand) -> int:
        return operand if isinstance(operand, int) else values[operand]

    block: Block | None = code.blocks[0]
    before: Block | None = None
    while block is not None:
        if before is not None:
            taken = {phi.result: get(phi.incoming[before]) for phi in block.phis}
            values.update(taken)
        for operation in block.operations:
            if operation.guard is not None and bool(values[operation.guard[0]]) is not operation.guard[1]:
                if operation.result is not None:
                    values[operation.result] = 0xDEADBEEF
                continue
            operands = [get(operand) for operand in operation.operands]
            if operation.name == SELECT:
                made = operands[1] if operands[0] & 1 else operands[2]
            elif OPERATIONS[operation.name].loads:
                size = OPERATIONS[operation.name].loads
                assert operands[0] % size == 0
                made = int.from_bytes(memory[operands[0] : operands[0] + size], "little")
            elif OPERATIONS[operation.name].stores:
                size = OPERATIONS[operation.name].stores
                assert operands[0] % size == 0
                number = operands[1] & ((1 << 8 * size) - 1)
                memory[operands[0] : operands[0] + size] = number.to_bytes(size, "little")
                continue
            else:
                made = compute(operation.name, *operands)
            assert operation.result is not None
            values[operation.result] = made & 1 if operation.result.boolean else made
        before, block = (
            block,
            block.then if block.condition is None or values[block.condition] else block.other,
        )
