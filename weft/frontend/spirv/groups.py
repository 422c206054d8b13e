"""Translate group instructions of work-groups and sub-groups.

Instructions become calls of OpenCL C functions. All sub-group instructions have a counterpart; vectors are
combined componentwise. Work-groups have functions for sums, minima and maxima; products and bitwise
operations fold over broadcasts of all values.
"""

from collections.abc import Callable

from weft.frontend.spirv.binary import Instruction
from weft.frontend.spirv.body import I32, I64, Body, Value, number, translates, zero
from weft.frontend.spirv.calls import is_sub_group
from weft.frontend.spirv.mangle import Parameter, mangle
from weft.frontend.spirv.types import (
    BOOL,
    VOID,
    Float,
    Int,
    Opaque,
    Pointer,
    Type,
    Vector,
    integer,
    lanes,
    of_lanes,
    scalar,
)

I8 = integer(8)

# The operation, its kind of numbers, and whether they are signed.
_KINDS = {
    "IAdd": ("add", Int, True),
    "FAdd": ("add", Float, True),
    "FMin": ("min", Float, True),
    "UMin": ("min", Int, False),
    "SMin": ("min", Int, True),
    "FMax": ("max", Float, True),
    "UMax": ("max", Int, False),
    "SMax": ("max", Int, True),
    "IMul": ("mul", Int, True),
    "FMul": ("mul", Float, True),
    "BitwiseAnd": ("and", Int, False),
    "BitwiseOr": ("or", Int, False),
    "BitwiseXor": ("xor", Int, False),
}
_IN_LIBRARY = ("add", "min", "max")
_OF_GROUPS = {f"Group{name}": found for name, found in list(_KINDS.items())[:8]} | {
    f"Group{name}KHR": found for name, found in list(_KINDS.items())[8:]
}
_NON_UNIFORM_LOGICAL = tuple(f"GroupNonUniformLogical{name}" for name in ("And", "Or", "Xor"))
_NON_UNIFORM = {f"GroupNonUniform{name}": found for name, found in _KINDS.items()}
_OPERATIONS = {"Reduce": "reduce", "InclusiveScan": "scan_inclusive", "ExclusiveScan": "scan_exclusive"}


# Votes


@translates("GroupAll", "GroupAny")
def _vote(body: Body, instruction: Instruction) -> Value:
    return _voted(body, instruction, 1, "all" if instruction.name == "GroupAll" else "any")


def _voted(body: Body, instruction: Instruction, index: int, operation: str) -> Value:
    value = _truth(body, instruction, index)
    wide = body.cast("zext", value, I32)
    name = f"{_scope(body, instruction)}_{operation}"
    return _as_truth(body, body.call(name, [Parameter(I32, True)], [wide], I32, pure=False))


def _truth(body: Body, instruction: Instruction, index: int) -> Value:
    value = body.operand(instruction, index)
    right = value.type == BOOL == body.type(instruction)
    body.require(right, instruction, "operand and result must be bool")
    return value


def _as_truth(body: Body, value: Value) -> Value:
    return body.emit(f"icmp ne {value.typed}, 0", BOOL)


def _scope(body: Body, instruction: Instruction) -> str:
    """Return the prefix of functions for a work-group or sub-group."""
    return "sub_group" if is_sub_group(body, instruction) else "work_group"


@translates("GroupLogicalAndKHR", "GroupLogicalOrKHR", "GroupLogicalXorKHR")
def _logical(body: Body, instruction: Instruction) -> Value:
    operation = instruction.name.removeprefix("GroupLogical").removesuffix("KHR").lower()
    if is_sub_group(body, instruction):
        return _logical_of_sub_group(body, instruction, operation, "")
    right = instruction.word(1) == "Reduce" and operation != "xor"
    body.require(right, instruction, "only reductions over the work-group with And and Or are supported")
    return _voted(body, instruction, 2, "all" if operation == "and" else "any")


@translates(*_NON_UNIFORM_LOGICAL)
def _logical_of_active(body: Body, instruction: Instruction) -> Value:
    _require_sub_group(body, instruction)
    operation = instruction.name.removeprefix("GroupNonUniformLogical").lower()
    return _logical_of_sub_group(body, instruction, operation, "non_uniform_")


def _logical_of_sub_group(body: Body, instruction: Instruction, operation: str, how: str) -> Value:
    wide = body.cast("zext", _truth(body, instruction, 2), I32)
    return _as_truth(body, _combined(body, instruction, f"logical_{operation}", True, how, wide))


# Broadcasts, reductions and scans


@translates("GroupBroadcast")
def _broadcast(body: Body, instruction: Instruction) -> Value:
    value, at = body.operand(instruction, 1), body.operand(instruction, 2)
    type = _shared_type(body, instruction, value)
    body.require(
        isinstance(scalar(at.type), Int) and lanes(at.type) <= 3,
        instruction,
        "the local id has an invalid type",
    )
    if is_sub_group(body, instruction):
        return _other_item_value(body, instruction, "broadcast", value, [(at, False)])
    if isinstance(at.type, Vector):
        element = at.type.element
        places = [body.emit(f"extractelement {at.typed}, i32 {i}", element) for i in range(at.type.count)]
    else:
        places = [at]
    wide = [p if p.type == I64 else body.cast("zext", p, I64) for p in places]
    widened = _widened(body, instruction, value, True)
    parameters = [Parameter(widened.type, True), *[Parameter(I64)] * len(wide)]
    result = body.call("work_group_broadcast", parameters, [widened, *wide], widened.type, pure=False)
    return _narrowed(body, result, type)


def _shared_type(body: Body, instruction: Instruction, value: Value) -> Type:
    """Return the type of a value that a group shares."""
    type = body.type(instruction)
    right = value.type == type and isinstance(scalar(type), Int | Float)
    body.require(right, instruction, "invalid operand type")
    return type


def _widened(body: Body, instruction: Instruction, value: Value, signed: bool) -> Value:
    """Widen a value to a type that library functions support: integers have at least 32 bits."""
    body.require(not isinstance(value.type, Vector), instruction, "only scalar operands are supported")
    if isinstance(value.type, Int) and value.type.width < 32:
        return body.cast("sext" if signed else "zext", value, I32)
    return value


def _narrowed(body: Body, value: Value, type: Type) -> Value:
    return value if value.type == type else body.cast("trunc", value, type)


@translates(*_OF_GROUPS)
def _collective(body: Body, instruction: Instruction) -> Value:
    operation, kind, signed = _OF_GROUPS[instruction.name]
    value = body.operand(instruction, 2)
    type = _shared_type(body, instruction, value)
    body.require(isinstance(scalar(type), kind), instruction, "invalid operand type")
    form = _OPERATIONS.get(instruction.word(1), "")
    body.require(bool(form), instruction, f"{instruction.word(1)} is not supported")
    if is_sub_group(body, instruction):
        return _by_component(body, value, lambda v: _combined(body, instruction, operation, signed, "", v))
    widened = _widened(body, instruction, value, signed)
    if operation in _IN_LIBRARY:
        name = f"work_group_{form}_{operation}"
        result = body.call(name, [Parameter(widened.type, signed)], [widened], widened.type, pure=False)
    else:
        symbol = _fold(body, form, operation, widened.type)
        result = body.emit(f"call {widened.type.llvm} @{symbol}({widened.typed}) #1", widened.type)
    return _narrowed(body, result, type)


def _neutral(type: Type, operation: str, signed: bool) -> Value:
    """Return the identity element of an operation."""
    element = scalar(type)
    if operation in ("add", "or", "xor"):
        return zero(type)
    if isinstance(element, Int):
        all_bits, top = (1 << element.width) - 1, 1 << element.width - 1
        lowest, highest = (top, top - 1) if signed else (0, all_bits)
        text = str({"mul": 1, "min": highest, "max": lowest, "and": all_bits}[operation])
    else:
        assert isinstance(element, Float)
        half = {"mul": "0xH3C00", "min": "0xH7C00", "max": "0xHFC00"}
        wide = {"mul": "1.0", "min": "0x7FF0000000000000", "max": "0xFFF0000000000000"}
        text = (half if element.width == 16 else wide)[operation]
    if not isinstance(type, Vector):
        return Value(type, text)
    return Value(type, f"<{', '.join([f'{element.llvm} {text}'] * type.count)}>")


def _fold(body: Body, form: str, operation: str, type: Type) -> str:
    """Return the symbol of a function that folds an operation over all work-items in order; define it if
    needed."""
    symbol = f"weft.work_group_{form}_{operation}.{type.llvm}"
    output = body.program.output
    if symbol in output.declarations:
        return symbol
    value, three = Parameter(type, True), [Parameter(I64)] * 3
    broadcast = mangle("work_group_broadcast", [value, *three])
    size, own = mangle("get_local_size", [Parameter(I32)]), mangle("get_local_linear_id", [])
    output.declare(broadcast, type, [type, I64, I64, I64], pure=False)
    output.declare(size, I64, [I32], pure=True)
    output.declare(own, I64, [], pure=True)
    llvm = type.llvm
    apply = f"f{operation}" if isinstance(type, Float) else operation
    conditions = {"reduce": "icmp ule i64 0, %own", "scan_inclusive": "icmp ule i64 %at, %own"}
    output.declarations[symbol] = f"""\
define internal {llvm} @{symbol}({llvm} %value) #1 {{
start:
  %own = call i64 @{own}() #2
  %width = call i64 @{size}(i32 0) #2
  %height = call i64 @{size}(i32 1) #2
  %depth = call i64 @{size}(i32 2) #2
  br label %slice
slice:
  %z = phi i64 [ 0, %start ], [ %z.next, %slice.end ]
  %of.slice = phi {llvm} [ {_neutral(type, operation, True).text}, %start ], [ %next, %slice.end ]
  br label %row
row:
  %y = phi i64 [ 0, %slice ], [ %y.next, %row.end ]
  %of.row = phi {llvm} [ %of.slice, %slice ], [ %next, %row.end ]
  br label %item
item:
  %x = phi i64 [ 0, %row ], [ %x.next, %item ]
  %so.far = phi {llvm} [ %of.row, %row ], [ %next, %item ]
  %rows = mul i64 %z, %height
  %row.at = add i64 %rows, %y
  %row.first = mul i64 %row.at, %width
  %at = add i64 %row.first, %x
  %one = call {llvm} @{broadcast}({llvm} %value, i64 %x, i64 %y, i64 %z) #3
  %applied = {apply} {llvm} %so.far, %one
  %taken = {conditions.get(form, "icmp ult i64 %at, %own")}
  %next = select i1 %taken, {llvm} %applied, {llvm} %so.far
  %x.next = add i64 %x, 1
  %more.x = icmp ult i64 %x.next, %width
  br i1 %more.x, label %item, label %row.end
row.end:
  %y.next = add i64 %y, 1
  %more.y = icmp ult i64 %y.next, %height
  br i1 %more.y, label %row, label %slice.end
slice.end:
  %z.next = add i64 %z, 1
  %more.z = icmp ult i64 %z.next, %depth
  br i1 %more.z, label %slice, label %done
done:
  ret {llvm} %next
}}"""
    return symbol


# Sub-groups


def _require_sub_group(body: Body, instruction: Instruction) -> None:
    body.require(is_sub_group(body, instruction), instruction, "the scope must be Subgroup")


def _by_component(body: Body, value: Value, compute: Callable[[Value], Value]) -> Value:
    """Apply a scalar function to a number, or to each component of a vector."""
    type = value.type
    if not isinstance(type, Vector):
        return compute(value)
    result = zero(type)
    for index in range(type.count):
        part = body.emit(f"extractelement {value.typed}, i32 {index}", type.element)
        result = body.emit(f"insertelement {result.typed}, {compute(part).typed}, i32 {index}", type)
    return result


def _combined(
    body: Body, instruction: Instruction, operation: str, signed: bool, prefix: str, value: Value
) -> Value:
    """Emit a reduction or scan of a sub-group; `prefix` is `non_uniform_` if only active work-items take
    part."""
    parameters, arguments = [Parameter(value.type, signed)], [value]
    if instruction.word(1) == "ClusteredReduce":
        name = f"sub_group_clustered_reduce_{operation}"
        size = body.integer(instruction, 3)
        right = 0 < size <= _LARGEST and size & (size - 1) == 0
        body.require(right, instruction, f"the cluster size must be a power of two up to {_LARGEST}")
        parameters.append(Parameter(I32))
        arguments.append(number(size))
    else:
        form = _OPERATIONS.get(instruction.word(1), "")
        body.require(bool(form), instruction, f"{instruction.word(1)} is not supported")
        name = f"sub_group_{prefix}{form}_{operation}"
    return body.call(name, parameters, arguments, value.type, pure=False)


@translates(*_NON_UNIFORM)
def _active_collective(body: Body, instruction: Instruction) -> Value:
    _require_sub_group(body, instruction)
    value = body.operand(instruction, 2)
    type = body.type(instruction)
    operation, kind, signed = _NON_UNIFORM[instruction.name]
    right = value.type == type and isinstance(scalar(type), kind)
    body.require(right, instruction, "invalid operand type")
    return _by_component(
        body, value, lambda v: _combined(body, instruction, operation, signed, "non_uniform_", v)
    )


def _other_item_value(
    body: Body, instruction: Instruction, name: str, value: Value, others: list[tuple[Value, bool]]
) -> Value:
    """Return a value of another work-item; further operands are integers with their signedness."""
    operand = value
    is_truth = scalar(value.type) == BOOL
    if is_truth:
        operand = body.cast("zext", value, of_lanes(I8, lanes(value.type)))
    right = isinstance(scalar(operand.type), Int | Float)
    body.require(right, instruction, "the operand must be numeric or bool")
    parameters, arguments = [Parameter(operand.type, True)], [operand]
    for other, signed in others:
        body.require(isinstance(other.type, Int), instruction, "the sub-group index is not an integer")
        assert isinstance(other.type, Int)
        if other.type.width != 32:
            other = body.cast("trunc" if other.type.width > 32 else "zext", other, I32)
        parameters.append(Parameter(I32, signed))
        arguments.append(other)
    result = body.call(f"sub_group_{name}", parameters, arguments, operand.type, pure=False)
    return body.cast("trunc", result, value.type) if is_truth else result


_TAKING = {
    "GroupNonUniformBroadcast": "non_uniform_broadcast",
    "GroupNonUniformShuffle": "shuffle",
    "GroupNonUniformShuffleXor": "shuffle_xor",
    "GroupNonUniformShuffleUp": "shuffle_up",
    "GroupNonUniformShuffleDown": "shuffle_down",
}


@translates(*_TAKING, "GroupNonUniformBroadcastFirst", "GroupNonUniformRotateKHR")
def _value_of_another(body: Body, instruction: Instruction) -> Value:
    _require_sub_group(body, instruction)
    value = body.operand(instruction, 1)
    body.require(value.type == body.type(instruction), instruction, "invalid operand type")
    if instruction.name == "GroupNonUniformBroadcastFirst":
        return _other_item_value(body, instruction, "broadcast_first", value, [])
    place = body.operand(instruction, 2)
    if instruction.name != "GroupNonUniformRotateKHR":
        return _other_item_value(body, instruction, _TAKING[instruction.name], value, [(place, False)])
    if len(instruction.operands) < 4:
        return _other_item_value(body, instruction, "rotate", value, [(place, True)])
    size = number(body.integer(instruction, 3))
    return _other_item_value(body, instruction, "clustered_rotate", value, [(place, True), (size, False)])


@translates("GroupNonUniformAll", "GroupNonUniformAny")
def _vote_of_active(body: Body, instruction: Instruction) -> Value:
    _require_sub_group(body, instruction)
    return _voted(body, instruction, 1, f"non_uniform_{instruction.name[-3:].lower()}")


@translates("GroupNonUniformAllEqual")
def _all_equal(body: Body, instruction: Instruction) -> Value:
    _require_sub_group(body, instruction)
    value = body.operand(instruction, 1)
    body.require(body.type(instruction) == BOOL, instruction, "the result type is not bool")
    if scalar(value.type) == BOOL:
        value = body.cast("zext", value, of_lanes(I32, lanes(value.type)))
    body.require(isinstance(scalar(value.type), Int | Float), instruction, "invalid operand type")
    same: list[Value] = []

    def compare(part: Value) -> Value:
        name = "sub_group_non_uniform_all_equal"
        same.append(_as_truth(body, body.call(name, [Parameter(part.type, True)], [part], I32, pure=False)))
        return part

    _by_component(body, value, compare)
    result = same[0]
    for other in same[1:]:
        result = body.emit(f"and {result.typed}, {other.text}", BOOL)
    return result


@translates("GroupNonUniformElect")
def _elect(body: Body, instruction: Instruction) -> Value:
    _require_sub_group(body, instruction)
    return _as_truth(body, body.call("sub_group_elect", [], [], I32, pure=False))


@translates("SubgroupShuffleINTEL", "SubgroupShuffleXorINTEL")
def _shuffled(body: Body, instruction: Instruction) -> Value:
    value, place = body.operand(instruction, 0), body.operand(instruction, 1)
    name = "shuffle_xor" if "Xor" in instruction.name else "shuffle"
    return _other_item_value(body, instruction, name, value, [(place, False)])


@translates("SubgroupShuffleDownINTEL", "SubgroupShuffleUpINTEL")
def _shifted(body: Body, instruction: Instruction) -> Value:
    """Translate a shift across two adjacent sub-groups."""
    first, second, delta = (body.operand(instruction, index) for index in range(3))
    right = first.type == second.type and delta.type == I32
    body.require(right, instruction, "invalid operand types")
    lane = body.call("get_sub_group_local_id", [], [], I32)
    whole = body.call("get_sub_group_size", [], [], I32)
    if "Down" in instruction.name:
        at = body.emit(f"add {lane.typed}, {delta.text}", I32)
        in_first = body.emit(f"icmp ult {at.typed}, {whole.text}", BOOL)
        beyond = body.emit(f"sub {at.typed}, {whole.text}", I32)
        places = (at, beyond)
    else:
        at = body.emit(f"sub {lane.typed}, {delta.text}", I32)
        in_first = body.emit(f"icmp slt {at.typed}, 0", BOOL)
        beyond = body.emit(f"add {at.typed}, {whole.text}", I32)
        places = (beyond, at)
    one, other = (
        _other_item_value(body, instruction, "shuffle", value, [(place, False)])
        for value, place in zip((first, second), places, strict=True)
    )
    return body.emit(f"select {in_first.typed}, {one.typed}, {other.typed}", first.type)


_MASK = 4  # 32-bit words of a sub-group mask
_LARGEST = 128  # maximum size of a sub-group in a mask


def _mask(body: Body, instruction: Instruction, index: int) -> Value:
    mask = body.operand(instruction, index)
    right = isinstance(mask.type, Vector) and mask.type.count == _MASK and mask.type.element == I32
    body.require(right, instruction, "the operand is not a sub-group mask")
    return mask


def _mask_call(body: Body, name: str, mask: Value, *more: Value) -> Value:
    parameters = [Parameter(mask.type), *[Parameter(I32)] * len(more)]
    return body.call(f"sub_group_{name}", parameters, [mask, *more], I32, pure=False)


@translates("GroupNonUniformBallot")
def _ballot(body: Body, instruction: Instruction) -> Value:
    _require_sub_group(body, instruction)
    value, type = body.operand(instruction, 1), body.type(instruction)
    right = isinstance(type, Vector) and type.count == _MASK and type.element == I32 and value.type == BOOL
    body.require(right, instruction, "the operand must be bool and the result a sub-group mask")
    wide = body.cast("zext", value, I32)
    return body.call("sub_group_ballot", [Parameter(I32, True)], [wide], type, pure=False)


@translates("GroupNonUniformInverseBallot", "GroupNonUniformBallotBitExtract")
def _ballot_bit(body: Body, instruction: Instruction) -> Value:
    _require_sub_group(body, instruction)
    mask = _mask(body, instruction, 1)
    if instruction.name == "GroupNonUniformInverseBallot":
        return _as_truth(body, _mask_call(body, "inverse_ballot", mask))
    place = body.operand(instruction, 2)
    body.require(place.type == I32, instruction, "the sub-group index must be a 32-bit integer")
    return _as_truth(body, _mask_call(body, "ballot_bit_extract", mask, place))


@translates("GroupNonUniformBallotBitCount")
def _ballot_count(body: Body, instruction: Instruction) -> Value:
    _require_sub_group(body, instruction)
    names = {"Reduce": "bit_count", "InclusiveScan": "inclusive_scan", "ExclusiveScan": "exclusive_scan"}
    form = names.get(instruction.word(1), "")
    body.require(bool(form), instruction, f"{instruction.word(1)} is not supported")
    return _mask_call(body, f"ballot_{form}", _mask(body, instruction, 2))


@translates("GroupNonUniformBallotFindLSB", "GroupNonUniformBallotFindMSB")
def _ballot_find(body: Body, instruction: Instruction) -> Value:
    _require_sub_group(body, instruction)
    which = "lsb" if instruction.name.endswith("LSB") else "msb"
    return _mask_call(body, f"ballot_find_{which}", _mask(body, instruction, 1))


# Asynchronous copies of work-groups


def _require_work_group(body: Body, instruction: Instruction) -> None:
    body.require(not is_sub_group(body, instruction), instruction, "the scope must be Workgroup")


@translates("GroupAsyncCopy")
def _async_copy(body: Body, instruction: Instruction) -> Value:
    _require_work_group(body, instruction)
    target, source, count, stride, event = (body.operand(instruction, index) for index in range(1, 6))
    right = isinstance(target.type, Pointer) and isinstance(source.type, Pointer)
    body.require(right, instruction, "the operands must be pointers")
    assert isinstance(target.type, Pointer) and isinstance(source.type, Pointer)
    held = body.types.pointee(target.type)
    right = held == body.types.pointee(source.type) and isinstance(scalar(held), Int | Float)
    body.require(right, instruction, "the operands point to different numeric types")
    storages = {target.type.storage, source.type.storage}
    right = storages == {"CrossWorkgroup", "Workgroup"}
    body.require(right, instruction, "the copy must be between global and local memory")
    count, stride = (_wide(body, instruction, number) for number in (count, stride))
    right = isinstance(event.type, Opaque)
    body.require(right and event.type == body.type(instruction), instruction, "invalid operand types")
    pointers = [
        Parameter(held, True, target.type.storage),
        Parameter(held, True, source.type.storage, "K"),
    ]
    plain = stride.text in ("0", "1")
    name = "async_work_group_copy" if plain else "async_work_group_strided_copy"
    arguments = [target, source, count, *([] if plain else [stride]), event]
    parameters = [*pointers, *[Parameter(I64)] * (1 if plain else 2), Parameter(event.type)]
    return body.call(name, parameters, arguments, event.type, pure=False)


def _wide(body: Body, instruction: Instruction, value: Value) -> Value:
    """Return a number of elements as a size_t."""
    body.require(
        isinstance(value.type, Int), instruction, "the number of elements or the stride is not an integer"
    )
    if value.type == I64:
        return value
    if value.text.isdigit():
        return number(int(value.text), I64)
    return body.cast("zext", value, I64)


@translates("GroupWaitEvents")
def _wait(body: Body, instruction: Instruction) -> None:
    _require_work_group(body, instruction)
    count, events = body.operand(instruction, 1), body.operand(instruction, 2)
    right = isinstance(count.type, Int) and isinstance(events.type, Pointer)
    body.require(right, instruction, "the operands must be a count and a pointer to events")
    assert isinstance(count.type, Int) and isinstance(events.type, Pointer)
    held = body.types.pointee(events.type)
    body.require(isinstance(held, Opaque), instruction, "the pointer does not point to events")
    if count.type.width != 32:
        count = body.cast("trunc" if count.type.width > 32 else "zext", count, I32)
    parameters = [Parameter(I32, True), Parameter(held, False, events.type.storage)]
    body.call("wait_group_events", parameters, [count, events], VOID, pure=False)
