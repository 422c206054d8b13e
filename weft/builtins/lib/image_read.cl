// read_image: one pixel, or several weighted by their distance. `weft/builtins/images.py` says for which kind of
// image, coordinates and result, and which format and sampler are known.
//! uses: image_pixel

#ifdef FORMAT_ORDER
#define FORMAT const int order = FORMAT_ORDER, type = FORMAT_TYPE, bytes = weft_pixel_bytes(order, type)
#define LOAD PASTE(weft_load_, SUFFIX)
#else
#define FORMAT const int order = image->order, type = image->type, bytes = image->pixel_bytes
#define LOAD PASTE(weft_load_any_, SUFFIX)
#endif

FN RESULT4 PASTE(NAME, _pixel)(weft_description image, uint sampler, int x, int y, int z) {
    FORMAT;
    int inside = 1;
    if (ADDRESSING(sampler) == CLAMP_TO_BORDER) {
        inside = weft_is_inside(x, image->width);
        x = weft_bounded(x, 0, image->width - 1);
#if DIMENSIONS >= 2
        inside &= weft_is_inside(y, image->height);
        y = weft_bounded(y, 0, image->height - 1);
#endif
#if DIMENSIONS == 3
        inside &= weft_is_inside(z, image->depth);
        z = weft_bounded(z, 0, image->depth - 1);
#endif
    }
    RESULT4 value = LOAD(weft_pixel_address(image, x, y, z, bytes), order, type);
    return inside ? value : weft_border(order, (RESULT)1);
}

#if REAL_COORDINATES && REAL_RESULT
// The pixels on both sides of a coordinate, and how much of the second is in the mixture.
#define SIDES(at, size, low, high, share)                   \
    float at##_low = FLOOR(at - 0.5f);                      \
    int low = weft_addressed(sampler, at##_low, size);      \
    int high = weft_addressed(sampler, at##_low + 1.0f, size); \
    float share = at - 0.5f - at##_low
#define AT(x, y, z) PASTE(NAME, _pixel)(image, sampler, x, y, z)
#define ADD(weight, pixel) sum = MAD((float4)(weight), pixel, sum)
FN float4 PASTE(NAME, _mix)(weft_description image, uint sampler, float x, float y, float z, int layer) {
    SIDES(x, image->width, i, i1, a);
#if DIMENSIONS == 1
    float4 sum = (1.0f - a) * AT(i, 0, layer);
    ADD(a, AT(i1, 0, layer));
#else
    SIDES(y, image->height, j, j1, b);
    float a0 = 1.0f - a, b0 = 1.0f - b;
#if DIMENSIONS == 2
    float4 sum = (a0 * b0) * AT(i, j, layer);
    ADD(a * b0, AT(i1, j, layer));
    ADD(a0 * b, AT(i, j1, layer));
    ADD(a * b, AT(i1, j1, layer));
#else
    SIDES(z, image->depth, k, k1, c);
    float c0 = 1.0f - c;
    float4 sum = (a0 * b0 * c0) * AT(i, j, k);
    ADD(a * b0 * c0, AT(i1, j, k));
    ADD(a0 * b * c0, AT(i, j1, k));
    ADD(a * b * c0, AT(i1, j1, k));
    ADD(a0 * b0 * c, AT(i, j, k1));
    ADD(a * b0 * c, AT(i1, j, k1));
    ADD(a0 * b * c, AT(i, j1, k1));
    ADD(a * b * c, AT(i1, j1, k1));
#endif
#endif
    return sum;
}
#undef SIDES
#undef AT
#undef ADD
#endif

FN RETURNED NAME(weft_image handle, SAMPLER_PARAMETER COORDINATES at) {
    weft_description image = DESCRIPTION(handle);
    const uint sampler = SAMPLER;
    const int layer = LAYER;
#if REAL_COORDINATES
    float x = weft_unnormalized(sampler, X, image->width), y = 0.0f, z = 0.0f;
#if DIMENSIONS >= 2
    y = weft_unnormalized(sampler, Y, image->height);
#endif
#if DIMENSIONS == 3
    z = weft_unnormalized(sampler, Z, image->depth);
#endif
#if REAL_RESULT
    if (IS_LINEAR(sampler))
        return PASTE(NAME, _mix)(image, sampler, x, y, z, layer) OF_PIXEL;
#endif
    x = FLOOR(x), y = FLOOR(y), z = FLOOR(z);
#else
    int x = X, y = Y, z = Z;
#endif
    int column = weft_addressed(sampler, x, image->width);
    int row = DIMENSIONS >= 2 ? weft_addressed(sampler, y, image->height) : 0;
    int slice = DIMENSIONS == 3 ? weft_addressed(sampler, z, image->depth) : layer;
    return PASTE(NAME, _pixel)(image, sampler, column, row, slice) OF_PIXEL;
}
#undef FORMAT
#undef LOAD
