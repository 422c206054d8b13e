"""Images: pixels in memory, and a descriptor for kernels."""

from weft.dataclasses import dataclass
from weft.runtime import host_memory
from weft.runtime.codes import (
    CL_INVALID_HOST_PTR,
    CL_INVALID_IMAGE_DESCRIPTOR,
    CL_INVALID_IMAGE_SIZE,
    CL_MEM_COPY_HOST_PTR,
    CL_MEM_OBJECT_ALLOCATION_FAILURE,
    CL_MEM_OBJECT_IMAGE1D,
    CL_MEM_OBJECT_IMAGE1D_ARRAY,
    CL_MEM_OBJECT_IMAGE1D_BUFFER,
    CL_MEM_OBJECT_IMAGE2D,
    CL_MEM_OBJECT_IMAGE2D_ARRAY,
    CL_MEM_OBJECT_IMAGE3D,
    CL_MEM_USE_HOST_PTR,
)
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.hot import lib as hot
from weft.runtime.image_descriptor import DESCRIPTOR_BYTES, write_descriptor
from weft.runtime.image_format import ImageFormat
from weft.runtime.memory import BASE_ALIGNMENT, Memory, check_flags, inherited_flags

Size = tuple[int, int, int]

MAX_WIDTH = 16384
MAX_HEIGHT = 16384
MAX_3D = 2048
MAX_LAYERS = 2048
MAX_BUFFER_PIXELS = 1 << 27

ARRAYS = frozenset((CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D_ARRAY))
DIMENSIONS = {
    CL_MEM_OBJECT_IMAGE1D: 1,
    CL_MEM_OBJECT_IMAGE1D_ARRAY: 1,
    CL_MEM_OBJECT_IMAGE1D_BUFFER: 1,
    CL_MEM_OBJECT_IMAGE2D: 2,
    CL_MEM_OBJECT_IMAGE2D_ARRAY: 2,
    CL_MEM_OBJECT_IMAGE3D: 3,
}


@dataclass(frozen=True)
class ImageShape:
    """A cl_image_desc: sizes in pixels, pitches in bytes (0: tightly packed), and the memory object."""

    type: int
    width: int
    height: int = 0
    depth: int = 0
    layers: int = 0
    row_pitch: int = 0
    slice_pitch: int = 0
    mip_levels: int = 0
    samples: int = 0
    source: Memory | None = None

    @property
    def extent(self) -> Size:
        """Width, height and depth, 1 where the image has no such dimension."""
        dimensions = DIMENSIONS[self.type]
        return self.width, self.height if dimensions > 1 else 1, self.depth if dimensions > 2 else 1

    @property
    def layer_count(self) -> int:
        """The number of layers; 1 if the image is not an array."""
        return self.layers if self.type in ARRAYS else 1

    def check(self, image_format: ImageFormat, with_host_pointer: bool) -> None:
        """Raise unless the fields of the description are consistent."""
        if self.type not in DIMENSIONS:
            _refuse(f"{self.type:#x} is not an image type")
        if min(*self.extent, self.layer_count) < 1:
            _refuse(f"an image of {self.extent} pixels and {self.layer_count} layers")
        if self.mip_levels or self.samples:
            _refuse("mip-mapped and multi-sampled images are not supported")
        if self.type == CL_MEM_OBJECT_IMAGE1D_BUFFER and self.source is None:
            _refuse("an image of type CL_MEM_OBJECT_IMAGE1D_BUFFER needs a buffer")
        if self.source is not None:
            if self.type not in (CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE2D):
                _refuse("an image of this type cannot be created from another memory object")
            if not self.source.is_buffer:
                _refuse("an image can be created from a buffer, not from another image")
        self._check_pitches(image_format, with_host_pointer)

    def _check_pitches(self, image_format: ImageFormat, with_host_pointer: bool) -> None:
        # 1D images of a buffer need no row pitch, but Khronos' tests pass one.
        from_buffer = self.source is not None
        row = self.width * image_format.pixel_bytes
        if self.row_pitch:
            if not with_host_pointer and not from_buffer:
                _refuse("image_row_pitch must be 0 if host_ptr is NULL")
            if self.row_pitch < row or self.row_pitch % image_format.pixel_bytes:
                _refuse(f"row pitch {self.row_pitch} for rows of {row} bytes")
        if self.slice_pitch:
            if not with_host_pointer:
                _refuse("image_slice_pitch must be 0 if host_ptr is NULL")
            rows = (self.row_pitch or row) * self.extent[1]
            in_slices = self.type in ARRAYS or self.type == CL_MEM_OBJECT_IMAGE3D
            if in_slices and (self.slice_pitch < rows or self.slice_pitch % (self.row_pitch or row)):
                _refuse(f"slice pitch {self.slice_pitch} for slices of {rows} bytes")

    def check_size(self) -> None:
        """Raise unless the image is within the limits of the devices."""
        limits = {
            CL_MEM_OBJECT_IMAGE1D_BUFFER: (MAX_BUFFER_PIXELS, 1, 1),
            CL_MEM_OBJECT_IMAGE3D: (MAX_3D, MAX_3D, MAX_3D),
        }.get(self.type, (MAX_WIDTH, MAX_HEIGHT, 1))
        if (
            any(n > most for n, most in zip(self.extent, limits, strict=True))
            or self.layer_count > MAX_LAYERS
        ):
            message = (
                f"{self.extent} pixels, {self.layer_count} layers; possible are {limits} and {MAX_LAYERS}"
            )
            raise CLError(CL_INVALID_IMAGE_SIZE, message)


class Image(Memory):
    """An image in its own memory, the client's, or that of a buffer.

    `row_pitch` and `slice_pitch` are those of the memory. Commands treat every image as a three-dimensional
    `box`, whose second and third dimension have the strides `steps`. The second dimension of an array of 1D
    images is the layer.
    """

    kind = "image"
    native_kind = hot.WEFT_HOT_IMAGE
    is_buffer = False

    def __init__(
        self,
        context: Context,
        flags: int,
        image_format: ImageFormat,
        shape: ImageShape,
        host_pointer: int = 0,
        properties: tuple[int, ...] = (),
    ) -> None:
        context.check_support("__opencl_c_images", "images")
        source = shape.source
        own_flags = check_flags(flags)
        image_format.check()
        image_format.check_supported(shape.type)
        shape.check(image_format, bool(host_pointer))
        shape.check_size()
        if source is None:
            wants_pointer = bool(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR))
        else:
            own_flags = inherited_flags(source.flags, flags)
            wants_pointer = False
        if wants_pointer != bool(host_pointer):
            message = (
                "host_ptr is NULL, but the flags require it"
                if wants_pointer
                else "host_ptr must be NULL without CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR"
            )
            raise CLError(CL_INVALID_HOST_PTR, message)
        super().__init__(context, own_flags, properties)
        self.format = image_format
        self.shape = shape
        self.type = shape.type
        self.width, self.height, self.depth = shape.extent
        self.layers = shape.layer_count
        self.row_pitch = shape.row_pitch or self.width * image_format.pixel_bytes
        self.slice_pitch = shape.slice_pitch if shape.slice_pitch and self.has_slices else 0
        self.slice_pitch = self.slice_pitch or self.row_pitch * self.height
        self.size = self.slice_pitch * self.depth * self.layers
        self.host_pointer = host_pointer if flags & CL_MEM_USE_HOST_PTR else 0
        self._owned = source is None and not (self.host_pointer and context.reaches(host_pointer))
        if context.waiting:
            context.collect()
        self._allocate(source, host_pointer)
        order, type = image_format.code
        self.known = (order, type)
        context.attach()

    @property
    def has_slices(self) -> bool:
        """Whether the image is an array or has a third dimension."""
        return self.type in ARRAYS or self.type == CL_MEM_OBJECT_IMAGE3D

    @property
    def box(self) -> Size:
        """The size of the image for commands, in three dimensions, one of which may be the layer."""
        if self.type == CL_MEM_OBJECT_IMAGE1D_ARRAY:
            return self.width, self.layers, 1
        return self.width, self.height, self.layers if self.type in ARRAYS else self.depth

    @property
    def steps(self) -> tuple[int, int]:
        """Bytes from one element of the box to the next along its second and third dimension."""
        first = self.slice_pitch if self.type == CL_MEM_OBJECT_IMAGE1D_ARRAY else self.row_pitch
        return first, self.slice_pitch

    def offset(self, origin: Size) -> int:
        """Return the distance of a pixel from the first pixel, in bytes."""
        rows, slices = self.steps
        return origin[0] * self.format.pixel_bytes + origin[1] * rows + origin[2] * slices

    def _allocate(self, source: Memory | None, host_pointer: int) -> None:
        native = self.context.memory
        if self.size > self.context.max_allocation_bytes:
            raise CLError(CL_MEM_OBJECT_ALLOCATION_FAILURE, f"an image of {self.size} bytes is too large")
        if source is not None:
            if self.size > source.size:
                _refuse(f"an image of {self.size} bytes in a buffer of {source.size}")
            self.parent = source
            self.address = source.address
            self.host_pointer = source.host_pointer
            source.attach()
        elif not self._owned:
            self.address = host_pointer
        else:
            try:
                self.address = native.allocate(self.size, BASE_ALIGNMENT)
            except MemoryError:
                message = f"out of memory for an image of {self.size} bytes"
                raise CLError(CL_MEM_OBJECT_ALLOCATION_FAILURE, message) from None
            if host_pointer:
                host_memory.copy(self.address, host_pointer, self.size)
        self.descriptor = native.allocate(DESCRIPTOR_BYTES, BASE_ALIGNMENT)
        write_descriptor(
            self.descriptor,
            self.address,
            (self.row_pitch, self.slice_pitch),
            (self.width, self.height, self.depth),
            self.layers,
            self.format,
        )

    def free(self) -> None:
        """Free the memory, unless it belongs to the client or a buffer."""
        native = self.context.memory
        native.free(self.descriptor)
        if self.parent is not None:
            self.parent.detach()
        elif self._owned:
            native.free(self.address)


def _refuse(message: str) -> None:
    raise CLError(CL_INVALID_IMAGE_DESCRIPTOR, message)
