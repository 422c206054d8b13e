"""Which constants are the same for all work-groups."""

from weft.ir import GlobalVariable, Value
from weft.ir.types import PointerType
from weft.ir.values import ConstantAggregate, ConstantExpression

LOCAL_SPACE = 3


def is_local_variable(value: Value) -> bool:
    """Whether a value is a variable in local memory, of which each group has its own."""
    return (
        isinstance(value, GlobalVariable)
        and isinstance(value.type, PointerType)
        and value.type.space == LOCAL_SPACE
    )


def depends_on_group(value: Value) -> bool:
    """Whether a constant contains the address of a local variable."""
    if isinstance(value, ConstantExpression):
        return any(map(depends_on_group, value.operands))
    if isinstance(value, ConstantAggregate):
        return any(map(depends_on_group, value.elements))
    return is_local_variable(value)
