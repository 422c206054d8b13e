"""The kinds of channels that a kernel reads from and writes to its image arguments."""

from weft.builtins.images import channel_kind
from weft.functions import kernel_and_functions
from weft.ir import Argument
from weft.ir.kept import keep, take
from weft.kernel import KernelCode


def channel_kinds(code: KernelCode) -> dict[int, str]:
    """Map the indices of image arguments to `f`, `i`, `ui` or `h`, as in the name of the last function that
    accesses the argument."""
    text, _ = kernel_and_functions(code.text, code.info.name)
    module = take(text)
    kinds = {}
    for i in module.function(code.info.name).instructions():
        kind = channel_kind(i.callee_name)
        if kind and isinstance(i.arguments[0], Argument):
            kinds[i.arguments[0].index] = kind
    keep(text, module)
    return kinds
