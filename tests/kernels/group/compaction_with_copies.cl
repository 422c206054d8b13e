// A stream is compacted: a scan finds the places, a copy brings the tile in and another one the result out.
//! options: -cl-std=CL3.0
//! launch: 64 / 16
//! launch: 15 / 5
//! sizes: any
//! arg a: small_ints(G[0])
//! arg b: zeros(G[0], int32)
//! arg counts: zeros(N[0], int32)
//! arg tile: L[0] * 8
//| for k, g in enumerate(a.reshape(-1, L[0])):
//|     kept = g[g > 0]
//|     counts[k] = len(kept)
//|     b[k * L[0] : k * L[0] + len(kept)] = kept
kernel void compaction_with_copies(global const int *a, global int *b, global int *counts, local int *tile) {
    int l = get_local_id(0), n = get_local_size(0), start = get_group_id(0) * n;
    local int *kept = tile + n;
    event_t e = async_work_group_copy(tile, a + start, n, 0);
    wait_group_events(1, &e);
    int keep = tile[l] > 0;
    int place = work_group_scan_exclusive_add(keep);
    int count = work_group_reduce_add(keep);
    if (keep) kept[place] = tile[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(b + start, kept, count, 0);
    wait_group_events(1, &e);
    if (l == 0) counts[get_group_id(0)] = count;
}
