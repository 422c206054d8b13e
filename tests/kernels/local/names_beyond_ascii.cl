// A kernel, its variables and its types may have names of any letters.
//! launch: 32 / 16
//! sizes: any
//! arg out: zeros(G[0], int32)
//| for group in out.reshape(-1, L[0]):
//|     group[:] = arange(L[0])[::-1] + arange(L[0]) % 2 * 7 + 5
constant int täfelchen[2] = {5, 12};
struct größe {
    int größer;
};
int zähle(struct größe g) { return g.größer; }
kernel void grüße(global int *out) {
    local struct größe übersicht[4096];
    uint l = get_local_id(0), n = get_local_size(0);
    übersicht[l].größer = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = zähle(übersicht[n - 1 - l]) + täfelchen[l % 2];
}
