"""Image functions: their templates, and variants for known image formats and samplers.

The image and sampler of a `read_imagef` call are unknown to the compiler, but known at launch, and there are
few formats and samplers. So a symbol may encode them:

    _Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_i.i5.2.s20

is the same function for pixels of CL_RGBA (the 5th channel order) and CL_UNORM_INT8 (the 2nd channel type)
and sampler 20; its code contains no run-time dispatch. Without tags the function reads descriptor and
sampler.
"""

import re

from weft.dataclasses import dataclass
from weft.lazy_pattern import lazy_pattern

from .demangle import Signature, Type, demangle

Macros = tuple[tuple[str, str], ...]

_IMAGE = lazy_pattern(r"ocl_image([123]d)(_array|_buffer)?(_depth)?_(ro|wo|rw)")
_TAGS = lazy_pattern(r"(_Z\w+)(?:\.i(\d+)\.(\d+))?(?:\.s(\d+))?")
_ACCESS = lazy_pattern(r"(read|write)_image(f|i|ui|h)")
_ELEMENTS = {"f": "float", "i": "int", "ui": "uint"}

# Function -> type of the result and its value.
_QUERIES = {
    "get_image_width": ("int", "image->width"),
    "get_image_height": ("int", "image->height"),
    "get_image_depth": ("int", "image->depth"),
    "get_image_array_size": ("ulong", "image->layers"),
    "get_image_channel_data_type": ("int", "image->type + 0x10D0"),
    "get_image_channel_order": ("int", "image->order + 0x10B0"),
    # For weft/frontend/include/weft_intel_subgroups.h: the address of an image's bytes.
    "get_image_weft_address": ("ulong", "image->data"),
    "get_image_weft_pitch": ("ulong", "image->row_pitch"),
    "get_image_weft_row": ("int", "image->width * image->pixel_bytes"),
}
_DIMENSIONS = {
    2: ("int2", "(int2)(image->width, image->height)"),
    3: ("int4", "(int4)(image->width, image->height, image->depth, 0)"),
}


@dataclass(frozen=True)
class TaggedSymbol:
    """A symbol with the known image format (channel order and type) and sampler of a call."""

    symbol: str
    format: tuple[int, int] | None = None
    sampler: int | None = None

    def __str__(self) -> str:
        image = f".i{self.format[0]}.{self.format[1]}" if self.format is not None else ""
        return self.symbol + image + (f".s{self.sampler}" if self.sampler is not None else "")

    @property
    def macros(self) -> Macros:
        """The macros for the templates."""
        pairs: list[tuple[str, str]] = []
        if self.format is not None:
            pairs += [("FORMAT_ORDER", str(self.format[0])), ("FORMAT_TYPE", str(self.format[1]))]
        if self.sampler is not None:
            pairs.append(("SAMPLER", f"{self.sampler}u"))
        return tuple(pairs)


def read_tags(symbol: str) -> TaggedSymbol:
    """Separate the tags from a symbol."""
    match = _TAGS.fullmatch(symbol)
    if match is None or "." not in symbol:
        return TaggedSymbol(symbol)
    base, order, type, sampler = match.groups()
    format = (int(order), int(type)) if order is not None else None
    return TaggedSymbol(base, format, int(sampler) if sampler is not None else None)


def specialized_symbol(symbol: str, format: tuple[int, ...], sampler: tuple[int, ...]) -> str:
    """Return the symbol of an image access function with the known format and sampler."""
    name = demangle(symbol)
    if name is None or not _ACCESS.fullmatch(name.name):
        return symbol
    order_and_type = (format[0], format[1]) if format else None
    return str(TaggedSymbol(symbol, order_and_type, sampler[0] if sampler else None))


def channel_kind(symbol: str) -> str:
    """Return the kind of channels that a function accesses: `f`, `i`, `ui` or `h`; "" for other functions."""
    name = demangle(symbol)
    access = _ACCESS.fullmatch(name.name) if name is not None and takes_image(symbol) else None
    return access[2] if access is not None else ""


def is_specialized(symbol: str) -> bool:
    """Return whether a symbol has a known format, and a known sampler if the function takes one."""
    tagged = read_tags(symbol)
    return tagged.format is not None and (tagged.sampler is not None or "11ocl_sampler" not in symbol)


def takes_image(symbol: str) -> bool:
    """Return whether the first parameter of a function, given its mangled symbol, is an image."""
    return "ocl_image" in symbol


def find_image_function(signature: Signature) -> tuple[str, Macros] | None:
    """Return the template that defines an image function, and its macros; None if there is none."""
    parameters = signature.parameters
    image = _IMAGE.fullmatch(parameters[0].element) if parameters else None
    if image is None or parameters[0].pointer:
        return None
    dimensions, array = int(image[1][0]), image[2] == "_array"
    access = _ACCESS.fullmatch(signature.name)
    if access is not None and access[2] not in _ELEMENTS:
        return None  # half is computed by the functions of float
    if access is not None:
        return _access(access[1], access[2], parameters[1:], dimensions, array, bool(image[3]), image[4])
    if len(parameters) != 1:
        return None
    query = _DIMENSIONS.get(dimensions) if signature.name == "get_image_dim" else _QUERIES.get(signature.name)
    return ("image_query", (("RESULT", query[0]), ("VALUE", query[1]))) if query is not None else None


def entry_name(symbol: str) -> str:
    """Return the name of the function that a template defines for a symbol; it is unique."""
    return "weft_" + re.sub(r"\W", "_", symbol)


def spelled(element: str) -> str:
    """Return the name of an image or sampler type in the templates; other types keep their names."""
    if element.startswith("ocl_image"):
        return "weft_image"
    return "weft_sampler" if element == "ocl_sampler" else element


def _access(
    action: str,
    suffix: str,
    rest: tuple[Type, ...],
    dimensions: int,
    array: bool,
    depth: bool,
    qualifier: str,
) -> tuple[str, Macros] | None:
    """Return the same as `find_image_function`, for functions that read or write pixels."""
    with_sampler = bool(rest) and rest[0] == Type("ocl_sampler")
    if with_sampler:
        rest = rest[1:]
    reads = action == "read"
    if len(rest) != (1 if reads else 2) or qualifier == ("wo" if reads else "ro"):
        return None
    at, used = rest[0], dimensions + array
    if at.pointer or at.width != (4 if used == 3 else used) or at.element not in ("int", "float"):
        return None
    if at.element == "float" and not with_sampler:
        return None
    if not reads and (with_sampler or rest[1] != Type(_ELEMENTS[suffix], 1 if depth else 4)):
        return None
    if depth and suffix != "f":
        return None
    real = at.element == "float"
    macros = [
        ("SUFFIX", suffix),
        ("RESULT", _ELEMENTS[suffix]),
        ("RESULT4", f"{_ELEMENTS[suffix]}4"),
        # The part of a pixel that callers get: one number of a depth image.
        ("RETURNED", _ELEMENTS[suffix] + ("" if depth else "4")),
        ("OF_PIXEL", ".x" if depth else ""),
        ("COORDINATES", at.element + (str(at.width) if at.width > 1 else "")),
        *_coordinates(at, dimensions),
        ("ARRAY", str(int(array))),
        ("LAST", f"at.{'xyzw'[dimensions]}" if array else "0"),
        ("DIMENSIONS", str(dimensions)),
    ]
    if reads:
        macros += [
            ("REAL_COORDINATES", str(int(real))),
            ("REAL_RESULT", str(int(suffix == "f"))),
            ("LAYER", "weft_layer(image, LAST)" if array else "0"),
            ("SAMPLER_PARAMETER", "weft_sampler given," if with_sampler else ""),
            # Without a sampler: nearest pixel, coordinates inside the image.
            ("SAMPLER", "SAMPLER_BITS(given)" if with_sampler else "0x10u"),
        ]
    return f"image_{action}", tuple(macros)


def _coordinates(at: Type, dimensions: int) -> Macros:
    """Return the coordinates X, Y and Z as scalars; those that do not exist are 0."""
    if at.width == 1:
        return ("X", "at"), ("Y", "0"), ("Z", "0")
    return tuple((name, f"at.{name.lower()}" if k < dimensions else "0") for k, name in enumerate("XYZ"))
