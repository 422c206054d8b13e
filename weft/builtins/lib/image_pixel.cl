// Pixels: what is in memory as the four components that kernels see, and back. Where channel order and type are
// constants, one way through the switches remains.
//! once
//! uses: image

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// cl_channel_order and cl_channel_type, counted from the first of each.
enum { ORDER_R, ORDER_A, ORDER_RG, ORDER_RA, ORDER_RGB, ORDER_RGBA, ORDER_BGRA, ORDER_ARGB, ORDER_INTENSITY,
       ORDER_LUMINANCE, ORDER_DEPTH = 13, ORDER_sRGBA = 17, ORDER_sBGRA };
enum { SNORM_INT8, SNORM_INT16, UNORM_INT8, UNORM_INT16, UNORM_SHORT_565, UNORM_SHORT_555, UNORM_INT_101010,
       SIGNED_INT8, SIGNED_INT16, SIGNED_INT32, UNSIGNED_INT8, UNSIGNED_INT16, UNSIGNED_INT32, HALF_FLOAT,
       FLOAT };

FN int weft_channels(int order) {
    switch (order) {
    case ORDER_R: case ORDER_A: case ORDER_INTENSITY: case ORDER_LUMINANCE: case ORDER_DEPTH: return 1;
    case ORDER_RG: case ORDER_RA: return 2;
    default: return 4;
    }
}

FN int weft_pixel_bytes(int order, int type) {
    switch (type) {
    case SNORM_INT8: case UNORM_INT8: case SIGNED_INT8: case UNSIGNED_INT8: return weft_channels(order);
    case UNORM_SHORT_565: case UNORM_SHORT_555: return 2;
    case UNORM_INT_101010: return 4;
    case SIGNED_INT32: case UNSIGNED_INT32: case FLOAT: return 4 * weft_channels(order);
    default: return 2 * weft_channels(order);
    }
}

// Elements of a pixel are next to each other, aligned as one of them.
#define ELEMENTS(element, wide)                                                                   \
    typedef element element##_pair __attribute__((ext_vector_type(2), aligned(sizeof(element)))); \
    typedef element element##_quad __attribute__((ext_vector_type(4), aligned(sizeof(element)))); \
    FN wide##4 weft_load_##element(weft_place address, int channels) {                                 \
        if (channels == 4)                                                                        \
            return CONVERT_0(*(const __global element##_quad *)address, wide##4);                 \
        if (channels == 2) {                                                                      \
            element##_pair pair = *(const __global element##_pair *)address;                      \
            return (wide##4)((wide)pair.x, (wide)pair.y, 0, 0);                                   \
        }                                                                                         \
        return (wide##4)((wide) * (const __global element *)address, 0, 0, 0);                    \
    }                                                                                             \
    FN void weft_store_##element(weft_place address, int channels, wide##4 value) {                    \
        if (channels == 4) {                                                                      \
            *(__global element##_quad *)address = CONVERT_0(value, element##_quad);               \
        } else if (channels == 2) {                                                               \
            element##_pair pair;                                                                  \
            pair.x = (element)value.x;                                                            \
            pair.y = (element)value.y;                                                            \
            *(__global element##_pair *)address = pair;                                           \
        } else {                                                                                  \
            *(__global element *)address = (element)value.x;                                      \
        }                                                                                         \
    }
ELEMENTS(char, int)
ELEMENTS(short, int)
ELEMENTS(int, int)
ELEMENTS(uchar, uint)
ELEMENTS(ushort, uint)
ELEMENTS(uint, uint)
ELEMENTS(half, float)
ELEMENTS(float, float)

// From elements in memory to (red, green, blue, alpha), where `one` is the alpha of opaque pixels; and back.
#define ORDERS(vector, scalar)                                      \
    FN vector weft_from_order(int order, vector v, scalar one) {    \
        scalar none = 0;                                            \
        switch (order) {                                            \
        case ORDER_R: return (vector)(v.x, none, none, one);        \
        case ORDER_A: return (vector)(none, none, none, v.x);       \
        case ORDER_RG: return (vector)(v.x, v.y, none, one);        \
        case ORDER_RA: return (vector)(v.x, none, none, v.y);       \
        case ORDER_RGB: return (vector)(v.x, v.y, v.z, one);        \
        case ORDER_BGRA: case ORDER_sBGRA: return v.zyxw;           \
        case ORDER_ARGB: return v.yzwx;                             \
        case ORDER_INTENSITY: return v.xxxx;                        \
        case ORDER_LUMINANCE: return (vector)(v.x, v.x, v.x, one);  \
        default: return v;                                          \
        }                                                           \
    }                                                               \
    FN vector weft_to_order(int order, vector v) {                  \
        switch (order) {                                            \
        case ORDER_A: return v.wwww;                                \
        case ORDER_RA: return v.xwxw;                               \
        case ORDER_BGRA: case ORDER_sBGRA: return v.zyxw;           \
        case ORDER_ARGB: return v.wxyz;                             \
        default: return v;                                          \
        }                                                           \
    }                                                               \
    FN vector weft_border(int order, scalar one) {                  \
        scalar none = 0;                                            \
        switch (order) {                                            \
        case ORDER_R: case ORDER_RG: case ORDER_RGB: case ORDER_LUMINANCE: \
            return (vector)(none, none, none, one);                 \
        default: return (vector)(none);                             \
        }                                                           \
    }
ORDERS(float4, float)
ORDERS(int4, int)
ORDERS(uint4, uint)

// The root of positive numbers: a part of the exponent, made better by Newton's method to the last place but one.
FN float4 weft_root(float4 x, int degree) {
    int4 bits = AS_TYPE(x, int4) / degree + 0x3f800000 / degree * (degree - 1);
    float4 y = AS_TYPE(bits, float4);
    for (int i = 0; i < 4; ++i) {
        float4 square = y * y, power = degree == 5 ? square * square : square;
        y = (y * (float)(degree - 1) + x / power) * (1.0f / (float)degree);
    }
    return y;
}

// Between the coding of sRGB and numbers that are proportional to light; alpha has no such coding.
#define IS_sRGB(order) ((order) == ORDER_sRGBA || (order) == ORDER_sBGRA)
FN float4 weft_from_srgb(float4 c) {
    float4 t = (c + 0.055f) * (1.0f / 1.055f), root = weft_root(t, 5);
    float4 value = c <= 0.04045f ? c * (1.0f / 12.92f) : t * t * root * root;
    return (float4)(value.xyz, c.w);
}
FN float4 weft_to_srgb(float4 x) {
    // A power of 5/12.
    float4 root = weft_root(SQRT(SQRT(weft_bounded(x, (float4)(0.0031308f), (float4)(1.0f)))), 3);
    float4 square = root * root;
    float4 value = x > 0.0031308f ? 1.055f * (square * square * root) - 0.055f : x * 12.92f;
    return (float4)(value.xyz, x.w);
}

// The fields of a pixel that is one integer: where each begins, and its largest value; 0 for one that is not there.
FN float4 weft_fields(uint bits, uint4 low, uint4 most) {
    uint4 fields = ((uint4)(bits) >> low) & most;
    return CONVERT_0(fields, float4) / CONVERT_0(most, float4);
}
FN uint weft_joined(float4 value, uint4 low, uint4 most) {
    float4 scaled = RINT(weft_bounded(value * CONVERT_0(most, float4), (float4)(0.0f), CONVERT_0(most, float4)));
    return __builtin_reduce_or(CONVERT_0(scaled, uint4) << low);
}
#define LOW_565 (uint4)(11, 5, 0, 0)
#define MOST_565 (uint4)(31, 63, 31, 0)
#define LOW_555 (uint4)(10, 5, 0, 0)
#define MOST_555 (uint4)(31, 31, 31, 0)
#define LOW_101010 (uint4)(20, 10, 0, 0)
#define MOST_101010 (uint4)(1023, 1023, 1023, 0)

FN float4 weft_load_elements(weft_place address, int type, int channels) {
    switch (type) {
    // The product with the rounded reciprocal is off by 1.25 units in the last place at most, and exact at both ends.
    case UNORM_INT8: return CONVERT_0(weft_load_uchar(address, channels), float4) * (1.0f / 255.0f);
    case UNORM_INT16: return CONVERT_0(weft_load_ushort(address, channels), float4) * (1.0f / 65535.0f);
    case SNORM_INT8: {
        float4 value = CONVERT_0(weft_load_char(address, channels), float4) * (1.0f / 127.0f);
        return value < -1.0f ? (float4)(-1.0f) : value;
    }
    case SNORM_INT16: {
        float4 value = CONVERT_0(weft_load_short(address, channels), float4) * (1.0f / 32767.0f);
        return value < -1.0f ? (float4)(-1.0f) : value;
    }
    case UNORM_SHORT_565: return weft_fields(*(const __global ushort *)address, LOW_565, MOST_565);
    case UNORM_SHORT_555: return weft_fields(*(const __global ushort *)address, LOW_555, MOST_555);
    case UNORM_INT_101010: return weft_fields(*(const __global uint *)address, LOW_101010, MOST_101010);
    case HALF_FLOAT: return weft_load_half(address, channels);
    case FLOAT: return weft_load_float(address, channels);
    default: return (float4)(0.0f);
    }
}

FN float4 weft_load_f(weft_place address, int order, int type) {
    float4 value = weft_from_order(order, weft_load_elements(address, type, weft_channels(order)), 1.0f);
    return IS_sRGB(order) ? weft_from_srgb(value) : value;
}

// Of unsigned integers too: a module of SPIR-V need not say of which kind the integers of an image are.
FN int4 weft_load_i(weft_place address, int order, int type) {
    int channels = weft_channels(order);
    int4 value = (int4)(0);
    switch (type) {
    case SIGNED_INT8: value = weft_load_char(address, channels); break;
    case SIGNED_INT16: value = weft_load_short(address, channels); break;
    case UNSIGNED_INT8: value = AS_TYPE(weft_load_uchar(address, channels), int4); break;
    case UNSIGNED_INT16: value = AS_TYPE(weft_load_ushort(address, channels), int4); break;
    case SIGNED_INT32: case UNSIGNED_INT32: value = weft_load_int(address, channels); break;
    }
    return weft_from_order(order, value, 1);
}

FN uint4 weft_load_ui(weft_place address, int order, int type) {
    int channels = weft_channels(order);
    uint4 value = (uint4)(0);
    switch (type) {
    case UNSIGNED_INT8: value = weft_load_uchar(address, channels); break;
    case UNSIGNED_INT16: value = weft_load_ushort(address, channels); break;
    case UNSIGNED_INT32: value = weft_load_uint(address, channels); break;
    }
    return weft_from_order(order, value, 1u);
}

// A number as an integer of at most `most`, rounded to the nearest; NaN is the least.
#define SCALED(value, factor, low) RINT(weft_bounded((value) * (factor), (float4)(low), (float4)(factor)))

FN void weft_store_f(weft_place address, int order, int type, float4 value) {
    int channels = weft_channels(order);
    float4 v = weft_to_order(order, IS_sRGB(order) ? weft_to_srgb(value) : value);
    switch (type) {
    case UNORM_INT8: weft_store_uchar(address, channels, CONVERT_0(SCALED(v, 255.0f, 0.0f), uint4)); break;
    case UNORM_INT16: weft_store_ushort(address, channels, CONVERT_0(SCALED(v, 65535.0f, 0.0f), uint4)); break;
    case SNORM_INT8: weft_store_char(address, channels, CONVERT_0(SCALED(v, 127.0f, -128.0f), int4)); break;
    case SNORM_INT16: weft_store_short(address, channels, CONVERT_0(SCALED(v, 32767.0f, -32768.0f), int4)); break;
    case UNORM_SHORT_565: *(__global ushort *)address = (ushort)weft_joined(v, LOW_565, MOST_565); break;
    case UNORM_SHORT_555: *(__global ushort *)address = (ushort)weft_joined(v, LOW_555, MOST_555); break;
    case UNORM_INT_101010: *(__global uint *)address = weft_joined(v, LOW_101010, MOST_101010); break;
    case HALF_FLOAT: weft_store_half(address, channels, v); break;
    case FLOAT: weft_store_float(address, channels, v); break;
    }
}

FN void weft_store_ui(weft_place address, int order, int type, uint4 value) {
    int channels = weft_channels(order);
    uint4 v = weft_to_order(order, value);
    switch (type) {
    case UNSIGNED_INT8: weft_store_uchar(address, channels, v > 255u ? (uint4)(255u) : v); break;
    case UNSIGNED_INT16: weft_store_ushort(address, channels, v > 65535u ? (uint4)(65535u) : v); break;
    case UNSIGNED_INT32: weft_store_uint(address, channels, v); break;
    }
}

FN void weft_store_i(weft_place address, int order, int type, int4 value) {
    int channels = weft_channels(order);
    int4 v = weft_to_order(order, value);
    switch (type) {
    case SIGNED_INT8: weft_store_char(address, channels, weft_bounded(v, (int4)(-128), (int4)(127))); break;
    case SIGNED_INT16: weft_store_short(address, channels, weft_bounded(v, (int4)(-32768), (int4)(32767))); break;
    case SIGNED_INT32: weft_store_int(address, channels, v); break;
    default: weft_store_ui(address, order, type, AS_TYPE(value, uint4));
    }
}

// The same for formats that only the descriptor knows. Not inlined: kernels are compiled for the formats they are
// launched with, and come here only when there are too many of those.
#define ANY_FORMAT(suffix, vector)                                                                            \
    static __attribute__((noinline)) vector weft_load_any_##suffix(weft_place address, int order, int type) {      \
        return weft_load_##suffix(address, order, type);                                                      \
    }                                                                                                         \
    static __attribute__((noinline)) void weft_store_any_##suffix(weft_place address, int order, int type,         \
                                                                  vector value) {                             \
        weft_store_##suffix(address, order, type, value);                                                     \
    }
ANY_FORMAT(f, float4)
ANY_FORMAT(i, int4)
ANY_FORMAT(ui, uint4)
