"""Translate OpenCL.std extended instructions to calls of OpenCL C built-ins.

Most have the name of the function; some encode the sign of integers (`s_abs`, `u_abs`). The symbol follows
from the name and the parameter types, so the library rejects functions that do not exist. The result type
follows from the parameters as well, and must match the module.
"""

from weft.frontend.spirv.binary import Instruction
from weft.frontend.spirv.body import I32, I64, Body, Value, translates
from weft.frontend.spirv.mangle import Parameter
from weft.frontend.spirv.types import (
    VOID,
    Float,
    Int,
    Pointer,
    Type,
    Vector,
    integer,
    lanes,
    of_lanes,
    scalar,
    vector,
)

_RENAMED = {
    "fmax_common": "max",
    "fmin_common": "min",
    "fclamp": "clamp",
}
# Functions with unsigned integers; for all others the sign is irrelevant or signed.
_UNSIGNED = ("nan", "popcount")
_ROUNDING = {"RTE": "_rte", "RTZ": "_rtz", "RTP": "_rtp", "RTN": "_rtn"}
_SCALAR_RESULT = ("length", "distance", "fast_length", "fast_distance")


@translates("ExtInst")
def _extended(body: Body, instruction: Instruction) -> Value | None:
    name = instruction.word(1)
    if name.startswith(("vload", "vstore")):
        return _vector_memory(body, instruction, name)
    if name == "printf":
        return _printf(body, instruction)
    if name == "prefetch":
        _prefetch(body, instruction)
        return None
    type = body.type(instruction)
    arguments = [body.operand(instruction, index) for index in range(2, len(instruction.operands))]
    body.require(bool(arguments), instruction, f"{name}: missing operands")
    function, signed = name, name not in _UNSIGNED
    if name.startswith(("s_", "u_")):
        function, signed = name[2:], name[0] == "s"
    function = _RENAMED.get(function, function)
    parameters = [_parameter(body, instruction, argument, signed) for argument in arguments]
    if name in ("shuffle", "shuffle2"):
        parameters[-1] = Parameter(arguments[-1].type, False)
    if name == "s_upsample":
        parameters[1] = Parameter(arguments[1].type, False)
    returned = _result_type(body, instruction, name, [argument.type for argument in arguments])
    body.require(returned == type, instruction, f"{name}: invalid result type")
    pure = not any(parameter.storage for parameter in parameters)
    return body.call(function, parameters, arguments, type, pure)


def _parameter(body: Body, instruction: Instruction, argument: Value, signed: bool) -> Parameter:
    if not isinstance(argument.type, Pointer):
        return Parameter(argument.type, signed)
    held = body.types.pointee(argument.type)
    body.require(
        isinstance(scalar(held), Int | Float), instruction, "a pointer does not point to a numeric type"
    )
    right = argument.type.storage in ("Function", "CrossWorkgroup", "Workgroup", "Generic")
    body.require(right, instruction, "a pointer points to read-only memory")
    return Parameter(held, signed, argument.type.storage)


def _result_type(body: Body, instruction: Instruction, name: str, types: list[Type]) -> Type:
    """Return the result type of a function."""
    first = types[0]
    element = scalar(first)
    body.require(isinstance(element, Int | Float), instruction, f"{name}: the operands must be numeric")
    if name in _SCALAR_RESULT:
        return element
    if name == "ilogb":
        return of_lanes(I32, lanes(first))
    if name == "nan":
        widths = {16: "half", 32: "float", 64: "double"}
        assert isinstance(element, Int | Float)
        body.require(element.width in widths, instruction, "nan: invalid operand type")
        width = element.width
        return of_lanes(Float(widths[width], width // 8, width // 8, width=width), lanes(first))
    if name in ("s_upsample", "u_upsample"):
        right = isinstance(element, Int) and element.width < 64
        body.require(right, instruction, f"{name} supports integers of at most 32 bits")
        body.require(types[1:] == [first], instruction, f"{name}: the operands differ in type")
        assert isinstance(element, Int)
        return of_lanes(integer(2 * element.width), lanes(first))
    if name in ("shuffle", "shuffle2"):
        right = isinstance(first, Vector) and isinstance(types[-1], Vector)
        body.require(right, instruction, f"{name}: the operands must be vectors")
        return vector(element, lanes(types[-1]))
    return first


def _vector_memory(body: Body, instruction: Instruction, name: str) -> Value | None:
    """Translate vload and vstore in all their forms."""
    loads = name.startswith("vload")
    operands = [body.operand(instruction, index) for index in range(2, 4 if loads else 5)]
    pointer = operands[-1]
    offset = operands[-2]
    body.require(isinstance(pointer.type, Pointer), instruction, f"{name} requires a pointer")
    assert isinstance(pointer.type, Pointer)
    held = body.types.pointee(pointer.type)
    right = isinstance(held, Int | Float) and offset.type == I64
    body.require(right, instruction, f"{name} requires a pointer to a numeric type and a 64-bit offset")
    halves = "half" in name
    if halves:
        right = isinstance(held, Float) and held.width == 16
        body.require(right, instruction, f"{name} requires a pointer to half")
    right = pointer.type.storage in ("Function", "CrossWorkgroup", "Workgroup", "Generic") or (
        loads and pointer.type.storage == "UniformConstant"
    )
    body.require(
        right, instruction, f"{name} does not accept pointers to storage class {pointer.type.storage}"
    )
    place = Parameter(held, True, pointer.type.storage, "K" if loads else "")
    if loads:
        count = instruction.number(4) if name.endswith("n") else 1
        type = body.type(instruction)
        element = Float("float", 4, 4, width=32) if halves else held
        right = count in (1, 2, 3, 4, 8, 16) and type == of_lanes(element, count)
        body.require(right, instruction, f"{name}: invalid result type")
        function = f"{name[:-1]}{count}" if name.endswith("n") else name
        return body.call(function, [Parameter(I64), place], [offset, pointer], type, pure=False)
    data = operands[0]
    count = lanes(data.type)
    body.require(
        isinstance(scalar(data.type), Int | Float), instruction, f"{name}: the value must be numeric"
    )
    right = halves or scalar(data.type) == held
    body.require(right, instruction, f"{name}: the pointee differs from the value type")
    base, rounding = name, ""
    if name.endswith("_r"):
        base, rounding = name[:-2], _ROUNDING[instruction.word(5)]
    function = f"{base[:-1]}{count}" if base.endswith("n") else base
    parameters = [Parameter(data.type, True), Parameter(I64), place]
    body.call(f"{function}{rounding}", parameters, [data, offset, pointer], VOID, pure=False)
    return None


def _prefetch(body: Body, instruction: Instruction) -> None:
    pointer, count = body.operand(instruction, 2), body.operand(instruction, 3)
    right = isinstance(pointer.type, Pointer) and pointer.type.storage == "CrossWorkgroup"
    body.require(right and count.type == I64, instruction, "prefetch requires a pointer to global memory")
    assert isinstance(pointer.type, Pointer)
    held = body.types.pointee(pointer.type)
    body.require(
        isinstance(scalar(held), Int | Float), instruction, "prefetch requires a pointer to a numeric type"
    )
    parameters = [Parameter(held, True, "CrossWorkgroup", "K"), Parameter(I64)]
    body.call("prefetch", parameters, [pointer, count], VOID, pure=False)


def _printf(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    text, *values = (body.operand(instruction, index) for index in range(2, len(instruction.operands)))
    right = isinstance(text.type, Pointer) and text.type.storage == "UniformConstant" and type == I32
    body.require(right, instruction, "printf requires a format string in constant memory")
    words = [text.typed]
    for value in values:
        element = value.type
        if isinstance(element, Float) and element.width < 64:
            value = body.cast("fpext", value, Float("double", 8, 8, width=64))
        elif isinstance(element, Int) and element.width < 32:
            value = body.cast("sext", value, I32)
        else:
            printed = isinstance(scalar(element), Int | Float) or isinstance(element, Pointer)
            body.require(printed, instruction, "printf: an argument cannot be printed")
        words.append(value.typed)
    declared = "declare i32 @weft.printf(ptr addrspace(2), ...) #3"
    body.program.output.declarations["weft.printf"] = declared
    return body.emit(f"call i32 (ptr addrspace(2), ...) @weft.printf({', '.join(words)}) #3", type)
