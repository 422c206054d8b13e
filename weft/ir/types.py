"""Types of the IR: immutable and interned, so two equal types are the same object, in all threads.

`str(type)` is LLVM's spelling. Sizes and alignments follow the data layout of 64-bit targets
(natural alignment, pointers of 8 bytes), which is what the front end compiles for.
"""

from functools import lru_cache
from typing import ClassVar

from weft.recursion import Definition, Recursion

_FLOAT_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128}


class Type:
    """Base class of all types."""

    __slots__ = ("layout", "text")
    text: str  # LLVM's spelling
    layout: tuple[int, int]  # size and alignment, computed on demand
    is_int = is_float = is_pointer = is_vector = False

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<type {self.text}>"

    @property
    def scalar(self) -> "Type":
        """The element type of a vector, else the type itself."""
        return self.element if isinstance(self, VectorType) else self


class _Word(Type):
    __slots__ = ()

    def __init__(self, text: str) -> None:
        self.text = text


VOID = _Word("void")
LABEL = _Word("label")
METADATA = _Word("metadata")
TOKEN = _Word("token")
OPAQUE = _Word("opaque")


class IntType(Type):
    """iN."""

    is_int = True
    __slots__ = ("bits",)
    _interned: ClassVar[dict[int, "IntType"]] = {}
    bits: int

    def __new__(cls, bits: int) -> "IntType":
        interned = cls._interned.get(bits)
        if interned is None:
            interned = object.__new__(cls)
            interned.bits = bits
            interned.text = f"i{bits}"
            interned = cls._interned.setdefault(bits, interned)
        return interned


class FloatType(Type):
    """half, bfloat, float, double, x86_fp80 or fp128."""

    is_float = True
    __slots__ = ("bits", "kind")
    _interned: ClassVar[dict[str, "FloatType"]] = {}
    kind: str
    bits: int

    def __new__(cls, kind: str) -> "FloatType":
        interned = cls._interned.get(kind)
        if interned is None:
            interned = object.__new__(cls)
            interned.kind = interned.text = kind
            interned.bits = _FLOAT_BITS[kind]
            interned = cls._interned.setdefault(kind, interned)
        return interned


class PointerType(Type):
    """ptr, in a numbered address space: 0 private, 1 global, 2 constant, 3 local, 4 generic."""

    is_pointer = True
    __slots__ = ("space",)
    _interned: ClassVar[dict[int, "PointerType"]] = {}
    space: int

    def __new__(cls, space: int = 0) -> "PointerType":
        interned = cls._interned.get(space)
        if interned is None:
            interned = object.__new__(cls)
            interned.space = space
            interned.text = f"ptr addrspace({space})" if space else "ptr"
            interned = cls._interned.setdefault(space, interned)
        return interned


class _Sequence(Type):
    __slots__ = ("count", "element")
    element: Type
    count: int


class VectorType(_Sequence):
    """<N x T>."""

    is_vector = True
    __slots__ = ()
    _interned: ClassVar[dict[tuple[Type, int], "VectorType"]] = {}

    def __new__(cls, element: Type, count: int) -> "VectorType":
        interned = cls._interned.get((element, count))
        if interned is None:
            interned = object.__new__(cls)
            interned.element, interned.count = element, count
            interned.text = f"<{count} x {element}>"
            interned = cls._interned.setdefault((element, count), interned)
        return interned


class ArrayType(_Sequence):
    """[N x T]."""

    __slots__ = ()
    _interned: ClassVar[dict[tuple[Type, int], "ArrayType"]] = {}

    def __new__(cls, element: Type, count: int) -> "ArrayType":
        interned = cls._interned.get((element, count))
        if interned is None:
            interned = object.__new__(cls)
            interned.element, interned.count = element, count
            interned.text = f"[{count} x {element}]"
            interned = cls._interned.setdefault((element, count), interned)
        return interned


class StructType(Type):
    """{ T, … }, packed or not."""

    __slots__ = ("fields", "packed")
    _interned: ClassVar[dict[tuple[tuple[Type, ...], bool], "StructType"]] = {}
    fields: tuple[Type, ...]
    packed: bool

    def __new__(cls, fields: tuple[Type, ...], packed: bool = False) -> "StructType":
        interned = cls._interned.get((fields, packed))
        if interned is None:
            interned = object.__new__(cls)
            interned.fields, interned.packed = fields, packed
            body = "{ " + ", ".join(map(str, fields)) + " }" if fields else "{}"
            interned.text = f"<{body}>" if packed else body
            interned = cls._interned.setdefault((fields, packed), interned)
        return interned


class NamedType(Type):
    """%name: a struct that its module defines; `body` is None while opaque. Interned per module."""

    __slots__ = ("body", "name")

    def __init__(self, name: str, body: "StructType | None" = None) -> None:
        self.name = name
        self.body = body
        self.text = "%" + quoted(name)


class TargetType(Type):
    """target("…"): an opaque type of the target, kept as text."""

    __slots__ = ()
    _interned: ClassVar[dict[str, "TargetType"]] = {}

    def __new__(cls, text: str) -> "TargetType":
        interned = cls._interned.get(text)
        if interned is None:
            interned = object.__new__(cls)
            interned.text = text
            interned = cls._interned.setdefault(text, interned)
        return interned


class FunctionType(Type):
    """R (P, …)."""

    __slots__ = ("parameters", "result", "vararg")
    _interned: ClassVar[dict[tuple[Type, tuple[Type, ...], bool], "FunctionType"]] = {}
    result: Type
    parameters: tuple[Type, ...]
    vararg: bool

    def __new__(cls, result: Type, parameters: tuple[Type, ...], vararg: bool = False) -> "FunctionType":
        interned = cls._interned.get((result, parameters, vararg))
        if interned is None:
            interned = object.__new__(cls)
            interned.result, interned.parameters, interned.vararg = result, parameters, vararg
            inner = [str(p) for p in parameters] + (["..."] if vararg else [])
            interned.text = f"{result} ({', '.join(inner)})"
            interned = cls._interned.setdefault((result, parameters, vararg), interned)
        return interned


I1, I8, I16, I32, I64 = (IntType(n) for n in (1, 8, 16, 32, 64))
HALF, FLOAT, DOUBLE = FloatType("half"), FloatType("float"), FloatType("double")
PTR = PointerType(0)

_PLAIN = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-$._")


@lru_cache(maxsize=4096)
def quoted(name: str) -> str:
    """Return a name as LLVM writes it after its sigil: quoted if it contains unusual characters."""
    if name and _PLAIN.issuperset(name) and not (name[0].isdigit() and not name.isdigit()):
        return name
    return f'"{escaped(name.encode("utf-8", "surrogateescape"))}"'


def escaped(data: bytes) -> str:
    """Return bytes as LLVM writes them between quotes."""
    return "".join(chr(b) if 32 <= b < 127 and b not in (34, 92) else f"\\{b:02X}" for b in data)


def struct_body(type: Type) -> StructType:
    """Return the struct of a (named) struct type."""
    body = type.body if isinstance(type, NamedType) else type
    if not isinstance(body, StructType):
        raise TypeError(f"{type} is not a struct with a body")
    return body


def address_space(type: Type) -> int:
    """Return the address space of a pointer, or of a vector of pointers."""
    scalar = type.scalar
    if not isinstance(scalar, PointerType):
        raise TypeError(f"{type} is not a pointer")
    return scalar.space


def bit_width(type: Type) -> int:
    """Return the width of a number, or of the elements of a vector."""
    scalar = type.scalar
    if not isinstance(scalar, IntType | FloatType):
        raise TypeError(f"{type} is not a number")
    return scalar.bits


def alignment_of(type: Type) -> int:
    """Return the ABI alignment in bytes."""
    return _layout(type)[1]


def size_of(type: Type) -> int:
    """Return the size in memory in bytes (LLVM's alloc size: a multiple of the alignment)."""
    return _layout(type)[0]


def _layout(type: Type) -> tuple[int, int]:
    """Return size and alignment; each of any number of nested structs is visited once."""
    try:
        return type.layout
    except AttributeError:
        return Recursion(_laid_out, (0, 1))(type)


def _laid_out(type: Type) -> Definition[Type, tuple[int, int]]:
    match type:
        case IntType():
            alignment = min(_power_of_two((type.bits + 7) // 8), 16)
        case FloatType():
            alignment = 16 if type.bits >= 80 else type.bits // 8
        case PointerType():
            alignment = 8
        case VectorType():
            alignment = _power_of_two((_bits(type.element) * type.count + 7) // 8)
        case ArrayType():
            size, alignment = yield type.element
            type.layout = size * type.count, alignment
            return type.layout
        case StructType() | NamedType():
            body = struct_body(type)
            end, alignment = 0, 1
            for field in body.fields:
                size, needed = yield field
                if not body.packed:
                    end, alignment = align_up(end, needed), max(alignment, needed)
                end += size
            type.layout = align_up(end, alignment), alignment
            return type.layout
        case _:
            raise TypeError(f"{type} has no size")
    type.layout = align_up(store_size_of(type), alignment), alignment
    return type.layout


def store_size_of(type: Type) -> int:
    """Return the number of bytes that a load or store of the type accesses."""
    if isinstance(type, ArrayType | StructType | NamedType):
        return size_of(type)
    return (_bits(type) + 7) // 8


def field_offset(type: Type, index: int) -> int:
    """Return the byte offset of a struct's field."""
    body = struct_body(type)
    end = 0
    for i, field in enumerate(body.fields):
        start = end if body.packed else align_up(end, alignment_of(field))
        if i == index:
            return start
        end = start + size_of(field)
    raise IndexError(f"{type} has no field {index}")


def member_type(type: Type, indices: tuple[int, ...]) -> Type:
    """Return the type of a member of a nested aggregate; raise IndexError or TypeError if there is none."""
    for index in indices:
        if isinstance(type, ArrayType):
            if index >= type.count:
                raise IndexError(f"{type} has no element {index}")
            type = type.element
        else:
            type = struct_body(type).fields[index]
    return type


def with_shape_of(type: Type, scalar: Type) -> Type:
    """Return `scalar`, or a vector of it with the length of the vector `type`."""
    return VectorType(scalar, type.count) if isinstance(type, VectorType) else scalar


def intrinsic_suffix(type: Type) -> str:
    """Return LLVM's spelling of a type in the name of an intrinsic."""
    if isinstance(type, VectorType):
        return f"v{type.count}{intrinsic_suffix(type.element)}"
    if isinstance(type, PointerType):
        return f"p{type.space}"
    return {"half": "f16", "float": "f32", "double": "f64"}.get(str(type), str(type))


def align_up(value: int, alignment: int) -> int:
    """Round `value` up to a multiple of `alignment`."""
    return -(-value // alignment) * alignment


def _power_of_two(value: int) -> int:
    return 1 << max(value - 1, 0).bit_length()


def _bits(type: Type) -> int:
    match type:
        case IntType() | FloatType():
            return type.bits
        case PointerType():
            return 64
        case VectorType():
            return _bits(type.element) * type.count  # its elements are not vectors
    raise TypeError(f"{type} has no size")
