// A function that may stay a function changes a record of each work-item, which the kernel then reads. A group has
// no more work-items than lanes.
//! launch: 8 / 8
//! launch: 16 / 4
//! launch: 32 / 16
//! arg given: array([9, 4, 3, 2, 1], uint32)
//! arg out: zeros((G[0], 3), uint32)
//| for i in range(G[0]):
//|     first = 9 ^ (2 * (i % L[0]))
//|     several = [3, 2, 1]
//|     several[2 * (i % L[0]) % 3] += first
//|     out[i] = first, several[0], several[1]
struct record {
    uint first;
    short second;
    uint several[3];
};

void touch(struct record *r, uint x) {
    r->first ^= x;
    r->several[x % 3u] += r->first;
    if (x & 1u) r->second--;
}

kernel void record_changed_by_a_function(struct record given, global uint *out) {
    touch(&given, 2 * get_local_id(0));
    out += get_global_id(0) * 3;
    out[0] = given.first;
    out[1] = given.several[0];
    out[2] = given.several[1];
}
