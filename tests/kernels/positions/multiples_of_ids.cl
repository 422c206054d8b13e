// Indices that are multiples of global ids, as ints and unsigned: below and above 2**29, where four times an id
// wraps around, at 2**28, where eight times an id does, and below and above 2**31, where ids are no ints. Negative
// multiples, too.
//! launch: 64 / 16
//! launch: 64 / 16 + (2**28 - 32,)
//! launch: 48 / 16 + (2**29 - 48,)
//! launch: 48 / 16 + (2**29 - 32,)
//! launch: 48 / 16 + (2**31 - 48,)
//! launch: 48 / 16 + (2**31 - 32,)
//! arg out: full(4 * G[0], -1, dtype=int32)
//! arg a: small_ints(8 * G[0])
//! arg down: zeros(G[0], int64)
//! arg begin: O[0]
//| i = np.arange(G[0])
//| three, four, eight = ((k * (begin + i)).astype(np.int32) for k in (3, 4, 8))
//| out[0::4] = a[8 * i] ^ eight
//| out[1::4] = a[8 * i + 5] ^ three
//| out[2::4] = eight.astype(np.int64) >> 3
//| out[3::4] = a[3 * i + 2] ^ four
//| down[:] = (-100 * (begin + i)).astype(np.int32)
kernel void multiples(global int *out, global const int *a, global long *down, ulong begin)
{
    int three = 3 * get_global_id(0), eight = 8 * get_global_id(0), four = 4 * get_global_id(0);
    uint to = 4 * get_global_id(0);
    out[(uint)four - 4 * (uint)begin] = a[(uint)eight - 8 * (uint)begin] ^ eight;
    out[to - 4 * (uint)begin + 1] = a[(uint)(eight + 5) - 8 * (uint)begin] ^ three;
    out[to - 4 * (uint)begin + 2] = (int)((long)eight >> 3);
    out[to - 4 * (uint)begin + 3] = a[(uint)three - 3 * (uint)begin + 2] ^ four;
    down[get_global_id(0) - begin] = (int)(-100 * (long)get_global_id(0));
}
