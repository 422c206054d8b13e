"""Translate terminators, calls, barriers, fences and atomic operations."""

from weft.abi import NAMED_BARRIER_INITIALIZE, NAMED_BARRIER_WAIT
from weft.frontend.spirv.binary import Instruction
from weft.frontend.spirv.body import I32, Body, Value, number, translates
from weft.frontend.spirv.mangle import Parameter
from weft.frontend.spirv.types import (
    BOOL,
    NAMED_BARRIER,
    VOID,
    Float,
    Int,
    Pointer,
    Signature,
    Type,
    integer,
    vector,
)

# SPIR-V's scopes, and OpenCL C's memory_scope for each.
_CROSS_DEVICE, _DEVICE, WORKGROUP, SUBGROUP, _INVOCATION = range(5)
_SCOPES = {_CROSS_DEVICE: 3, _DEVICE: 2, WORKGROUP: 1, SUBGROUP: 1, _INVOCATION: 0}

# Memory semantics: orders and kinds of memory.
_ORDERS = {0x0: 0, 0x2: 2, 0x4: 3, 0x8: 4, 0x10: 5}  # relaxed, acquire, release, acq_rel, seq_cst
_ORDER_BITS = 0x1E
_SUBGROUP_MEMORY, _LOCAL_MEMORY, _GLOBAL_MEMORY, _IMAGE_MEMORY = 0x80, 0x100, 0x200, 0x800
_KNOWN_SEMANTICS = _ORDER_BITS | 0xFC0


@translates("FunctionCall")
def _call(body: Body, instruction: Instruction) -> Value:
    type = body.types[instruction.type]
    callee = instruction.id(0)
    definition = body.module.definitions[callee]
    signature = body.types[definition.id(1)]
    assert isinstance(signature, Signature)
    body.require(
        signature.returns == type, instruction, "the result type differs from the return type of the function"
    )
    arguments = [body.operand(instruction, index) for index in range(1, len(instruction.operands))]
    right = tuple(argument.type for argument in arguments) == signature.parameters
    body.require(right, instruction, "the arguments do not match the parameters of the function")
    parameters = body.program.parameters[callee]
    spelled = []
    for argument, parameter in zip(arguments, parameters, strict=True):
        word = by_value(body, parameter.result, argument.type)
        spelled.append(f"{argument.type.llvm} {word}{argument.text}")
    symbol = body.program.symbols[callee]
    text = f"call {type.llvm} @{symbol}({', '.join(spelled)}) #1"
    if type is VOID:
        body.write(text)
        return Value(VOID, "")
    return body.emit(text, type)


def by_value(body: Body, parameter: int, type: Type) -> str:
    """Return the attribute of a structure that is passed through memory, followed by a space."""
    attributes = body.module.decorations.get(parameter, {}).get("FuncParamAttr", [])
    if not any("ByVal" in operands for operands in attributes):
        return ""
    held = body.types.pointee(type) if isinstance(type, Pointer) else None
    if not isinstance(type, Pointer) or type.storage != "Function" or held is None or not held.in_memory:
        return ""
    return f"byval({held.llvm}) align {held.align} "


def terminate(body: Body, instruction: Instruction, returns: Type) -> None:
    """Translate a terminator of a function with the given return type."""
    match instruction.name:
        case "Branch":
            body.write(f"br label %b.{instruction.id(0)}")
        case "BranchConditional":
            condition = body.operand(instruction, 0)
            body.require(condition.type == BOOL, instruction, "the condition is not a bool")
            then, other = instruction.id(1), instruction.id(2)
            body.write(f"br {condition.typed}, label %b.{then}, label %b.{other}")
        case "Switch":
            _switch(body, instruction)
        case "Return":
            body.require(returns is VOID, instruction, "a function with a result must return a value")
            body.write("ret void")
        case "ReturnValue":
            value = body.operand(instruction, 0)
            body.require(
                value.type == returns, instruction, "the value differs from the return type of the function"
            )
            body.write(f"ret {value.typed}")
        case _:
            body.write("unreachable")


def _switch(body: Body, instruction: Instruction) -> None:
    selector = body.operand(instruction, 0)
    body.require(isinstance(selector.type, Int), instruction, "the selector is not an integer")
    assert isinstance(selector.type, Int)
    pairs = instruction.numbers(2)
    mask = (1 << selector.type.width) - 1
    literals = [literal & mask for literal in pairs[::2]]
    body.require(len(set(literals)) == len(literals), instruction, "duplicate case value")
    body.require(len(literals) <= 16_383, instruction, "too many cases")
    cases = "".join(
        f" {selector.type.llvm} {literal}, label %b.{target}"
        for literal, target in zip(literals, pairs[1::2], strict=True)
    )
    body.write(f"switch {selector.typed}, label %b.{instruction.id(1)} [{cases} ]")


# Barriers


def _order(body: Body, instruction: Instruction, index: int) -> tuple[int, int]:
    """Return OpenCL C's memory_order and fence flags."""
    semantics = body.integer(instruction, index)
    order = _ORDERS.get(semantics & _ORDER_BITS)
    known = order is not None and not semantics & ~_KNOWN_SEMANTICS
    body.require(known, instruction, f"unknown memory semantics {semantics:#x}")
    assert order is not None
    flags = 1 * bool(semantics & (_LOCAL_MEMORY | _SUBGROUP_MEMORY)) | 2 * bool(semantics & _GLOBAL_MEMORY)
    return order, flags | 4 * bool(semantics & _IMAGE_MEMORY)


def _scope(body: Body, instruction: Instruction, index: int) -> int:
    """Return OpenCL C's memory_scope."""
    scope = _SCOPES.get(body.integer(instruction, index))
    body.require(scope is not None, instruction, "unsupported scope")
    assert scope is not None
    return scope


def is_sub_group(body: Body, instruction: Instruction) -> bool:
    """Return whether an instruction applies to a sub-group rather than the work-group."""
    scope = body.integer(instruction, 0)
    right = scope in (WORKGROUP, SUBGROUP)
    body.require(right, instruction, "the scope must be Workgroup or Subgroup")
    return scope == SUBGROUP


@translates("ControlBarrier")
def _barrier(body: Body, instruction: Instruction) -> None:
    name = "sub_group_barrier" if is_sub_group(body, instruction) else "barrier"
    _scope(body, instruction, 1)
    flags = _order(body, instruction, 2)[1]
    body.call(name, [Parameter(I32)], [number(flags)], VOID, pure=False)


@translates("MemoryBarrier")
def _memory_barrier(body: Body, instruction: Instruction) -> None:
    _fence(body, instruction, 0)


def _fence(body: Body, instruction: Instruction, first: int) -> None:
    """Emit a fence, given the operand index of the scope, which the semantics follow."""
    scope = _scope(body, instruction, first)
    order, flags = _order(body, instruction, first + 1)
    parameters = [Parameter(I32), _ORDER, _SCOPE]
    values = [number(flags), number(order), number(scope)]
    body.call("atomic_work_item_fence", parameters, values, VOID, pure=False)


@translates("NamedBarrierInitialize")
def _named_barrier(body: Body, instruction: Instruction) -> Value:
    body.require(
        body.type(instruction) == NAMED_BARRIER, instruction, "the result type is not OpTypeNamedBarrier"
    )
    count = body.operand(instruction, 0)
    body.require(count.type == I32, instruction, "the number of sub-groups must be a 32-bit integer")
    return body.call_symbol(NAMED_BARRIER_INITIALIZE, [count], NAMED_BARRIER, pure=False)


@translates("MemoryNamedBarrier")
def _wait_at_named_barrier(body: Body, instruction: Instruction) -> None:
    barrier = body.operand(instruction, 0)
    body.require(barrier.type == NAMED_BARRIER, instruction, "the operand is not a named barrier")
    # A barrier already makes memory operations visible within the work-group.
    scope, order = _scope(body, instruction, 1), _order(body, instruction, 2)[0]
    ordered = order != 0 and scope > _SCOPES[WORKGROUP]
    if ordered:
        _fence(body, instruction, 1)
    body.call_symbol(NAMED_BARRIER_WAIT, [barrier], VOID, pure=False)
    if ordered:
        _fence(body, instruction, 1)


# Atomic operations

_ORDER = Parameter(named="memory_order")
_SCOPE = Parameter(named="memory_scope")
# OpenCL C's name of an operation, and whether it is signed.
_ATOMICS = {
    "AtomicIAdd": ("add", False),
    "AtomicISub": ("sub", False),
    "AtomicSMin": ("min", True),
    "AtomicUMin": ("min", False),
    "AtomicSMax": ("max", True),
    "AtomicUMax": ("max", False),
    "AtomicAnd": ("and", False),
    "AtomicOr": ("or", False),
    "AtomicXor": ("xor", False),
}


def _place(
    body: Body,
    instruction: Instruction,
    kinds: tuple[type[Type], ...] = (Int,),
    widths: tuple[int, ...] = (32, 64),
) -> tuple[Value, Pointer, Type]:
    """Return the address of an atomic operation, the pointer type, and the pointee type."""
    pointer = body.operand(instruction, 0)
    body.require(isinstance(pointer.type, Pointer), instruction, "the operand is not a pointer")
    assert isinstance(pointer.type, Pointer)
    held = body.types.pointee(pointer.type)
    width = held.width if isinstance(held, Int | Float) else 0
    body.require(isinstance(held, kinds), instruction, "atomic operations require integers or floats")
    body.require(width in widths, instruction, f"atomic operations on {width} bits are not supported")
    right = pointer.type.storage in ("CrossWorkgroup", "Workgroup", "Generic", "Function")
    body.require(
        right, instruction, f"atomic operations in storage class {pointer.type.storage} are not supported"
    )
    return pointer, pointer.type, held


def _plain(pointer: Pointer, held: Type, signed: bool) -> Parameter:
    return Parameter(held, signed, pointer.storage, "V")


def _atomic(pointer: Pointer, held: Type, signed: bool) -> Parameter:
    return Parameter(held, signed, pointer.storage, "V", atomic=True)


def _explicit(
    body: Body, instruction: Instruction, name: str, place: tuple[Value, Pointer, Type], values: list[Value],
    signed: bool, returns: Type,
) -> Value:  # fmt: skip
    """Call `atomic_…_explicit` with the order and scope of the instruction."""
    pointer, kind, held = place
    scope = _scope(body, instruction, 1)
    order = _order(body, instruction, 2)[0]
    parameters = [_atomic(kind, held, signed), *[Parameter(held, signed)] * len(values), _ORDER, _SCOPE]
    arguments = [pointer, *values, number(order), number(scope)]
    return body.call(f"atomic_{name}_explicit", parameters, arguments, returns, pure=False)


def _relaxed(body: Body, instruction: Instruction) -> bool:
    _scope(body, instruction, 1)
    return not _order(body, instruction, 2)[0]


@translates(*_ATOMICS)
def _update(body: Body, instruction: Instruction) -> Value:
    place = _place(body, instruction)
    pointer, kind, held = place
    value = body.operand(instruction, 3)
    right = held == value.type == body.type(instruction)
    body.require(right, instruction, "the value differs from the pointee type")
    name, signed = _ATOMICS[instruction.name]
    if _relaxed(body, instruction):
        parameters = [_plain(kind, held, signed), Parameter(held, signed)]
        return body.call(f"{_prefix(held)}_{name}", parameters, [pointer, value], held, pure=False)
    return _explicit(body, instruction, f"fetch_{name}", place, [value], signed, held)


def _prefix(held: Type) -> str:
    """OpenCL C 1.2 names 64-bit operations atom_…"""
    return "atom" if isinstance(held, Int) and held.width == 64 else "atomic"


@translates("AtomicIIncrement", "AtomicIDecrement")
def _count(body: Body, instruction: Instruction) -> Value:
    place = _place(body, instruction)
    pointer, kind, held = place
    body.require(held == body.type(instruction), instruction, "the result type differs from the pointee type")
    up = instruction.name == "AtomicIIncrement"
    if _relaxed(body, instruction):
        name = f"{_prefix(held)}_{'inc' if up else 'dec'}"
        return body.call(name, [_plain(kind, held, False)], [pointer], held, pure=False)
    assert isinstance(held, Int)
    return _explicit(
        body, instruction, "fetch_add" if up else "fetch_sub", place, [number(1, held)], False, held
    )


@translates("AtomicLoad")
def _atomic_load(body: Body, instruction: Instruction) -> Value:
    place = _place(body, instruction, (Int, Float))
    body.require(place[2] == body.type(instruction), instruction, "the pointee has a different type")
    return _explicit(body, instruction, "load", place, [], True, place[2])


@translates("AtomicStore")
def _atomic_store(body: Body, instruction: Instruction) -> None:
    place = _place(body, instruction, (Int, Float))
    value = body.operand(instruction, 3)
    body.require(place[2] == value.type, instruction, "the value differs from the pointee type")
    _explicit(body, instruction, "store", place, [value], True, VOID)


@translates("AtomicExchange")
def _exchange(body: Body, instruction: Instruction) -> Value:
    place = _place(body, instruction, (Int, Float))
    value = body.operand(instruction, 3)
    right = place[2] == value.type == body.type(instruction)
    body.require(right, instruction, "the value differs from the pointee type")
    return _explicit(body, instruction, "exchange", place, [value], True, place[2])


@translates("AtomicCompareExchange", "AtomicCompareExchangeWeak")
def _compare_exchange(body: Body, instruction: Instruction) -> Value:
    pointer, kind, held = _place(body, instruction)
    _scope(body, instruction, 1)
    value, expected = body.operand(instruction, 4), body.operand(instruction, 5)
    right = held == value.type == expected.type == body.type(instruction)
    body.require(right, instruction, "the values differ from the pointee type")
    ordered = max(_order(body, instruction, index)[0] for index in (2, 3))
    parameters = [_plain(kind, held, False), *[Parameter(held)] * 2]
    arguments = [pointer, expected, value]
    if ordered:
        _full_fence(body)
    old = body.call(f"{_prefix(held)}_cmpxchg", parameters, arguments, held, pure=False)
    if ordered:
        _full_fence(body)
    return old


def _full_fence(body: Body) -> None:
    """Order all memory operations: the function that returns the old value orders nothing."""
    values = [number(3), number(5), number(3)]
    body.call("atomic_work_item_fence", [Parameter(I32), _ORDER, _SCOPE], values, VOID, pure=False)


_FLOAT_ATOMICS = {"AtomicFAddEXT": "fetch_add", "AtomicFMinEXT": "fetch_min", "AtomicFMaxEXT": "fetch_max"}


@translates(*_FLOAT_ATOMICS)
def _update_float(body: Body, instruction: Instruction) -> Value:
    place = _place(body, instruction, (Int, Float), (16, 32, 64))
    value = body.operand(instruction, 3)
    right = isinstance(place[2], Float) and place[2] == value.type == body.type(instruction)
    body.require(right, instruction, "the value differs from the pointee type")
    return _explicit(body, instruction, _FLOAT_ATOMICS[instruction.name], place, [value], True, place[2])


@translates("AtomicFlagTestAndSet", "AtomicFlagClear")
def _flag(body: Body, instruction: Instruction) -> Value | None:
    pointer, kind, held = _place(body, instruction)
    body.require(
        isinstance(held, Int) and held.width == 32, instruction, "an atomic flag must be a 32-bit integer"
    )
    sets = instruction.name == "AtomicFlagTestAndSet"
    scope, order = _scope(body, instruction, 1), _order(body, instruction, 2)[0]
    name = f"atomic_flag_{'test_and_set' if sets else 'clear'}_explicit"
    parameters = [_atomic(kind, held, True), _ORDER, _SCOPE]
    arguments = [pointer, number(order), number(scope)]
    if not sets:
        body.call(name, parameters, arguments, VOID, pure=False)
        return None
    body.require(body.type(instruction) == BOOL, instruction, "the result type is not bool")
    return body.call(name, parameters, arguments, BOOL, pure=False)


_CLOCKS = {_DEVICE: "device", WORKGROUP: "work_group", SUBGROUP: "sub_group"}


@translates("ReadClockKHR")
def _read_clock(body: Body, instruction: Instruction) -> Value:
    """Read the counter of a scope, as 64 bits or as two words."""
    type = body.type(instruction)
    scope = body.integer(instruction, 0)
    body.require(scope in _CLOCKS, instruction, f"the clock of scope {scope} is not supported")
    is_pair = type == vector(I32, 2)
    right = is_pair or type == integer(64)
    body.require(right, instruction, "the result must be a 64-bit integer or a vector of two 32-bit integers")
    name = f"clock_read_{'hilo_' if is_pair else ''}{_CLOCKS[scope]}"
    return body.call(name, [], [], type, pure=False)
