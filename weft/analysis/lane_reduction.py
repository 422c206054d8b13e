"""Reductions of the lanes of a vector, as the vectorizer emits them for functions of sub-groups.

    weft.reduce.<operation>.<vector type>            weft.reduce.add.v16.float

The result combines all lanes, the upper half with the lower half until one is left. `merge-reductions`
replaces these calls; they occur only between it and `vectorize-work-items`.
"""

from weft.ir import Instruction
from weft.ir.types import VectorType

PREFIX = "weft.reduce."


def reduction_symbol(operation: str, type: VectorType) -> str:
    """Return the name of a reduction; `operation` is one of `CrossLane`."""
    return f"{PREFIX}{operation}.v{type.count}.{type.element}"


def reduced_by(instruction: Instruction) -> str | None:
    """Return the operation by which an instruction reduces a vector; None for other instructions."""
    name = instruction.callee_name
    return name.removeprefix(PREFIX).split(".")[0] if name.startswith(PREFIX) else None
