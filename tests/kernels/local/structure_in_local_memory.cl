// Structures in local memory.
//! launch: 12 / 6
//! sizes: any
//! arg a: small_ints(G[0])
//| o = a.reshape(-1, L[0])[:, ::-1].reshape(-1)
//| a[:] = o + o * 3
typedef struct { char tag; int n; long w; } Record;
kernel void structure_in_local_memory(global int *a) {
    local Record r[1024];
    int l = get_local_id(0), items = get_local_size(0), i = get_global_id(0);
    Record mine = {(char)l, a[i], a[i] * 3L};
    r[items - 1 - l] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = r[l].n + (int)r[l].w + (r[l].tag - (char)(items - 1 - l));
}
