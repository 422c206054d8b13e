// Loads of half as float: vload_half at the element's alignment, vloada_half at the vector's, where a vector of
// three takes the room of four.
//! open
//! vload_half(size_t, const half*) vload_half#(size_t, const half*)
//! vloada_half(size_t, const half*) vloada_half#(size_t, const half*)

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#if N == 1
FN float weft_vload_half(size_t offset, const AS half *p) { return (float)p[offset]; }
FN float weft_vloada_half(size_t offset, const AS half *p) { return (float)p[offset]; }
#elif N == 3
FN float3 weft_vload_half3(size_t offset, const AS half *p) {
    p += offset * 3;
    return (float3)((float)p[0], (float)p[1], (float)p[2]);
}
FN float3 weft_vloada_half3(size_t offset, const AS half *p) {
    p += offset * 4;
    return (float3)((float)p[0], (float)p[1], (float)p[2]);
}
#else
FN VEC(float) PASTE(weft_vload_half, N)(size_t offset, const AS half *p) {
    typedef half unaligned __attribute__((ext_vector_type(N), aligned(2)));
    return __builtin_convertvector(*(const AS unaligned *)(p + offset * N), VEC(float));
}
FN VEC(float) PASTE(weft_vloada_half, N)(size_t offset, const AS half *p) {
    typedef half vector __attribute__((ext_vector_type(N)));
    return __builtin_convertvector(*(const AS vector *)(p + offset * N), VEC(float));
}
#endif
