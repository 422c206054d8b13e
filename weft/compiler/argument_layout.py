"""Offsets of kernel arguments in the argument block of a work-group function."""

from weft import abi, ir
from weft.frontend.metadata import KernelArgument, KernelInfo
from weft.ir import Argument, Function
from weft.ir.address_spaces import LOCAL
from weft.ir.parser import parse_type
from weft.ir.types import PointerType, align_up, alignment_of, size_of
from weft.kernel import ArgumentLayout
from weft.transform.workgroup.group_frame import Placement
from weft.transform.workgroup.locals_to_arguments import local_layout


def argument_layouts(function: ir.Function, info: KernelInfo) -> tuple[ArgumentLayout, ...]:
    """Return what clSetKernelArg takes for each argument of a kernel, and its offset."""
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
    """Return what clSetKernelArg takes for an argument that the kernel receives as a pointer."""
    if "pipe" in described.qualifiers:
        return "pipe"
    if described.access != "none":
        return "image"
    return "sampler" if described.address_space == "private" else described.address_space


def placements(function: Function) -> dict[Argument, Placement]:
    """Return where a work-group function finds the parameters of a kernel, from its types alone.

    Values and pointers are consecutive in the argument block; a parameter with the name of an automatic local
    variable is that variable, in the local arena.
    """
    module = function.module
    assert module is not None
    names = {a.name for a in function.arguments}
    automatic = [v for v in module.variables if _space(v.type) == LOCAL and v.name in names]
    offsets = {v.name: offset for v, offset in local_layout(automatic)[0].items()}
    sources: dict[Argument, Placement] = {}
    end = 0
    for argument in function.arguments:
        if argument.name in offsets:
            sources[argument] = Placement("automatic", offsets[argument.name])
            continue
        kind, type = "value", argument.type
        for attribute in argument.attributes:
            if attribute.startswith("byval("):
                kind, type = "byval", parse_type(attribute[len("byval(") : -1], module)
        if _space(type) == LOCAL:
            kind = "local"
        start = align_up(end, max(alignment_of(type), abi.ARGUMENT_ALIGNMENT))
        sources[argument] = Placement(kind, start, size_of(type))
        end = start + size_of(type)
    return sources


def _space(type: object) -> int:
    return type.space if isinstance(type, PointerType) else 0
