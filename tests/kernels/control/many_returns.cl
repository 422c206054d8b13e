// A kernel and a function with several returns each.
//! launch: 24 / 8
//! sizes: any
//! arg a: small_ints(G[0])
//| a[:] = [v if v == 0 else -1 if v < -20 else 3 if v < 0 else v if v > 40 else v * 2 for v in a.tolist()]
int classify(int v) {
    if (v < -20) return -1;
    if (v < 0) return 3;
    return v;
}
kernel void many_returns(global int *a) {
    int i = get_global_id(0);
    if (a[i] == 0) return;
    int c = classify(a[i]);
    if (a[i] > 40) return;
    if (a[i] < 0) {
        a[i] = c;
        return;
    }
    a[i] = c * 2;
}
