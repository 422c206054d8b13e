"""The transfer functions of the shape analysis: an instruction's shape from those of its operands.

`Transfer.shape` covers everything except phis, loads, private addresses and control flow, which need more
than the operands; the fixpoint (`shapes.py`) handles those. By default, the result of an operation without
side effects is uniform along the dimensions in which all operands are.

`flags` tells whether to rely on `nsw`, `nuw`, `nneg`, `exact` and `disjoint`. They hold for work-items that
run the instruction and whose result is not poison. A transformation that computes a value for other
work-items too (inactive lanes, or one work-item for all) must not rely on them.
"""

from collections.abc import Callable, Sequence

from weft.integers import decided
from weft.ir import Argument, ConstantInt, Instruction, Value
from weft.ir.addresses import offset_terms
from weft.ir.values import Constant, ConstantExpression, ConstantZero, GlobalValue
from weft.recursion import Definition, Recursion

from .cross_lane import cross_lane
from .group_functions import group_function
from .memory_effects import has_no_effects
from .shape import (
    ALL,
    AXES,
    LARGEST_LOCAL_SIZE,
    LARGEST_SUB_GROUP,
    Geometry,
    Shape,
    bits_of,
    constant,
    normalized,
    uniform,
    varying,
)
from .shape_arithmetic import (
    added,
    bitwise,
    divided,
    extended,
    masked,
    multiplied,
    opaque,
    shifted_left,
    truncated,
    with_range,
)
from .sub_group_functions import sub_group_function
from .work_items import WorkItemFunction, work_item_function

Operands = Sequence[Shape]

# Integer operations that never yield poison without flags; and the most values that `_is_never_poison`
# visits.
_WHOLE = frozenset(("add", "sub", "mul", "and", "or", "xor", "trunc", "zext", "sext", "icmp", "select"))
_SHORT_LOOK = 32
# The largest id or size if `wide` is not set.
_NARROW_END = 2**31 - 1


class Transfer:
    """The transfer functions for one launch geometry."""

    def __init__(self, geometry: Geometry, flags: bool = True) -> None:
        self.geometry = geometry
        self.flags = flags
        # The shape of a constant, an argument or a global, which is the same for the whole group.
        self.outside = Recursion(self._outside, uniform(0))

    # Values that are not instructions

    def _outside(self, value: Value) -> Definition[Value, Shape]:
        bits = bits_of(value.type)
        if isinstance(value, ConstantInt):
            return constant(bits, value.value)
        if isinstance(value, ConstantZero) and bits:
            return constant(bits, 0)
        if isinstance(value, ConstantExpression) and value.opcode == "getelementptr":
            operands = []
            for operand in value.operands:
                operands.append((yield operand))
            return normalized(self._address(value, *operands), self.geometry)
        return uniform(bits)

    # Instructions

    def shape(self, instruction: Instruction, operands: Operands) -> Shape:
        """Return the shape of an instruction's result."""
        return normalized(self._shape(instruction, operands), self.geometry)

    def _shape(self, instruction: Instruction, operands: Operands) -> Shape:
        bits = bits_of(instruction.type)
        opcode = instruction.opcode
        if opcode == "call":
            return self._call(instruction, operands)
        if opcode in ("alloca", "atomicrmw", "cmpxchg", "load"):
            return varying(bits)
        if opcode == "select":
            return self._select(operands)
        if opcode == "freeze":
            return self._freeze(instruction, operands[0])
        if not bits or any(not o.bits for o in operands):
            return opaque(bits, *operands)
        handler = _HANDLERS.get(opcode)
        return handler(self, instruction, *operands) if handler is not None else opaque(bits, *operands)

    def _flag(self, instruction: Instruction, name: str) -> bool:
        return self.flags and name in instruction.flags

    def _wraps(self, instruction: Instruction) -> tuple[bool, bool]:
        return self._flag(instruction, "nsw"), self._flag(instruction, "nuw")

    # Arithmetic

    def _add(self, instruction: Instruction, a: Shape, b: Shape) -> Shape:
        return added(a, b, *self._wraps(instruction), sign=1 if instruction.opcode == "add" else -1)

    def _mul(self, instruction: Instruction, a: Shape, b: Shape) -> Shape:
        return multiplied(a, b, *self._wraps(instruction))

    def _shl(self, instruction: Instruction, a: Shape, b: Shape) -> Shape:
        amount = b.constant
        if amount is None or amount >= a.bits:
            return opaque(a.bits, a, b)
        return shifted_left(a, amount, *self._wraps(instruction))

    def _shift_right(self, instruction: Instruction, a: Shape, b: Shape) -> Shape:
        amount = b.constant
        if amount is None or amount >= a.bits:
            result = opaque(a.bits, a, b)
            nonnegative = a.signed_range[0] >= 0 or instruction.opcode == "lshr"
            return with_range(result, 0, a.unsigned_range[1]) if nonnegative else result
        return divided(a, 1 << amount, instruction.opcode == "ashr")[0]

    def _unsigned_division(self, instruction: Instruction, a: Shape, b: Shape) -> Shape:
        remainder = instruction.opcode == "urem"
        if b.constant:
            return divided(a, b.constant, False)[remainder]
        end = a.unsigned_range[1]
        return with_range(opaque(a.bits, a, b), 0, min(end, b.unsigned_range[1]) if remainder else end)

    def _signed_division(self, instruction: Instruction, a: Shape, b: Shape) -> Shape:
        remainder = instruction.opcode == "srem"
        divisor = b.signed_range[0] if b.constant is not None else 0
        if divisor <= 0:
            return opaque(a.bits, a, b)
        if a.signed_range[0] >= 0:
            return divided(a, divisor, True)[remainder]
        result = opaque(a.bits, a, b)
        return with_range(result, 1 - divisor, divisor - 1) if remainder else result

    # Bits

    def _and(self, instruction: Instruction, a: Shape, b: Shape) -> Shape:
        if a.constant is not None:
            a, b = b, a
        mask = b.constant
        if mask == 0:
            return constant(a.bits, 0)
        result = masked(a, mask) if mask is not None else None
        if result is None:
            result = bitwise("and", a, b)
        return with_range(result, 0, min(a.unsigned_range[1], b.unsigned_range[1]))

    def _or(self, instruction: Instruction, a: Shape, b: Shape) -> Shape:
        if self._flag(instruction, "disjoint"):
            return added(a, b, nsw=True, nuw=True)
        return bitwise("or", a, b)

    def _xor(self, instruction: Instruction, a: Shape, b: Shape) -> Shape:
        if a.constant is not None:
            a, b = b, a
        if b.constant == (1 << b.bits) - 1:  # ~a is -1 - a, which never wraps
            return added(b, a, nsw=True, nuw=True, sign=-1)
        return bitwise("xor", a, b)

    # Casts

    def _trunc(self, instruction: Instruction, a: Shape) -> Shape:
        return truncated(a, bits_of(instruction.type), *self._wraps(instruction))

    def _extension(self, instruction: Instruction, a: Shape) -> Shape:
        if self._flag(instruction, "nneg"):
            # Not negative, so signed and unsigned numbers are the same.
            a = with_range(a, 0, (1 << a.bits >> 1) - 1)
            a = a._replace(unsigned=a.signed or a.unsigned)
        return extended(a, bits_of(instruction.type), instruction.opcode == "sext")

    def _same_number(self, instruction: Instruction, a: Shape) -> Shape:
        return self._resized(a, bits_of(instruction.type))

    def _resized(self, a: Shape, bits: int, signed: bool = False) -> Shape:
        if a.bits == bits:
            return a
        return truncated(a, bits) if bits < a.bits else extended(a, bits, signed)

    def _freeze(self, instruction: Instruction, operand: Shape) -> Shape:
        if _is_never_poison(instruction.operands[0]):
            return operand
        # Poison becomes an arbitrary number, not necessarily the one that the operation would have computed.
        return varying(operand.bits, operand.varying)

    # Addresses

    def _address(self, place: Instruction | ConstantExpression, address: Shape, *indices: Shape) -> Shape:
        shapes = dict(zip(place.operands[1:], indices, strict=True))
        for index, size in offset_terms(place.attributes["element_type"], place.operands[1:]):
            if index is None:
                address = added(address, constant(64, size))
            else:
                scaled = multiplied(self._resized(shapes[index], 64, signed=True), constant(64, size))
                address = added(address, normalized(scaled, self.geometry))
        return address

    # Choices

    def _select(self, operands: Operands) -> Shape:
        condition, one, two = operands
        if condition.bits == 1 and condition.constant is not None:
            return one if condition.constant else two
        return one.join(two).without(condition.varying)

    def _icmp(self, instruction: Instruction, a: Shape, b: Shape) -> Shape:
        predicate = instruction.attributes["predicate"]
        truth = _decided(predicate, a, b)
        if truth is not None:
            return constant(1, truth)
        exact = (a.signed and b.signed) if predicate[0] == "s" else (a.unsigned and b.unsigned)
        if predicate not in ("eq", "ne") and not exact:
            return opaque(1, a, b)
        # Along a dimension in which both sides have the same stride, their difference does not change.
        pairs = zip(AXES, a.strides, b.strides, strict=True)
        return varying(1, sum(axis for axis, s, t in pairs if s is None or s != t))

    # Calls

    def _call(self, instruction: Instruction, operands: Operands) -> Shape:
        bits = bits_of(instruction.type)
        query = work_item_function(instruction)
        if query is not None:
            return self._position(query, operands[0] if query.takes_dimension else None, bits)
        if self._is_same_for_all(instruction):
            return uniform(bits)
        if not has_no_effects(instruction) and not _depends_on_arguments_only(instruction):
            return varying(bits)
        return opaque(bits, *operands[: len(instruction.arguments)])

    def _is_same_for_all(self, call: Instruction) -> bool:
        """Whether a call combines the values of all work-items."""
        if (of_group := group_function(call.callee_name)) is not None:
            return of_group.same_for_all
        if (across := cross_lane(call)) is not None:
            return across.same_for_all and self.geometry.work_items == across.size
        called = sub_group_function(call.callee_name)
        return called is not None and called.same_for_all and not self.geometry.several_sub_groups

    # Work-item functions

    def _position(self, query: WorkItemFunction, dimension: Shape | None, bits: int) -> Shape:
        name = query.name
        if dimension is None:
            return self._linear_position(name, bits)
        if dimension.constant is None:
            # The result varies along the dimensions in which the argument does; ids vary in any case.
            shape = varying(bits, ALL if query.varying else dimension.varying)
            low, high = self._bounds(name)
            return with_range(shape, min(low, query.default), max(high, query.default))
        if dimension.constant > 2:
            return constant(bits, query.default)
        axis = dimension.constant
        size = self.geometry.local_size
        if name in ("get_local_size", "get_enqueued_local_size") and size is not None:
            return constant(bits, size[axis])
        strides = (int(axis == 0), int(axis == 1), int(axis == 2))
        if name == "get_local_id":
            return Shape(bits, strides, 0, self.geometry.extents[axis])
        low, high = self._bounds(name)
        shape = uniform(bits)._replace(low=low, high=high)
        if not query.varying:
            return shape
        # A launch whose ids would wrap is rejected.
        return shape._replace(strides=strides, signed=False, unsigned=True)

    def _bounds(self, name: str) -> tuple[int, int]:
        """Return the range of a function that takes a dimension, for existing dimensions."""
        local = max(self.geometry.extents)
        if name == "get_local_id":
            return 0, local
        if name in ("get_local_size", "get_enqueued_local_size"):
            return 1, local + 1
        end = 2**64 - 1 if self.geometry.wide else _NARROW_END
        return (1 if name in ("get_global_size", "get_num_groups") else 0), end

    def _linear_position(self, name: str, bits: int) -> Shape:
        if name == "get_work_dim":
            return uniform(bits)._replace(low=1, high=3)
        if name == "get_sub_group_local_id":
            return with_range(varying(bits), 0, LARGEST_SUB_GROUP - 1)
        if "sub_group" in name:
            differs = name == "get_sub_group_id" and self.geometry.several_sub_groups
            return varying(bits) if differs else uniform(bits)
        if name == "get_global_linear_id":
            return varying(bits, ALL ^ 1)._replace(strides=(1, None, None), signed=False, unsigned=False)
        size = self.geometry.local_size
        if size is None:
            return Shape(bits, (1, None, None), 0, LARGEST_LOCAL_SIZE - 1)
        x, y, z = size
        return Shape(bits, (1, x, x * y), 0, x * y * z - 1)


_HANDLERS: dict[str, Callable[..., Shape]] = {
    "add": Transfer._add,
    "sub": Transfer._add,
    "mul": Transfer._mul,
    "shl": Transfer._shl,
    "lshr": Transfer._shift_right,
    "ashr": Transfer._shift_right,
    "udiv": Transfer._unsigned_division,
    "urem": Transfer._unsigned_division,
    "sdiv": Transfer._signed_division,
    "srem": Transfer._signed_division,
    "and": Transfer._and,
    "or": Transfer._or,
    "xor": Transfer._xor,
    "icmp": Transfer._icmp,
    "getelementptr": Transfer._address,
    "trunc": Transfer._trunc,
    "zext": Transfer._extension,
    "sext": Transfer._extension,
    "ptrtoint": Transfer._same_number,
    "ptrtoaddr": Transfer._same_number,
    "inttoptr": Transfer._same_number,
    "addrspacecast": Transfer._same_number,
    "bitcast": Transfer._same_number,
}


def _depends_on_arguments_only(call: Instruction) -> bool:
    """Whether a sub-group function depends on nothing but a ballot that it is given."""
    called = sub_group_function(call.callee_name)
    return called is not None and called.depends_on_arguments_only


def _is_never_poison(value: Value) -> bool:
    """Whether a value cannot be poison for any work-item, as far as a bounded search can tell."""
    seen = {value}
    work = [value]
    while work:
        at = work.pop()
        if isinstance(at, Argument):
            if "noundef" not in at.attributes:
                return False
        elif isinstance(at, Instruction):
            if work_item_function(at) is not None:
                continue
            shift = at.opcode in ("shl", "lshr", "ashr") and isinstance(at.operands[1], ConstantInt)
            if at.flags or not (shift or at.opcode in _WHOLE) or len(seen) > _SHORT_LOOK:
                return False
            work += [o for o in at.operands if o not in seen]
            seen.update(at.operands)
        elif not isinstance(at, ConstantInt | ConstantZero | GlobalValue):
            return False
    return True


def _decided(predicate: str, a: Shape, b: Shape) -> bool | None:
    """Return the result of a comparison that ranges decide, or None."""
    one, two = (
        (a.signed_range, b.signed_range) if predicate[0] == "s" else (a.unsigned_range, b.unsigned_range)
    )
    if predicate not in ("eq", "ne"):
        return decided(predicate, one, two)
    if one[1] < two[0] or two[1] < one[0]:
        return predicate == "ne"
    return predicate == "eq" if one == two and one[0] == one[1] else None


def is_outside(value: Value) -> bool:
    """Whether a value exists before the kernel starts."""
    return isinstance(value, Constant | Argument | GlobalValue)
