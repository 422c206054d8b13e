"""The image descriptor that kernels receive, in the layout of `builtins/lib/image.cl`."""

import struct

from weft.runtime import host_memory
from weft.runtime.image_format import ImageFormat

_LAYOUT = struct.Struct("=4Q8i")
DESCRIPTOR_BYTES = _LAYOUT.size


def write_descriptor(
    place: int,
    data: int,
    pitches: tuple[int, int],
    size: tuple[int, int, int],
    layers: int,
    image_format: ImageFormat,
) -> None:
    """Write a descriptor to `place`: address and format of the pixels, pitches, size and layers."""
    order, type = image_format.code
    fields = _LAYOUT.pack(data, *pitches, layers, *size, 1, order, type, image_format.pixel_bytes, 0)
    host_memory.write(place, fields)
