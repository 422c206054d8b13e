// Each case of a uniform switch has a barrier of its own; what follows them is long, and stands in the code once.
//! launch: 32 / 8
//! launch: 48 / 16
//! arg a: arange(G[0], dtype=uint32)
//! arg out: zeros(G[0], uint32)
//! arg n: uint32(2)
//| local_size = L[0]
//| group = a.reshape(-1, local_size)
//| x = group[:, ::-1] ^ uint32(5)
//| x = x.ravel() + a
//| for k in range(1, 41):
//|     x = (x << uint32(13)) ^ (x >> uint32(7)) ^ (x * uint32(2 * k + 1))
//| out[:] = x
#define STEP(k) x = (x << 13) ^ (x >> 7) ^ (x * (2 * (k) + 1));
#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4) STEP(k + 5) STEP(k + 6) STEP(k + 7)
kernel void long_tail_after_barriers_in_cases(global const uint *a, global uint *out, uint n) {
    local uint shared[64];
    uint l = get_local_id(0), last = get_local_size(0) - 1, i = get_global_id(0), x;
    switch (n) {
    case 0:
        shared[l] = a[i] * 3;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = shared[l ^ 1];
        break;
    case 1:
        shared[l] = a[i] + 7;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = shared[0];
        break;
    default:
        shared[l] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        x = shared[last - l] ^ 5;
    }
    x += a[i];
    STEPS(1) STEPS(9) STEPS(17) STEPS(25) STEPS(33)
    out[i] = x;
}
