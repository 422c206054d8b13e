"""Translate variables, loads, stores, copies and address computations."""

from weft.frontend.spirv.binary import Instruction, Mask
from weft.frontend.spirv.body import I64, MOST_LEAVES, Body, Value, translates, zero
from weft.frontend.spirv.types import (
    BOOL,
    MOST_ALIGNMENT,
    MOST_BYTES,
    VOID,
    Array,
    Int,
    Pointer,
    Struct,
    Type,
    Vector,
)
from weft.frontend.spirv.variables import load


def _pointer(body: Body, instruction: Instruction, index: int) -> tuple[Value, Pointer]:
    value = body.value(instruction.id(index))
    body.require(isinstance(value.type, Pointer), instruction, "the operand is not a pointer")
    assert isinstance(value.type, Pointer)
    return value, value.type


def _alignment(body: Body, instruction: Instruction, access: Mask, natural: int) -> int:
    """Return the alignment that the module states for an access, which is not verified, or the natural
    one."""
    aligned = access.operands.get("Aligned")
    if not aligned:
        return natural
    body.require(
        aligned[0] > 0 and not aligned[0] & (aligned[0] - 1) and aligned[0] <= 1 << 30,
        instruction,
        f"the alignment must be a power of two, got {aligned[0]}",
    )
    return aligned[0]


def _check_memory(body: Body, instruction: Instruction, type: Type) -> None:
    body.require(
        type.in_memory and type is not VOID, instruction, "values of this type cannot be stored in memory"
    )
    body.require(
        type.leaves <= MOST_LEAVES,
        instruction,
        f"accesses of more than {MOST_LEAVES} elements are not supported",
    )


@translates("Variable")
def _variable(body: Body, instruction: Instruction) -> Value:
    type = body.types[instruction.type]
    right = isinstance(type, Pointer) and type.storage == "Function" == instruction.word(0)
    body.require(right, instruction, "the type is not a pointer to the Function storage class")
    assert isinstance(type, Pointer)
    held = body.types.pointee(type)
    body.require(held.in_memory, instruction, "the variable has a type without a size")
    alignment = body.module.decoration(instruction.result, "Alignment")
    align = held.align
    if alignment and isinstance(alignment[0], int):
        align = max(align, _alignment(body, instruction, Mask(0, {"Aligned": (alignment[0],)}), align))
        body.require(
            align <= MOST_ALIGNMENT, instruction, f"alignments above {MOST_ALIGNMENT} are not supported"
        )
    body.program.variable_bytes += held.size
    body.require(
        body.program.variable_bytes <= MOST_BYTES, instruction, "the variables of the module are too large"
    )
    variable = body.emit(f"alloca {_stored(held)}, align {align}", type)
    if len(instruction.operands) > 1:
        initial = body.operand(instruction, 1)
        body.require(initial.type == held, instruction, "the initializer has a different type")
        _store(body, variable, initial, align, "")
    return variable


def _stored(type: Type) -> str:
    """Return the LLVM type of a value in memory: a bool is a byte."""
    return "i8" if type == BOOL else type.llvm


def _store(body: Body, pointer: Value, value: Value, align: int, words: str) -> None:
    if value.type == BOOL:
        value = body.emit(f"zext {value.typed} to i8", Type("i8"))
    body.write(f"store {words}{value.typed}, {pointer.typed}, align {align}")


def _words(access: Mask) -> str:
    return "volatile " if "Volatile" in access else ""


@translates("Load")
def _load(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    pointer, kind = _pointer(body, instruction, 0)
    body.require(body.types.pointee(kind) == type, instruction, "the pointee has a different type")
    if pointer.variable:
        return load(body, pointer, type)
    body.require(kind.storage != "Input", instruction, "the operand is not a built-in variable")
    _check_memory(body, instruction, type)
    access = instruction.mask(1)
    align = _alignment(body, instruction, access, type.align)
    text = f"load {_words(access)}{_stored(type)}, {pointer.typed}, align {align}"
    if type == BOOL:
        byte = body.emit(text, Type("i8"))
        return body.emit(f"icmp ne {byte.typed}, 0", BOOL)
    return body.emit(text, type)


@translates("Store")
def _write(body: Body, instruction: Instruction) -> None:
    pointer, kind = _pointer(body, instruction, 0)
    value = body.operand(instruction, 1)
    body.require(body.types.pointee(kind) == value.type, instruction, "the pointee has a different type")
    body.require(not pointer.variable, instruction, "a built-in variable cannot be written")
    right = kind.storage not in ("UniformConstant", "Input")
    body.require(right, instruction, "constant memory cannot be written")
    _check_memory(body, instruction, value.type)
    access = instruction.mask(2)
    _store(body, pointer, value, _alignment(body, instruction, access, value.type.align), _words(access))


@translates("CopyMemory", "CopyMemorySized")
def _copy(body: Body, instruction: Instruction) -> None:
    (target, to), (source, origin) = (_pointer(body, instruction, index) for index in (0, 1))
    body.require(
        not target.variable and not source.variable, instruction, "a built-in variable cannot be copied"
    )
    right = to.storage not in ("UniformConstant", "Input") and origin.storage != "Input"
    body.require(right, instruction, "constant memory cannot be written")
    held, other = body.types.pointee(to), body.types.pointee(origin)
    if instruction.name == "CopyMemory":
        body.require(held == other, instruction, "the operands point to different types")
        body.require(held.in_memory, instruction, "the copied type has no size")
        size, first = Value(I64, str(held.size)), 2
        natural = [held.align, other.align]
    else:
        size, first = body.operand(instruction, 2), 3
        body.require(isinstance(size.type, Int), instruction, "the size is not an integer")
        if size.type != I64:
            size = body.cast("zext", size, I64)
        natural = [1, 1]
    access = instruction.mask(first)
    second = instruction.mask(first + 1) if first + 1 < len(instruction.operands) else access
    aligns = [_alignment(body, instruction, a, n) for a, n in zip((access, second), natural, strict=True)]
    spaces = [_space(p.type) for p in (target, source)]
    name = f"llvm.memcpy.p{spaces[0]}.p{spaces[1]}.i64"
    body.program.output.declarations[name] = (
        f"declare void @{name}({target.type.llvm}, {source.type.llvm}, i64, i1)"
    )
    is_volatile = "true" if "Volatile" in access or "Volatile" in second else "false"
    body.write(
        f"call void @{name}({target.type.llvm} align {aligns[0]} {target.text}, "
        f"{source.type.llvm} align {aligns[1]} {source.text}, {size.typed}, i1 {is_volatile})"
    )


def _space(type: Type) -> str:
    return type.llvm.partition("(")[2].rstrip(")") or "0"


@translates("AccessChain", "InBoundsAccessChain", "PtrAccessChain", "InBoundsPtrAccessChain")
def _address(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    base, kind = _pointer(body, instruction, 0)
    body.require(isinstance(type, Pointer), instruction, "the result type is not a pointer")
    assert isinstance(type, Pointer)
    body.require(type.storage == kind.storage, instruction, "base and result have different storage classes")
    operands = [body.operand(instruction, index) for index in range(1, len(instruction.operands))]
    ids = instruction.numbers(1)
    integers = all(isinstance(operand.type, Int) for operand in operands)
    body.require(integers, instruction, "an index is not an integer")
    has_first = "Ptr" in instruction.name
    at = body.types.pointee(kind)
    first = operands[0] if has_first else Value(I64, "0")
    indices = list(zip(operands, ids, strict=True))[1 if has_first else 0 :]
    if base.variable:
        return _component_address(body, instruction, base, type, [operand for operand, _ in indices])
    body.require(at.in_memory, instruction, "the base points to a type without a size")
    words = [first.typed]
    start = at
    for operand, id in indices:
        if isinstance(at, Struct):
            index = body.program.constants.integer(id)
            body.require(index < len(at.members), instruction, f"member index {index} is out of range")
            words.append(f"i32 {index}")
            at = at.members[index]
        else:
            body.require(isinstance(at, Array | Vector), instruction, "scalars and pointers have no members")
            assert isinstance(at, Array | Vector)
            words.append(operand.typed)
            at = at.element
    body.require(at == body.types.pointee(type), instruction, "the result points to a different type")
    bounds = "inbounds " if "InBounds" in instruction.name else ""
    if all(word.split()[-1] == "0" for word in words):
        return Value(type, base.text)
    return body.emit(f"getelementptr {bounds}{_stored(start)}, {base.typed}, {', '.join(words)}", type)


def _component_address(
    body: Body, instruction: Instruction, base: Value, type: Pointer, indices: list[Value]
) -> Value:
    """Return the address of a component of a built-in variable, which is only loaded from."""
    body.require(
        base.index is None and len(indices) == 1, instruction, "too many indices into a built-in variable"
    )
    assert isinstance(base.type, Pointer)
    whole = body.types.pointee(base.type)
    body.require(isinstance(whole, Vector), instruction, "a scalar has no components")
    assert isinstance(whole, Vector)
    right = body.types.pointee(type) == whole.element
    body.require(right, instruction, "the result points to a different type")
    return Value(type, "", variable=base.variable, index=indices[0])


@translates("LifetimeStart", "LifetimeStop")
def _lifetime(body: Body, instruction: Instruction) -> None:
    _pointer(body, instruction, 0)


@translates("Undef")
def _undefined(body: Body, instruction: Instruction) -> Value:
    """Use zero: in LLVM a branch on an undefined value would be undefined behaviour."""
    return zero(body.type(instruction))
