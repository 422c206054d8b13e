"""Images and samplers for tests that call the entries as the ICD does."""

import struct
from typing import Any

from api_support import NULL, World, address, attempt, check, create, ffi, sizes

from weft.api import constants as c

FORMAT = (c.CL_RGBA, c.CL_UNSIGNED_INT8)


def format_of(order: int, type: int) -> Any:
    """A cl_image_format."""
    return ffi.new("uint32_t[]", [order, type])


def description(
    type: int = c.CL_MEM_OBJECT_IMAGE2D,
    width: int = 8,
    height: int = 0,
    depth: int = 0,
    layers: int = 0,
    row_pitch: int = 0,
    slice_pitch: int = 0,
    mip_levels: int = 0,
    samples: int = 0,
    memory: int = 0,
) -> Any:
    """A cl_image_desc."""
    fields = (type, width, height, depth, layers, row_pitch, slice_pitch, mip_levels, samples, memory)
    return ffi.new("char[]", struct.pack("=I4x6QIIQ", *fields))


# A small image of each kind.
KINDS = {
    "1d": {"type": c.CL_MEM_OBJECT_IMAGE1D, "width": 6},
    "1d_array": {"type": c.CL_MEM_OBJECT_IMAGE1D_ARRAY, "width": 6, "layers": 4},
    "2d": {"type": c.CL_MEM_OBJECT_IMAGE2D, "width": 6, "height": 5},
    "2d_array": {"type": c.CL_MEM_OBJECT_IMAGE2D_ARRAY, "width": 6, "height": 5, "layers": 4},
    "3d": {"type": c.CL_MEM_OBJECT_IMAGE3D, "width": 6, "height": 5, "depth": 4},
}
# Its pixels along the three dimensions of a region.
BOXES = {"1d": (6, 1, 1), "1d_array": (6, 4, 1), "2d": (6, 5, 1), "2d_array": (6, 5, 4), "3d": (6, 5, 4)}


def image(world: World, kind: str = "2d", format: tuple[int, int] = FORMAT, flags: int = 0) -> int:
    """A new image."""
    return create("clCreateImage", world.context, flags, format_of(*format), description(**KINDS[kind]), 0)


def creation(
    world: World, flags: int = 0, host: int = 0, format: tuple[int, int] = FORMAT, **desc: int
) -> int:
    """The code of an attempt to make an image; an image that was made is released."""
    made, code = attempt("clCreateImage", world.context, flags, format_of(*format), description(**desc), host)
    if made:
        check("clReleaseMemObject", made)
    return code


def write(world: World, target: int, data: bytes, origin: tuple[int, ...], region: tuple[int, ...]) -> None:
    """Write all of a region."""
    place = ffi.new("char[]", data)
    corner, extent = sizes(*origin), sizes(*region)
    check("clEnqueueWriteImage", world.queue, target, 1, corner, extent, 0, 0, address(place), 0, NULL, NULL)


def read(
    world: World, source: int, origin: tuple[int, ...], region: tuple[int, ...], pixel_bytes: int = 4
) -> bytes:
    """All pixels of a region."""
    size = region[0] * region[1] * region[2] * pixel_bytes
    place = ffi.new("char[]", size)
    corner, extent = sizes(*origin), sizes(*region)
    check("clEnqueueReadImage", world.queue, source, 1, corner, extent, 0, 0, address(place), 0, NULL, NULL)
    return bytes(ffi.buffer(place))
