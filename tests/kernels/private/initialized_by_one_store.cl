// Private arrays of eight bytes, which LLVM initializes by one store each, are indexed by data.
//! launch: 64 / 16
//! sizes: any
//! arg a: small_ints(G[0])
//| counts = array([0, 100, 200, -300])[a & 3]
//| b = counts + [int(sum(((a[i] + arange(9) * 3) & 3) == (a[i] & 3))) for i in range(len(a))]
//| a[:] = b * 2 + (a & 1)
kernel void initialized_by_one_store(global int *a) {
    short counts[4] = {0, 100, 200, -300};
    int halves[2] = {0, 1};
    int i = get_global_id(0), first = a[i];
    for (int k = 0; k < 9; k++) counts[first + k * 3 & 3]++;
    a[i] = counts[first & 3] * 2 + halves[first & 1];
}
