// Differences that are negative for the first work-items, which do not use them; the others do.
//! launch: 32 / 16
//! launch: 35 / 7
//! sizes: any
//! arg out: zeros(G[0], uint32)
//! arg far: zeros(G[0], uint64)
//! arg near: zeros(G[0], int32)
//| for i in range(G[0]):
//|     l = i % L[0]
//|     out[i] = abs(l - 1) * 7 + abs(l * 2 - 3)
//|     far[i] = l - 3 if l > 3 else (3 - l) << 32
//|     near[i] = (l - 3) * 5 if l >= 3 else -1
kernel void unused_numbers_of_the_first_lane(global uint *out, global ulong *far, global int *near) {
    uint i = get_global_id(0), l = get_local_id(0);
    uint one = (uchar)get_global_size(2), three = one * 2u + 1u;
    out[i] = abs_diff(l, one) * 7u + abs_diff(l * 2u, three);
    far[i] = l > three ? (ulong)(l - three) : (ulong)(three - l) << 32;
    near[i] = l >= three ? (int)(l - three) * 5 : -1;
}
