"""How a value changes from SIMD lane to SIMD lane, and how instructions change that: see `lanes`."""

from collections.abc import Callable
from typing import NamedTuple

from weft.ir import ConstantInt, Instruction, Value
from weft.ir.types import I64, ArrayType, VectorType, field_offset, size_of, struct_body

VARYING = None
# Lanes that a loop has at most: those of a mask of 64 bits.
MOST_LANES = 64
LOW_WORD = 0xFFFF_FFFF


class LaneShape(NamedTuple):
    """Stride from lane to lane; whether the sequence is exact as signed and as unsigned numbers.

    It holds only if the operand of no instruction in `needs` wraps from the first lane to the last.
    `alignment` is known of addresses that were proved to be in line: it divides the lowest of them.
    """

    stride: int
    signed: bool = True
    unsigned: bool = True
    needs: frozenset[Instruction] = frozenset()
    alignment: int = 1


UNIFORM = LaneShape(0)


def join(a: LaneShape | None, b: LaneShape | None) -> LaneShape | None:
    if a is VARYING or b is VARYING or a.stride != b.stride or a.needs or b.needs:
        return VARYING
    return LaneShape(a.stride, a.signed and b.signed, a.unsigned and b.unsigned)


def total(a: LaneShape | None, b: LaneShape | None, sign: int, flags: tuple[str, ...]) -> LaneShape | None:
    if a is VARYING or b is VARYING:
        return VARYING
    stride = a.stride + sign * b.stride
    if stride == 0 and a.stride == 0:
        return UNIFORM
    return LaneShape(
        stride,
        a.signed and b.signed and "nsw" in flags,
        a.unsigned and b.unsigned and "nuw" in flags,
        a.needs | b.needs,
    )


def product(i: Instruction, a: LaneShape | None, b: LaneShape | None) -> LaneShape | None:
    if a is VARYING or b is VARYING:
        return VARYING
    if a.stride == 0 and b.stride == 0:
        return UNIFORM
    left, right = i.operands
    if i.opcode == "mul" and isinstance(left, ConstantInt):
        left, a, right = right, b, left
    if not isinstance(right, ConstantInt):
        return VARYING
    factor = 1 << right.value if i.opcode == "shl" else right.signed
    if factor == 0:
        return UNIFORM
    if i.opcode == "shl" and right.value >= i.type.bits:  # type: ignore[attr-defined]
        return VARYING
    return LaneShape(
        a.stride * factor,
        a.signed and "nsw" in i.flags,
        a.unsigned and "nuw" in i.flags and factor > 0,
        a.needs,
    )


def shift_pair(i: Instruction, of: Callable[[Value], LaneShape | None]) -> LaneShape | None:
    """`ashr (shl x, a), b` with b <= a, as optimizers write the sign extension of a scaled index.

    When x fits in the bits that the shift to the left keeps, the pair is a shift to the left by a - b.
    """
    inner, back = i.operands
    if not isinstance(inner, Instruction) or inner.opcode != "shl" or not isinstance(back, ConstantInt):
        return VARYING
    value, there = inner.operands
    if not isinstance(there, ConstantInt) or back.value > there.value:
        return VARYING
    shape = of(value)
    narrow = isinstance(value, Instruction) and value.opcode in ("zext", "sext") and value.operands[0]
    if shape is VARYING or not narrow:
        return VARYING
    assert isinstance(value, Instruction)
    if value.opcode == "sext" and i.opcode == "lshr":
        return VARYING  # negative numbers become large ones
    kept = i.type.bits - there.value  # type: ignore[attr-defined]
    fits = narrow.type.bits < kept or (narrow.type.bits == kept and "nneg" in value.flags)  # type: ignore[attr-defined]
    signed_source = value.opcode == "sext" and narrow.type.bits == kept  # type: ignore[attr-defined]
    if not (fits or (signed_source and i.opcode == "ashr")) or not shape.signed or shape.needs:
        return VARYING
    return LaneShape(shape.stride << (there.value - back.value), True, False)


def shift_right(i: Instruction, a: LaneShape | None) -> LaneShape | None:
    """Of numbers in line, whose distance is a multiple of what the shift divides by."""
    by = i.operands[1]
    if a is VARYING or not isinstance(by, ConstantInt) or by.value >= i.type.bits:  # type: ignore[attr-defined]
        return VARYING
    if a.stride % (1 << by.value) or not _may_stay_in_line(i, a):
        return VARYING
    return LaneShape(a.stride >> by.value, True, i.opcode == "lshr", a.needs | {i})


def conversion(i: Instruction, a: LaneShape | None) -> LaneShape | None:
    if a is VARYING or a.stride == 0:
        return a
    if i.opcode == "trunc":
        return LaneShape(a.stride, a.signed and "nsw" in i.flags, a.unsigned and "nuw" in i.flags, a.needs)
    if i.opcode == "sext" and a.signed:
        return LaneShape(a.stride, True, False, a.needs)
    if i.opcode == "zext" and (a.unsigned or ("nneg" in i.flags and a.signed)):
        return LaneShape(a.stride, True, True, a.needs)
    if not _may_stay_in_line(i, a):
        return VARYING
    return LaneShape(a.stride, True, i.opcode == "zext", a.needs | {i})


def keeps_low_word(i: Instruction) -> bool:
    """Whether an instruction is the extension of a number's low 32 bits, as optimizers write it."""
    mask = i.operands[1]
    return i.type is I64 and isinstance(mask, ConstantInt) and mask.value == LOW_WORD


def low_word(i: Instruction, a: LaneShape | None) -> LaneShape | None:
    if a is VARYING or abs(a.stride) * MOST_LANES >= 1 << 30:
        return VARYING
    return LaneShape(a.stride, True, True, a.needs | {i})


def _may_stay_in_line(i: Instruction, a: LaneShape) -> bool:
    """Whether the numbers that an instruction takes can be in line from the first lane to the last."""
    bits = i.operands[0].type.bits  # type: ignore[attr-defined]
    return bits >= 32 and abs(a.stride) * MOST_LANES < 1 << (bits - 2)


def address(i: Instruction, shapes: list[LaneShape | None]) -> LaneShape | None:
    if any(isinstance(o.type, VectorType) for o in i.operands):
        return UNIFORM if all(s is not VARYING and s.stride == 0 for s in shapes) else VARYING
    if any(s is VARYING for s in shapes):
        return VARYING
    stride = shapes[0].stride  # type: ignore[union-attr]
    type = i.attributes["element_type"]
    for position, (index, shape) in enumerate(zip(i.operands[1:], shapes[1:], strict=True)):
        assert shape is not None
        if position:
            if isinstance(type, ArrayType | VectorType):
                type = type.element
            else:
                assert isinstance(index, ConstantInt)
                field_offset(type, index.value)
                type = struct_body(type).fields[index.value]
                continue
        if shape.stride == 0:
            continue
        if index.type is not I64 and not shape.signed:
            return VARYING  # narrower indices are sign-extended
        stride += shape.stride * size_of(type)
    needs = frozenset[Instruction]().union(*(s.needs for s in shapes if s is not None))
    return LaneShape(stride, needs=needs) if stride or needs else UNIFORM
