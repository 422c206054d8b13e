"""The image formats and samplers that `weft explain` assumes, since there is no launch."""

from weft.compiler.channel_kinds import channel_kinds
from weft.kernel import KernelCode
from weft.launch_form import KnownArguments

# Channel order and type, as offsets from the first of each: CL_RGBA, or CL_DEPTH of CL_FLOAT.
_FORMATS = {
    "f": ((5, 2), "CL_UNORM_INT8"),
    "h": ((5, 2), "CL_UNORM_INT8"),
    "i": ((5, 7), "CL_SIGNED_INT8"),
    "ui": ((5, 10), "CL_UNSIGNED_INT8"),
}
_DEPTH = (13, 14)
# CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST
_SAMPLER = 0x12


def assumed_images(code: KernelCode) -> tuple[KnownArguments, tuple[str, ...]]:
    """Return the assumed properties of a kernel's images and samplers, and notes about them."""
    if not any(a.kind in ("image", "sampler") for a in code.arguments):
        return (), ()
    kinds = channel_kinds(code)
    known: list[tuple[int, ...]] = []
    types: dict[str, None] = {}
    for number, (layout, argument) in enumerate(zip(code.arguments, code.info.arguments, strict=True)):
        format: tuple[int, ...] = ()
        if layout.kind == "image" and "depth" in argument.type_name:
            format = _DEPTH
            types["CL_DEPTH of CL_FLOAT"] = None
        elif layout.kind == "image":
            format, type = _FORMATS[kinds.get(number, "f")]
            types[f"CL_RGBA of {type}"] = None
        elif layout.kind == "sampler":
            format = (_SAMPLER,)
        known.append(format)
    notes = [f"images are assumed to be {' and '.join(types)}"] if types else []
    if any(a.kind == "sampler" for a in code.arguments):
        notes.append("samplers are assumed to clamp to the edge, with nearest filtering")
    return tuple(known), tuple(notes)
