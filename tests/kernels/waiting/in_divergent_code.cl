// Some work-items of a sub-group wait, each for one of the next sub-group, in code that others do not run.
//! options: -cl-std=CL3.0
//! launch: 192 / 96
//! launch: 48 / 48
//! arg flags: zeros(G[0] + 16, dtype=int32)
//! arg seen: zeros(G[0], dtype=int32)
//| for group in range(N[0]):
//|     for item in range(L[0]):
//|         at = group * L[0] + item
//|         flags[at] = item + 7
//|         if item % 3 == 1 and item + 16 < L[0]:
//|             seen[at] = item + 16 + 7
//|         elif item % 3 == 2:
//|             seen[at] = sum(range(item))
//|         else:
//|             seen[at] = -item
kernel void divergent(global int *flags, global int *seen) {
    int id = get_local_id(0), at = get_global_id(0), found = -id;
    if (id % 3 == 1 && id + 16 < (int)get_local_size(0)) {
        while ((found = atomic_add((volatile global int *)(flags + at + 16), 0)) == 0)
            ;
    } else if (id % 3 == 2) {
        found = 0;
        for (int i = 0; i < id; i++)
            found += i;
    }
    seen[at] = found;
    atomic_xchg(flags + at, id + 7);
}
