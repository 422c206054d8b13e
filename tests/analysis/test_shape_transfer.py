"""Transfer functions are right about every number that a shape allows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shape_samples import GEOMETRIES, Ids, Sample, as_signed, refuted, samples

from weft import ir
from weft.analysis.shape import Geometry, normalized
from weft.analysis.shape_transfer import Transfer
from weft.ir.types import I1, IntType, Type

BINARY = {
    "add": ("nsw", "nuw"), "sub": ("nsw", "nuw"), "mul": ("nsw", "nuw"), "shl": ("nsw", "nuw"),
    "lshr": ("exact",), "ashr": ("exact",), "udiv": ("exact",), "urem": (), "sdiv": ("exact",), "srem": (),
    "and": (), "or": ("disjoint",), "xor": (),
}  # fmt: skip
WIDTHS = st.integers(2, 8)


def floor_to_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def computed(opcode: str, flags: tuple[str, ...], bits: int, a: int, b: int) -> int | None:
    """The result of an operation on unsigned numbers; None where it is poison or undefined."""
    size = 1 << bits
    sa, sb = as_signed(a, bits), as_signed(b, bits)
    if opcode in ("shl", "lshr", "ashr") and b >= bits:
        return None
    if opcode in ("udiv", "urem", "sdiv", "srem") and (
        b == 0 or (opcode[0] == "s" and sa // sb == size >> 1)
    ):
        return None
    exact: dict[str, tuple[int, int]] = {
        "add": (sa + sb, a + b),
        "sub": (sa - sb, a - b),
        "mul": (sa * sb, a * b),
    }
    match opcode:
        case "shl":
            exact["shl"] = sa << b, a << b
        case "lshr":
            result, whole = a >> b, a % (1 << b) == 0
        case "ashr":
            result, whole = sa >> b, a % (1 << b) == 0
        case "udiv":
            result, whole = a // b, a % b == 0
        case "sdiv":
            result, whole = floor_to_zero(sa, sb), sa % sb == 0
        case "urem":
            result = a % b
        case "srem":
            result = sa - floor_to_zero(sa, sb) * sb
        case "and":
            result = a & b
        case "or":
            result = a | b
        case "xor":
            result = a ^ b
    if opcode in exact:
        signed, unsigned = exact[opcode]
        result = unsigned
        if ("nsw" in flags and signed != as_signed(unsigned % size, bits)) or (
            "nuw" in flags and unsigned != unsigned % size
        ):
            return None
    if ("exact" in flags and not whole) or ("disjoint" in flags and a & b):
        return None
    return result % size


def instruction(opcode: str, type: Type, flags: tuple[str, ...] = (), **attributes: object) -> ir.Instruction:
    return ir.Instruction(opcode, type, [], flags=flags, attributes=attributes)


def check(
    geometry: Geometry, made: ir.Instruction, operands: list[Sample], results: dict[Ids, int | None]
) -> None:
    shape = Transfer(geometry).shape(made, [o.shape for o in operands])
    numbers = {i: n for i, n in results.items() if n is not None}
    given = ", ".join(f"{o.shape} signed {o.shape.signed} unsigned {o.shape.unsigned}" for o in operands)
    problem = refuted(shape, numbers) if numbers else None
    assert problem is None, f"{problem}: {made.opcode} {made.flags} of {given} is called {shape}"
    assert normalized(shape, geometry) == shape


@pytest.mark.parametrize("opcode", BINARY)
@settings(max_examples=150, deadline=None)
@given(st.data())
def test_binary_operation(opcode: str, data: st.DataObject) -> None:
    bits, geometry = data.draw(WIDTHS), data.draw(st.sampled_from(GEOMETRIES))
    flags = tuple(f for f in BINARY[opcode] if data.draw(st.booleans()))
    a, b = data.draw(samples(bits, geometry)), data.draw(samples(bits, geometry))
    if data.draw(st.booleans()):
        constant = data.draw(st.integers(0, (1 << bits) - 1))
        b = Sample(
            dict.fromkeys(b.numbers, constant),
            Transfer(geometry).outside(ir.ConstantInt(IntType(bits), constant)),
        )
    results = {i: computed(opcode, flags, bits, a.numbers[i], b.numbers[i]) for i in a.numbers}
    check(geometry, instruction(opcode, IntType(bits), flags), [a, b], results)


@pytest.mark.parametrize("opcode", ["udiv", "urem", "sdiv", "srem"])
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_division_by_a_small_constant(opcode: str, data: st.DataObject) -> None:
    bits, geometry = data.draw(WIDTHS), data.draw(st.sampled_from(GEOMETRIES))
    a = data.draw(samples(bits, geometry))
    divisor = data.draw(st.integers(1, min(12, (1 << bits) - 1)))
    b = Transfer(geometry).outside(ir.ConstantInt(IntType(bits), divisor))
    results = {i: computed(opcode, (), bits, n, divisor) for i, n in a.numbers.items()}
    check(geometry, instruction(opcode, IntType(bits)), [a, Sample(a.numbers, b)], results)


@pytest.mark.parametrize("opcode", ["trunc", "trunc nsw", "trunc nuw", "zext", "zext nneg", "sext"])
@settings(max_examples=120, deadline=None)
@given(st.data())
def test_cast(opcode: str, data: st.DataObject) -> None:
    bits, geometry = data.draw(WIDTHS), data.draw(st.sampled_from(GEOMETRIES))
    opcode, *flags = opcode.split()
    target = bits + data.draw(st.integers(1, 4)) if opcode != "trunc" else data.draw(st.integers(1, bits - 1))
    a = data.draw(samples(bits, geometry))
    results: dict[Ids, int | None] = {}
    for item, number in a.numbers.items():
        signed = as_signed(number, bits)
        result = (signed if opcode == "sext" else number) % (1 << target)
        poison = (
            ("nneg" in flags and signed < 0)
            or ("nuw" in flags and result != number)
            or ("nsw" in flags and as_signed(result, target) != signed)
        )
        results[item] = None if poison else result
    check(geometry, instruction(opcode, IntType(target), tuple(flags)), [a], results)


@pytest.mark.parametrize("predicate", ["eq", "ne", "ult", "uge", "slt", "sle", "sgt", "ugt"])
@settings(max_examples=80, deadline=None)
@given(st.data())
def test_comparison(predicate: str, data: st.DataObject) -> None:
    bits, geometry = data.draw(WIDTHS), data.draw(st.sampled_from(GEOMETRIES))
    a, b = data.draw(samples(bits, geometry)), data.draw(samples(bits, geometry))
    results: dict[Ids, int | None] = {}
    for item in a.numbers:
        x, y = a.numbers[item], b.numbers[item]
        if predicate[0] == "s":
            x, y = as_signed(x, bits), as_signed(y, bits)
        order = predicate if predicate in ("eq", "ne") else predicate[1:]
        truth = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[order]
        results[item] = int(truth)
    check(geometry, instruction("icmp", I1, predicate=predicate), [a, b], results)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_select(data: st.DataObject) -> None:
    bits, geometry = data.draw(WIDTHS), data.draw(st.sampled_from(GEOMETRIES))
    condition = data.draw(samples(1, geometry))
    a, b = data.draw(samples(bits, geometry)), data.draw(samples(bits, geometry))
    results: dict[Ids, int | None] = {
        i: (a if condition.numbers[i] else b).numbers[i] for i in condition.numbers
    }
    check(geometry, instruction("select", IntType(bits)), [condition, a, b], results)
