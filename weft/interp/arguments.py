"""Convert the caller's arguments to interpreter values."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.ir import Argument
from weft.ir.types import ArrayType, FloatType, IntType, PointerType, Type, VectorType, struct_body

from .formats import rounder
from .layout import Layouts
from .memory import NULL, Allocation, Local, Memory, Pointer


def allocation_of(data: Any, name: str) -> Allocation:
    """Return memory that aliases an array, bytearray or memoryview; bytes are copied."""
    if isinstance(data, bytes):
        return Allocation(name, bytearray(data))
    array = np.asarray(data)
    if isinstance(data, np.ndarray) and not array.flags.c_contiguous:
        raise ValueError(f"the array for '{name}' is not contiguous")
    if array.nbytes == 0:
        return Allocation(name, bytearray())
    if isinstance(data, bytearray | memoryview):
        view = memoryview(data).cast("B")
    else:
        view = array.reshape(-1).view(np.uint8).data
    return Allocation(name, view, writable=not view.readonly)


class Binder:
    """Converts arguments to values; the same array always gets the same memory."""

    def __init__(self, memory: Memory, layouts: Layouts) -> None:
        self._memory = memory
        self._layouts = layouts
        self._arrays: dict[int, tuple[Any, Allocation]] = {}

    def bind(self, parameter: Argument, value: Any) -> Any:
        """Return the value of a parameter. A Local is kept, because each group gets its own memory for it."""
        name = parameter.name or f"argument {parameter.index}"
        if isinstance(parameter.type, PointerType):
            return value if isinstance(value, Local) else self.pointer(value, name)
        return scalar_value(parameter.type, value, name, self._layouts)

    def pointer(self, value: Any, name: str) -> Pointer:
        """Return a pointer for an array, bytes, an Allocation, a pointer, an integer or None."""
        if value is None:
            return NULL, 0
        if isinstance(value, tuple):
            allocation, offset = value
            return allocation, offset
        if isinstance(value, Allocation):
            return value, 0
        if isinstance(value, int):
            return self._memory.pointer(value)
        if isinstance(value, np.void | np.generic):
            return Allocation(name, bytearray(value.tobytes())), 0
        # Two parameters with the same array must share one allocation, so that each sees the other's writes.
        known = self._arrays.get(id(value))
        if known is None:
            known = self._arrays[id(value)] = (value, allocation_of(value, name))
        return known[1], 0


def scalar_value(type: Type, value: Any, name: str, layouts: Layouts) -> Any:
    """Convert a value to a number, vector or aggregate of a type; bytes and numpy values may also hold its
    bits."""
    if isinstance(value, bytes | bytearray):
        return _from_bytes(type, bytes(value), name, layouts)
    if isinstance(value, np.void):
        return _from_bytes(type, value.tobytes(), name, layouts)
    if isinstance(value, np.ndarray):
        if not isinstance(type, VectorType) or len(value) != type.count:
            return _from_bytes(type, value.tobytes(), name, layouts)
        value = value.tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    match type:
        case IntType():
            return int(value) & ((1 << type.bits) - 1)
        case FloatType():
            return rounder(type.kind)(float(value))
        case PointerType():
            raise TypeError(f"'{name}' holds a pointer; give its address in bytes")
    if not isinstance(value, Sequence):
        raise TypeError(f"'{name}' is of type {type}, for which {value!r} cannot stand")
    parts = [type.element] * type.count if isinstance(type, VectorType) else _parts(type)
    return tuple(scalar_value(t, v, name, layouts) for t, v in zip(parts, value, strict=True))


def _parts(type: Type) -> list[Type]:
    return [type.element] * type.count if isinstance(type, ArrayType) else list(struct_body(type).fields)


def _from_bytes(type: Type, data: bytes, name: str, layouts: Layouts) -> Any:
    layout = layouts[type]
    if len(data) < layout.size:
        raise ValueError(f"'{name}' needs {layout.size} bytes for {type}, {len(data)} are given")
    return layout.load(bytearray(data), 0)
