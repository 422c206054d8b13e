// After a first loop some work-items skip a second one that does more work, and join the others after it.
//! launch: 40 / 20
//! launch: 21 / 7
//! sizes: any
//! arg a: small_ints(G[0], int32, 0, 25)
//! arg b: zeros(G[0], int32)
//| for i, v in enumerate(a.tolist()):
//|     x, past = v, False
//|     for k in range(v % 6):
//|         if (x ^ k) % 5 == 4:
//|             past = True
//|             break
//|         x = x + 3
//|     if not past:
//|         for k in range(v):
//|             x = (x * 5 + k) % 1000
//|             x = x ^ (x >> 3)
//|             if x % 17 == 3: break
//|             b[i] += x & 1
//|     b[i] += x
kernel void loop_in_front_leads_past(global const int *a, global int *b) {
    int i = get_global_id(0), v = a[i], x = v;
    for (int k = 0; k < v % 6; k++) {
        if ((x ^ k) % 5 == 4) goto past;
        x += 3;
    }
    for (int k = 0; k < v; k++) {
        x = (x * 5 + k) % 1000;
        x ^= x >> 3;
        if (x % 17 == 3) break;
        b[i] += x & 1;
    }
past:
    b[i] += x;
}
