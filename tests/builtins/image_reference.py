"""Images in numpy: pixels to colours and back, and sampling, by the formulae of the specification.

An image is an array (depth or layers, height, width) of raw pixels; colours have four components more.
Coordinates are computed in single precision, in the order the specification writes them, and everything that
follows in double precision.
"""

import numpy as np

R, A, RG, RA, RGB, RGBA, BGRA, ARGB, INTENSITY, LUMINANCE = range(0x10B0, 0x10BA)
DEPTH, sRGBA, sBGRA = 0x10BD, 0x10C1, 0x10C2
SNORM8, SNORM16, UNORM8, UNORM16, P565, P555, P101010 = range(0x10D0, 0x10D7)
SIGNED8, SIGNED16, SIGNED32, UNSIGNED8, UNSIGNED16, UNSIGNED32, HALF, FLOAT = range(0x10D7, 0x10DF)

DTYPES = {
    SNORM8: np.int8, SNORM16: np.int16, UNORM8: np.uint8, UNORM16: np.uint16, SIGNED8: np.int8,
    SIGNED16: np.int16, SIGNED32: np.int32, UNSIGNED8: np.uint8, UNSIGNED16: np.uint16,
    UNSIGNED32: np.uint32, HALF: np.float16, FLOAT: np.float32, P565: np.uint16, P555: np.uint16,
    P101010: np.uint32,
}  # fmt: skip
FIELDS = {
    P565: ((11, 31), (5, 63), (0, 31)),
    P555: ((10, 31), (5, 31), (0, 31)),
    P101010: ((20, 1023), (10, 1023), (0, 1023)),
}
# Components of (red, green, blue, alpha) in the order of memory.
MEMORY = {
    R: (0,), A: (3,), RG: (0, 1), RA: (0, 3), RGB: (0, 1, 2), RGBA: (0, 1, 2, 3), BGRA: (2, 1, 0, 3),
    ARGB: (3, 0, 1, 2), INTENSITY: (0,), LUMINANCE: (0,), DEPTH: (0,),
    sRGBA: (0, 1, 2, 3), sBGRA: (2, 1, 0, 3),
}  # fmt: skip
OPAQUE = (R, RG, RGB, LUMINANCE)
LARGEST = {SNORM8: 127, SNORM16: 32767, UNORM8: 255, UNORM16: 65535}
SIGNED = (SIGNED8, SIGNED16, SIGNED32)
UNSIGNED = (UNSIGNED8, UNSIGNED16, UNSIGNED32)


def components(order: int, type: int) -> int:
    """Elements of a pixel in memory."""
    return 1 if type in FIELDS else len(MEMORY[order])


def random_pixels(rng: np.random.Generator, shape: tuple[int, ...], order: int, type: int) -> np.ndarray:
    """Pixels of all possible values; of floating-point ones, finite."""
    dtype = np.dtype(DTYPES[type])
    shape = (*shape, components(order, type))
    if dtype.kind == "f":
        return (rng.standard_normal(shape) * 100).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def colors(pixels: np.ndarray, order: int, type: int) -> np.ndarray:
    """What kernels read: four components, of double precision or integers."""
    if type in FIELDS:
        values = np.stack([(pixels[..., 0] >> low & most) / most for low, most in FIELDS[type]], axis=-1)
    elif type in LARGEST:
        values = np.maximum(pixels / LARGEST[type], -1.0)
    else:
        values = pixels.astype(np.int64 if type in SIGNED + UNSIGNED else np.float64)
    result = np.zeros((*pixels.shape[:-1], 4), values.dtype)
    for position, component in enumerate(MEMORY[order]):
        result[..., component] = values[..., position]
    if order in (INTENSITY, LUMINANCE):
        result[..., :] = values[..., :1]
    if order in OPAQUE:
        result[..., 3] = 1
    if order in (sRGBA, sBGRA):
        coded = result[..., :3]
        result[..., :3] = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    return result


def encoded(values: np.ndarray, order: int, type: int) -> np.ndarray:
    """What kernels write for colours of single precision or integers."""
    if order in (sRGBA, sBGRA):
        light = np.clip(np.nan_to_num(values[..., :3].astype(np.float64)), 0, 1)
        coded = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
        values = np.concatenate([coded, values[..., 3:]], axis=-1)
    chosen = values[..., list(MEMORY[order])]
    if type in FIELDS:
        parts = [_scaled(chosen[..., i], 0, most) << low for i, (low, most) in enumerate(FIELDS[type])]
        return np.stack(parts).sum(axis=0)[..., None].astype(DTYPES[type])
    if type in LARGEST:
        least = -LARGEST[type] - 1 if type in (SNORM8, SNORM16) else 0
        return _scaled(chosen, least, LARGEST[type]).astype(DTYPES[type])
    if type in (HALF, FLOAT):
        with np.errstate(over="ignore"):
            return chosen.astype(DTYPES[type])
    limits = np.iinfo(DTYPES[type])
    return np.clip(chosen.astype(np.int64), limits.min, limits.max).astype(DTYPES[type])


def _scaled(values: np.ndarray, least: int, most: int) -> np.ndarray:
    with np.errstate(invalid="ignore", over="ignore"):
        product = values.astype(np.float32) * np.float32(most)
    return np.rint(np.clip(np.nan_to_num(product, nan=least), least, most)).astype(np.int64)


def border(order: int) -> np.ndarray:
    """The colour outside of an image."""
    return np.array([0, 0, 0, 1 if order in OPAQUE else 0])


def sample(
    image: np.ndarray,
    order: int,
    coordinates: np.ndarray,
    dimensions: int,
    *,
    normalized: bool,
    addressing: str,
    linear: bool,
) -> np.ndarray:
    """Colours at coordinates (…, x y z); what follows the dimensions is the layer of an array."""
    size = np.array(image.shape[2::-1][:dimensions])
    at = coordinates[..., :dimensions].astype(np.float32)
    extent = size.astype(np.float32)
    half, one, two = np.float32(0.5), np.float32(1), np.float32(2)
    if addressing == "repeat":
        at = (at - np.floor(at)) * extent
    elif addressing == "mirrored_repeat":
        at = np.abs(at - two * np.rint(half * at)) * extent
    elif normalized:
        at = at * extent
    layer = np.zeros(at.shape[:-1], int)
    if coordinates.shape[-1] > dimensions:
        layer = np.clip(np.rint(coordinates[..., dimensions]), 0, image.shape[0] - 1).astype(int)
    if not linear:
        return _pixels(image, order, _addressed(np.floor(at), size, addressing), layer)
    first = np.floor(at - half)
    weight = (at - half - first).astype(np.float64)
    result = np.zeros((*at.shape[:-1], 4))
    for corner in range(2**dimensions):
        upper = np.array([corner >> d & 1 for d in range(dimensions)])
        share = np.where(upper, weight, 1 - weight).prod(axis=-1)
        index = _addressed(first + upper.astype(np.float32) * one, size, addressing)
        result += share[..., None] * _pixels(image, order, index, layer)
    return result


def _addressed(at: np.ndarray, size: np.ndarray, addressing: str) -> np.ndarray:
    index = at.astype(int)
    if addressing == "repeat":
        index = np.where(index < 0, index + size, index)
        index = np.where(index > size - 1, index - size, index)
    if addressing == "clamp":
        return np.clip(index, -1, size)
    return np.clip(index, 0, size - 1)


def _pixels(image: np.ndarray, order: int, index: np.ndarray, layer: np.ndarray) -> np.ndarray:
    """The pixels at integer coordinates, the border where those are outside."""
    size = np.array(image.shape[2::-1][: index.shape[-1]])
    inside = ((index >= 0) & (index < size)).all(axis=-1)
    safe = np.clip(index, 0, size - 1)
    x = safe[..., 0]
    y = safe[..., 1] if safe.shape[-1] > 1 else np.zeros_like(x)
    z = safe[..., 2] if safe.shape[-1] > 2 else layer
    return np.where(inside[..., None], image[z, y, x], border(order))
