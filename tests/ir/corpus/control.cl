// Control flow: loops, switches, irreducible cycles, early exits.

kernel void nested_loops(global float *a, int n, int m) {
    for (int i = 0; i < n; i++)
        for (int j = i; j < m; j += 2) {
            if (a[i * m + j] < 0)
                continue;
            if (a[i * m + j] > 100)
                break;
            a[i * m + j] *= 2;
        }
}

kernel void do_while(global int *a) {
    int x = a[get_global_id(0)];
    int steps = 0;
    do {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    } while (x != 1 && steps < 1000);
    a[get_global_id(0)] = steps;
}

kernel void switches(global int *a, char c, ulong l) {
    size_t i = get_global_id(0);
    switch (a[i]) {
    case 0: a[i] = 7; break;
    case 1:
    case 2: a[i] = 8; // falls through
    case 3: a[i] += 1; break;
    case -5: return;
    case 100 ... 103: a[i] = 1; break;
    default: a[i] = -1;
    }
    switch (c) {
    case 'x': a[i]++;
    }
    switch (l) {
    case 0x100000000ul: a[i] = 5; break;
    case 1: a[i] = 6;
    }
}

int lookup(int n) {
    switch (n) {
    case 0: return 11;
    case 1: return 29;
    case 2: return 53;
    case 3: return 71;
    case 4: return 97;
    case 5: return 10;
    default: return 0;
    }
}

kernel void switch_as_table(global int *a) {
    a[get_global_id(0)] = lookup(a[get_global_id(0)]);
}

kernel void irreducible(global int *a, int n) {
    int i = 0;
    if (n & 1)
        goto second;
first:
    a[i] += 1;
    i++;
second:
    a[i] -= 2;
    if (++i < n)
        goto first;
}

kernel void goto_forward(global int *a, int n) {
    if (n < 0)
        goto fail;
    for (int i = 0; i < n; i++)
        if (a[i] == 42)
            goto fail;
    a[0] = 1;
    return;
fail:
    a[0] = 0;
}

kernel void early_returns(global int *a, int n) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    if (a[i] == 0) {
        a[i] = 1;
        return;
    }
    a[i]--;
}

kernel void endless(global int *a) {
    for (;;)
        a[get_global_id(0)]++;
}

kernel void unreachable_code(global int *a, int n) {
    if (n > 3)
        __builtin_unreachable();
    a[0] = n;
    return;
    a[1] = n;
}

kernel void trap(global int *a) {
    if (a[0] == 1)
        __builtin_trap();
    a[0] = 2;
}

kernel void barriers_in_loop(global float *a, local float *t, int n) {
    int l = get_local_id(0);
    for (int s = 1; s < n; s <<= 1) {
        t[l] = a[l];
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (l >= s)
            a[l] += t[l - s];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

kernel void unroll_hints(global float *a, int n) {
#pragma unroll 4
    for (int i = 0; i < n; i++)
        a[i] += 1;
    __attribute__((opencl_unroll_hint(1))) for (int i = 0; i < n; i++) a[i] *= 2;
#pragma nounroll
    while (n--)
        a[n] -= 3;
}

int even(int n);
int odd(int n) { return n == 0 ? 0 : even(n - 1); }
int even(int n) { return n == 0 ? 1 : odd(n - 1); }

kernel void mutual_calls(global int *a) { a[0] = even(a[1] & 7); }

__attribute__((noinline)) int gcd(int a, int b) {
    while (b) {
        int t = a % b;
        a = b;
        b = t;
    }
    return a;
}

__attribute__((always_inline)) static inline float square(float x) { return x * x; }

kernel void function_calls(global int *a, global float *f) {
    size_t i = get_global_id(0);
    a[i] = gcd(a[i], a[i + 1]);
    f[i] = square(f[i]) + square(f[i + 1]);
}

kernel void conditional_operator_chain(global int *a, int n) {
    int i = get_global_id(0);
    a[i] = n == 0 ? a[i] : n == 1 ? a[i + 1] : n == 2 ? a[i + 2] : 0;
}

kernel __attribute__((reqd_work_group_size(8, 4, 1))) void required_size(global int *a) {
    a[get_global_id(0) + get_global_size(0) * get_global_id(1)] = get_local_id(0);
}

kernel __attribute__((vec_type_hint(float4), work_group_size_hint(64, 1, 1))) void hinted(global float4 *a) {
    a[get_global_id(0)] = (float4)(get_work_dim(), get_num_groups(0), get_group_id(1), get_global_offset(2));
}

kernel void computed_bounds(global float *a, int n) {
    float best = -INFINITY;
    int at = -1;
    for (int i = n; i-- > 0;)
        if (a[i] > best) {
            best = a[i];
            at = i;
        }
    a[0] = best + at;
}

kernel void vectorizable(global const int *restrict a, global int *restrict b, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        b[i] = a[i] * 3;
        sum += a[i];
    }
    b[n] = sum;
}
