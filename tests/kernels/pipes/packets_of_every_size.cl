// Packets are structures, vectors of three, bytes; they are read into private, local and global memory by functions.
//! options: -cl-std=CL3.0
//! launch: 16 / 8
//! launch: 15 / 6
//! arg structures: pipe(array([struct.pack("<bxxxihxx", i, i * 3, i * 5) for i in range(16)], dtype="V12"), 17, 9)
//! arg bytes: pipe(arange(16, dtype=uint8), 16, 3)
//! arg threes: pipe(array([(i, i + 0.5, -i, 0) for i in range(16)], dtype='f4,f4,f4,f4'), 16, 31)
//! arg wide: pipe(zeros(0, dtype='V128'), 16, 5)
//! arg sums: zeros(8, dtype=int32)
//| n = G[0]
//| k = n * (n - 1) // 2
//| sums[:] = [k, 3 * k, 5 * k, k, k, 2 * k + n, -k, n]
typedef struct {
    char a;
    int b;
    short c;
} Structure;
int take(read_only pipe Structure p, Structure *to) { return read_pipe(p, to); }
kernel void packets_of_every_size(read_only pipe Structure structures, read_only pipe uchar bytes,
                                  read_only pipe float3 threes, write_only pipe long16 wide, global int *sums) {
    local uchar shared[64];
    local Structure of_group[64];
    uint me = get_local_linear_id();
    Structure own, *to = me % 2 ? &own : (Structure *)&of_group[me];
    float3 three;
    if (take(structures, to) || read_pipe(bytes, &shared[me]) || read_pipe(threes, &three))
        return;
    atomic_add(&sums[0], to->a);
    atomic_add(&sums[1], to->b);
    atomic_add(&sums[2], to->c);
    atomic_add(&sums[3], shared[me]);
    atomic_add(&sums[4], (int)three.x);
    atomic_add(&sums[5], (int)(three.y * 2));
    atomic_add(&sums[6], (int)three.z);
    long16 all = (long16)(three.x);
    atomic_add(&sums[7], 1 + write_pipe(wide, &all));
}
