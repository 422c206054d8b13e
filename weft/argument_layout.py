"""Where the arguments of a kernel stand in its argument block."""

from weft import abi, ir
from weft.frontend.metadata import KernelArgument, KernelInfo
from weft.ir.parser import parse_type
from weft.ir.types import align_up, alignment_of, size_of
from weft.kernel import ArgumentLayout


def argument_layouts(function: ir.Function, info: KernelInfo) -> tuple[ArgumentLayout, ...]:
    """What clSetKernelArg takes for each argument of a kernel, and where it is put."""
    layouts = []
    end = 0
    for argument, described in zip(function.arguments, info.arguments, strict=True):
        type = argument.type
        by_reference = False
        for attribute in argument.attributes:
            if attribute.startswith("byval("):
                type = parse_type(attribute[len("byval(") : -1], function.module)
                by_reference = True
        kind = _kind(described) if argument.type.is_pointer and not by_reference else "value"
        size, alignment = size_of(type), alignment_of(type)
        offset = align_up(end, max(alignment, abi.ARGUMENT_ALIGNMENT))
        layouts.append(ArgumentLayout(kind, size, alignment, offset, by_reference))
        end = offset + size
    return tuple(layouts)


def _kind(described: KernelArgument) -> str:
    """What clSetKernelArg takes for an argument that the kernel gets as a pointer."""
    if described.access != "none":
        return "image"
    return "sampler" if described.address_space == "private" else described.address_space
