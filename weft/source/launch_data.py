"""Sizes and arguments of measured launches, from the command line.

`n=1024` is a number, `a=float:n*n` a buffer of n*n floats, `a=n*n:0..7` one of the parameter's type with
numbers from 0 to 7. Without `--arg`, a float is 1, and a buffer is as large as its accesses require, if their
indices depend only on ids, given numbers and induction variables with known bounds. Everything else must be
given.
"""

import ast
from collections.abc import Mapping, Sequence

import numpy as np

from weft.dataclasses import dataclass
from weft.errors import WeftError
from weft.frontend.metadata import KernelArgument
from weft.kernel import KernelCode
from weft.lazy_pattern import lazy_pattern
from weft.source.bounds import greatest_index
from weft.source.model import Function, Source

TYPES = {
    "char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
    "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "half": np.float16, "float": np.float32,
    "double": np.float64, "size_t": np.uint64, "bool": np.uint8,
}  # fmt: skip
_TYPE = lazy_pattern(r"(?:const |volatile |restrict |unsigned )*([a-z_]+?)(2|3|4|8|16)?\s*(\*?)")
_RANGE = lazy_pattern(r"(-?[\d.]*\d)\.\.(-?[\d.]*\d)")
_MOST_BYTES = 1 << 32
# Limit of random integers: small enough as indices and for sums.
_MOST_RANDOM = 100


class LaunchError(WeftError):
    """The launch is incomplete or invalid."""


@dataclass(frozen=True, eq=False)
class Argument:
    """An argument: the `content` of a buffer or number, or the size of local memory."""

    name: str
    content: np.ndarray | None
    local: int = 0
    is_buffer: bool = False
    written: bool = False


@dataclass(frozen=True, eq=False)
class Launch:
    """The range and arguments of a launch."""

    global_size: tuple[int, ...]
    local_size: tuple[int, ...] | None
    arguments: tuple[Argument, ...]
    guessed: tuple[str, ...] = ()

    def number(self, name: str) -> int | None:
        """Return the value of an integer argument."""
        for one in self.arguments:
            if one.name == name and one.content is not None and not one.is_buffer:
                return int(one.content[0])
        return None


def launch(
    source: Source,
    kernel: Function,
    code: KernelCode,
    global_size: tuple[int, ...] | None,
    local_size: tuple[int, ...] | None,
    assignments: Sequence[str],
) -> Launch:
    """Return the launch that a command line describes; raise LaunchError."""
    if global_size is None:
        raise LaunchError("--measure requires --global X,Y,Z")
    if local_size is None and code.info.reqd_work_group_size is not None:
        local_size = code.info.reqd_work_group_size[: len(global_size)]
    if local_size is not None:
        local_size = (*local_size, 1, 1)[: len(global_size)]
        for whole, part in zip(global_size, local_size, strict=True):
            if whole % part:
                raise LaunchError(
                    f"the global size {global_size} is not a multiple of the local size {local_size}"
                )
    words = _words(code, assignments)
    numbers: dict[str, int] = {}
    bound: dict[str, Argument] = {}
    guessed: list[str] = []
    buffers: list[KernelArgument] = []
    for one in code.info.arguments:
        if one.type_name.endswith("*"):
            buffers.append(one)
            continue
        argument = _number(one, words.get(one.name), guessed)
        bound[one.name] = argument
        if (
            argument.content is not None
            and argument.content.dtype.kind in "iu"
            and len(argument.content) == 1
        ):
            numbers[one.name] = int(argument.content[0])
    random = np.random.default_rng(1)
    for one in buffers:
        text = words.get(one.name)
        if text is None:
            count = _guessed_count(source, kernel, code, one, global_size, local_size, numbers)
            guessed.append(f"{one.name}={count}")
            text = str(count)
        bound[one.name] = _buffer(one, text, numbers, random)
    arguments = tuple(bound[one.name] for one in code.info.arguments)
    if sum(a.content.nbytes for a in arguments if a.content is not None) > _MOST_BYTES:
        raise LaunchError("the buffers are larger than 4 GB together")
    return Launch(global_size, local_size, arguments, tuple(guessed))


def _words(code: KernelCode, assignments: Sequence[str]) -> dict[str, str]:
    names = [one.name for one in code.info.arguments]
    words = {}
    for text in assignments:
        name, sign, value = text.partition("=")
        if not sign or not value:
            raise LaunchError(f"expected --arg NAME=VALUE, got {text!r}")
        if name not in names:
            raise LaunchError(f"{code.info.name} has no argument {name!r}; available: {', '.join(names)}")
        words[name] = value
    return words


def _number(one: KernelArgument, text: str | None, guessed: list[str]) -> Argument:
    matched = _TYPE.fullmatch(one.type_name)
    if matched is None or matched[1] not in TYPES:
        raise LaunchError(f"--measure does not support argument {one.name} of type {one.type_name}")
    type, count = TYPES[matched[1]], int(matched[2] or 1)
    if text is None:
        if np.dtype(type).kind != "f":
            raise LaunchError(f"argument {one.name} has no value: pass --arg {one.name}=NUMBER")
        text = "1"
        guessed.append(f"{one.name}=1")
    try:
        parts = [float(p) if np.dtype(type).kind == "f" else int(p, 0) for p in text.split(",")]
        if len(parts) not in (1, count):
            raise ValueError
        values = np.array(parts * (count if len(parts) == 1 else 1), type)
    except (ValueError, OverflowError):
        raise LaunchError(f"--arg {one.name}={text}: expected {one.type_name}") from None
    if count == 3:  # a vector of 3 has the size of a vector of 4
        values = np.append(values, np.zeros(1, type))
    return Argument(one.name, values)


def _buffer(
    one: KernelArgument, text: str, numbers: Mapping[str, int], random: np.random.Generator
) -> Argument:
    matched = _TYPE.fullmatch(one.type_name)
    element = matched[1] if matched is not None and matched[1] in TYPES else ""
    width = int(matched[2] or 1) if matched is not None else 1
    parts = text.split(":")
    wrong = LaunchError(f"--arg {one.name}={text}: expected [TYPE:]COUNT[:FILL], for example float:1024:0..1")
    if parts[0] in TYPES:
        element, width = parts[0], 1
        parts = parts[1:]
    if not element:
        raise LaunchError(f"--arg {one.name}: {one.type_name} has no known size; specify TYPE:COUNT")
    if not 1 <= len(parts) <= 2:
        raise wrong
    count = _value(parts[0], numbers, wrong) * (4 if width == 3 else width)
    dtype = np.dtype(TYPES[element])
    if not 0 < count * dtype.itemsize <= _MOST_BYTES:
        raise LaunchError(f"--arg {one.name}={text}: the size of a buffer must be 1 byte to 4 GB")
    if one.address_space == "local":
        return Argument(one.name, None, local=count * dtype.itemsize)
    if one.address_space not in ("global", "constant"):
        raise LaunchError(f"--measure does not support pointers such as {one.name} ({one.address_space})")
    content = _filled(parts[1] if len(parts) > 1 else "random", count, dtype, random)
    if content is None:
        raise wrong
    written = one.address_space == "global" and "const" not in one.qualifiers
    return Argument(one.name, content, is_buffer=True, written=written)


def _filled(fill: str, count: int, dtype: np.dtype, random: np.random.Generator) -> np.ndarray | None:
    floats = dtype.kind == "f"
    if fill == "random":
        return (random.random(count) if floats else random.integers(0, _MOST_RANDOM, count)).astype(dtype)
    if fill == "index":
        return np.arange(count).astype(dtype)
    if matched := _RANGE.fullmatch(fill):
        try:
            low, high = float(matched[1]), float(matched[2])
        except ValueError:
            return None
        if floats:
            return random.uniform(low, high, count).astype(dtype)
        return (
            random.integers(int(low), int(high), count, endpoint=True).astype(dtype) if low <= high else None
        )
    try:
        return np.full(count, float(fill) if floats else int(fill)).astype(dtype)
    except (ValueError, OverflowError):
        return None


def _value(text: str, numbers: Mapping[str, int], wrong: LaunchError) -> int:
    """Evaluate a sum or product of numbers and integer arguments."""

    def of(node: ast.expr) -> int:
        match node:
            case ast.Constant(value=int(value)):
                return value
            case ast.Name(id=name) if name in numbers:
                return numbers[name]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return of(left) + of(right)
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return of(left) - of(right)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return of(left) * of(right)
            case ast.BinOp(left=left, op=ast.Div() | ast.FloorDiv(), right=right) if of(right):
                return of(left) // of(right)
        raise wrong

    try:
        return of(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise wrong from None


def _guessed_count(
    source: Source,
    kernel: Function,
    code: KernelCode,
    one: KernelArgument,
    global_size: tuple[int, ...],
    local_size: tuple[int, ...] | None,
    numbers: Mapping[str, int],
) -> int:
    greatest, reason = greatest_index(source, kernel, code, one.name, global_size, local_size, numbers)
    if greatest is None:
        raise LaunchError(f"buffer {one.name} has no size ({reason}): pass --arg {one.name}=COUNT")
    return greatest + 1
