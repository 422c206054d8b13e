// A store by a generic pointer stands between loads of a global buffer, and may change what the later ones read.
//! options: -cl-std=CL3.0
//! launch: 64 / 64
//! launch: (16, 4) / (16, 2)
//! arg a: small_ints(prod(G) * 3, int32, 0, 9)
//! arg r: zeros(prod(G), int32)
//! arg sh: 4 * 3 * prod(G)
//! arg in_local: 0
//! arg n: 1
//| a[1::3] = a[::3]
//| r[:] = a[1::3] * 10 + a[2::3]
kernel void order_of_accesses(global int *a, global int *r, local int *sh, int in_local, int n) {
    int *p = in_local ? (int *)sh : (int *)a;
    size_t i = get_global_linear_id();
    int x = a[3 * i];
    p[3 * i + n] = x;
    int y = a[3 * i + 1], z = a[3 * i + 2];
    r[i] = y * 10 + z;
}
