"""Translate arithmetic, comparisons, bit operations and conversions."""

from weft.frontend.spirv.binary import Instruction
from weft.frontend.spirv.body import I32, Body, Value, translates, zero
from weft.frontend.spirv.constants import number_constant
from weft.frontend.spirv.mangle import Parameter
from weft.frontend.spirv.types import (
    BOOL,
    RESERVATION,
    Bool,
    Float,
    Int,
    Opaque,
    Pointer,
    Struct,
    Type,
    Vector,
    integer,
    lanes,
    of_lanes,
    scalar,
    vector,
)
from weft.ir.address_spaces import SPACE_QUERY_DECLARATIONS

_INTEGER = {
    "IAdd": "add",
    "ISub": "sub",
    "IMul": "mul",
    "UDiv": "udiv",
    "SDiv": "sdiv",
    "UMod": "urem",
    "SRem": "srem",
    "BitwiseOr": "or",
    "BitwiseXor": "xor",
    "BitwiseAnd": "and",
}
_BITWISE = ("and", "or", "xor")
_MAY_WRAP = ("add", "sub", "mul", "shl")
_SHIFTS = {"ShiftLeftLogical": "shl", "ShiftRightLogical": "lshr", "ShiftRightArithmetic": "ashr"}
_FLOATING = {"FAdd": "fadd", "FSub": "fsub", "FMul": "fmul", "FDiv": "fdiv"}
_LOGICAL = {
    "LogicalEqual": "icmp eq",
    "LogicalNotEqual": "icmp ne",
    "LogicalOr": "or",
    "LogicalAnd": "and",
}
_COMPARED = {
    "IEqual": "eq",
    "INotEqual": "ne",
    "UGreaterThan": "ugt",
    "SGreaterThan": "sgt",
    "UGreaterThanEqual": "uge",
    "SGreaterThanEqual": "sge",
    "ULessThan": "ult",
    "SLessThan": "slt",
    "ULessThanEqual": "ule",
    "SLessThanEqual": "sle",
}
_FLOATS_COMPARED = {
    "FOrdEqual": "oeq",
    "FUnordEqual": "ueq",
    "FOrdNotEqual": "one",
    "FUnordNotEqual": "une",
    "FOrdLessThan": "olt",
    "FUnordLessThan": "ult",
    "FOrdGreaterThan": "ogt",
    "FUnordGreaterThan": "ugt",
    "FOrdLessThanEqual": "ole",
    "FUnordLessThanEqual": "ule",
    "FOrdGreaterThanEqual": "oge",
    "FUnordGreaterThanEqual": "uge",
    "LessOrGreater": "one",
    "Ordered": "ord",
    "Unordered": "uno",
}


def _both(body: Body, instruction: Instruction, kind: type[Type]) -> tuple[Value, Value, Type]:
    """Return two operands, and the result type, which must be their type and have elements of `kind`."""
    type = body.type(instruction)
    a, b = body.operand(instruction, 0), body.operand(instruction, 1)
    right = isinstance(scalar(type), kind) and a.type == type == b.type
    body.require(right, instruction, "operand types differ from the result type")
    return a, b, type


def _one_operand(body: Body, instruction: Instruction, kind: type[Type]) -> tuple[Value, Type]:
    """Return an operand and the result type, which must be its type and have elements of `kind`."""
    type = body.type(instruction)
    a = body.operand(instruction, 0)
    right = isinstance(scalar(type), kind) and a.type == type
    body.require(right, instruction, "operand type differs from the result type")
    return a, type


def splat(body: Body, value: Value, count: int) -> Value:
    """Return a vector whose elements all equal `value`."""
    if count == 1:
        return value
    type = vector(value.type, count)
    first = body.emit(f"insertelement {type.llvm} {zero(type).text}, {value.typed}, i32 0", type)
    mask = f"<{count} x i32> zeroinitializer"
    return body.emit(f"shufflevector {first.typed}, {first.typed}, {mask}", type)


def _constant(type: Type, value: int) -> Value:
    """Return a number in all elements of a type."""
    return Value(type, number_constant(type, (value,) * lanes(type)).text)


def _wraps(body: Body, instruction: Instruction, operation: str) -> str:
    if operation not in _MAY_WRAP:
        return ""
    words = [
        word
        for word, name in (("nuw", "NoUnsignedWrap"), ("nsw", "NoSignedWrap"))
        if body.module.is_decorated(instruction.result, name)
    ]
    return "".join(f"{word} " for word in words)


@translates(*_INTEGER)
def _integer(body: Body, instruction: Instruction) -> Value:
    operation = _INTEGER[instruction.name]
    # LLVM's SPIR-V back end uses bitwise instructions on booleans.
    kind = Bool if isinstance(scalar(body.type(instruction)), Bool) and operation in _BITWISE else Int
    a, b, type = _both(body, instruction, kind)
    return body.emit(f"{operation} {_wraps(body, instruction, operation)}{a.typed}, {b.text}", type)


@translates(*_SHIFTS)
def _shift(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    a, b = body.operand(instruction, 0), body.operand(instruction, 1)
    element, amount = scalar(type), scalar(b.type)
    right = isinstance(element, Int) and isinstance(amount, Int) and a.type == type
    body.require(right and lanes(type) == lanes(b.type), instruction, "invalid operand types")
    assert isinstance(element, Int) and isinstance(amount, Int)
    if amount.width != element.width:
        b = body.cast("trunc" if amount.width > element.width else "zext", b, type)
    operation = _SHIFTS[instruction.name]
    # The amount is taken modulo the width, because the result must be defined although SPIR-V leaves it open.
    b = body.emit(f"and {b.typed}, {_constant(type, element.width - 1).text}", type)
    return body.emit(f"{operation} {_wraps(body, instruction, operation)}{a.typed}, {b.text}", type)


@translates(*_FLOATING)
def _floating(body: Body, instruction: Instruction) -> Value:
    a, b, type = _both(body, instruction, Float)
    return body.emit(f"{_FLOATING[instruction.name]} {body.flags(instruction)}{a.typed}, {b.text}", type)


@translates("FRem", "FMod")
def _remainder(body: Body, instruction: Instruction) -> Value:
    a, b, type = _both(body, instruction, Float)
    pair = [Parameter(type), Parameter(type)]
    remainder = body.call("fmod", pair, [a, b], type)
    if instruction.name == "FRem":
        return remainder
    # The result has the sign of the divisor.
    truth = of_lanes(BOOL, lanes(type))
    none = zero(type)
    negative = body.emit(f"fcmp olt {remainder.typed}, {none.text}", truth)
    divisor = body.emit(f"fcmp olt {b.typed}, {none.text}", truth)
    differ = body.emit(f"xor {negative.typed}, {divisor.text}", truth)
    some = body.emit(f"fcmp une {remainder.typed}, {none.text}", truth)
    wrong = body.emit(f"and {differ.typed}, {some.text}", truth)
    moved = body.emit(f"fadd {remainder.typed}, {b.text}", type)
    return body.emit(f"select {wrong.typed}, {moved.typed}, {remainder.typed}", type)


@translates("SMod")
def _modulo(body: Body, instruction: Instruction) -> Value:
    a, b, type = _both(body, instruction, Int)
    truth = of_lanes(BOOL, lanes(type))
    none = zero(type).text
    remainder = body.emit(f"srem {a.typed}, {b.text}", type)
    signs = body.emit(f"xor {remainder.typed}, {b.text}", type)
    differ = body.emit(f"icmp slt {signs.typed}, {none}", truth)
    some = body.emit(f"icmp ne {remainder.typed}, {none}", truth)
    wrong = body.emit(f"and {differ.typed}, {some.text}", truth)
    moved = body.emit(f"add {remainder.typed}, {b.text}", type)
    return body.emit(f"select {wrong.typed}, {moved.typed}, {remainder.typed}", type)


@translates("SNegate", "Not")
def _negate(body: Body, instruction: Instruction) -> Value:
    a, type = _one_operand(body, instruction, Int)
    if instruction.name == "SNegate":
        return body.emit(f"sub {_wraps(body, instruction, 'sub')}{zero(type).typed}, {a.text}", type)
    element = scalar(type)
    assert isinstance(element, Int)
    return body.emit(f"xor {a.typed}, {_constant(type, (1 << element.width) - 1).text}", type)


@translates("FNegate")
def _negate_float(body: Body, instruction: Instruction) -> Value:
    a, type = _one_operand(body, instruction, Float)
    return body.emit(f"fneg {body.flags(instruction)}{a.typed}", type)


@translates("VectorTimesScalar")
def _scale(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    a, b = body.operand(instruction, 0), body.operand(instruction, 1)
    right = isinstance(type, Vector) and isinstance(type.element, Float) and a.type == type
    body.require(right and b.type == scalar(type), instruction, "invalid operand types")
    factor = splat(body, b, lanes(type))
    return body.emit(f"fmul {body.flags(instruction)}{a.typed}, {factor.text}", type)


@translates("Dot")
def _dot(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    a, b = body.operand(instruction, 0), body.operand(instruction, 1)
    right = isinstance(type, Float) and isinstance(a.type, Vector) and a.type == b.type
    body.require(right and scalar(a.type) == type, instruction, "invalid operand types")
    body.require(lanes(a.type) <= 4, instruction, "vectors of more than four elements are not supported")
    return body.call("dot", [Parameter(a.type), Parameter(b.type)], [a, b], type)


@translates("IAddCarry", "ISubBorrow", "UMulExtended", "SMulExtended")
def _extended(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    a, b = body.operand(instruction, 0), body.operand(instruction, 1)
    right = isinstance(type, Struct) and type.members == (a.type, a.type) and a.type == b.type
    element = scalar(a.type)
    body.require(right and isinstance(element, Int), instruction, "invalid operand types")
    assert isinstance(element, Int)
    if instruction.name in ("IAddCarry", "ISubBorrow"):
        adds = instruction.name == "IAddCarry"
        low = body.emit(f"{'add' if adds else 'sub'} {a.typed}, {b.text}", a.type)
        smaller, larger = (low, a) if adds else (a, b)
        carry = body.emit(f"icmp ult {smaller.typed}, {larger.text}", of_lanes(BOOL, lanes(a.type)))
        high = body.cast("zext", carry, a.type)
    else:
        signed = instruction.name == "SMulExtended"
        low = body.emit(f"mul {a.typed}, {b.text}", a.type)
        pair = [Parameter(a.type, signed)] * 2
        high = body.call("mul_hi", pair, [a, b], a.type)
    first = body.emit(f"insertvalue {zero(type).typed}, {low.typed}, 0", type)
    return body.emit(f"insertvalue {first.typed}, {high.typed}, 1", type)


# Truth values


@translates(*_LOGICAL)
def _logical(body: Body, instruction: Instruction) -> Value:
    a, b, type = _both(body, instruction, Bool)
    return body.emit(f"{_LOGICAL[instruction.name]} {a.typed}, {b.text}", type)


@translates("LogicalNot")
def _logical_not(body: Body, instruction: Instruction) -> Value:
    a, type = _one_operand(body, instruction, Bool)
    return body.emit(f"xor {a.typed}, {_constant(type, 1).text}", type)


@translates("Any", "All")
def _any_or_all(body: Body, instruction: Instruction) -> Value:
    a = body.operand(instruction, 0)
    body.require(body.type(instruction) == BOOL, instruction, "the result type is not bool")
    if isinstance(scalar(a.type), Int):
        # OpenCL C's any() and all() test sign bits, and some compilers translate them without a comparison.
        result = body.call(instruction.name.lower(), [Parameter(a.type, True)], [a], I32)
        return body.emit(f"icmp ne {result.typed}, 0", BOOL)
    body.require(isinstance(scalar(a.type), Bool), instruction, "the operand is not a vector of bool")
    if not isinstance(a.type, Vector):
        return a
    operation = "or" if instruction.name == "Any" else "and"
    parts = [body.emit(f"extractelement {a.typed}, i32 {lane}", BOOL) for lane in range(lanes(a.type))]
    result = parts[0]
    for part in parts[1:]:
        result = body.emit(f"{operation} {result.typed}, {part.text}", BOOL)
    return result


def _truth(body: Body, instruction: Instruction, a: Value) -> Type:
    """Return the result type of a comparison, which must have as many elements as the operands."""
    type = body.type(instruction)
    right = isinstance(scalar(type), Bool) and lanes(type) == lanes(a.type)
    body.require(right, instruction, "the result type is not bool with one component per element")
    return type


@translates(*_COMPARED)
def _compare(body: Body, instruction: Instruction) -> Value:
    a, b = body.operand(instruction, 0), body.operand(instruction, 1)
    type = _truth(body, instruction, a)
    right = a.type == b.type and isinstance(scalar(a.type), Int)
    body.require(right, instruction, "the operands are not integers of the same type")
    return body.emit(f"icmp {_COMPARED[instruction.name]} {a.typed}, {b.text}", type)


@translates(*_FLOATS_COMPARED)
def _compare_floats(body: Body, instruction: Instruction) -> Value:
    a, b = body.operand(instruction, 0), body.operand(instruction, 1)
    type = _truth(body, instruction, a)
    right = a.type == b.type and isinstance(scalar(a.type), Float)
    body.require(right, instruction, "the operands are not floats of the same type")
    predicate = _FLOATS_COMPARED[instruction.name]
    return body.emit(f"fcmp {body.flags(instruction)}{predicate} {a.typed}, {b.text}", type)


@translates("PtrEqual", "PtrNotEqual")
def _compare_pointers(body: Body, instruction: Instruction) -> Value:
    a, b = body.operand(instruction, 0), body.operand(instruction, 1)
    body.require(body.type(instruction) == BOOL, instruction, "the result type is not bool")
    # LLVM's SPIR-V back end compares pointers to different types.
    right = isinstance(a.type, Pointer) and isinstance(b.type, Pointer) and a.type.llvm == b.type.llvm
    body.require(right, instruction, "the operands are not pointers to the same storage class")
    predicate = "eq" if instruction.name == "PtrEqual" else "ne"
    return body.emit(f"icmp {predicate} {a.typed}, {b.text}", BOOL)


@translates("PtrDiff")
def _pointer_difference(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    a, b = body.operand(instruction, 0), body.operand(instruction, 1)
    right = isinstance(a.type, Pointer) and a.type == b.type and isinstance(type, Int) and type.width == 64
    body.require(
        right,
        instruction,
        "the operands are not pointers of the same type, or the result is not a 64-bit integer",
    )
    assert isinstance(a.type, Pointer)
    size = body.types.pointee(a.type).size
    body.require(size > 0, instruction, "the operands point to a type without a size")
    first, second = body.cast("ptrtoint", a, type), body.cast("ptrtoint", b, type)
    distance = body.emit(f"sub {first.typed}, {second.text}", type)
    return body.emit(f"sdiv exact {distance.typed}, {size}", type)


@translates("IsNan", "IsInf", "IsFinite", "IsNormal", "SignBitSet")
def _classify(body: Body, instruction: Instruction) -> Value:
    a = body.operand(instruction, 0)
    type = _truth(body, instruction, a)
    element = scalar(a.type)
    body.require(isinstance(element, Float), instruction, "the operand is not a float")
    assert isinstance(element, Float)
    if instruction.name == "IsNan":
        return body.emit(f"fcmp uno {a.typed}, {a.text}", type)
    bits_type = of_lanes(integer(element.width), lanes(a.type))
    bits = body.cast("bitcast", a, bits_type)
    if instruction.name == "SignBitSet":
        return body.emit(f"icmp slt {bits.typed}, {zero(bits_type).text}", type)
    fraction = {16: 10, 32: 23, 64: 52}[element.width]
    infinity = (1 << (element.width - 1)) - (1 << fraction)
    magnitude = body.emit(
        f"and {bits.typed}, {_constant(bits_type, (1 << (element.width - 1)) - 1).text}", bits_type
    )
    limit = _constant(bits_type, infinity).text
    if instruction.name == "IsInf":
        return body.emit(f"icmp eq {magnitude.typed}, {limit}", type)
    finite = body.emit(f"icmp ult {magnitude.typed}, {limit}", type)
    if instruction.name == "IsFinite":
        return finite
    least = _constant(bits_type, 1 << fraction).text
    large = body.emit(f"icmp uge {magnitude.typed}, {least}", type)
    return body.emit(f"and {finite.typed}, {large.text}", type)


@translates("Select")
def _select(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    condition, a, b = (body.operand(instruction, index) for index in range(3))
    body.require(a.type == type == b.type, instruction, "operand types differ from the result type")
    right = isinstance(scalar(condition.type), Bool) and lanes(condition.type) in (1, lanes(type))
    right = right and (not isinstance(type, Opaque) or type == RESERVATION)
    body.require(right, instruction, "invalid operand types")
    return body.emit(f"select {condition.typed}, {a.typed}, {b.typed}", type)


# Bits


@translates("BitCount", "BitReverse")
def _bits(body: Body, instruction: Instruction) -> Value:
    a, type = _one_operand(body, instruction, Int)
    if instruction.name == "BitCount":
        return body.call("popcount", [Parameter(type)], [a], type)
    suffix = type.llvm if isinstance(type, Int) else f"v{lanes(type)}{scalar(type).llvm}"
    return body.intrinsic(f"llvm.bitreverse.{suffix}", [a], type)


@translates("BitFieldInsert", "BitFieldSExtract", "BitFieldUExtract")
def _bit_field(body: Body, instruction: Instruction) -> Value:
    """Translate a field of `count` bits at bit `offset` to masks; a field of all bits needs special care."""
    type = body.type(instruction)
    element = scalar(type)
    body.require(isinstance(element, Int), instruction, "the result type is not an integer")
    assert isinstance(element, Int)
    inserts = instruction.name == "BitFieldInsert"
    operands = [body.operand(instruction, index) for index in range(4 if inserts else 3)]
    numbers = operands[: 2 if inserts else 1]
    body.require(all(n.type == type for n in numbers), instruction, "invalid operand types")
    offset, count = (_as_wide(body, instruction, operand, type) for operand in operands[-2:])
    whole = _constant(type, element.width)
    truth = of_lanes(BOOL, lanes(type))
    is_whole = body.emit(f"icmp uge {count.typed}, {whole.text}", truth)
    nothing = body.emit(f"icmp eq {count.typed}, {zero(type).text}", truth)
    most = _constant(type, element.width - 1).text
    offset = body.emit(f"and {offset.typed}, {most}", type)
    if inserts:
        narrow = body.emit(f"and {count.typed}, {most}", type)
        ones = body.emit(f"shl {_constant(type, 1).typed}, {narrow.text}", type)
        some = body.emit(f"sub {ones.typed}, {_constant(type, 1).text}", type)
        all_bits = _constant(type, (1 << element.width) - 1)
        mask = body.emit(f"select {is_whole.typed}, {all_bits.typed}, {some.typed}", type)
        mask = body.emit(f"shl {mask.typed}, {offset.text}", type)
        moved = body.emit(f"shl {numbers[1].typed}, {offset.text}", type)
        differing = body.emit(f"xor {numbers[0].typed}, {moved.text}", type)
        field_difference = body.emit(f"and {differing.typed}, {mask.text}", type)
        return body.emit(f"xor {numbers[0].typed}, {field_difference.text}", type)
    right_shift = body.emit(f"sub {whole.typed}, {count.text}", type)
    right_shift = body.emit(f"and {right_shift.typed}, {most}", type)
    left_shift = body.emit(f"sub {right_shift.typed}, {offset.text}", type)
    left_shift = body.emit(f"and {left_shift.typed}, {most}", type)
    moved = body.emit(f"shl {numbers[0].typed}, {left_shift.text}", type)
    operation = "ashr" if instruction.name == "BitFieldSExtract" else "lshr"
    field = body.emit(f"{operation} {moved.typed}, {right_shift.text}", type)
    return body.emit(f"select {nothing.typed}, {zero(type).typed}, {field.typed}", type)


def _as_wide(body: Body, instruction: Instruction, value: Value, type: Type) -> Value:
    """Return a scalar integer in all elements of a type."""
    element = scalar(type)
    body.require(isinstance(value.type, Int), instruction, "the offset or count is not an integer")
    assert isinstance(value.type, Int) and isinstance(element, Int)
    if value.type.width != element.width:
        value = body.cast("trunc" if value.type.width > element.width else "zext", value, element)
    return splat(body, value, lanes(type))


# Conversions

_ROUNDING = {"RTE": "rte", "RTZ": "rtz", "RTP": "rtp", "RTN": "rtn"}
_NAMES = {8: "char", 16: "short", 32: "int", 64: "long"}
_FLOAT_NAMES = {16: "half", 32: "float", 64: "double"}
_CONVERSIONS = {
    "ConvertFToU": (Float, False, Int, False),
    "ConvertFToS": (Float, True, Int, True),
    "ConvertSToF": (Int, True, Float, True),
    "ConvertUToF": (Int, False, Float, True),
    "UConvert": (Int, False, Int, False),
    "SConvert": (Int, True, Int, True),
    "FConvert": (Float, True, Float, True),
    "SatConvertSToU": (Int, True, Int, False),
    "SatConvertUToS": (Int, False, Int, True),
}


@translates(*_CONVERSIONS)
def _convert(body: Body, instruction: Instruction) -> Value:
    source, source_signed, target, target_signed = _CONVERSIONS[instruction.name]
    type = body.type(instruction)
    a = body.operand(instruction, 0)
    right = isinstance(scalar(type), target) and isinstance(scalar(a.type), source)
    body.require(right and lanes(type) == lanes(a.type), instruction, "invalid operand type")
    saturates = instruction.name.startswith("Sat") or body.module.is_decorated(
        instruction.result, "SaturatedConversion"
    )
    rounding = body.module.decoration(instruction.result, "FPRoundingMode")
    mode = _ROUNDING[str(rounding[0])] if rounding else ""
    usual = "rtz" if target is Int else "rte"
    rounds = (source is Float or target is Float) and mode not in ("", usual)
    if (saturates and target is Int) or rounds:
        return _built_in(body, a, type, source_signed, target_signed, saturates, mode if rounds else "")
    return _plain(body, instruction.name, a, type)


def _plain(body: Body, name: str, a: Value, type: Type) -> Value:
    from_width, to_width = (getattr(scalar(t), "width", 0) for t in (a.type, type))
    if name in ("ConvertFToU", "ConvertFToS"):
        return body.cast("fptoui" if name.endswith("U") else "fptosi", a, type)
    if name in ("ConvertSToF", "ConvertUToF"):
        return body.cast("sitofp" if name == "ConvertSToF" else "uitofp", a, type)
    if from_width == to_width:
        return a
    if name == "FConvert":
        return body.cast("fpext" if to_width > from_width else "fptrunc", a, type)
    if to_width < from_width:
        return body.cast("trunc", a, type)
    return body.cast("sext" if name.startswith("S") else "zext", a, type)


def _built_in(
    body: Body, a: Value, type: Type, source_signed: bool, target_signed: bool, saturates: bool, mode: str
) -> Value:
    """Convert by a library function such as `convert_uchar4_sat_rte`."""
    element = scalar(type)
    if isinstance(element, Int):
        name = ("" if target_signed else "u") + _NAMES[element.width]
    else:
        assert isinstance(element, Float)
        name, saturates = _FLOAT_NAMES[element.width], False
    count = str(lanes(type)) if lanes(type) > 1 else ""
    function = f"convert_{name}{count}{'_sat' * saturates}{'_' * bool(mode)}{mode}"
    return body.call(function, [Parameter(a.type, source_signed)], [a], type)


@translates("Bitcast")
def _bitcast(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    a = body.operand(instruction, 0)
    if isinstance(type, Pointer) and isinstance(a.type, Pointer):
        right = type.llvm == a.type.llvm and "Input" not in (type.storage, a.type.storage)
        body.require(right, instruction, "the operand points to a different storage class")
        return Value(type, a.text)
    if isinstance(type, Pointer) or isinstance(a.type, Pointer):
        number = a.type if isinstance(type, Pointer) else type
        element = scalar(number)
        right = isinstance(element, Int) and element.width * lanes(number) == 64
        body.require(right, instruction, "the integer must have 64 bits to hold an address")
    if isinstance(type, Pointer):
        bits = a if isinstance(a.type, Int) else body.cast("bitcast", a, integer(64))
        return body.cast("inttoptr", bits, type)
    if isinstance(a.type, Pointer):
        bits = body.cast("ptrtoint", a, integer(64))
        return bits if isinstance(type, Int) else body.cast("bitcast", bits, type)
    widths = [getattr(scalar(t), "width", 0) * lanes(t) for t in (type, a.type)]
    body.require(widths[0] == widths[1] > 0, instruction, "operand and result have different widths")
    return Value(type, a.text) if type == a.type else body.cast("bitcast", a, type)


@translates("ConvertPtrToU", "ConvertUToPtr")
def _convert_pointer(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    a = body.operand(instruction, 0)
    to_integer = instruction.name == "ConvertPtrToU"
    pointer, number = (a.type, type) if to_integer else (type, a.type)
    right = isinstance(pointer, Pointer) and isinstance(number, Int)
    body.require(right, instruction, "operand and result must be a pointer and an integer")
    return body.cast("ptrtoint" if to_integer else "inttoptr", a, type)


@translates("PtrCastToGeneric", "GenericCastToPtr")
def _cast_pointer(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    a = body.operand(instruction, 0)
    right = isinstance(type, Pointer) and isinstance(a.type, Pointer)
    body.require(right, instruction, "operand and result must be pointers")
    assert isinstance(type, Pointer) and isinstance(a.type, Pointer)
    generic, other = (type, a.type) if instruction.name == "PtrCastToGeneric" else (a.type, type)
    spaces = ("CrossWorkgroup", "Workgroup", "Function")
    right = generic.storage == "Generic" and other.storage in spaces
    body.require(right, instruction, "one of the storage classes must be Generic")
    return body.cast("addrspacecast", a, type)


@translates("GenericCastToPtrExplicit")
def _cast_if_there(body: Body, instruction: Instruction) -> Value:
    """Cast a pointer to the requested storage class; the result is null if it points to another one."""
    type = body.type(instruction)
    a = body.operand(instruction, 0)
    right = isinstance(a.type, Pointer) and a.type.storage == "Generic" and isinstance(type, Pointer)
    body.require(right, instruction, "operand and result must be pointers")
    assert isinstance(type, Pointer)
    right = type.storage == instruction.word(1) in _QUERIES
    body.require(right, instruction, "the result type is not in the named storage class")
    there = _is_in(body, a, _QUERIES[type.storage])
    cast = body.cast("addrspacecast", a, type)
    return body.emit(f"select {there.typed}, {cast.typed}, {zero(type).typed}", type)


@translates("GenericPtrMemSemantics")
def _semantics_of_pointer(body: Body, instruction: Instruction) -> Value:
    """Return the memory semantics of the class that a pointer points to; none for private memory."""
    type = body.type(instruction)
    a = body.operand(instruction, 0)
    right = isinstance(a.type, Pointer) and a.type.storage == "Generic"
    body.require(right, instruction, "the operand is not a Generic pointer")
    body.require(
        isinstance(type, Int) and type.width == 32, instruction, "the result type is not a 32-bit integer"
    )
    result = Value(type, "0")
    for storage, mask in (("CrossWorkgroup", 0x200), ("Workgroup", 0x100)):
        there = _is_in(body, a, _QUERIES[storage])
        result = body.emit(f"select {there.typed}, {type.llvm} {mask}, {result.typed}", type)
    return result


# Tests whether a generic pointer points to a storage class.
_QUERIES = {"CrossWorkgroup": "weft.is_global", "Workgroup": "weft.is_local", "Function": "weft.is_private"}


def _is_in(body: Body, pointer: Value, query: str) -> Value:
    body.program.output.declarations[query] = SPACE_QUERY_DECLARATIONS[query]
    return body.emit(f"call i1 @{query}({pointer.typed})", BOOL)


@translates("CopyObject")
def _copy(body: Body, instruction: Instruction) -> Value:
    value = body.value(instruction.id(0))
    body.require(value.type == body.type(instruction), instruction, "operand and result have different types")
    return value


@translates("ExpectKHR")
def _expect(body: Body, instruction: Instruction) -> Value:
    return _both(body, instruction, Type)[0]


@translates("AssumeTrueKHR", "Nop", "NoLine")
def _nothing(body: Body, instruction: Instruction) -> None:
    return None
