"""Typing rules shared by instructions and constant expressions, and those of constants.

Each `…_problems` function yields a sentence for every violated rule.
"""

from collections.abc import Iterator, Sequence

from .types import (
    LABEL,
    METADATA,
    OPAQUE,
    TOKEN,
    VOID,
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    NamedType,
    PointerType,
    StructType,
    Type,
    VectorType,
    member_type,
)
from .values import (
    Constant,
    ConstantAggregate,
    ConstantExpression,
    ConstantInt,
    ConstantString,
    ConstantZero,
    Value,
)

Problems = Iterator[str]


def is_sized(type: Type) -> bool:
    """Return whether values of the type have a known size."""
    seen = {type}
    work = [type]
    while work:
        inner: tuple[Type, ...] = ()
        match work.pop():
            case IntType() | FloatType() | PointerType():
                continue
            case VectorType(element=element) | ArrayType(element=element):
                inner = (element,)
            case StructType(fields=fields):
                inner = fields
            case NamedType(body=StructType() as body):
                inner = (body,)
            case _:
                return False
        work += [t for t in inner if t not in seen]
        seen.update(inner)
    return True


def is_first_class(type: Type) -> bool:
    """Return whether an instruction can produce the type."""
    return type not in (VOID, LABEL, METADATA, OPAQUE, TOKEN) and not isinstance(type, FunctionType)


def same_shape(a: Type, b: Type) -> bool:
    return (a.count if isinstance(a, VectorType) else 0) == (b.count if isinstance(b, VectorType) else 0)


_CAST_KINDS: dict[str, tuple[type, type]] = {
    "trunc": (IntType, IntType), "zext": (IntType, IntType), "sext": (IntType, IntType),
    "fptrunc": (FloatType, FloatType), "fpext": (FloatType, FloatType),
    "fptoui": (FloatType, IntType), "fptosi": (FloatType, IntType),
    "uitofp": (IntType, FloatType), "sitofp": (IntType, FloatType),
    "ptrtoint": (PointerType, IntType), "ptrtoaddr": (PointerType, IntType),
    "inttoptr": (IntType, PointerType), "addrspacecast": (PointerType, PointerType),
}  # fmt: skip


_Number = IntType | FloatType


def cast_problems(opcode: str, source: Type, target: Type) -> Problems:
    """Yield why `opcode` cannot convert `source` to `target`; also for constant expressions."""
    if opcode == "bitcast":
        if not _bitcastable(source, target):
            yield f"bitcast from {source} to {target}"
        return
    source_kind, target_kind = _CAST_KINDS[opcode]
    a, b = source.scalar, target.scalar
    if not isinstance(a, source_kind) or not isinstance(b, target_kind) or not same_shape(source, target):
        yield f"{opcode} from {source} to {target}"
    elif isinstance(a, _Number) and isinstance(b, _Number) and source_kind is target_kind:
        if b.bits >= a.bits if opcode in ("trunc", "fptrunc") else b.bits <= a.bits:
            yield f"{opcode} from {source} to {target} changes the width the wrong way"
    elif opcode == "addrspacecast" and a is b:
        yield f"addrspacecast from {source} to itself"


def _bitcastable(source: Type, target: Type) -> bool:
    if source.scalar.is_pointer or target.scalar.is_pointer:
        return source is target
    return 0 < _bit_count(source) == _bit_count(target)


def _bit_count(type: Type) -> int:
    scalar = type.scalar
    bits = scalar.bits if isinstance(scalar, IntType | FloatType) else 0
    return bits * (type.count if isinstance(type, VectorType) else 1)


def gep_problems(element: Type | None, operands: Sequence[Value], result: Type) -> Problems:
    """Yield the problems of a getelementptr; also for constant expressions."""
    if element is None or not operands:
        yield "getelementptr needs an element type and a pointer"
        return
    base = operands[0].type
    if not base.scalar.is_pointer:
        yield f"getelementptr of {base}"
    if not is_sized(element):
        yield f"getelementptr over {element}, whose size is not known"
    expected = base
    for index in operands[1:]:
        if not index.type.scalar.is_int:
            yield f"an index is {index.type}"
        if isinstance(index.type, VectorType) and not isinstance(expected, VectorType):
            expected = VectorType(base, index.type.count)
    if any(isinstance(o.type, VectorType) and not same_shape(o.type, expected) for o in operands):
        yield "vectors of different lengths"
    if result is not expected:
        yield f"the result is {result}, not {expected}"
    for index in operands[2:]:
        if isinstance(element, ArrayType | VectorType):
            element = element.element
            continue
        number = _struct_index(index)
        if not isinstance(element, StructType | NamedType) or number is None:
            yield f"cannot index {element} with {index!r}"
            return
        try:
            element = member_type(element, (number,))
        except (TypeError, IndexError):
            yield f"{element} has no field {number}"
            return


def _struct_index(value: Value) -> int | None:
    if isinstance(value, ConstantAggregate) and value.splat is not None:
        value = value.splat
    if isinstance(value, ConstantZero):
        return 0
    return value.value if isinstance(value, ConstantInt) else None


def constant_problems(constant: Constant) -> Problems:
    """Yield the problems of the types inside a constant."""
    match constant:
        case ConstantAggregate():
            type = constant.type
            wanted: tuple[Type, ...]
            if isinstance(type, VectorType | ArrayType):
                wanted = (type.element,) * type.count
            else:
                body = type.body if isinstance(type, NamedType) else type
                wanted = body.fields if isinstance(body, StructType) else ()
            if wanted != tuple(e.type for e in constant.elements):
                yield f"a constant of type {type} whose elements do not match it"
        case ConstantString():
            if not isinstance(constant.type, ArrayType) or constant.type.count != len(constant.data):
                yield f"a string of {len(constant.data)} bytes as {constant.type}"
        case ConstantExpression():
            if constant.opcode == "getelementptr":
                element = constant.attributes.get("element_type")
                yield from gep_problems(element, constant.operands, constant.type)
            elif len(constant.operands) == 1:
                yield from cast_problems(constant.opcode, constant.operands[0].type, constant.type)
            elif any(o.type is not constant.type for o in constant.operands):
                yield f"a constant {constant.opcode} of different types"
