"""Entries of images: creation, formats, queries."""

import struct
from collections.abc import Sequence
from typing import Any

from weft.api import handles
from weft.api.constants import (
    CL_IMAGE_ARRAY_SIZE,
    CL_IMAGE_BUFFER,
    CL_IMAGE_DEPTH,
    CL_IMAGE_ELEMENT_SIZE,
    CL_IMAGE_FORMAT,
    CL_IMAGE_HEIGHT,
    CL_IMAGE_NUM_MIP_LEVELS,
    CL_IMAGE_NUM_SAMPLES,
    CL_IMAGE_ROW_PITCH,
    CL_IMAGE_SLICE_PITCH,
    CL_IMAGE_WIDTH,
    CL_INVALID_IMAGE_DESCRIPTOR,
    CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
    CL_INVALID_IMAGE_SIZE,
    CL_INVALID_MEM_OBJECT,
    CL_INVALID_PROPERTY,
    CL_INVALID_VALUE,
    CL_MEM_KERNEL_READ_AND_WRITE,
    CL_MEM_OBJECT_IMAGE2D,
    CL_MEM_OBJECT_IMAGE3D,
)
from weft.api.context import context_of
from weft.api.info import Query, answer, constant, obj, uint, ulong
from weft.api.memory_access import address, read_bytes, read_property_list, write_bytes
from weft.api.registry import creator, entry
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.image import ARRAYS, DIMENSIONS, Image, ImageShape
from weft.runtime.image_format import SUPPORTED_FORMATS, ImageFormat
from weft.runtime.memory import Memory, check_flags

_FORMAT = struct.Struct("=II")
_DESCRIPTION = struct.Struct("=I4x6QIIQ")


def _formats(kind: int) -> Query:
    """A query of the formats of an image type, the same for all contexts."""
    found = b"".join(_FORMAT.pack(f.order, f.type) for f in SUPPORTED_FORMATS if f.suits(kind))
    return lambda _context: found


FORMATS = {kind: _formats(kind) for kind in DIMENSIONS}
"""The result of clGetSupportedImageFormats for each image type."""


def _present(image: Image, dimension: int, size: int) -> int:
    """Return a size, or 0 if the image has no such dimension, as queries report it."""
    return size if DIMENSIONS[image.type] >= dimension else 0


IMAGE_INFO = {
    CL_IMAGE_FORMAT: lambda i: _FORMAT.pack(i.format.order, i.format.type),
    CL_IMAGE_ELEMENT_SIZE: ulong(lambda i: i.format.pixel_bytes),
    CL_IMAGE_ROW_PITCH: ulong(lambda i: i.row_pitch),
    CL_IMAGE_SLICE_PITCH: ulong(lambda i: i.slice_pitch if i.has_slices else 0),
    CL_IMAGE_WIDTH: ulong(lambda i: i.width),
    CL_IMAGE_HEIGHT: ulong(lambda i: _present(i, 2, i.height)),
    CL_IMAGE_DEPTH: ulong(lambda i: _present(i, 3, i.depth)),
    CL_IMAGE_ARRAY_SIZE: ulong(lambda i: i.layers if i.type in ARRAYS else 0),
    CL_IMAGE_BUFFER: obj(lambda i: i.parent),
    CL_IMAGE_NUM_MIP_LEVELS: constant(uint, 0),
    CL_IMAGE_NUM_SAMPLES: constant(uint, 0),
}


def image_of(handle: int) -> Image:
    """Return the image of a handle."""
    return handles.lookup(handle, Image, CL_INVALID_MEM_OBJECT)


def _format(pointer: Any) -> ImageFormat:
    if not pointer:
        raise CLError(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "image_format is NULL")
    return ImageFormat(*_FORMAT.unpack(read_bytes(pointer, _FORMAT.size)))


def _shape(pointer: Any, context: Context) -> ImageShape:
    if not pointer:
        raise CLError(CL_INVALID_IMAGE_DESCRIPTOR, "image_desc is NULL")
    *fields, mip_levels, samples, source = _DESCRIPTION.unpack(read_bytes(pointer, _DESCRIPTION.size))
    memory = handles.lookup(source, Memory, CL_INVALID_IMAGE_DESCRIPTOR) if source else None
    if memory is not None and memory.context is not context:
        raise CLError(CL_INVALID_IMAGE_DESCRIPTOR, "the memory object belongs to another context")
    type, width, height, depth, layers, row_pitch, slice_pitch = fields
    return ImageShape(type, width, height, depth, layers, row_pitch, slice_pitch, mip_levels, samples, memory)


def _create(
    context: Context, flags: int, image_format: Any, desc: Any, host_ptr: Any, properties: Sequence[int] = ()
) -> Image:
    check_flags(flags)
    wanted = _format(image_format)
    wanted.check()
    return Image(context, flags, wanted, _shape(desc, context), address(host_ptr), tuple(properties))


@creator("clCreateImage")
def create_image(context: int, flags: int, image_format: Any, image_desc: Any, host_ptr: Any) -> Image:
    """Create an image."""
    return _create(context_of(context), flags, image_format, image_desc, host_ptr)


@creator("clCreateImageWithProperties")
def create_image_with_properties(
    context: int, properties: Any, flags: int, image_format: Any, image_desc: Any, host_ptr: Any
) -> Image:
    """Create an image with a property list, for which OpenCL 3.0 defines no properties."""
    owner = context_of(context)
    if read_property_list(properties):
        raise CLError(CL_INVALID_PROPERTY, "properties must be NULL or empty for images")
    return _create(owner, flags, image_format, image_desc, host_ptr, [0] if properties else [])


def _create_old(
    context: Context, flags: int, image_format: ImageFormat, shape: ImageShape, host_pointer: int
) -> Image:
    """Create an image for entries of OpenCL 1.0, which report invalid descriptors as an invalid size."""
    try:
        return Image(context, flags, image_format, shape, host_pointer)
    except CLError as error:
        if error.code == CL_INVALID_IMAGE_DESCRIPTOR:
            raise CLError(CL_INVALID_IMAGE_SIZE, error.message) from None
        raise


@creator("clCreateImage2D")
def create_image_2d(
    context: int, flags: int, image_format: Any, width: int, height: int, row_pitch: int, host_ptr: Any
) -> Image:
    """Create a 2D image, as in OpenCL 1.0."""
    shape = ImageShape(CL_MEM_OBJECT_IMAGE2D, width, height, row_pitch=row_pitch)
    return _create_old(context_of(context), flags, _format(image_format), shape, address(host_ptr))


@creator("clCreateImage3D")
def create_image_3d(
    context: int, flags: int, image_format: Any, width: int, height: int, depth: int, row_pitch: int,
    slice_pitch: int, host_ptr: Any,
) -> Image:  # fmt: skip
    """Create a 3D image, as in OpenCL 1.0."""
    shape = ImageShape(CL_MEM_OBJECT_IMAGE3D, width, height, depth, 0, row_pitch, slice_pitch)
    return _create_old(context_of(context), flags, _format(image_format), shape, address(host_ptr))


@entry("clGetSupportedImageFormats")
def get_supported_image_formats(
    context: int, flags: int, image_type: int, num_entries: int, formats: Any, num_formats: Any
) -> None:
    """List the formats of an image type, which are the same for every access qualifier."""
    owner = context_of(context)
    if flags & ~CL_MEM_KERNEL_READ_AND_WRITE:
        check_flags(flags & ~CL_MEM_KERNEL_READ_AND_WRITE)
    if image_type not in DIMENSIONS:
        raise CLError(CL_INVALID_VALUE, f"{image_type:#x} is not an image type")
    if formats and not num_entries:
        raise CLError(CL_INVALID_VALUE, "num_entries must be at least 1 if image_formats is not NULL")
    found = FORMATS[image_type](owner) if any(d.info.has("__opencl_c_images") for d in owner.devices) else b""
    if formats:
        write_bytes(formats, found[: num_entries * _FORMAT.size])
    if num_formats:
        num_formats[0] = len(found) // _FORMAT.size


@entry("clGetImageInfo")
def get_image_info(image: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about an image."""
    answer(IMAGE_INFO, image_of(image), param, size, value, size_ret)
