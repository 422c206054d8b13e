// The first work-item of each sub-group takes a lock several times and waits for its turn while it holds none; the
// lock protects plain code, and the last sub-group is the first to enter.
//! options: -cl-std=CL1.2
//! launch: 128 / 64
//! launch: 96 / 96
//! arg lock: zeros(N[0], dtype=int32)
//! arg log: full((N[0], 33), -1, dtype=int32)
//! arg turns: 4
//| for group in range(N[0]):
//|     number = L[0] // 16
//|     for k in range(turns * number):
//|         log[group, 1 + k] = number - 1 - k % number
//|     log[group, 0] = turns * number
kernel void locked(volatile global int *lock, global int *log, int turns) {
    int group = get_group_id(0), row = get_local_id(0) / 16, number = get_local_size(0) / 16;
    if (get_local_id(0) == 0)
        log[group * 33] = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) % 16 == 0) {
        for (int done = 0; done < turns;) {
            while (atomic_cmpxchg(lock + group, 0, 1) != 0)
                ;
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            int count = log[group * 33];
            if (number - 1 - count % number == row) {
                log[group * 33 + 1 + count] = row;
                log[group * 33] = count + 1;
                done++;
            }
            mem_fence(CLK_GLOBAL_MEM_FENCE);
            atomic_xchg(lock + group, 0);
        }
    }
}
