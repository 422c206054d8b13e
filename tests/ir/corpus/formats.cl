// Less common types and constructs: half, bfloat, 128-bit integers, long double, inline assembly, printf.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void half_arithmetic(global half *a, half b) {
    size_t i = get_global_id(0);
    a[i] = a[i] * b + (half)1.5f - 0.1h;
    a[i + 1] = (half)((float)a[i] * 3.0f);
    a[i + 2] = a[i] > b ? (half)INFINITY : -(half)0.0f;
}

kernel void half_vectors(global half4 *a, global half16 *b) {
    size_t i = get_global_id(0);
    a[i] = a[i] * a[i].wzyx + (half4)(1.0h, 2.0h, -3.0h, 6.1e-5h);
    b[i] = b[i] - (half16)(0.5h);
}

kernel void bfloat(global __bf16 *a, global float *f) {
    size_t i = get_global_id(0);
    __bf16 x = a[i];
    a[i] = x * (__bf16)3.0f + (__bf16)0.1f;
    f[i] = (float)x;
}

kernel void wide_products(global ulong *a, global ulong *b) {
    size_t i = get_global_id(0);
    unsigned __int128 p = (unsigned __int128)a[i] * b[i] + ((unsigned __int128)0x123456789abcdefUL << 64);
    a[i] = (ulong)(p >> 64);
    b[i] = (ulong)p;
    __int128 s = -(__int128)p / 10;
    a[i] ^= (ulong)s;
}

kernel void inline_assembly(global uint *a) {
    uint x = a[0], y;
    __asm__ volatile("movl %1, %0\n\taddl $1, %0" : "=r"(y) : "r"(x) : "cc", "memory");
    __asm__("" : "+r"(y));
    a[1] = y;
}

kernel void formatted_output(global int *a, float4 v) {
    printf("plain\n");
    printf("%d %s %v4f \"%c\"\\\t%%\n", a[0], "text", v, 'c');
}

kernel void long_identifiers_____with__underscores(global int *a__b, int $dollar) { a__b[0] = $dollar; }

kernel void fast_math_kernel(global float *a) {
#pragma clang fp reassociate(on) reciprocal(on)
    float x = a[0];
    a[1] = x + a[2] + a[3] / x;
}

kernel void special_floats(global float *f, global double *d) {
    f[0] = NAN;
    f[1] = -INFINITY;
    f[2] = 0x1p-149f;
    f[3] = 3.4028234663852886e38f;
    f[4] = __builtin_nanf("0x12345");
    f[5] = __builtin_nansf("1");
    f[6] = 16777217.0f;
    d[0] = __builtin_nan("0xabcdef");
    d[1] = 0x1.fffffffffffffp1023;
    d[2] = 4.9e-324;
    d[3] = 1.0;
    d[4] = 100000.0;
    d[5] = 1234567.0;
    d[6] = -0.0;
}

kernel void boolean_memory(global bool *a, int n) {
    bool b = n;
    a[0] = !b;
    a[1] = a[2] && b;
}

kernel void enumeration(global int *a) {
    enum { red = 3, green = -7, blue = 1 << 20 };
    a[0] = a[1] == red ? green : blue;
}

kernel void size_queries(global ulong *a, global const float *b) {
    a[0] = sizeof(float3) + sizeof(ulong16) + __alignof__(double4);
    a[1] = __builtin_object_size(b, 0);
    a[2] = __builtin_constant_p(a[0]);
}

kernel void many_arguments(char a, uchar b, short c, ushort d, int e, uint f, long g, ulong h, float i, double j,
                           char3 k, float2 l, global char *m, constant short *n, local int *o, global ulong16 *p) {
    m[0] = a + b + c + d + e + f + g + h + (int)i + (int)j + k.y + (int)l.x + n[0] + o[0] + p[0].s3;
}

kernel void variable_shift(global uint4 *a, global long3 *b) {
    a[0] = a[0] << a[1] | a[0] >> (32u - a[1]);
    b[0] = b[0] >> b[1];
}

kernel void empty(void) {}
