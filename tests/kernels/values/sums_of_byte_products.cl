// One work-item adds up products of bytes, signed and unsigned ones; LLVM's SLP vectorizer confuses them.
//! launch: 1 / 1
//! arg a: small_ints(64, uint32, 0, 65535) * uint32(65537)
//! arg b: small_ints(64, uint32, 0, 65535) * uint32(40503)
//! arg r: zeros((64, 4), int32)
//| x, y = a.view(uint8).reshape(-1, 4).astype(int32), b.view(uint8).reshape(-1, 4).astype(int32)
//| s, t = a.view(int8).reshape(-1, 4).astype(int32), b.view(int8).reshape(-1, 4).astype(int32)
//| r[:] = stack([(x * y).sum(1), (s * t).sum(1), (x * t).sum(1), (s * y).sum(1)], 1)
#define S(x, n) ((int)(x << (24 - n)) >> 24)
#define U(x, n) (int)(x >> n & 255)
#define DOT(A, B) (A(x, 0) * B(y, 0) + A(x, 8) * B(y, 8) + A(x, 16) * B(y, 16) + A(x, 24) * B(y, 24))
kernel void sums_of_byte_products(global const uint *a, global const uint *b, global int4 *r) {
    for (int i = 0; i < 64; i++) {
        uint x = a[i], y = b[i];
        r[i] = (int4)(DOT(U, U), DOT(S, S), DOT(U, S), DOT(S, U));
    }
}
