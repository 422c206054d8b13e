"""Samplers. A sampler is a number of six bits, the same as for samplers defined in a program."""

from collections.abc import Sequence

from weft.runtime.codes import (
    CL_ADDRESS_CLAMP,
    CL_ADDRESS_CLAMP_TO_EDGE,
    CL_ADDRESS_MIRRORED_REPEAT,
    CL_ADDRESS_NONE,
    CL_ADDRESS_REPEAT,
    CL_FILTER_LINEAR,
    CL_FILTER_NEAREST,
    CL_INVALID_SAMPLER,
    CL_INVALID_VALUE,
)
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.hot import lib as hot
from weft.runtime.objects import CLObject

# CLK_ADDRESS_… and CLK_FILTER_… of OpenCL C.
_ADDRESSING = {
    CL_ADDRESS_NONE: 0,
    CL_ADDRESS_CLAMP_TO_EDGE: 2,
    CL_ADDRESS_CLAMP: 4,
    CL_ADDRESS_REPEAT: 6,
    CL_ADDRESS_MIRRORED_REPEAT: 8,
}
_FILTERS = {CL_FILTER_NEAREST: 0x10, CL_FILTER_LINEAR: 0x20}


class Sampler(CLObject):
    """A sampler of a context; `bits` is its value in kernels."""

    kind = "sampler"
    invalid = CL_INVALID_SAMPLER
    native_kind = hot.WEFT_HOT_SAMPLER

    def __init__(
        self, context: Context, normalized: int, addressing: int, filter: int, properties: Sequence[int] = ()
    ) -> None:
        context.check_support("__opencl_c_images", "images")
        if normalized not in (0, 1) or addressing not in _ADDRESSING or filter not in _FILTERS:
            message = f"normalized {normalized}, addressing mode {addressing:#x}, filter mode {filter:#x}"
            raise CLError(CL_INVALID_VALUE, f"invalid sampler: {message}")
        self.context = context
        self.normalized = normalized
        self.addressing = addressing
        self.filter = filter
        self.properties = tuple(properties)
        self.bits = normalized | _ADDRESSING[addressing] | _FILTERS[filter]
        context.attach()

    def delete(self) -> None:
        """Release the context; kernels have copies of the bits."""
        self.context.detach()
