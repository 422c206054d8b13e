"""Memory layout of values: functions that read and write the bytes of a type.

A layout's `load` and `store` are the fast path, for fully defined bytes and values without poison.
`load_partly` and `store_partly` work scalar by scalar and track undefined bytes.
"""

import struct
from collections.abc import Callable, Iterator
from typing import Any

from weft.ir.types import (
    ArrayType,
    FloatType,
    IntType,
    NamedType,
    PointerType,
    StructType,
    Type,
    VectorType,
    field_offset,
    size_of,
    store_size_of,
    struct_body,
)

from .errors import UnsupportedInstruction
from .formats import bits_of_float, float_of_bits
from .memory import POISONED, UNINITIALISED, Allocation, Buffer, Memory
from .poison import POISON, filled

Load = Callable[[Buffer, int], Any]
Store = Callable[[Buffer, int, Any], None]

_INTEGER_CODES = {8: "B", 16: "H", 32: "I", 64: "Q"}
_FLOAT_CODES = {"half": "e", "float": "f", "double": "d"}


class Layout:
    """Reads and writes values of one type."""

    __slots__ = ("leaves", "load", "size", "store", "type")

    def __init__(
        self, type: Type, load: Load, store: Store, leaves: "tuple[tuple[int, Layout], ...]"
    ) -> None:
        self.type = type
        self.size = store_size_of(type)
        self.load = load
        self.store = store
        self.leaves = leaves or ((0, self),)  # scalars (or vectors with packed bits) and their offsets

    def load_partly(self, allocation: Allocation, offset: int) -> tuple[Any, bool]:
        """Return the value, with poison where the memory is poison, and whether it contains unwritten
        bytes."""
        shadow = allocation.shadow
        assert shadow is not None
        scalars: list[Any] = []
        unwritten = False
        for at, leaf in self.leaves:
            start = offset + at
            states = shadow[start : start + leaf.size]
            if POISONED in states:
                scalars.append(filled(leaf.type, lambda _: POISON))
            else:
                unwritten = unwritten or UNINITIALISED in states
                scalars.append(leaf.load(allocation.data, start))
        return self._assemble(iter(scalars)), unwritten

    def store_partly(self, allocation: Allocation, offset: int, value: Any) -> None:
        """Write the value; the bytes of poison scalars become poison."""
        for (at, leaf), scalar in zip(self.leaves, self._scalars(value), strict=True):
            start = offset + at
            packed = type(scalar) is tuple and leaf.type.is_vector
            if scalar is POISON or (packed and any(bit is POISON for bit in scalar)):
                allocation.data[start : start + leaf.size] = bytes(leaf.size)
                allocation.mark(start, leaf.size, POISONED)
            else:
                leaf.store(allocation.data, start, scalar)
                allocation.mark(start, leaf.size, 0)

    def _assemble(self, scalars: Iterator[Any]) -> Any:
        if len(self.leaves) == 1 and self.leaves[0][1] is self:
            return next(scalars)
        return _assembled(self.type, scalars)

    def _scalars(self, value: Any) -> list[Any]:
        if len(self.leaves) == 1 and self.leaves[0][1] is self:
            return [value]
        scalars: list[Any] = []
        _flatten(self.type, value, scalars)
        return scalars


def _assembled(type: Type, scalars: Iterator[Any]) -> Any:
    """Build a value of `type` from its scalars in order; a vector with packed bits counts as one."""
    match type:
        case VectorType() if _is_packed(type):
            return next(scalars)
        case VectorType() | ArrayType():
            return tuple([_assembled(type.element, scalars) for _ in range(type.count)])
        case StructType() | NamedType():
            return tuple([_assembled(field, scalars) for field in struct_body(type).fields])
    return next(scalars)


def _flatten(type: Type, value: Any, scalars: list[Any]) -> None:
    match type:
        case VectorType() if _is_packed(type):
            scalars.append(value)
        case VectorType() | ArrayType():
            for element in value:
                _flatten(type.element, element, scalars)
        case StructType() | NamedType():
            for field, element in zip(struct_body(type).fields, value, strict=True):
                _flatten(field, element, scalars)
        case _:
            scalars.append(value)


def _is_packed(type: VectorType) -> bool:
    """Return whether elements are packed in adjacent bits."""
    return isinstance(type.element, IntType) and type.element.bits % 8 != 0


class Layouts:
    """The layouts of types, each created once; pointers are stored as addresses of one memory."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._made: dict[Type, Layout] = {}

    def __getitem__(self, type: Type) -> Layout:
        layout = self._made.get(type)
        if layout is None:
            layout = self._made[type] = self._make(type)
        return layout

    def _make(self, type: Type) -> Layout:
        match type:
            case IntType():
                return _integer(type)
            case FloatType():
                return _floating(type)
            case PointerType():
                return self._pointer(type)
            case VectorType():
                return self._vector(type)
            case ArrayType():
                step = size_of(type.element)
                return self._aggregate(type, [(i * step, type.element) for i in range(type.count)])
            case StructType() | NamedType():
                fields = struct_body(type).fields
                return self._aggregate(type, [(field_offset(type, i), f) for i, f in enumerate(fields)])
        raise UnsupportedInstruction(f"values of type {type} cannot be stored in memory")

    def _pointer(self, type: PointerType) -> Layout:
        code = struct.Struct("<Q")
        address, pointer = self.memory.address, self.memory.pointer

        def load(data: Buffer, offset: int) -> Any:
            return pointer(code.unpack_from(data, offset)[0])

        def store(data: Buffer, offset: int, value: Any) -> None:
            code.pack_into(data, offset, address(value))

        return Layout(type, load, store, ())

    def _vector(self, type: VectorType) -> Layout:
        element = type.element
        if isinstance(element, IntType) and _is_packed(type):
            return _bit_vector(type, element.bits)
        leaf = self[element]
        if isinstance(element, IntType) and element.bits in _INTEGER_CODES:
            return _integer_vector(type, leaf, _INTEGER_CODES[element.bits])
        if isinstance(element, FloatType) and element.kind in _FLOAT_CODES:
            return _float_vector(type, leaf, _FLOAT_CODES[element.kind])
        return self._aggregate(type, [(i * leaf.size, element) for i in range(type.count)])

    def _aggregate(self, type: Type, fields: list[tuple[int, Type]]) -> Layout:
        parts = tuple((at, self[field]) for at, field in fields)

        def load(data: Buffer, offset: int) -> Any:
            return tuple([part.load(data, offset + at) for at, part in parts])

        def store(data: Buffer, offset: int, value: Any) -> None:
            for (at, part), element in zip(parts, value, strict=True):
                part.store(data, offset + at, element)

        leaves = tuple((at + inner, leaf) for at, part in parts for inner, leaf in part.leaves)
        layout = Layout(type, load, store, leaves)
        layout.leaves = leaves  # an aggregate without fields has none
        return layout


def _integer(type: IntType) -> Layout:
    bits = type.bits
    if bits in _INTEGER_CODES:
        code = struct.Struct("<" + _INTEGER_CODES[bits])
        unpack_from = code.unpack_from
        return Layout(type, lambda data, offset: unpack_from(data, offset)[0], code.pack_into, ())
    size, mask = (bits + 7) // 8, (1 << bits) - 1

    def load(data: Buffer, offset: int) -> int:
        return int.from_bytes(data[offset : offset + size], "little") & mask

    def store(data: Buffer, offset: int, value: int) -> None:
        data[offset : offset + size] = int.to_bytes(value, size, "little")

    return Layout(type, load, store, ())


def _floating(type: FloatType) -> Layout:
    kind, size = type.kind, type.bits // 8
    if kind not in (*_FLOAT_CODES, "bfloat"):
        raise UnsupportedInstruction(f"numbers of type {type} are not supported")

    def load_bits(data: Buffer, offset: int) -> float:
        return float_of_bits(kind, int.from_bytes(data[offset : offset + size], "little"))

    def store_bits(data: Buffer, offset: int, value: float) -> None:
        data[offset : offset + size] = bits_of_float(kind, value).to_bytes(size, "little")

    if kind == "bfloat":
        return Layout(type, load_bits, store_bits, ())
    code = struct.Struct("<" + _FLOAT_CODES[kind])
    unpack_from, pack_into = code.unpack_from, code.pack_into
    if kind == "double":
        return Layout(type, lambda data, offset: unpack_from(data, offset)[0], pack_into, ())

    def load(data: Buffer, offset: int) -> float:
        value: float = unpack_from(data, offset)[0]
        return value if value == value else load_bits(data, offset)

    def store(data: Buffer, offset: int, value: float) -> None:
        if value == value:
            pack_into(data, offset, value)
        else:
            store_bits(data, offset, value)

    return Layout(type, load, store, ())


def _integer_vector(type: VectorType, leaf: Layout, letter: str) -> Layout:
    code = struct.Struct(f"<{type.count}{letter}")
    pack_into = code.pack_into

    def store(data: Buffer, offset: int, value: tuple[int, ...]) -> None:
        pack_into(data, offset, *value)

    leaves = tuple((i * leaf.size, leaf) for i in range(type.count))
    return Layout(type, code.unpack_from, store, leaves)


def _float_vector(type: VectorType, leaf: Layout, letter: str) -> Layout:
    code = struct.Struct(f"<{type.count}{letter}")
    unpack_from, pack_into = code.unpack_from, code.pack_into
    leaves = tuple((i * leaf.size, leaf) for i in range(type.count))

    def load(data: Buffer, offset: int) -> tuple[float, ...]:
        value = unpack_from(data, offset)
        for number in value:
            if number != number:
                return tuple([part.load(data, offset + at) for at, part in leaves])
        return value

    def store(data: Buffer, offset: int, value: tuple[float, ...]) -> None:
        for number in value:
            if number != number:
                for (at, part), element in zip(leaves, value, strict=True):
                    part.store(data, offset + at, element)
                return
        pack_into(data, offset, *value)

    return Layout(type, load, store, leaves)


def _bit_vector(type: VectorType, bits: int) -> Layout:
    size = store_size_of(type)
    mask = (1 << bits) - 1
    shifts = [i * bits for i in range(type.count)]

    def load(data: Buffer, offset: int) -> tuple[int, ...]:
        packed = int.from_bytes(data[offset : offset + size], "little")
        return tuple([packed >> shift & mask for shift in shifts])

    def store(data: Buffer, offset: int, value: tuple[int, ...]) -> None:
        packed = 0
        for shift, element in zip(shifts, value, strict=True):
            packed |= element << shift
        data[offset : offset + size] = packed.to_bytes(size, "little")

    return Layout(type, load, store, ())
