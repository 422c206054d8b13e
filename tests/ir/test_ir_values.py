"""Sizes of types and bits of constants, against LLVM, for whatever hypothesis thinks of."""

import struct
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from ir_llvm import canonical
from llvmlite import binding

from weft import ir
from weft.ir.parser import parse_type
from weft.ir.printer import typed_constant
from weft.ir.types import (
    ArrayType,
    FloatType,
    IntType,
    PointerType,
    StructType,
    Type,
    VectorType,
    alignment_of,
    field_offset,
    size_of,
    store_size_of,
)
from weft.ir.values import (
    ConstantAggregate,
    ConstantFloat,
    ConstantInt,
    ConstantString,
    bits_to_float,
    float_to_bits,
)
from weft.ir.verifier import verify

_LAYOUT = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

_FLOATS = st.sampled_from([FloatType(k) for k in ("half", "bfloat", "float", "double", "x86_fp80", "fp128")])
_INTEGERS = st.sampled_from([IntType(n) for n in (1, 7, 8, 16, 24, 32, 33, 64, 65, 128)])
_SCALARS: st.SearchStrategy[Type] = st.one_of(_INTEGERS, _FLOATS, st.builds(PointerType, st.integers(0, 4)))
# Elements that fill whole bytes: LLVM packs vectors of others by the bit.
_LANES: st.SearchStrategy[Type] = st.one_of(
    st.sampled_from([IntType(n) for n in (1, 8, 16, 32, 64)]),
    st.sampled_from([FloatType(k) for k in ("half", "bfloat", "float", "double")]),
    st.just(PointerType(1)),
)
_TYPES: st.SearchStrategy[Type] = st.recursive(
    st.one_of(_SCALARS, st.builds(VectorType, _LANES, st.sampled_from([1, 2, 3, 4, 5, 8, 16, 64]))),
    lambda inner: st.one_of(
        st.builds(ArrayType, inner, st.integers(0, 5)),
        st.builds(StructType, st.lists(inner, max_size=5).map(tuple), st.booleans()),
    ),
    max_leaves=6,
)


@given(_TYPES)
@settings(max_examples=150, deadline=None)
def test_sizes_alignments_and_offsets_are_those_of_llvm(type: Type) -> None:
    text = f'target datalayout = "{_LAYOUT}"\n\n@g = external global {type}\n'
    context = binding.create_context()
    module = binding.parse_assembly(text, context)
    try:
        theirs = module.get_global_variable("g").global_value_type
        layout = binding.create_target_data(_LAYOUT)
        assert size_of(type) == layout.get_abi_size(theirs)
        assert alignment_of(type) == layout.get_abi_alignment(theirs)
        assert store_size_of(type) <= size_of(type)
        if isinstance(type, StructType):
            for index in range(len(type.fields)):
                assert field_offset(type, index) == layout.get_element_offset(theirs, index)
    finally:
        module.close()


@given(_TYPES)
@settings(max_examples=150, deadline=None)
def test_a_type_read_back_is_the_same_object(type: Type) -> None:
    assert parse_type(str(type)) is type


def _constants(type: Type) -> st.SearchStrategy[ir.Value]:
    if isinstance(type, IntType):
        return st.builds(ConstantInt, st.just(type), st.integers(-(1 << type.bits), 1 << type.bits))
    if isinstance(type, FloatType):
        return st.builds(ConstantFloat, st.just(type), st.integers(0, (1 << type.bits) - 1))
    if isinstance(type, VectorType | ArrayType):
        if type.element is IntType(8) and isinstance(type, ArrayType):
            return st.binary(min_size=type.count, max_size=type.count).map(lambda d: ConstantString(type, d))
        inner = _constants(type.element)
        many = st.lists(inner, min_size=type.count, max_size=type.count)
        same = inner.map(lambda element: [element] * type.count)
        return st.one_of(many, same).map(lambda elements: ConstantAggregate(type, elements))
    assert isinstance(type, StructType)
    return st.tuples(*map(_constants, type.fields)).map(lambda elements: ConstantAggregate(type, elements))


# x86_fp80 has bit patterns that LLVM itself does not keep, so it is not among these.
_PLAIN: st.SearchStrategy[Type] = st.recursive(
    st.one_of(
        _INTEGERS,
        st.sampled_from([FloatType(k) for k in ("half", "bfloat", "float", "double", "fp128")]),
        st.builds(
            VectorType,
            st.sampled_from([IntType(1), IntType(32), FloatType("half"), FloatType("float")]),
            st.integers(1, 4),
        ),
    ),
    lambda inner: st.one_of(
        st.builds(ArrayType, inner, st.integers(1, 4)),
        st.builds(StructType, st.lists(inner, min_size=1, max_size=4).map(tuple), st.booleans()),
    ),
    max_leaves=5,
)


@given(_PLAIN.flatmap(_constants))
@settings(max_examples=300, deadline=None)
def test_constants_survive_print_and_parse_and_llvm(constant: ir.Value) -> None:
    text = f"@g = global {typed_constant(constant)}\n"
    module = ir.parse(text)
    verify(module)
    (variable,) = module.variables
    assert variable.initializer is not None
    assert typed_constant(variable.initializer) == typed_constant(constant)
    theirs = ir.parse(canonical(text)).variables[0].initializer
    assert theirs is not None
    assert _bits(theirs) == _bits(constant)


def _bits(value: ir.Value) -> object:
    """What a constant says, whichever of the ways to write it was chosen."""
    type = value.type
    match value:
        case ConstantInt():
            return value.value
        case ConstantFloat():
            return value.bits
        case ConstantString():
            return list(value.data)
        case ConstantAggregate():
            return [_bits(e) for e in value.elements]
    if isinstance(type, VectorType | ArrayType):
        return [_zero(type.element)] * type.count
    return _zero(type)


def _zero(type: Type) -> object:
    if isinstance(type, VectorType | ArrayType):
        return [_zero(type.element)] * type.count
    if isinstance(type, StructType):
        return [_zero(f) for f in type.fields]
    return 0


@given(st.integers(0, (1 << 32) - 1))
@settings(max_examples=300, deadline=None)
def test_every_float_is_itself_after_print_and_parse(bits: int) -> None:
    constant = ConstantFloat(FloatType("float"), bits)
    back = ir.parse(f"@g = global {typed_constant(constant)}\n").variables[0].initializer
    assert isinstance(back, ConstantFloat) and back.bits == bits


@given(st.floats(allow_nan=False))
@settings(max_examples=300, deadline=None)
def test_bfloat_is_rounded_to_the_nearest(value: float) -> None:
    bits = float_to_bits("bfloat", value)
    found = bits_to_float("bfloat", bits)
    if found in (float("inf"), float("-inf")):
        assert abs(value) >= bits_to_float("float", 0x7F7F8000)  # half way above the largest bfloat
        return
    for neighbour in (bits - 1, bits + 1):
        if neighbour & 0x7F80 == 0x7F80 or neighbour & 0x7FFF == 0x7FFF or neighbour < 0:
            continue
        other = bits_to_float("bfloat", neighbour & 0xFFFF)
        distance = abs(Fraction(found) - Fraction(value))
        further = abs(Fraction(other) - Fraction(value))
        assert distance < further or (distance == further and bits & 1 == 0) or found == other


def test_signed_reading_of_integers() -> None:
    assert ConstantInt(IntType(8), 255).signed == -1
    assert ConstantInt(IntType(8), -1).value == 255
    assert ConstantInt(IntType(1), 1).signed == -1


def test_floats_of_python_become_constants() -> None:
    assert ConstantFloat.of(FloatType("half"), 1e9).value == float("inf")
    assert ConstantFloat.of(FloatType("float"), 0.1).bits == struct.unpack("<I", struct.pack("<f", 0.1))[0]
    assert ConstantFloat.of(FloatType("bfloat"), float("nan")).bits == 0x7FC0
