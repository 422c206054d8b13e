// Integer and floating-point arithmetic of every width, scalar and vector.

kernel void integer_operations(global const int *a, global const uint *b, global long *out) {
    size_t i = get_global_id(0);
    int x = a[i];
    uint y = b[i] | 1;
    long sum = x + (int)y;
    sum += x / 7 - x % 5;
    sum ^= (long)(y / 3u) << (y & 31);
    sum |= x >> 2;
    sum += y >> 3;
    out[i] = sum * ~x;
}

kernel void narrow_integers(global char *c, global uchar *uc, global short *s, global ushort *us) {
    size_t i = get_global_id(0);
    c[i] = c[i] * 3 + 1;
    uc[i] = uc[i] / 3 - 7;
    s[i] = (short)(s[i] >> 1) ^ (short)c[i];
    us[i] = (ushort)(us[i] << 3) | uc[i];
}

kernel void wide_integers(global ulong *a, ulong b, long c) {
    size_t i = get_global_id(0);
    a[i] = a[i] * b + (ulong)(c / ((long)b | 1));
    a[i] %= b ? b : 1ul;
}

kernel void float_operations(global float *a, float b) {
    size_t i = get_global_id(0);
    float x = a[i];
    a[i] = (x + b) * (x - b) / (x * x + 1.0f) - 0x1.8p-3f + -x;
}

kernel void double_operations(global double *a, double b) {
    size_t i = get_global_id(0);
    double x = a[i];
    a[i] = x * b + 1e300 - 3.141592653589793 / (x + 1e-310);
}

kernel void conversions(global float *f, global double *d, global int *i, global uint *u, global long *l) {
    size_t n = get_global_id(0);
    i[n] = (int)f[n];
    u[n] = (uint)d[n];
    f[n] = (float)u[n] + (float)l[n];
    d[n] = (double)i[n] + (double)f[n];
    l[n] = (long)d[n] + (char)i[n] + (uchar)u[n];
}

kernel void comparisons(global int *out, float a, float b, int c, uint d) {
    out[0] = a < b;
    out[1] = a >= b || c > (int)d;
    out[2] = !(a != b) && d <= 17u;
    out[3] = isnan(a) | isgreater(a, b) | isunordered(a, b);
    out[4] = (a == b) ? c : (int)d;
}

float fused(float a, float b, float c) {
#pragma OPENCL FP_CONTRACT ON
    return a * b + c;
}

float not_fused(float a, float b, float c) {
#pragma OPENCL FP_CONTRACT OFF
    return a * b + c;
}

kernel void contraction(global float *a) {
    a[0] = fused(a[1], a[2], a[3]);
    a[4] = not_fused(a[1], a[2], a[3]);
}

kernel void built_in_math(global float *a, global float4 *b) {
    size_t i = get_global_id(0);
    a[i] = sin(a[i]) + pow(fabs(a[i]), 1.5f) + fma(a[i], 2.0f, 1.0f) + mad(a[i], 3.0f, 2.0f);
    b[i] = sqrt(b[i]) * native_recip(b[i]) + clamp(b[i], 0.0f, 1.0f);
}

kernel void bit_twiddling(global uint *a, global ulong *b) {
    size_t i = get_global_id(0);
    a[i] = popcount(a[i]) + clz(a[i]) + rotate(a[i], 5u) + __builtin_bswap32(a[i]) + __builtin_ctz(a[i] | 1);
    b[i] = b[i] << 7 | b[i] >> 57;
    b[i] += __builtin_popcountll(b[i]);
}

kernel void overflow_builtins(global int *a, global uint *b) {
    int sum;
    uint product;
    a[1] = __builtin_sadd_overflow(a[0], a[2], &sum);
    a[3] = sum;
    b[1] = __builtin_umul_overflow(b[0], b[2], &product);
    b[3] = product;
}

kernel void short_circuit(global int *a, int n) {
    int i = get_global_id(0);
    if ((i < n && a[i] > 0) || (i > 3 && a[i - 1] < 0 && a[i] != 7))
        a[i] = i ? a[i] ? 1 : 2 : 3;
}
