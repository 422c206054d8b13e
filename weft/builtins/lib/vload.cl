// Vector data load: N elements at p + offset * N, aligned to the element only.
//! open
//! types: all
//! vload#(size_t, const T1*)

FN T PASTE(weft_vload, N)(size_t offset, const AS T1 *p) {
#if N == 3
    // Element by element: a vector of three occupies four elements in memory, which need not be ours.
    p += offset * 3;
    return (T)(p[0], p[1], p[2]);
#else
    typedef T unaligned __attribute__((aligned(T_SIZE)));
    return *(const AS unaligned *)(p + offset * N);
#endif
}
