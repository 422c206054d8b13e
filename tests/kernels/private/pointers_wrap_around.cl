// A pointer cycles through a private array in a loop with a uniform trip count, and others point to one of two
// elements: each becomes a number of an element.
//! launch: 64 / 32
//! launch: 21 / 7
//! arg a: small_ints((11, G[0]))
//! arg out: zeros((2, G[0]), int32)
//! arg count: 11
//| ring = zeros((4, G[0]), int32)
//| for i in range(11):
//|     out[0] += a[i] - ring[i % 4]
//|     ring[i % 4] = a[i]
//| chosen = where(a[0] > a[1], 1, 2)
//| x = arange(G[0])
//| ring[chosen, x] += 5
//| out[1] = 3 * ring[chosen + 1, x] + ring[chosen, x] + (chosen == 2)
__kernel void round_and_round(__global const int *a, __global int *out, int count) {
    int x = get_global_id(0), n = get_global_size(0), sum = 0;
    int ring[4] = {0}, *p = ring;
    for (int i = 0; i < count; i++) {
        int number = a[i * n + x];
        sum += number - *p;
        *p++ = number;
        if (p == ring + 4)
            p = ring;
    }
    out[x] = sum;
    int *chosen = a[x] > a[n + x] ? &ring[1] : &ring[2];
    *chosen += 5;
    out[n + x] = 3 * chosen[1] + *chosen + (chosen > &ring[1]);
}
