"""A small client for tests of image functions: images of numpy arrays, and kernels over lists of points."""

from functools import cache

import numpy as np
import pyopencl as cl
from image_reference import SIGNED, UNSIGNED

KINDS = {
    "image1d_t": (1, False),
    "image1d_array_t": (1, True),
    "image2d_t": (2, False),
    "image2d_array_t": (2, True),
    "image3d_t": (3, False),
}


@cache
def queue() -> cl.CommandQueue:
    """A queue on Weft."""
    platform = next(p for p in cl.get_platforms() if p.name == "Weft")
    return cl.CommandQueue(cl.Context(platform.get_devices()[:1]))


@cache
def program(source: str) -> cl.Program:
    """A built program."""
    return cl.Program(queue().context, source).build()


def make_image(kind: str, order: int, type: int, shape: tuple[int, int, int]) -> cl.Image:
    """An image of (depth or layers, height, width) pixels."""
    depth, height, width = shape
    sizes = {
        "image2d_t": (width, height),
        "image2d_array_t": (width, height, depth),
        "image3d_t": (width, height, depth),
    }.get(kind, (width,))
    context, flags = queue().context, cl.mem_flags.READ_WRITE
    buffer = cl.Buffer(context, flags, 16 * width) if kind == "image1d_buffer_t" else None
    format = cl.ImageFormat(order, type)
    if kind == "image1d_array_t":
        # create_image of pyopencl takes no number of layers from a shape of two sizes.
        description = cl.ImageDescriptor()
        description.image_type = cl.mem_object_type.IMAGE1D_ARRAY
        description.shape = (width, 1, depth)
        return cl.Image(context, flags, format, desc=description)
    return cl.create_image(context, flags, format, sizes, is_array="array" in kind, buffer=buffer)


def region(kind: str, shape: tuple[int, int, int]) -> tuple[int, int, int]:
    """All of an image, as transfers count."""
    depth, height, width = shape
    if kind in ("image1d_t", "image1d_buffer_t"):
        return width, 1, 1
    return (width, depth, 1) if kind == "image1d_array_t" else (width, height, depth)


def image_of(kind: str, order: int, type: int, pixels: np.ndarray) -> cl.Image:
    """An image with the given raw pixels (depth or layers, height, width, elements)."""
    made = make_image(kind, order, type, pixels.shape[:3])
    whole = region(kind, pixels.shape[:3])
    # enqueue_copy of pyopencl refuses images of one dimension.
    cl._cl._enqueue_write_image(queue(), made, (0, 0, 0), whole, np.ascontiguousarray(pixels))
    return made


def pixels_of(kind: str, image: cl.Image, like: np.ndarray) -> np.ndarray:
    """The raw pixels of an image."""
    out = np.zeros(like.shape, like.dtype)
    cl._cl._enqueue_read_image(queue(), image, (0, 0, 0), region(kind, like.shape[:3]), out)
    return out


def result_suffix(type: int) -> tuple[str, str, type]:
    """The ending of read_image and write_image for a channel type, the type of colours, and numpy's."""
    if type in SIGNED:
        return "i", "int4", np.int32
    return ("ui", "uint4", np.uint32) if type in UNSIGNED else ("f", "float4", np.float32)


def coordinate_type(kind: str, element: str) -> str:
    """The type of coordinates of a kind of image."""
    dimensions, array = KINDS.get(kind, (1, False))
    used = dimensions + array
    return element if used == 1 else f"{element}{4 if used == 3 else used}"


def packed(coordinates: np.ndarray, dtype: np.typing.DTypeLike) -> np.ndarray:
    """Coordinates as kernels take them: three become four."""
    if coordinates.shape[-1] == 3:
        coordinates = np.concatenate([coordinates, coordinates[..., :1]], axis=-1)
    return np.ascontiguousarray(coordinates.astype(dtype))


def run_reads(
    source: str, image: cl.Image, coordinates: np.ndarray, out: np.ndarray, *more: cl.Sampler
) -> np.ndarray:
    """Runs kernel `look` on an image, one work-item per point."""
    flags = cl.mem_flags
    places = cl.Buffer(queue().context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=coordinates)
    result = cl.Buffer(queue().context, flags.READ_WRITE, out.nbytes)
    kernel = cl.Kernel(program(source), "look")
    kernel(queue(), (len(out),), None, image, places, result, *more)
    cl.enqueue_copy(queue(), out, result)
    return out
