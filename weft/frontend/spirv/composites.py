"""Translate operations on vectors, arrays and structures as values."""

from weft.frontend.spirv.arithmetic import splat
from weft.frontend.spirv.binary import Instruction
from weft.frontend.spirv.body import Body, Value, translates, zero
from weft.frontend.spirv.types import Array, Int, Struct, Type, Vector, lanes, vector
from weft.frontend.spirv.variables import load_component

_NO_ELEMENT = 0xFFFFFFFF


def _part(body: Body, instruction: Instruction, type: Type, index: int) -> Type:
    """Return the type of an element or member."""
    if isinstance(type, Vector | Array):
        body.require(index < type.count, instruction, f"element index {index} is out of range")
        return type.element
    body.require(isinstance(type, Struct), instruction, "scalars and pointers have no members")
    assert isinstance(type, Struct)
    body.require(index < len(type.members), instruction, f"member index {index} is out of range")
    return type.members[index]


def _take(body: Body, whole: Value, index: int, type: Type) -> Value:
    if isinstance(whole.type, Vector):
        return body.emit(f"extractelement {whole.typed}, i32 {index}", type)
    return body.emit(f"extractvalue {whole.typed}, {index}", type)


def _put(body: Body, whole: Value, index: int, part: Value) -> Value:
    if isinstance(whole.type, Vector):
        return body.emit(f"insertelement {whole.typed}, {part.typed}, i32 {index}", whole.type)
    return body.emit(f"insertvalue {whole.typed}, {part.typed}, {index}", whole.type)


@translates("CompositeExtract")
def _extract(body: Body, instruction: Instruction) -> Value:
    part = body.operand(instruction, 0)
    for index in instruction.numbers(1):
        type = _part(body, instruction, part.type, index)
        part = part.parts[index] if part.parts else _take(body, part, index, type)
    body.require(part.type == body.type(instruction), instruction, "the element has a different type")
    return part


@translates("CompositeInsert")
def _insert(body: Body, instruction: Instruction) -> Value:
    part, whole = body.operand(instruction, 0), body.operand(instruction, 1)
    body.require(whole.type == body.type(instruction), instruction, "operand and result have different types")
    around = []
    for index in instruction.numbers(2):
        around.append((whole, index))
        whole = _take(body, whole, index, _part(body, instruction, whole.type, index))
    body.require(whole.type == part.type, instruction, "the inserted object has a different type")
    for outer, index in reversed(around):
        part = _put(body, outer, index, part)
    return part


@translates("CompositeConstruct")
def _construct(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    parts = [body.operand(instruction, index) for index in range(len(instruction.operands))]
    if isinstance(type, Vector):
        parts = [element for part in parts for element in _elements(body, part)]
        wanted: tuple[Type, ...] = (type.element,) * type.count
    elif isinstance(type, Array):
        wanted = (type.element,) * type.count
    else:
        body.require(isinstance(type, Struct), instruction, "the result type is not a composite")
        assert isinstance(type, Struct)
        wanted = type.members
    body.require(
        tuple(p.type for p in parts) == wanted, instruction, "the constituents do not match the type"
    )
    if isinstance(type, Vector) and len({part.text for part in parts}) == 1:
        return splat(body, parts[0], type.count)
    result = zero(type)
    for index, part in enumerate(parts):
        result = _put(body, result, index, part)
    return result


def _elements(body: Body, part: Value) -> list[Value]:
    if not isinstance(part.type, Vector):
        return [part]
    return [_take(body, part, index, part.type.element) for index in range(part.type.count)]


@translates("VectorShuffle")
def _shuffle(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    a, b = body.operand(instruction, 0), body.operand(instruction, 1)
    right = isinstance(type, Vector) and isinstance(a.type, Vector) and isinstance(b.type, Vector)
    body.require(right, instruction, "operands and result must be vectors")
    assert isinstance(type, Vector) and isinstance(a.type, Vector) and isinstance(b.type, Vector)
    right = a.type.element == b.type.element == type.element
    indices = instruction.numbers(2)
    body.require(right and len(indices) == type.count, instruction, "the vector types do not match")
    first, second = a.type.count, b.type.count
    wide = max(first, second)
    mask = []
    for index in indices:
        body.require(
            index < first + second or index == _NO_ELEMENT,
            instruction,
            f"element index {index} is out of range",
        )
        # The second vector starts after the wider of both.
        place = index if index < first else index - first + wide
        mask.append("i32 poison" if index == _NO_ELEMENT else f"i32 {place}")
    a, b = _widened(body, a, wide), _widened(body, b, wide)
    text = f"shufflevector {a.typed}, {b.typed}, <{type.count} x i32> <{', '.join(mask)}>"
    return body.emit(text, type)


def _widened(body: Body, value: Value, count: int) -> Value:
    """Extend a vector by undefined elements."""
    have = lanes(value.type)
    if have == count:
        return value
    assert isinstance(value.type, Vector)
    type = vector(value.type.element, count)
    mask = ", ".join(f"i32 {index}" if index < have else "i32 poison" for index in range(count))
    return body.emit(f"shufflevector {value.typed}, {value.typed}, <{count} x i32> <{mask}>", type)


@translates("VectorExtractDynamic")
def _extract_dynamic(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    whole, index = body.operand(instruction, 0), body.operand(instruction, 1)
    right = isinstance(whole.type, Vector) and isinstance(index.type, Int)
    body.require(right, instruction, "the operands must be a vector and an integer")
    assert isinstance(whole.type, Vector)
    body.require(
        whole.type.element == type, instruction, "the result type differs from the element type of the vector"
    )
    if whole.loaded:
        return load_component(body, whole, index, type)
    return body.emit(f"extractelement {whole.typed}, {_within(body, whole, index).typed}", type)


@translates("VectorInsertDynamic")
def _insert_dynamic(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    whole, part, index = (body.operand(instruction, place) for place in range(3))
    right = isinstance(type, Vector) and whole.type == type and isinstance(index.type, Int)
    body.require(right, instruction, "the operands must be a vector and an integer")
    assert isinstance(type, Vector)
    body.require(
        part.type == type.element,
        instruction,
        "the inserted object differs from the element type of the vector",
    )
    text = f"insertelement {whole.typed}, {part.typed}, {_within(body, whole, index).typed}"
    return body.emit(text, type)


def _within(body: Body, whole: Value, index: Value) -> Value:
    """Clamp an index to the elements of the vector: an out-of-range index would be poison in LLVM."""
    count = lanes(whole.type)
    if index.text.isdigit() and int(index.text) < count:
        return index
    places = 1 << (count - 1).bit_length()
    kept = body.emit(f"and {index.typed}, {places - 1}", index.type)
    if places == count:
        return kept
    truth = body.emit(f"icmp ult {kept.typed}, {count}", Type("i1"))
    return body.emit(f"select {truth.typed}, {kept.typed}, {index.type.llvm} 0", index.type)


@translates("CopyLogical")
def _copy_logical(body: Body, instruction: Instruction) -> Value:
    """Convert a value to another type with matching members."""
    value, type = body.operand(instruction, 0), body.type(instruction)
    body.require(isinstance(type, Struct | Array), instruction, "the result type is not a composite")
    source, wanted = _parts(value.type), _parts(type)
    body.require(source == wanted, instruction, "operand and result do not have matching members")
    result = zero(type)
    for path, part in wanted:
        if not isinstance(part, str):
            indices = ", ".join(map(str, path))
            element = body.emit(f"extractvalue {value.typed}, {indices}", part)
            result = body.emit(f"insertvalue {result.typed}, {element.typed}, {indices}", type)
    return result


def _parts(type: Type) -> list[tuple[tuple[int, ...], Type | str]]:
    """Return the components of a type by path: its leaf types, and the kinds of aggregates."""
    parts: list[tuple[tuple[int, ...], Type | str]] = []
    work: list[tuple[tuple[int, ...], Type]] = [((), type)]
    while work:
        path, at = work.pop()
        if isinstance(at, Struct):
            parts.append((path, "structure"))
            work += [((*path, index), member) for index, member in enumerate(at.members)]
        elif isinstance(at, Array):
            parts.append((path, "array"))
            work += [((*path, index), at.element) for index in range(at.count)]
        else:
            parts.append((path, at))
    return parts
