// Values live across barriers in loops, private arrays among them; the last group is smaller.
//! options: -cl-std=CL3.0
//! launch: (77, 1) / (32, 1)
//! launch: (19, 6) / (5, 4)
//! arg n: 5
//! arg out: arange(G[0] * G[1], dtype=uint32)
//| before = out.reshape(G[1], G[0]).copy()
//| for y in range(0, G[1], L[1]):
//|     for x in range(0, G[0], L[0]):
//|         group = before[y:y + L[1], x:x + L[0]].copy()
//|         values = group.reshape(-1)
//|         for k in range(n):
//|             values[:] = values * 3 + concatenate((values[1:], values[:1])) + k
//|         out.reshape(G[1], G[0])[y:y + L[1], x:x + L[0]] = values.reshape(group.shape)
kernel void loop_between_barriers(uint n, global uint *out) {
    local uint t[64];
    uint l = get_local_linear_id(), g = get_global_linear_id();
    uint size = get_local_size(0) * get_local_size(1);
    uint value[2] = {out[g], 0};
    for (uint k = 0; k < n; k++) {
        t[l] = value[k & 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        value[(k + 1) & 1] = value[k & 1] * 3 + t[(l + 1) % size] + k;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = value[n & 1];
}
