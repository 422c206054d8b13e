"""Image formats: validity, device support, and the encoding of a colour as pixel bytes."""

import math
import struct
from collections.abc import Sequence

from weft.dataclasses import dataclass
from weft.runtime.codes import (
    CL_A,
    CL_ABGR,
    CL_ARGB,
    CL_BGRA,
    CL_DEPTH,
    CL_FLOAT,
    CL_HALF_FLOAT,
    CL_IMAGE_FORMAT_NOT_SUPPORTED,
    CL_INTENSITY,
    CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
    CL_LUMINANCE,
    CL_MEM_OBJECT_IMAGE1D_BUFFER,
    CL_MEM_OBJECT_IMAGE2D,
    CL_MEM_OBJECT_IMAGE2D_ARRAY,
    CL_R,
    CL_RA,
    CL_RG,
    CL_RGB,
    CL_RGBA,
    CL_SIGNED_INT8,
    CL_SIGNED_INT16,
    CL_SIGNED_INT32,
    CL_SNORM_INT8,
    CL_SNORM_INT16,
    CL_UNORM_INT8,
    CL_UNORM_INT16,
    CL_UNORM_INT_101010,
    CL_UNORM_INT_101010_2,
    CL_UNORM_SHORT_555,
    CL_UNORM_SHORT_565,
    CL_UNSIGNED_INT8,
    CL_UNSIGNED_INT16,
    CL_UNSIGNED_INT32,
    CL_RGBx,
    CL_RGx,
    CL_Rx,
    CL_sBGRA,
    CL_sRGB,
    CL_sRGBA,
    CL_sRGBx,
)
from weft.runtime.errors import CLError

# Element type -> its size in bytes and its code for `struct`.
_ELEMENTS = {
    CL_SNORM_INT8: (1, "b"),
    CL_SNORM_INT16: (2, "h"),
    CL_UNORM_INT8: (1, "B"),
    CL_UNORM_INT16: (2, "H"),
    CL_SIGNED_INT8: (1, "b"),
    CL_SIGNED_INT16: (2, "h"),
    CL_SIGNED_INT32: (4, "i"),
    CL_UNSIGNED_INT8: (1, "B"),
    CL_UNSIGNED_INT16: (2, "H"),
    CL_UNSIGNED_INT32: (4, "I"),
    CL_HALF_FLOAT: (2, "e"),
    CL_FLOAT: (4, "f"),
}
# Pixels that are one integer: its code for `struct`, and for each component its first bit and maximum value.
_PACKED = {
    CL_UNORM_SHORT_565: ("H", ((11, 31), (5, 63), (0, 31))),
    CL_UNORM_SHORT_555: ("H", ((10, 31), (5, 31), (0, 31))),
    CL_UNORM_INT_101010: ("I", ((20, 1023), (10, 1023), (0, 1023))),
}
_SIGNED = frozenset((CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32))
_UNSIGNED = frozenset((CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32))
_NORMALIZED = {CL_SNORM_INT8: 127.0, CL_SNORM_INT16: 32767.0, CL_UNORM_INT8: 255.0, CL_UNORM_INT16: 65535.0}

_BYTES = (CL_SNORM_INT8, CL_UNORM_INT8, CL_SIGNED_INT8, CL_UNSIGNED_INT8)
_REAL = (CL_SNORM_INT8, CL_SNORM_INT16, CL_UNORM_INT8, CL_UNORM_INT16, CL_HALF_FLOAT, CL_FLOAT)
_ANY = tuple(_ELEMENTS)

# The components of a pixel as indices into (red, green, blue, alpha), in memory order.
_COMPONENTS = {
    CL_R: (0,),
    CL_A: (3,),
    CL_RG: (0, 1),
    CL_RA: (0, 3),
    CL_RGB: (0, 1, 2),
    CL_RGBA: (0, 1, 2, 3),
    CL_BGRA: (2, 1, 0, 3),
    CL_ARGB: (3, 0, 1, 2),
    CL_INTENSITY: (0,),
    CL_LUMINANCE: (0,),
    CL_DEPTH: (0,),
    CL_sRGBA: (0, 1, 2, 3),
    CL_sBGRA: (2, 1, 0, 3),
}

# The formats that the devices support, for every kind of access.
_SUPPORTED = {
    CL_RGBA: _ANY,
    CL_BGRA: _BYTES,
    CL_R: _ANY,
    CL_RG: _ANY,
    CL_A: _ANY,
    CL_RA: _ANY,
    CL_RGB: tuple(_PACKED),
    CL_ARGB: _BYTES,
    CL_INTENSITY: _REAL,
    CL_LUMINANCE: _REAL,
    CL_DEPTH: (CL_UNORM_INT16, CL_FLOAT),
    CL_sRGBA: (CL_UNORM_INT8,),
    CL_sBGRA: (CL_UNORM_INT8,),
}
_SRGB = frozenset((CL_sRGBA, CL_sBGRA))
# Formats that OpenCL defines and no device supports.
_DEFINED = {
    CL_Rx: _ANY,
    CL_RGx: _ANY,
    CL_RGBx: tuple(_PACKED),
    CL_RGBA: (CL_UNORM_INT_101010_2,),
    CL_ABGR: _BYTES,
    CL_sRGB: (CL_UNORM_INT8,),
    CL_sRGBx: (CL_UNORM_INT8,),
}


@dataclass(frozen=True)
class ImageFormat:
    """A channel order and a channel type."""

    order: int
    type: int

    @property
    def pixel_bytes(self) -> int:
        """The size of a pixel."""
        if self.type in _PACKED:
            return struct.calcsize(_PACKED[self.type][0])
        return _ELEMENTS[self.type][0] * len(_COMPONENTS[self.order])

    @property
    def code(self) -> tuple[int, int]:
        """The numbers of the format in kernels: channel order and type, relative to the first of each."""
        return self.order - CL_R, self.type - CL_SNORM_INT8

    def check(self) -> None:
        """Raise unless the format exists."""
        if self in _KNOWN or self.type in _DEFINED.get(self.order, ()):
            return
        message = (
            f"channel order {self.order:#x} with channel type {self.type:#x} is not a valid image format"
        )
        raise CLError(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, message)

    @property
    def is_depth(self) -> bool:
        """Whether a pixel is a depth, which is a single number in kernels."""
        return self.order == CL_DEPTH

    @property
    def color_bytes(self) -> int:
        """The size of a colour that a client gives for a fill."""
        return 4 if self.is_depth else 16

    def suits(self, kind: int) -> bool:
        """Whether the devices support images of this format and a kind (cl_mem_object_type)."""
        if self.is_depth:
            return self in _KNOWN and kind in (CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY)
        return self in _KNOWN and not (self.order in _SRGB and kind == CL_MEM_OBJECT_IMAGE1D_BUFFER)

    def check_supported(self, kind: int) -> None:
        """Raise unless the devices support images of this format and a kind."""
        if not self.suits(kind):
            message = (
                f"no images of kind {kind:#x}, channel order {self.order:#x} and channel type {self.type:#x}"
            )
            raise CLError(CL_IMAGE_FORMAT_NOT_SUPPORTED, message)

    def pixel(self, color: bytes) -> bytes:
        """Return the bytes of a pixel. `color`: an int4, uint4 or float4, by the channel type, or a depth."""
        if self.type in _SIGNED:
            return self._integer_pixel(struct.unpack("=4i", color))
        if self.type in _UNSIGNED:
            return self._integer_pixel(struct.unpack("=4I", color))
        values = struct.unpack(f"={self.color_bytes // 4}f", color)
        if self.order in _SRGB:
            values = (*map(_to_srgb, values[:3]), values[3])
        if self.type in _PACKED:
            letter, fields = _PACKED[self.type]
            parts = zip(values, fields, strict=False)
            return struct.pack(f"={letter}", sum(_scaled(v, 0, most) << low for v, (low, most) in parts))
        letter = _ELEMENTS[self.type][1]
        chosen = [values[i] for i in _COMPONENTS[self.order]]
        if self.type in _NORMALIZED:
            most = int(_NORMALIZED[self.type])
            least = 0 if letter.isupper() else -most - 1
            return struct.pack(f"={len(chosen)}{letter}", *(_scaled(v, least, most) for v in chosen))
        if self.type == CL_HALF_FLOAT:
            return b"".join(_half(v) for v in chosen)
        return struct.pack(f"={len(chosen)}f", *chosen)

    def _integer_pixel(self, values: Sequence[int]) -> bytes:
        size, letter = _ELEMENTS[self.type]
        least = 0 if letter.isupper() else -(1 << 8 * size - 1)
        most = least + (1 << 8 * size) - 1
        chosen = [min(max(values[i], least), most) for i in _COMPONENTS[self.order]]
        return struct.pack(f"={len(chosen)}{letter}", *chosen)


def _to_srgb(value: float) -> float:
    """Convert a linear value to sRGB."""
    if value > 0.0031308:
        return 1.055 * min(value, 1.0) ** (1 / 2.4) - 0.055
    return 12.92 * value


def _scaled(value: float, least: int, most: int) -> int:
    """Return `value * most`, rounded to the nearest integer in bounds, like write_imagef; NaN: `least`."""
    if math.isnan(value):
        return least
    if math.isinf(value):
        return most if value > 0 else least
    (product,) = struct.unpack("=f", struct.pack("=f", min(max(value, -4.0), 4.0) * most))
    return min(max(round(product), least), most)


def _half(value: float) -> bytes:
    try:
        return struct.pack("=e", value)
    except OverflowError:
        return struct.pack("=e", math.copysign(math.inf, value))


SUPPORTED_FORMATS = tuple(ImageFormat(order, type) for order, types in _SUPPORTED.items() for type in types)
_KNOWN = frozenset(SUPPORTED_FORMATS)
