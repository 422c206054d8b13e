// Vector data store: N elements at p + offset * N, aligned to the element only.
//! open
//! types: all
//! vstore#(T, size_t, T1*)

FN void PASTE(weft_vstore, N)(T value, size_t offset, AS T1 *p) {
#if N == 3
    // Element by element: a vector of three occupies four elements in memory, which need not be ours.
    p += offset * 3;
    p[0] = value.x;
    p[1] = value.y;
    p[2] = value.z;
#else
    typedef T unaligned __attribute__((aligned(T_SIZE)));
    *(AS unaligned *)(p + offset * N) = value;
#endif
}
