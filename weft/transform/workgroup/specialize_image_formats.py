"""Call the variants of image functions for known formats and samplers.

    %c = call <4 x float> @read_imagef(ptr %image, ptr %sampler, <2 x i32> %at)
        where %image is known to be CL_RGBA of CL_UNORM_INT8, and %sampler to be 20, becomes
    %c = call <4 x float> @read_imagef.i5.2.s20(ptr %image, ptr %sampler, <2 x i32> %at)

The built-in library selects the variant. Refuses an image that is one of several (a select or a phi); the
general function is called for it. Linear in the number of instructions.
"""

from collections.abc import Callable, Sequence
from enum import unique

from weft.ir import Argument, Function, Value
from weft.ir.values import ConstantExpression, ConstantInt, ConstantZero
from weft.remarks import SILENT, Message, Remarks

Known = tuple[int, ...]  # of an image: channel order and type; of a sampler: its bits; of others: nothing
Tagged = Callable[[str, Known, Known], str]

_SAMPLER = "11ocl_sampler"


@unique
class SpecializedImages(Message):
    """What was done to a call of an image function."""

    SPECIALIZED = "specialized for the image format or sampler: {symbol}"
    ONE_OF_SEVERAL = "the image is not a single argument: generic function called"


def specialize_image_formats(
    function: Function, known: Sequence[Known], tagged: Tagged, remarks: Remarks = SILENT
) -> int:
    """Replace calls whose arguments are known; `known` has an entry for each. Return the number of calls."""
    module = function.parent
    of_argument = dict(zip(function.arguments, known, strict=False))
    count = 0
    for call in function.instructions():
        callee, name = call.called_function, call.callee_name
        if callee is None or "_image" not in name or not name.startswith("_Z"):
            continue
        image = _known(call.arguments[0], of_argument)
        sampler = _known(call.arguments[1], of_argument) if _SAMPLER in name else ()
        symbol = tagged(name, image, sampler)
        if any(known) and not isinstance(call.arguments[0], Argument):
            remarks.missed(SpecializedImages.ONE_OF_SEVERAL, call)
        if symbol == name:
            continue
        remarks.passed(SpecializedImages.SPECIALIZED, call, symbol=symbol)
        special = module.declare(symbol, callee.function_type, callee.suffix)
        call.set_operand(len(call.operands) - 1, special)
        count += 1
    return count


def _known(value: Value, of_argument: dict[Argument, Known]) -> Known:
    if isinstance(value, Argument):
        return of_argument.get(value, ())
    # A sampler of the program is an integer cast to a pointer.
    if isinstance(value, ConstantExpression) and value.opcode == "inttoptr":
        number = value.operands[0]
        return (number.value,) if isinstance(number, ConstantInt) else ()
    return (0,) if isinstance(value, ConstantZero) else ()
