// Quotients without a value are passed to functions, and are elements of vectors before numbers that have one.
//! launch: 24 / 8
//! arg a: zeros((G[0], 4), int32)
//| i = arange(G[0])
//| a[:] = np.stack([i + 5, i + 6, i + 1, i + 7], axis=1)
int count(int n, int i) { return (n > 3 ? 2 : 2) + i; }
int4 behind(int4 v) { return v.yzww; }
char narrow(char c, uchar d) { return (c <= 127) + (d <= 255); }
kernel void quotients_that_are_constant(global int *a) {
    int i = get_global_id(0);
    int4 v = (int4)(1 / 0, i, 2, 3);
    int4 w = behind((int4)(7 % 0, i, 2, 3));
    global int *to = a + 4 * i;
    to[0] = v.y + v.z + v.w;
    to[1] = w.x + w.y + w.z + clamp(5 / 0, 1, 1);
    to[2] = count(1 / 0, i) - 1;
    to[3] = narrow(1 / 0, 5 % 0) + i + v.z + w.w;
}
