"""Print the conditions of guards in source terms, by the names of values: `gid.x < n`."""

from weft.integers import INVERTED, SWAPPED
from weft.ir import ConstantInt, Instruction, Value
from weft.transform.workgroup.positions import ID_NAMES

from .bounds import Bound
from .guard import Condition

_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_OPERATORS = {"add": "+", "sub": "-", "mul": "*"}
# Depth to which a term is printed; longer ones would not be read.
_DEEP = 4


def in_words(condition: Condition, bound: Bound | None) -> str:
    """Return a condition, either a bound or uniform for the loop, as text."""
    value = condition.value
    if bound is not None:
        return f"{_value(bound.linear)} {_SIGNS[bound.relation]} {_value(bound.uniform)}"
    if not isinstance(value, Instruction) or value.opcode != "icmp":
        return _value(value) if condition.holds else f"!{_value(value)}"
    predicate = value.attributes["predicate"]
    predicate = predicate if condition.holds else INVERTED[predicate]
    left, right = map(_value, value.operands)
    if right.startswith(ID_NAMES):
        left, right, predicate = right, left, SWAPPED[predicate]
    return f"{left} {_SIGNS[predicate[-2:]]} {right}"


def words_of(value: Value) -> str:
    """Return a number as text."""
    return _value(value)


def _value(value: Value, depth: int = 0) -> str:
    if isinstance(value, ConstantInt):
        return str(value.signed)
    name = value.name or ""
    position = next((known for known in ID_NAMES if name == known or name.startswith(f"{known}.")), None)
    if position is not None:
        return position
    if isinstance(value, Instruction) and depth < _DEEP:
        if value.opcode in ("zext", "sext", "trunc", "freeze") or (
            value.opcode == "phi" and len(value.operands) == 2
        ):
            return _value(value.operands[0], depth + 1)
        if value.opcode in _OPERATORS:
            left, right = value.operands
            sign, other = _OPERATORS[value.opcode], _value(right, depth + 1)
            if sign == "+" and isinstance(right, ConstantInt) and right.signed < 0:
                sign, other = "-", str(-right.signed)
            return f"{_value(left, depth + 1)} {sign} {other}"
    # Names that optimizers derive from a variable still start with its name.
    return name.split(".")[0] or "…"
