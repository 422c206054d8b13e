// Loops of 0 to 9 iterations, in which an iteration loads what one of the iterations before stored, 0 to 3 of them back,
// through another pointer; one of them is left early. The distance is not known when the kernel is compiled.
//! launch: 40 / 10
//! launch: 40 / 1
//! sizes: any
//! arg a: small_ints((G[0], 16))
//! arg distance: arange(G[0]) % 4
//! arg count: (arange(G[0]) * 7 % 10).astype(int32)
//! arg out: zeros((G[0], 3), int32)
//| for i in range(G[0]):
//|     d, n, row = int(distance[i]), int(count[i]), a[i]
//|     for k in range(n):
//|         row[k + d] = row[k] * 3 + k
//|     trips = 0
//|     for k in range(n):
//|         if row[k] > 100: break
//|         row[15 - k] += row[k] - d
//|         trips += 1
//|     total = 0
//|     for k in range(n):
//|         total = total * 5 + int(row[k])
//|     out[i] = [trips, (total + 2**31) % 2**32 - 2**31, n]
kernel void recurrence_of_few_iterations(global int *a, global const long *distance, global const int *count,
                                         global int *out) {
    int i = get_global_id(0), n = count[i], trips = 0;
    global int *row = a + i * 16, *later = row + distance[i];
    for (int k = 0; k < n; k++) later[k] = row[k] * 3 + k;
    for (int k = 0; k < n; k++) {
        if (row[k] > 100) break;
        row[15 - k] += row[k] - (int)distance[i];
        trips++;
    }
    uint total = 0;
    for (int k = 0; k < n; k++) total = total * 5 + row[k];
    out[i * 3] = trips;
    out[i * 3 + 1] = total;
    out[i * 3 + 2] = n;
}
