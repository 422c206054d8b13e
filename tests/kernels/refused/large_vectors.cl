//! error: uses vectors of 1048576 bytes; the limit is 16384

typedef int ints __attribute__((vector_size(1 << 20)));

kernel void k(global ints *x) {
    x[0] = x[0] + x[1];
}
