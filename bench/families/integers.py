"""Integer built-ins on arrays in the cache of a core: 8, 16 and 64 bits, scalars and vectors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from bench.case import Case, Launch, case

BYTES = 2**17
"""The size of each operand."""
SMALL_BYTES = 2**12

SOURCE = """
kernel void apply(global const TYPE *a, global const TYPE *b, global const TYPE *c, global RESULT *result) {
    size_t i = get_global_id(0);
    result[i] = EXPRESSION;
}
"""


@dataclass(frozen=True)
class Integer:
    """An integer type, and conversions of results to it."""

    name: str

    @property
    def dtype(self) -> np.dtype:
        """The corresponding numpy type."""
        bits = {"char": 8, "short": 16, "int": 32, "long": 64}[self.name.removeprefix("u")]
        return np.dtype(f"{'u' * self.name.startswith('u')}int{bits}")

    @property
    def bits(self) -> int:
        """The number of bits."""
        return 8 * self.dtype.itemsize

    @property
    def wider(self) -> "Integer":
        """The type with twice as many bits."""
        unsigned = "u" * self.name.startswith("u")
        return Integer(
            unsigned + {"char": "short", "short": "int", "int": "long"}[self.name.removeprefix("u")]
        )

    def saturated(self, x: int) -> int:
        """Saturate a number to the type."""
        limits = np.iinfo(self.dtype)
        return min(max(x, int(limits.min)), int(limits.max))

    def wrapped(self, x: int) -> int:
        """Return the number of the type with the same low bits."""
        x &= 2**self.bits - 1
        return x - 2**self.bits if not self.name.startswith("u") and x >> (self.bits - 1) else x

    def unsigned(self, x: int) -> int:
        """Return the bits of a number."""
        return x & 2**self.bits - 1


@dataclass(frozen=True)
class Function:
    """A built-in: its call, its meaning for numbers of a type, and the types for which it is measured."""

    name: str
    call: str
    meaning: Callable[[Integer, int, int, int], int]
    types: Sequence[str]
    widens: bool = False


def _rotated(t: Integer, a: int, b: int, c: int) -> int:
    turn = b % t.bits
    return t.wrapped(t.unsigned(a) << turn | t.unsigned(a) >> (t.bits - turn))


def _trailing_zeros(t: Integer, a: int, b: int, c: int) -> int:
    return (a & -a).bit_length() - 1 if a else t.bits


def _upsampled(t: Integer, a: int, b: int, c: int) -> int:
    return t.wider.wrapped(a << t.bits | t.unsigned(b))


VECTORS = ("char16", "ushort8", "long4")
FUNCTIONS = (
    Function("add_sat", "add_sat(a[i], b[i])", lambda t, a, b, c: t.saturated(a + b), (*VECTORS, "ulong")),
    Function(
        "sub_sat",
        "sub_sat(a[i], b[i])",
        lambda t, a, b, c: t.saturated(a - b),
        ("uchar16", "short8", "ulong4"),
    ),
    Function(
        "mad_sat",
        "mad_sat(a[i], b[i], c[i])",
        lambda t, a, b, c: t.saturated(a * b + c),
        ("uchar16", "short8", "long4", "char"),
    ),
    Function("rotate", "rotate(a[i], b[i])", _rotated, ("uchar16", "ushort8", "ulong4", "uchar", "ushort")),
    Function(
        "rotate by a constant", "rotate(a[i], (TYPE)(3))", lambda t, a, b, c: _rotated(t, a, 3, c), VECTORS
    ),
    Function(
        "mul_hi", "mul_hi(a[i], b[i])", lambda t, a, b, c: a * b >> t.bits, (*VECTORS, "ulong4", "long")
    ),
    Function(
        "mad_hi",
        "mad_hi(a[i], b[i], c[i])",
        lambda t, a, b, c: t.wrapped((a * b >> t.bits) + c),
        ("short8", "ulong"),
    ),
    Function(
        "clz",
        "clz(a[i])",
        lambda t, a, b, c: t.bits - t.unsigned(a).bit_length(),
        (*VECTORS, "uchar", "short"),
    ),
    Function("ctz", "ctz(a[i])", _trailing_zeros, ("uchar16", "short8", "ulong4", "ushort")),
    Function(
        "popcount",
        "popcount(a[i])",
        lambda t, a, b, c: t.unsigned(a).bit_count(),
        (*VECTORS, "uchar", "ulong"),
    ),
    Function("hadd", "hadd(a[i], b[i])", lambda t, a, b, c: a + b >> 1, ("uchar16", "short8", "long4")),
    Function("rhadd", "rhadd(a[i], b[i])", lambda t, a, b, c: a + b + 1 >> 1, ("uchar16", "long4")),
    Function("max", "max(a[i], b[i])", lambda t, a, b, c: max(a, b), ("char16", "ulong4")),
    Function(
        "upsample",
        "upsample(a[i], BITS(b[i]))",
        _upsampled,
        ("char8", "ushort8", "int4", "uint", "uchar"),
        widens=True,
    ),
)
"""`abs_diff` and the 24-bit functions, whose results have other types or limits, are below."""


def _text_of(type_name: str, source: Integer, result: Integer) -> tuple[str, int]:
    """Return options that name the types (`ctz` needs OpenCL 2), and the number of lanes."""
    lanes = type_name.removeprefix(source.name)
    unsigned = source.name if source.name.startswith("u") else f"u{source.name}"
    options = f"-cl-std=CL3.0 -D TYPE={type_name} -D RESULT={result.name}{lanes} -D BITS=as_{unsigned}{lanes}"
    return options, int(lanes or 1)


def _operands(random: np.random.Generator, kind: Integer, count: int) -> list[np.ndarray]:
    """Return three arrays; an eighth of the numbers are near the limits of the type or near 0."""
    limits = np.iinfo(kind.dtype)
    edges = np.array([limits.min, limits.min + 1, 0, 1, limits.max - 1, limits.max], kind.dtype)
    arrays = []
    for _ in range(3):
        numbers = random.integers(limits.min, limits.max, count, dtype=kind.dtype, endpoint=True)
        arrays.append(np.where(random.random(count) < 1 / 8, random.choice(edges, count), numbers))
    return arrays


def _case(
    random: np.random.Generator,
    type_name: str,
    call: str,
    meaning: Callable[[Integer, int, int, int], int],
    result: Callable[[Integer], Integer],
    nbytes: int,
    limit: Callable[[np.ndarray], np.ndarray] = lambda numbers: numbers,
) -> Case:
    source = Integer(type_name.rstrip("0123456789"))
    options, lanes = _text_of(type_name, source, result(source))
    count = nbytes // source.dtype.itemsize
    a, b, c = (limit(numbers) for numbers in _operands(random, source, count))
    numbers = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
    expected = np.array([meaning(source, *three) for three in numbers], result(source).dtype)
    return Case(
        SOURCE.replace("EXPRESSION", call),
        [Launch("apply", ("a", "b", "c", "result"), (count // lanes,), (64,))],
        {"a": a, "b": b, "c": c, "result": np.zeros_like(expected)},
        {"result": expected},
        options=options,
    )


def built_in(random: np.random.Generator, function: Function, type_name: str, nbytes: int) -> Case:
    """One built-in with operands of one type."""
    result: Callable[[Integer], Integer] = (lambda t: t.wider) if function.widens else (lambda t: t)
    return _case(random, type_name, function.call, function.meaning, result, nbytes)


for _function in FUNCTIONS:
    for _type in _function.types:
        case(f"integers/{_function.name}/{_type}", sizes={"nbytes": BYTES}, small={"nbytes": SMALL_BYTES})(
            partial(built_in, function=_function, type_name=_type)
        )


def abs_diff(random: np.random.Generator, type_name: str, nbytes: int) -> Case:
    """The difference of signed numbers is unsigned."""
    return _case(
        random,
        type_name,
        "abs_diff(a[i], b[i])",
        lambda t, a, b, c: abs(a - b),
        lambda t: t if t.name.startswith("u") else Integer(f"u{t.name}"),
        nbytes,
    )


for _type in ("char16", "ushort8", "long4"):
    case(f"integers/abs_diff/{_type}", sizes={"nbytes": BYTES}, small={"nbytes": SMALL_BYTES})(
        partial(abs_diff, type_name=_type)
    )


def mad24(random: np.random.Generator, type_name: str, nbytes: int) -> Case:
    """A product of 24-bit numbers."""
    return _case(
        random,
        type_name,
        "mad24(a[i], b[i], c[i])",
        lambda t, a, b, c: t.wrapped(a * b + c),
        lambda t: t,
        nbytes,
        limit=lambda numbers: numbers >> 8,
    )


for _type in ("int4", "uint16", "int"):
    case(f"integers/mad24/{_type}", sizes={"nbytes": BYTES}, small={"nbytes": SMALL_BYTES})(
        partial(mad24, type_name=_type)
    )
