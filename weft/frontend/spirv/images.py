"""Translate image and sampler instructions to calls of OpenCL C image functions."""

from weft.frontend.spirv.binary import Instruction
from weft.frontend.spirv.body import I32, I64, Body, Value, number, translates, zero
from weft.frontend.spirv.mangle import Parameter
from weft.frontend.spirv.types import VOID, Float, Int, Opaque, Type, Vector, lanes, of_lanes, scalar, vector

FLOAT = Float("float", 4, 4, width=32)

# Number of coordinate components in OpenCL C.
_COORDINATES = {
    "image1d_t": 1,
    "image1d_buffer_t": 1,
    "image1d_array_t": 2,
    "image2d_t": 2,
    "image2d_depth_t": 2,
    "image2d_array_t": 4,
    "image2d_array_depth_t": 4,
    "image3d_t": 4,
}
_SIZES = {
    "image1d_t": ("width",),
    "image1d_buffer_t": ("width",),
    "image1d_array_t": ("width", "array_size"),
    "image2d_t": ("width", "height"),
    "image2d_depth_t": ("width", "height"),
    "image2d_array_t": ("width", "height", "array_size"),
    "image2d_array_depth_t": ("width", "height", "array_size"),
    "image3d_t": ("width", "height", "depth"),
}
# SPIR-V's numbers start at 0; these are OpenCL C's first constants (CLK_SNORM_INT8, CLK_R).
_FORMAT, _ORDER = 0x10D0, 0x10B0


def _image(body: Body, instruction: Instruction, value: Value) -> Opaque:
    body.require(
        isinstance(value.type, Opaque) and value.type.name in _COORDINATES,
        instruction,
        "the operand is not an image",
    )
    assert isinstance(value.type, Opaque)
    return value.type


@translates("SampledImage")
def _sampled(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    image, sampler = body.operand(instruction, 0), body.operand(instruction, 1)
    right = isinstance(type, Opaque) and type.sampled == image.type
    body.require(right, instruction, "the image does not match the result type")
    _image(body, instruction, image)
    right = isinstance(sampler.type, Opaque) and sampler.type.name == "sampler_t"
    body.require(right, instruction, "the operand is not a sampler")
    return Value(type, "", pair=(image, sampler))


@translates("Image")
def _image_of(body: Body, instruction: Instruction) -> Value:
    sampled = body.value(instruction.id(0))
    body.require(sampled.pair is not None, instruction, "the operand is not a sampled image")
    assert sampled.pair is not None
    image = sampled.pair[0]
    body.require(
        image.type == body.type(instruction), instruction, "the result type is a different image type"
    )
    return image


def _coordinate(body: Body, instruction: Instruction, image: Opaque, value: Value, floats: bool) -> Value:
    """Return a coordinate with as many components as the functions take."""
    wanted = _COORDINATES[image.name]
    element = scalar(value.type)
    right = isinstance(element, Int | Float) and element.width == 32
    body.require(right and (floats or isinstance(element, Int)), instruction, "invalid coordinate type")
    have = lanes(value.type)
    if have == wanted:
        return value
    enough = have > wanted or (have == 3 and wanted == 4)
    body.require(enough, instruction, "the coordinate has too few components")
    if wanted == 1:
        return body.emit(f"extractelement {value.typed}, i32 0", element)
    type = vector(element, wanted)
    mask = ", ".join(f"i32 {index}" for index in range(wanted))
    # Missing components are zero.
    return body.emit(
        f"shufflevector {value.typed}, {zero(value.type).typed}, <{wanted} x i32> <{mask}>", type
    )


def _suffix(body: Body, instruction: Instruction, type: Type, operands: int) -> str:
    """Return the suffix of a function for a pixel type: f, h, i or ui."""
    element = scalar(type)
    body.require(lanes(type) == 4, instruction, "a pixel must have four components")
    if isinstance(element, Float) and element.width in (16, 32):
        return "f" if element.width == 32 else "h"
    right = isinstance(element, Int) and element.width == 32
    body.require(right, instruction, "pixels must be float, half or 32-bit integers")
    return "ui" if "ZeroExtend" in instruction.mask(operands) else "i"


def _has_depth(image: Opaque) -> bool:
    return image.name.endswith("_depth_t")


def _pixel(
    body: Body, instruction: Instruction, kind: Opaque, parameters: list[Parameter], arguments: list[Value]
) -> Value:
    """Read a pixel: four components, or one of a depth image.

    A module may use the latter as the first of four components; the others are as for a one-channel image.
    """
    type = body.type(instruction)
    if not _has_depth(kind):
        name = f"read_image{_suffix(body, instruction, type, 2)}"
        return body.call(name, parameters, arguments, type, pure=False)
    right = scalar(type) == FLOAT and lanes(type) in (1, 4)
    body.require(right, instruction, "pixels of depth images must be float")
    depth = body.call("read_imagef", parameters, arguments, FLOAT, pure=False)
    if lanes(type) == 1:
        return depth
    rest = "<float 0.0, float 0.0, float 0.0, float 1.0>"
    return body.emit(f"insertelement {type.llvm} {rest}, {depth.typed}, i32 0", type)


def _level(body: Body, instruction: Instruction, index: int) -> None:
    """Require the first level of detail, the only one."""
    mask = instruction.mask(index)
    for name, ids in mask.operands.items():
        if name in ("SignExtend", "ZeroExtend", "None", "Nontemporal"):
            continue
        body.require(name == "Lod", instruction, f"image operand {name} is not supported")
        constant = body.program.constants[ids[0]]
        is_zero = bool(constant.numbers) and not any(constant.numbers)
        body.require(is_zero, instruction, "the level of detail must be 0")


@translates("ImageSampleExplicitLod")
def _sample(body: Body, instruction: Instruction) -> Value:
    sampled = body.value(instruction.id(0))
    body.require(sampled.pair is not None, instruction, "the operand is not a sampled image")
    assert sampled.pair is not None
    image, sampler = sampled.pair
    kind = _image(body, instruction, image)
    body.require(kind.access == "read_only", instruction, "a sampler requires a read-only image")
    _level(body, instruction, 2)
    at = _coordinate(body, instruction, kind, body.operand(instruction, 1), floats=True)
    parameters = [Parameter(kind), Parameter(sampler.type), Parameter(at.type, True)]
    return _pixel(body, instruction, kind, parameters, [image, sampler, at])


@translates("ImageRead", "ImageFetch")
def _read(body: Body, instruction: Instruction) -> Value:
    image = body.operand(instruction, 0)
    kind = _image(body, instruction, image)
    body.require(kind.access != "write_only", instruction, "the image is write-only")
    _level(body, instruction, 2)
    at = _coordinate(body, instruction, kind, body.operand(instruction, 1), floats=False)
    return _pixel(body, instruction, kind, [Parameter(kind), Parameter(at.type, True)], [image, at])


@translates("ImageWrite")
def _write(body: Body, instruction: Instruction) -> None:
    image = body.operand(instruction, 0)
    kind = _image(body, instruction, image)
    body.require(kind.access != "read_only", instruction, "the image is read-only")
    _level(body, instruction, 3)
    at = _coordinate(body, instruction, kind, body.operand(instruction, 1), floats=False)
    pixel = body.operand(instruction, 2)
    if _has_depth(kind):
        right = scalar(pixel.type) == FLOAT and lanes(pixel.type) in (1, 4)
        body.require(right, instruction, "pixels of depth images must be float")
        if lanes(pixel.type) == 4:
            pixel = body.emit(f"extractelement {pixel.typed}, i32 0", FLOAT)
        suffix = "f"
    else:
        suffix = _suffix(body, instruction, pixel.type, 3)
    parameters = [Parameter(kind), Parameter(at.type, True), Parameter(pixel.type, suffix == "i")]
    body.call(f"write_image{suffix}", parameters, [image, at, pixel], VOID, pure=False)


@translates("ImageQuerySizeLod", "ImageQuerySize")
def _size(body: Body, instruction: Instruction) -> Value:
    type = body.type(instruction)
    image = body.operand(instruction, 0)
    kind = _image(body, instruction, image)
    names = _SIZES[kind.name]
    element = scalar(type)
    right = isinstance(element, Int) and element.width >= 32 and lanes(type) == len(names)
    body.require(right, instruction, "the result must have one integer per dimension")
    if instruction.name == "ImageQuerySizeLod":
        level = body.program.constants.integer(instruction.id(1))
        body.require(level == 0, instruction, "the level of detail must be 0")
    parts = []
    for name in names:
        returned = I64 if name == "array_size" else I32
        size = body.call(f"get_image_{name}", [Parameter(kind)], [image], returned)
        if returned != element:
            wide = isinstance(element, Int) and element.width > returned.width
            size = body.cast("zext" if wide else "trunc", size, element)
        parts.append(size)
    if not isinstance(type, Vector):
        return parts[0]
    whole = zero(type)
    for index, part in enumerate(parts):
        whole = body.emit(f"insertelement {whole.typed}, {part.typed}, i32 {index}", type)
    return whole


@translates("ImageQueryFormat", "ImageQueryOrder")
def _describe(body: Body, instruction: Instruction) -> Value:
    image = body.operand(instruction, 0)
    kind = _image(body, instruction, image)
    body.require(body.type(instruction) == I32, instruction, "the result type is not a 32-bit integer")
    is_format = instruction.name == "ImageQueryFormat"
    name = "get_image_channel_data_type" if is_format else "get_image_channel_order"
    value = body.call(name, [Parameter(kind)], [image], I32)
    first = number(_FORMAT if is_format else _ORDER)
    return body.emit(f"sub {value.typed}, {first.text}", of_lanes(I32, 1))
