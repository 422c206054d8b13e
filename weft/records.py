"""Convert frozen dataclasses to JSON and back; every field is validated, because the input is untrusted.

Type hints define the structure: strings, booleans, non-negative integers, tuples, sets of strings, optional
values and other such classes. A field with `metadata=NOT_STORED` is omitted and gets its default.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType, NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from weft.dataclasses import fields, is_dataclass

NOT_STORED: Mapping[str, bool] = MappingProxyType({"stored": False})

LARGEST = 2**62

T = TypeVar("T")


def parse_json(data: bytes) -> Any:
    """Parse JSON; ValueError if it is invalid, or nested deeper than anything that Weft writes."""
    try:
        return json.loads(data)
    except RecursionError:
        raise ValueError("the text is nested too deeply") from None


def to_json(value: Any) -> Any:
    """Convert a record, or the value of a field, to a value for `json.dumps`."""
    if is_dataclass(value):
        return {name: to_json(getattr(value, name)) for name in _stored(type(value))}
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    return sorted(value) if isinstance(value, frozenset) else value


def from_json(kind: type[T], data: Any) -> T:
    """Convert `data` back to a record of class `kind`; ValueError unless it has the form of `to_json`."""
    record: T = _read_record(kind, data)
    return record


def _stored(kind: type) -> tuple[str, ...]:
    return tuple(_readers(kind))


@cache
def _readers(kind: type) -> dict[str, Callable[[Any], Any]]:
    """Return the function that reads each field of a class."""
    hints = get_type_hints(kind)
    assert is_dataclass(kind)
    return {f.name: _reader(hints[f.name]) for f in fields(kind) if f.metadata is not NOT_STORED}


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    origin, arguments = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return lambda data: _read_record(kind, data)
    if origin is UnionType:
        (other,) = (a for a in arguments if a is not NoneType)
        inner = _reader(other)
        return lambda data: None if data is None else inner(data)
    if origin is tuple and arguments[-1] is Ellipsis:
        inner = _reader(arguments[0])
        return lambda data: tuple(map(inner, _list(data)))
    if origin is tuple:
        inners = tuple(map(_reader, arguments))
        return lambda data: tuple(read(item) for read, item in zip(inners, _list(data), strict=True))
    if origin is frozenset:
        inner = _reader(arguments[0])
        return lambda data: frozenset(map(inner, _list(data)))
    return {str: text, int: number, bool: flag}[kind]


def _read_record(kind: Any, data: Any) -> Any:
    readers = _readers(kind)
    if not isinstance(data, dict) or data.keys() != readers.keys():
        raise ValueError(f"invalid fields for {kind.__name__}")
    return kind(**{name: read(data[name]) for name, read in readers.items()})


def _list(data: Any) -> list[Any]:
    if not isinstance(data, list):
        raise ValueError(f"expected a list, got {type(data).__name__}")
    return data


def text(data: Any) -> str:
    """Read a text that can be encoded; bytes of sources that are not UTF-8 are surrogate escapes."""
    if not isinstance(data, str):
        raise ValueError(f"expected a text, got {type(data).__name__}")
    data.encode("utf-8", "surrogateescape")
    return data


def number(data: Any) -> int:
    """Read a number that is not negative and fits in a machine word."""
    if type(data) is not int or not 0 <= data <= LARGEST:
        raise ValueError(f"expected a number up to {LARGEST}, got {type(data).__name__}")
    return data


def flag(data: Any) -> bool:
    """Read a boolean."""
    if not isinstance(data, bool):
        raise ValueError(f"expected true or false, got {type(data).__name__}")
    return data
