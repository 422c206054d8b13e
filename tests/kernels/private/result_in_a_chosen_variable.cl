// Built-ins write to the one or the other private variable, which differs between work-items.
//! launch: 32 / 32
//! arg a: small_ints(G[0])
//| for i in range(G[0]):
//|     whole = int((int(a[i]) * 4 + 1) / 4)
//|     left, right = (whole, 200) if i % 3 == 0 else (100, whole)
//|     a[i] = left * 1000 + right
kernel void result_in_a_chosen_variable(global int *a) {
    int i = get_global_id(0);
    float left = 100, right = 200;
    modf((a[i] * 4 + 1) * 0.25f, i % 3 == 0 ? &left : &right);
    a[i] = (int)left * 1000 + (int)right;
}
