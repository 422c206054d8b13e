// A barrier in one arm of a uniform branch: the long code behind both arms follows two barriers, and stands there once.
//! launch: 32 / 8
//! arg a: arange(G[0], dtype=uint32)
//! arg out: zeros(G[0], uint32)
//! arg n: uint32(1)
//| x = a.reshape(-1, L[0])[:, ::-1].ravel()
//| for k in range(1, 41):
//|     x = (x << uint32(11)) ^ (x >> uint32(9)) ^ (x * uint32(2 * k + 1))
//| out[:] = x
#define STEP(k) x = (x << 11) ^ (x >> 9) ^ (x * (2 * (k) + 1));
#define STEPS(k) STEP(k) STEP(k + 1) STEP(k + 2) STEP(k + 3) STEP(k + 4) STEP(k + 5) STEP(k + 6) STEP(k + 7)
kernel void long_tail_after_uniform_if(global const uint *a, global uint *out, uint n) {
    local uint shared[64];
    uint l = get_local_id(0), i = get_global_id(0), x = a[i];
    if (n) {
        shared[l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = shared[get_local_size(0) - 1 - l];
    }
    STEPS(1) STEPS(9) STEPS(17) STEPS(25) STEPS(33)
    out[i] = x;
}
