// Images: the descriptor that stands for one, and where a sampler's coordinates lead. Pixels are found by
// (x, y, z), where z is also the layer of an array; dimensions that an image does not have are of size 1.
// Everything takes the sampler as a parameter: where it is a constant, nothing of the choice remains.
//! once

// The same layout as in weft/runtime/image_descriptor.py.
typedef struct {
    ulong data, row_pitch, slice_pitch, layers;
    int width, height, depth, one;
    int order, type, pixel_bytes, padding;
} weft_descriptor;

// Descriptors do not change while a kernel runs; constant memory says so.
typedef const __constant weft_descriptor *weft_description;
typedef const __private void *weft_image;
typedef const __private void *weft_sampler;
#define DESCRIPTION(image) ((weft_description)(ulong)(image))
#define SAMPLER_BITS(sampler) ((uint)(ulong)(sampler))

#define NORMALIZED(sampler) ((sampler) & 1)
#define ADDRESSING(sampler) ((sampler) & 0xe)
#define IS_LINEAR(sampler) (((sampler) & 0x20) != 0)
#define CLAMP_TO_BORDER 4
#define REPEATED 6
#define MIRRORED 8

#define FLOOR(x) __builtin_elementwise_floor(x)

FN int4 weft_image_size(weft_description image) { return *(const __constant int4 *)&image->width; }

// Within bounds; what is not a number becomes the lower bound.
FN float4 weft_bounded(float4 x, float4 low, float4 high) {
    x = x >= low ? x : low;
    return x <= high ? x : high;
}
FN int4 weft_bounded(int4 x, int4 low, int4 high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

// The coordinates in pixels; repetition is done here as far as it goes with real numbers.
FN float4 weft_unnormalized(uint sampler, float4 at, float4 size) {
    if (ADDRESSING(sampler) == REPEATED)
        return (at - FLOOR(at)) * size;
    if (ADDRESSING(sampler) == MIRRORED)
        return FABS(at - 2.0f * RINT(0.5f * at)) * size;
    return NORMALIZED(sampler) ? at * size : at;
}

// Where a whole number of pixels leads; -1 and `size` stand for the border.
FN int4 weft_addressed(uint sampler, float4 at, float4 size) {
    if (ADDRESSING(sampler) == REPEATED) {
        at = at < 0.0f ? at + size : at;
        at = at > size - 1.0f ? at - size : at;
    }
    if (ADDRESSING(sampler) == CLAMP_TO_BORDER)
        return CONVERT_0(weft_bounded(at, (float4)(-1.0f), size), int4);
    return CONVERT_0(weft_bounded(at, (float4)(0.0f), size - 1.0f), int4);
}

// As above, for coordinates that are integers: only clamping is defined for them.
FN int4 weft_addressed(uint sampler, int4 at, int4 size) {
    if (ADDRESSING(sampler) == CLAMP_TO_BORDER)
        return weft_bounded(at, (int4)(-1), size);
    return weft_bounded(at, (int4)(0), size - 1);
}

FN int weft_is_inside(int4 at, int4 size) {
    return !__builtin_reduce_or(AS_TYPE(at, uint4) >= AS_TYPE(size, uint4));
}

// The layer of an array that a coordinate means.
FN int weft_layer(weft_description image, float at) {
    float last = (float)(int)image->layers - 1.0f;
    at = RINT(at);
    at = at >= 0.0f ? at : 0.0f;
    return (int)(at <= last ? at : last);
}
FN int weft_layer(weft_description image, int at) {
    int last = (int)image->layers - 1;
    at = at < 0 ? 0 : at;
    return at > last ? last : at;
}

FN ulong weft_pixel_address(weft_description image, int4 at, int pixel_bytes) {
    return image->data + (ulong)at.x * pixel_bytes + (ulong)at.y * image->row_pitch +
           (ulong)at.z * image->slice_pitch;
}
