// Vector types, swizzles, shuffles, loads and stores.

kernel void swizzles(global float4 *a, global float2 *b, global float8 *c) {
    size_t i = get_global_id(0);
    float4 v = a[i];
    b[i] = v.wx + v.lo * v.hi;
    c[i] = (float8)(v.xxyy, v.even, v.odd);
    v.xz = v.zx;
    v.s3 = 1.0f;
    a[i] = v.wzyx;
}

kernel void component_stores(global int3 *a, global int16 *b) {
    size_t i = get_global_id(0);
    int3 v = a[i];
    v.y += 5;
    a[i] = v;
    b[i].s0f = (int2)(v.x, v.z);
    b[i].sA ^= 3;
}

kernel void vector_comparisons(global int4 *out, float4 a, float4 b, int4 c) {
    out[0] = a < b;
    out[1] = (c == (int4)(1, 2, 3, 4)) ? c : (int4)(7);
    out[2] = !c && (c >= 0);
    out[3] = select(c, -c, isless(a, b));
}

kernel void vector_arithmetic(global uchar16 *a, global short8 *b, global long2 *c, global double4 *d) {
    size_t i = get_global_id(0);
    a[i] = a[i] * (uchar16)3 + (uchar)7;
    b[i] = b[i] / (short8)(1, 2, 3, 4, 5, 6, 7, 8) >> (short8)2;
    c[i] = c[i] % (long2)(3, -5);
    d[i] = d[i] * 2.0 - d[i].yxwz / (double4)(1.0, 2.0, 0.5, 3.0);
}

kernel void long_vectors(global float16 *a, global int16 *b, global ulong16 *c) {
    size_t i = get_global_id(0);
    float16 v = a[i];
    a[i] = v.s0123456789abcdef + v.sfedcba9876543210;
    b[i] = as_int16(v) + convert_int16(v) + (b[i] << 3);
    c[i] = c[i].s0011223344556677;
}

kernel void unaligned_vectors(global float *a, global half *h) {
    size_t i = get_global_id(0);
    float3 v = vload3(i, a);
    float16 w = vload16(i, a);
    vstore3(v * w.s012, i, a);
    vstore4(w.lo.hi, i, a);
    vstore_half(v.x, i, h);
    a[i] = vload_half(i, h);
}

kernel void builtin_shuffles(global uint4 *a, global float8 *b) {
    size_t i = get_global_id(0);
    a[i] = shuffle(a[i], (uint4)(3, 1, 1, 0));
    a[i] += shuffle2(a[i], a[i + 1], (uint4)(7, 0, 4, 2));
    b[i] = __builtin_shufflevector(b[i], b[i + 1], 0, 8, 1, 9, 2, 10, -1, 11);
}

kernel void dynamic_element(global int8 *a, int n) {
    size_t i = get_global_id(0);
    global int *p = (global int *)&a[0];
    int8 v = a[i];
    ((int *)&v)[n & 7] = p[n];
    a[i] = v;
}

kernel void vector_conversions(global uchar4 *u, global float4 *f, global double2 *d, global char2 *c) {
    size_t i = get_global_id(0);
    f[i] = convert_float4(u[i]) * (1.0f / 255.0f);
    u[i] = convert_uchar4_sat(f[i]);
    d[i] = convert_double2(c[i]);
    c[i] = as_char2((short)d[i].x);
}

float4 transform_point(const float4 m[4], float4 p) {
    return m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3] * p.w;
}

kernel void matrix_times_points(global float4 *points, constant float4 *matrix) {
    float4 m[4];
    for (int i = 0; i < 4; i++)
        m[i] = matrix[i];
    points[get_global_id(0)] = transform_point(m, points[get_global_id(0)]);
}

kernel void vector_constants(global float4 *f, global uchar8 *u, global ushort4 *s, global double3 *d) {
    f[0] = (float4)(1.0f, -0.0f, INFINITY, NAN);
    f[1] = (float4)(0.1f);
    u[0] = (uchar8)(1, 2, 3, 4, 250, 251, 252, 253);
    s[0] = (ushort4)(0);
    d[0] = (double3)(1e-320, 0.1, -2.5);
}

typedef float packed_float4 __attribute__((ext_vector_type(4), aligned(4)));
typedef uint odd_vector __attribute__((ext_vector_type(5)));

kernel void unusual_vectors(global packed_float4 *a, global odd_vector *b) {
    a[get_global_id(0)] += 1.0f;
    b[get_global_id(0)] ^= (odd_vector)(1, 2, 3, 4, 5);
}

kernel void vector_reduction(global const float8 *a, global float *out, int n) {
    float8 sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += a[i];
    float4 half_sum = sum.lo + sum.hi;
    out[0] = half_sum.x + half_sum.y + half_sum.z + half_sum.w;
}
