// prefetch: a hint with no effect on what the kernel computes; the hardware's own prefetcher serves.
//! types: all
//! prefetch(const T*, size_t)

FN void weft_prefetch(const AS T *p, size_t count) {}
