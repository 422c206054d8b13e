// Each work-item stores one element of three: a vector spread under a mask, where LLVM would scatter.
//! launch: 128 / 64
//! launch: 30 / 15
//! arg a: small_ints((G[0], 3))
//! arg step: 3
//| for i in range(G[0]):
//|     a[i, 0] = i * step - 7
kernel void every_third_element(global int *a, int step) {
    int i = get_global_id(0);
    a[3 * i] = i * step - 7;
}
