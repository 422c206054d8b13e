// C++ for OpenCL 1.0, which is based on OpenCL C 2.0.
//! options: -cl-std=CLC++1.0
//! launch: 32 / 8
//! arg a: small_ints(G[0])
//! arg in: pipe(arange(20, dtype=int32), 20, 7)
//! arg got: zeros(1, dtype=int32)
//| a[:] = 2 * a + a.reshape(-1, L[0]).max(1).repeat(L[0])
//| got[0] = 190
#if __OPENCL_CPP_VERSION__ != 100
#error not the version that was asked for
#endif
kernel void version_1(global int *a, read_only pipe int in, global int *got) {
    auto i = get_global_id(0);
    int packet;
    auto greatest = work_group_reduce_max(a[i]);
    atomic_add(got, read_pipe(in, &packet) == 0 ? packet : 0);
    a[i] = 2 * a[i] + greatest;
}
