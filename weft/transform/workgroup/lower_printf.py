"""Lower printf arguments to C scalars with a description of their types.

Clang emits `printf` as a variadic call with values of any OpenCL type. Vectors are split, narrow values are
promoted as in C, and a second argument describes the types, so that the formatter does not rely on the format
string:

    call i32 (ptr addrspace(2), ...) @weft.printf(ptr addrspace(2) @.str, <2 x float> %v, ptr addrspace(2) %s)

    %x = extractelement <2 x float> %v, i64 0        ; and so on
    %x.wide = fpext float %x to double
    call i32 (ptr addrspace(2), ptr addrspace(2), ...) @weft_printf(
        ptr addrspace(2) @.str, ptr addrspace(2) @weft.printf.2dp, double %x.wide, double %y.wide, i64 %s.int)

`i` is a 32-bit integer, `l` a 64-bit one, `d` a double, `p` a pointer; a number in front makes it a vector.
The formatting is in `weft/device/printf.c`. None of the papers covers printf. Linear. Refuses structures.
"""

from collections.abc import Sequence

from weft.errors import UnsupportedError
from weft.ir import Function, Instruction, Module, Value
from weft.ir.builder import Builder
from weft.ir.types import (
    DOUBLE,
    I8,
    I32,
    I64,
    ArrayType,
    FloatType,
    FunctionType,
    IntType,
    PointerType,
    VectorType,
)
from weft.ir.values import ConstantString, const_int

PRINTF = "weft.printf"  # its name in the base header
RUNTIME = "weft_printf"  # the formatting function
_CONSTANT = PointerType(2)
_TYPE = FunctionType(I32, (_CONSTANT, _CONSTANT), vararg=True)


def lower_printf(function: Function) -> None:
    """Replace the calls of printf in a function."""
    module = function.parent
    declared = module.globals.get(PRINTF)
    if not isinstance(declared, Function):
        return
    for call in list(declared.users):
        if call.block is not None and call.block.function is function:
            _lower(call, module)


def _lower(call: Instruction, module: Module) -> None:
    b = Builder(call.parent, call)
    format_string, *values = call.arguments
    types = ""
    passed: list[Value] = []
    for value in values:
        if isinstance(value.type, VectorType):
            count = value.type.count
            elements = [
                b.emit("extractelement", value.type.element, [value, const_int(I64, n)]) for n in range(count)
            ]
            promoted = [_promoted(b, element) for element in elements]
            types += f"{count}{promoted[0][0]}"
        else:
            promoted = [_promoted(b, value)]
            types += promoted[0][0]
        passed += (element for _, element in promoted)
    new = _call(b, module, [format_string, _types(module, types), *passed])
    call.replace_all_uses_with(new)
    call.erase()


def _promoted(b: Builder, value: Value) -> tuple[str, Value]:
    """Promote a scalar as C does for a variadic function; return the letter of its type and the value."""
    match value.type:
        case FloatType():
            return "d", b.cast("fpext", value, DOUBLE)
        case IntType(bits=bits) if bits <= 32:
            return "i", b.cast("zext", value, I32)
        case IntType(bits=64):
            return "l", value
        case PointerType():
            return "p", b.emit("ptrtoint", I64, [value])
    raise UnsupportedError(f"printf does not print values of type {value.type}")


def _types(module: Module, types: str) -> Value:
    """Return the constant that describes the types."""
    name = f"{PRINTF}.{types}"
    description = module.globals.get(name)
    if description is None:
        text = types.encode() + b"\0"
        type = ArrayType(I8, len(text))
        description = module.add_variable(name, type, 2, ConstantString(type, text))
        description.is_constant = True
        description.prefix = ("private", "unnamed_addr")
    return description


def _call(b: Builder, module: Module, arguments: Sequence[Value]) -> Instruction:
    return b.call(module.declare(RUNTIME, _TYPE), arguments)
