// Images: the descriptor that stands for one, and where a sampler's coordinates lead. Pixels are found by
// (x, y, z), where z is also the layer of an array; coordinates of dimensions that an image does not have are 0.
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

// Coordinates are scalars, one for each dimension that an image has: work-items in SIMD lanes have one register for
// each of them, and what is computed for a dimension that is not there is nothing.

// Within bounds; what is not a number becomes the lower bound.
FN float weft_bounded(float x, float low, float high) {
    x = x >= low ? x : low;
    return x <= high ? x : high;
}
FN int weft_bounded(int x, int low, int high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}
FN float4 weft_bounded(float4 x, float4 low, float4 high) {
    x = x >= low ? x : low;
    return x <= high ? x : high;
}
FN int4 weft_bounded(int4 x, int4 low, int4 high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}

// A coordinate in pixels; repetition is done here as far as it goes with real numbers.
FN float weft_unnormalized(uint sampler, float at, int size) {
    if (ADDRESSING(sampler) == REPEATED)
        return (at - FLOOR(at)) * (float)size;
    if (ADDRESSING(sampler) == MIRRORED)
        return FABS(at - 2.0f * RINT(0.5f * at)) * (float)size;
    return NORMALIZED(sampler) ? at * (float)size : at;
}

// Where a whole number of pixels leads; -1 and `size` stand for the border.
FN int weft_addressed(uint sampler, float at, int size) {
    float extent = (float)size;
    if (ADDRESSING(sampler) == REPEATED) {
        at = at < 0.0f ? at + extent : at;
        at = at > extent - 1.0f ? at - extent : at;
    }
    if (ADDRESSING(sampler) == CLAMP_TO_BORDER)
        return (int)weft_bounded(at, -1.0f, extent);
    return (int)weft_bounded(at, 0.0f, extent - 1.0f);
}

// As above, for coordinates that are integers: only clamping is defined for them. All outside is the border.
FN int weft_addressed(uint sampler, int at, int size) {
    return ADDRESSING(sampler) == CLAMP_TO_BORDER ? at : weft_bounded(at, 0, size - 1);
}

FN int weft_is_inside(int at, int size) { return (uint)at < (uint)size; }

// The layer of an array that a coordinate means.
FN int weft_layer(weft_description image, float at) {
    return (int)weft_bounded(RINT(at), 0.0f, (float)(int)image->layers - 1.0f);
}
FN int weft_layer(weft_description image, int at) { return weft_bounded(at, 0, (int)image->layers - 1); }

// An address of the image's memory. The coordinate that neighbours differ in is added last.
typedef __global uchar *weft_place;
FN weft_place weft_pixel_address(weft_description image, int x, int y, int z, int pixel_bytes) {
    weft_place row = (weft_place)image->data + (ulong)z * image->slice_pitch + (ulong)y * image->row_pitch;
    return row + (long)x * pixel_bytes;
}
