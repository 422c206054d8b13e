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

FN RESULT4 PASTE(NAME, _pixel)(weft_description image, uint sampler, int4 at, int4 size, int layer) {
    FORMAT;
    int inside = 1;
    if (ADDRESSING(sampler) == CLAMP_TO_BORDER) {
        inside = weft_is_inside(at, size);
        at = weft_bounded(at, (int4)(0), size - 1);
    }
    // Says that dimensions which do not exist cost nothing.
    at.y = DIMENSIONS >= 2 ? at.y : 0;
    at.z = DIMENSIONS == 3 ? at.z : layer;
    RESULT4 value = LOAD(weft_pixel_address(image, at, bytes), order, type);
    return inside ? value : weft_border(order, (RESULT)1);
}

#if REAL_COORDINATES && REAL_RESULT
#define AT(x_from, y_from, z_from) \
    PASTE(NAME, _pixel)(image, sampler, (int4)(x_from.x, y_from.y, z_from.z, 0), size, layer)
FN float4 PASTE(NAME, _mix)(weft_description image, uint sampler, float4 at, int4 size, int layer) {
    float4 extent = CONVERT_0(size, float4);
    float4 first = FLOOR(at - 0.5f), a = at - 0.5f - first, b = 1.0f - a;
    int4 i = weft_addressed(sampler, first, extent), j = weft_addressed(sampler, first + 1.0f, extent);
    float4 sum = b.x * LOWER_WEIGHTS * AT(i, i, i);
    sum = MAD((float4)(a.x * LOWER_WEIGHTS), AT(j, i, i), sum);
#if DIMENSIONS >= 2
    sum = MAD((float4)(b.x * a.y * LOWER_DEPTH), AT(i, j, i), sum);
    sum = MAD((float4)(a.x * a.y * LOWER_DEPTH), AT(j, j, i), sum);
#endif
#if DIMENSIONS == 3
    sum = MAD((float4)(b.x * b.y * a.z), AT(i, i, j), sum);
    sum = MAD((float4)(a.x * b.y * a.z), AT(j, i, j), sum);
    sum = MAD((float4)(b.x * a.y * a.z), AT(i, j, j), sum);
    sum = MAD((float4)(a.x * a.y * a.z), AT(j, j, j), sum);
#endif
    return sum;
}
#undef AT
#endif

FN RETURNED NAME(weft_image handle, SAMPLER_PARAMETER COORDINATES at) {
    weft_description image = DESCRIPTION(handle);
    const uint sampler = SAMPLER;
    int4 size = weft_image_size(image);
    int layer = LAYER;
#if REAL_COORDINATES
    float4 extent = CONVERT_0(size, float4);
    float4 position = weft_unnormalized(sampler, POSITION, extent);
#if REAL_RESULT
    if (IS_LINEAR(sampler))
        return PASTE(NAME, _mix)(image, sampler, position, size, layer) OF_PIXEL;
#endif
    return PASTE(NAME, _pixel)(image, sampler, weft_addressed(sampler, FLOOR(position), extent), size, layer) OF_PIXEL;
#else
    return PASTE(NAME, _pixel)(image, sampler, weft_addressed(sampler, POSITION, size), size, layer) OF_PIXEL;
#endif
}
#undef FORMAT
#undef LOAD
