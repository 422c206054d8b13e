"""Decide which constants are the same for all work-groups."""

from weft.ir import GlobalVariable, Value
from weft.ir.types import PointerType
from weft.ir.values import ConstantAggregate, ConstantExpression

LOCAL_SPACE = 3


def is_local_variable(value: Value) -> bool:
    """Return whether a value is a variable in local memory, of which each group has its own instance."""
    return (
        isinstance(value, GlobalVariable)
        and isinstance(value.type, PointerType)
        and value.type.space == LOCAL_SPACE
    )


def depends_on_group(value: Value) -> bool:
    """Return whether a constant contains the address of a local variable."""
    seen: set[Value] = set()
    work = [value]
    while work:
        at = work.pop()
        if is_local_variable(at):
            return True
        if isinstance(at, ConstantExpression | ConstantAggregate) and at not in seen:
            seen.add(at)
            work += at.operands if isinstance(at, ConstantExpression) else at.elements
    return False
