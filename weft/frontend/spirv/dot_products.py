"""Translate integer dot products (SPV_KHR_integer_dot_product).

The components are extended to the width of the result and multiplied, and the products are added. Overflow is
undefined, except that the sum with an accumulator saturates.
"""

from weft.frontend.spirv.binary import Instruction
from weft.frontend.spirv.body import Body, Value, translates
from weft.frontend.spirv.mangle import Parameter
from weft.frontend.spirv.types import Int, Type, Vector, integer, lanes, scalar, vector

# The extension of each operand.
_EXTENDED = {"SDot": ("sext", "sext"), "UDot": ("zext", "zext"), "SUDot": ("sext", "zext")}
_PACKED = vector(integer(8), 4)


@translates("SDot", "UDot", "SUDot", "SDotAccSat", "UDotAccSat", "SUDotAccSat")
def _integer_dot(body: Body, instruction: Instruction) -> Value:
    name = instruction.name.removesuffix("AccSat")
    accumulates = name != instruction.name
    type = body.type(instruction)
    right = isinstance(type, Int)
    body.require(right, instruction, "the result type is not an integer")
    a, b = (_components(body, instruction, index, accumulates) for index in range(2))
    # SPIR-V for other environments has signed types; here only lengths and widths may differ.
    right = lanes(a.type) == lanes(b.type) and _width(a.type) == _width(b.type) <= _width(type)
    body.require(right, instruction, "the operand types differ or are wider than the result")
    first, second = (
        _extended(body, value, type, how) for value, how in zip((a, b), _EXTENDED[name], strict=True)
    )
    products = body.emit(f"mul {first.typed}, {second.text}", first.type)
    sum = body.emit(f"extractelement {products.typed}, i32 0", type)
    for lane in range(1, lanes(a.type)):
        product = body.emit(f"extractelement {products.typed}, i32 {lane}", type)
        sum = body.emit(f"add {sum.typed}, {product.text}", type)
    if not accumulates:
        return sum
    accumulator = body.operand(instruction, 2)
    body.require(accumulator.type == type, instruction, "the accumulator type differs from the result type")
    pair = [Parameter(type, name != "UDot")] * 2
    return body.call("add_sat", pair, [sum, accumulator], type)


def _width(type: Type) -> int:
    element = scalar(type)
    assert isinstance(element, Int)
    return element.width


def _components(body: Body, instruction: Instruction, index: int, accumulates: bool) -> Value:
    """Return an operand as a vector: four bytes in one integer if the instruction names the packed format."""
    value = body.operand(instruction, index)
    packed = len(instruction.operands) > 2 + accumulates
    if packed:
        right = isinstance(value.type, Int) and value.type.width == 32
        body.require(right, instruction, "a packed operand must be a 32-bit integer")
        return body.cast("bitcast", value, _PACKED)
    right = isinstance(value.type, Vector) and isinstance(value.type.element, Int)
    body.require(right, instruction, "the operands must be integer vectors")
    return value


def _extended(body: Body, value: Value, type: Type, how: str) -> Value:
    wide = vector(type, lanes(value.type))
    return value if wide == value.type else body.cast(how, value, wide)
