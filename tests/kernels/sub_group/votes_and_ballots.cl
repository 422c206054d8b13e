// Votes, ballots and what work-items read off a mask with a bit for each of them.
//! options: -cl-std=CL3.0
//! launch: 64 / 32
//! launch: 40 / 20
//! launch: (14, 10) / (7, 5)
//! arg a: small_ints(prod(G), int32, 0, 3) * rng.integers(0, 2, prod(N), int32).repeat(prod(L))
//! arg r: zeros((prod(G), 16), uint32)
//| size = prod(L)
//| for i in range(prod(G)):
//|     lid = i % size
//|     start = i - lid % 16
//|     row = a[start : min(start + 16, i - lid + size)]
//|     lane, most = lid % 16, min(size, 16)
//|     bits = [int(v != 0) for v in row]
//|     mask = sum(b << k for k, b in enumerate(bits))
//|     every = (1 << most) - 1
//|     first = bits.index(1) if any(bits) else 0
//|     last = len(bits) - 1 - bits[::-1].index(1) if any(bits) else 0
//|     r[i] = [all(bits), any(bits), all(v == row[0] for v in row), lane == 0, mask, bits[lane], bits[0],
//|             sum(bits), sum(bits[: lane + 1]), sum(bits[:lane]), first, last,
//|             (1 << lane) | ((1 << lane) - 1) << 16, every >> lane << lane, every >> lane + 1 << lane + 1,
//|             (1 << lane + 1) - 1]
kernel void votes_and_ballots(global const int *a, global uint *r) {
    size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);
    size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);
    size_t i = group * items + get_local_linear_id();
    global uint *o = r + i * 16;
    uint4 mask = sub_group_ballot(a[i]);
    bool some = mask.x != 0;
    o[0] = sub_group_all(a[i]) != 0;
    o[1] = sub_group_any(a[i]) != 0;
    o[2] = sub_group_non_uniform_all_equal(a[i]) != 0;
    o[3] = sub_group_elect() != 0;
    o[4] = mask.x + mask.y + mask.z + mask.w;
    o[5] = sub_group_inverse_ballot(mask) != 0;
    o[6] = sub_group_ballot_bit_extract(mask, 0) != 0;
    o[7] = sub_group_ballot_bit_count(mask);
    o[8] = sub_group_ballot_inclusive_scan(mask);
    o[9] = sub_group_ballot_exclusive_scan(mask);
    o[10] = some ? sub_group_ballot_find_lsb(mask) : 0;
    o[11] = some ? sub_group_ballot_find_msb(mask) : 0;
    o[12] = get_sub_group_eq_mask().x | get_sub_group_lt_mask().x << 16;
    o[13] = get_sub_group_ge_mask().x;
    o[14] = get_sub_group_gt_mask().x;
    o[15] = get_sub_group_le_mask().x;
}
