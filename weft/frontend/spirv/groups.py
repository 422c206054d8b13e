"""What the work-items of a work-group or a sub-group do together.

A sub-group is one work-item: what it reduces or broadcasts is its own value, and a scan that leaves its own
value out gives the neutral element of the operation. Work-groups have functions of OpenCL C's library for
sums, minima and maxima; products and bitwise operations are folded over broadcasts of all values.
"""

from weft.frontend.spirv.binary import Instruction
from weft.frontend.spirv.body import I32, I64, Body, Value, number, translates, zero
from weft.frontend.spirv.calls import is_single
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
    lanes,
    scalar,
)

# An operation, the numbers it is for, and whether they are signed.
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
    value = body.operand(instruction, 1)
    right = value.type == BOOL == body.type(instruction)
    body.require(right, instruction, "its operand or its result is no truth value")
    if is_single(body, instruction):
        return value
    return _work_group_vote(body, value, "all" if instruction.name == "GroupAll" else "any")


def _work_group_vote(body: Body, value: Value, way: str) -> Value:
    wide = body.cast("zext", value, I32)
    found = body.call(f"work_group_{way}", [Parameter(I32, True)], [wide], I32, pure=False)
    return body.emit(f"icmp ne {found.typed}, 0", BOOL)


@translates("GroupLogicalAndKHR", "GroupLogicalOrKHR")
def _logical(body: Body, instruction: Instruction) -> Value:
    value = body.operand(instruction, 2)
    right = value.type == BOOL == body.type(instruction)
    body.require(right, instruction, "its operand or its result is no truth value")
    single = is_single(body, instruction)
    if instruction.word(1) == "ExclusiveScan" and single:
        return Value(BOOL, "true" if "And" in instruction.name else "false")
    right = single or instruction.word(1) == "Reduce"
    body.require(right, instruction, "scans of truth values are not supported")
    if single:
        return value
    return _work_group_vote(body, value, "all" if "And" in instruction.name else "any")


# Values of all


@translates("GroupBroadcast")
def _broadcast(body: Body, instruction: Instruction) -> Value:
    value, at = body.operand(instruction, 1), body.operand(instruction, 2)
    type = _of_group(body, instruction, value)
    body.require(isinstance(scalar(at.type), Int) and lanes(at.type) <= 3, instruction, "its id is wrong")
    if is_single(body, instruction):
        return value
    if isinstance(at.type, Vector):
        element = at.type.element
        places = [body.emit(f"extractelement {at.typed}, i32 {i}", element) for i in range(at.type.count)]
    else:
        places = [at]
    wide = [p if p.type == I64 else body.cast("zext", p, I64) for p in places]
    given = _widened(body, instruction, value, True)
    parameters = [Parameter(given.type, True), *[Parameter(I64)] * len(wide)]
    found = body.call("work_group_broadcast", parameters, [given, *wide], given.type, pure=False)
    return _narrowed(body, found, type)


def _of_group(body: Body, instruction: Instruction, value: Value) -> Type:
    """The type of a value that a group shares."""
    type = body.type(instruction)
    right = value.type == type and isinstance(scalar(type), Int | Float)
    body.require(right, instruction, "its operand has a wrong type")
    return type


def _widened(body: Body, instruction: Instruction, value: Value, signed: bool) -> Value:
    """A value of which the library has functions: integers have 32 bits at least."""
    body.require(not isinstance(value.type, Vector), instruction, "only scalars are supported")
    if isinstance(value.type, Int) and value.type.width < 32:
        return body.cast("sext" if signed else "zext", value, I32)
    return value


def _narrowed(body: Body, value: Value, type: Type) -> Value:
    return value if value.type == type else body.cast("trunc", value, type)


@translates(*_OF_GROUPS)
def _collective(body: Body, instruction: Instruction) -> Value:
    operation, kind, signed = _OF_GROUPS[instruction.name]
    value = body.operand(instruction, 2)
    type = _of_group(body, instruction, value)
    body.require(isinstance(scalar(type), kind), instruction, "its operand has a wrong type")
    way = _OPERATIONS.get(instruction.word(1), "")
    body.require(bool(way), instruction, f"{instruction.word(1)} is not supported")
    if is_single(body, instruction):
        return _neutral(type, operation, signed) if way == "scan_exclusive" else value
    given = _widened(body, instruction, value, signed)
    if operation in _IN_LIBRARY:
        name = f"work_group_{way}_{operation}"
        found = body.call(name, [Parameter(given.type, signed)], [given], given.type, pure=False)
    else:
        symbol = _fold(body, way, operation, given.type)
        found = body.emit(f"call {given.type.llvm} @{symbol}({given.typed}) #1", given.type)
    return _narrowed(body, found, type)


def _neutral(type: Type, operation: str, signed: bool) -> Value:
    """What an operation leaves other values as they are with."""
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


def _fold(body: Body, way: str, operation: str, type: Type) -> str:
    """The symbol of a function that applies an operation to the values of all work-items in their order."""
    symbol = f"weft.work_group_{way}_{operation}.{type.llvm}"
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
    taken = {"reduce": "icmp ule i64 0, %own", "scan_inclusive": "icmp ule i64 %at, %own"}
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
  %taken = {taken.get(way, "icmp ult i64 %at, %own")}
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


# Sub-groups, which have one work-item


def _require_single(body: Body, instruction: Instruction) -> None:
    body.require(is_single(body, instruction), instruction, "its scope is not the sub-group")


@translates(*_NON_UNIFORM, *_NON_UNIFORM_LOGICAL)
def _of_active(body: Body, instruction: Instruction) -> Value:
    _require_single(body, instruction)
    value = body.operand(instruction, 2)
    type = body.type(instruction)
    operation, kind, signed = _NON_UNIFORM.get(instruction.name, ("", Type, False))
    right = value.type == type and (isinstance(scalar(type), kind) if operation else type == BOOL)
    body.require(right, instruction, "its operand has a wrong type")
    if instruction.word(1) != "ExclusiveScan":
        return value
    if not operation:
        return Value(BOOL, "true" if instruction.name.endswith("And") else "false")
    return _neutral(type, operation, signed)


@translates(
    "GroupNonUniformBroadcast", "GroupNonUniformBroadcastFirst", "GroupNonUniformShuffle",
    "GroupNonUniformShuffleXor", "GroupNonUniformShuffleUp", "GroupNonUniformShuffleDown",
    "GroupNonUniformAll", "GroupNonUniformAny",
)  # fmt: skip
def _own_value(body: Body, instruction: Instruction) -> Value:
    """The value of the only work-item; that of another one is undefined."""
    _require_single(body, instruction)
    return body.operand(instruction, 1)


@translates("GroupNonUniformElect", "GroupNonUniformAllEqual")
def _true(body: Body, instruction: Instruction) -> Value:
    _require_single(body, instruction)
    return Value(BOOL, "true")


@translates("SubgroupShuffleINTEL", "SubgroupShuffleXorINTEL")
def _shuffled(body: Body, instruction: Instruction) -> Value:
    body.operand(instruction, 1)
    return body.operand(instruction, 0)


@translates("SubgroupShuffleDownINTEL", "SubgroupShuffleUpINTEL")
def _shifted(body: Body, instruction: Instruction) -> Value:
    """Of two values that stand side by side the one that is so many places away."""
    first, second, delta = (body.operand(instruction, index) for index in range(3))
    right = first.type == second.type and delta.type == I32
    body.require(right, instruction, "its operands have wrong types")
    near, far = (first, second) if "Down" in instruction.name else (second, first)
    here = body.emit(f"icmp eq {delta.typed}, 0", BOOL)
    return body.emit(f"select {here.typed}, {near.typed}, {far.typed}", first.type)


_MASK = 4  # numbers of 32 bits in the mask of a sub-group


def _first_bit(body: Body, instruction: Instruction, index: int) -> Value:
    """Of a mask the bit of the only work-item, as a number."""
    mask = body.operand(instruction, index)
    right = isinstance(mask.type, Vector) and mask.type.count == _MASK and mask.type.element == I32
    body.require(right, instruction, "its operand is no mask of a sub-group")
    low = body.emit(f"extractelement {mask.typed}, i32 0", I32)
    return body.emit(f"and {low.typed}, 1", I32)


@translates("GroupNonUniformBallot")
def _ballot(body: Body, instruction: Instruction) -> Value:
    _require_single(body, instruction)
    value, type = body.operand(instruction, 1), body.type(instruction)
    right = isinstance(type, Vector) and type.count == _MASK and type.element == I32 and value.type == BOOL
    body.require(right, instruction, "it does not make a mask of a truth value")
    bit = body.cast("zext", value, I32)
    return body.emit(f"insertelement {zero(type).typed}, {bit.typed}, i32 0", type)


@translates("GroupNonUniformInverseBallot", "GroupNonUniformBallotBitExtract")
def _ballot_bit(body: Body, instruction: Instruction) -> Value:
    _require_single(body, instruction)
    return body.emit(f"icmp ne {_first_bit(body, instruction, 1).typed}, 0", BOOL)


@translates("GroupNonUniformBallotBitCount")
def _ballot_count(body: Body, instruction: Instruction) -> Value:
    _require_single(body, instruction)
    bit = _first_bit(body, instruction, 2)
    return number(0) if instruction.word(1) == "ExclusiveScan" else bit


@translates("GroupNonUniformBallotFindLSB", "GroupNonUniformBallotFindMSB")
def _ballot_find(body: Body, instruction: Instruction) -> Value:
    _require_single(body, instruction)
    _first_bit(body, instruction, 1)
    return number(0)


# Asynchronous copies of work-groups


def _require_work_group(body: Body, instruction: Instruction) -> None:
    body.require(not is_single(body, instruction), instruction, "its scope is not the work-group")


@translates("GroupAsyncCopy")
def _async_copy(body: Body, instruction: Instruction) -> Value:
    _require_work_group(body, instruction)
    target, source, count, stride, event = (body.operand(instruction, index) for index in range(1, 6))
    right = isinstance(target.type, Pointer) and isinstance(source.type, Pointer)
    body.require(right, instruction, "its operands are no pointers")
    assert isinstance(target.type, Pointer) and isinstance(source.type, Pointer)
    held = body.types.pointee(target.type)
    right = held == body.types.pointee(source.type) and isinstance(scalar(held), Int | Float)
    body.require(right, instruction, "its operands do not point to the same kind of numbers")
    storages = {target.type.storage, source.type.storage}
    right = storages == {"CrossWorkgroup", "Workgroup"}
    body.require(right, instruction, "it does not copy between global and local memory")
    count, stride = (_wide(body, instruction, number) for number in (count, stride))
    right = isinstance(event.type, Opaque)
    body.require(right and event.type == body.type(instruction), instruction, "its operands have wrong types")
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
    """A number of elements as a size_t."""
    body.require(isinstance(value.type, Int), instruction, "a number of elements is no integer")
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
    body.require(right, instruction, "its operands are not a number and a pointer to events")
    assert isinstance(count.type, Int) and isinstance(events.type, Pointer)
    held = body.types.pointee(events.type)
    body.require(isinstance(held, Opaque), instruction, "its pointer does not point to events")
    if count.type.width != 32:
        count = body.cast("trunc" if count.type.width > 32 else "zext", count, I32)
    parameters = [Parameter(I32, True), Parameter(held, False, events.type.storage)]
    body.call("wait_group_events", parameters, [count, events], VOID, pure=False)
