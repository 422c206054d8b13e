// Rows of numbers are reduced in each round between barriers; what work-items keep across them is in memory.
//! options: -cl-std=CL3.0
//! launch: 512 / 256
//! launch: (32, 16) / (16, 8)
//! arg a: eighths(prod(G))
//! arg out: zeros(prod(G), float32)
//! arg rounds: 3
//| items = prod(L)
//| def by_group(x):
//|     if len(G) == 1:
//|         return x.reshape(-1, items)
//|     return x.reshape(G[1] // L[1], L[1], G[0] // L[0], L[0]).transpose(0, 2, 1, 3).reshape(-1, items)
//| done = []
//| for x in by_group(a):
//|     x = x.copy()
//|     for k in range(3):
//|         other = x[::-1] + k
//|         sums = other.reshape(-1, 16).sum(1).repeat(16)
//|         x = (x + (sums > other)) * float32(0.5)
//|         x = np.round(x * 8) / 8
//|     done.append(x)
//| if len(G) == 1:
//|     out[:] = concatenate(done)
//| else:
//|     shape = G[1] // L[1], G[0] // L[0], L[1], L[0]
//|     out[:] = array(done).reshape(shape).transpose(0, 2, 1, 3).ravel()
__attribute__((intel_reqd_sub_group_size(16)))
kernel void reductions_between_barriers(global const float *a, global float *out, int rounds) {
    local float t[256];
    size_t l = get_local_linear_id(), items = get_local_size(0) * get_local_size(1);
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    float x = a[i];
    for (int k = 0; k < rounds; k++) {
        t[l] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        float other = t[items - 1 - l] + k;
        x = (x + (sub_group_reduce_add(other) > other)) * 0.5f;
        x = rint(x * 8) / 8;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = x;
}
