// A structure argument that is only read, on both sides of a barrier, with a run-time index.
//! launch: 16 / 8
//! sizes: any
//! arg s: struct.pack("<8f", *range(8))
//! arg out: zeros(G[0], float32)
//| l = arange(G[0]) % L[0] % 8
//| out[:] = l * 10 + (7 - l)
typedef struct { float v[8]; } Eight;
kernel void structure_read_only_argument(const Eight s, global float *out) {
    int l = get_local_id(0);
    float x = s.v[l & 7];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = x * 10.0f + s.v[7 - (l & 7)];
}
