// A sub-group that waits inside a loop which waits itself: the inner flag is set many times, the outer one at last.
//! options: -cl-std=CL3.0
//! launch: 96 / 48
//! launch: 80 / 40
//! arg out: zeros((N[0], 3), dtype=int32)
//! arg n: 6
//| for group in range(N[0]):
//|     out[group] = [n, n, 100 + n]
kernel void nested(global int *out, int n) {
    local atomic_int inner, outer, answer;
    int group = get_group_id(0), id = get_local_id(0);
    if (id == 0) {
        atomic_init(&inner, 0);
        atomic_init(&outer, 0);
        atomic_init(&answer, 0);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        int count = 0, last;
        do {
            while (atomic_load(&inner) == 0)
                ;
            count++;
            last = atomic_load(&outer);
            atomic_store(&inner, 0);
            atomic_fetch_add(&answer, 1);
        } while (last == 0);
        out[group * 3] = count;
    } else if (id == 16) {
        for (int k = 0; k < n; k++) {
            while (atomic_load(&answer) != k)
                ;
            if (k == n - 1)
                atomic_store(&outer, 1);
            atomic_store(&inner, 1);
        }
        while (atomic_load(&answer) != n)
            ;
        out[group * 3 + 1] = n;
    } else if (id == 32) {
        int seen = 0;
        do
            seen = atomic_load(&answer);
        while (seen < n);
        out[group * 3 + 2] = seen + 100;
    }
}
