// Pipes: a ring of packets after a header, which weft/pipe_layout.py lays out and docs/runtime.md describes. `ring`
// points to it. Positions of packets count up from 0 for ever; a packet's place in the ring is its position modulo the
// capacity. Four positions are counters in the header, each on a cache line of its own:
//   read committed <= read reserved <= write committed <= write reserved <= read committed + capacity
// A reservation id is the first position of the reservation plus 1; 0 is invalid. The entry of that position in the
// table of the direction holds (end of the reservation << 1 | committed). What an earlier round left there ends at
// this position or before it, and what a later round puts there ends more than a capacity after it, so an id that is
// not that of an open reservation is recognized. Commits may come in any order: whoever commits moves the counter over
// all reservations at its place that are committed by then. That is why all is sequentially consistent: of two that
// commit neighbours at the same time, one sees the other's entry.
//! atomic_pipe_reserve_read(ulong*, uint, uint) atomic_pipe_reserve_write(ulong*, uint, uint)
//! atomic_pipe_packet_read(ulong*, ulong, uint, uint) atomic_pipe_packet_write(ulong*, ulong, uint, uint)
//! atomic_pipe_commit_read(ulong*, ulong) atomic_pipe_commit_write(ulong*, ulong)
//! atomic_pipe_num_packets(ulong*) atomic_pipe_max_packets(ulong*)

#define PACKET_BYTES 0
#define CAPACITY 1
#define PACKETS 2
#define WRITE_RESERVED 8
#define WRITE_COMMITTED 16
#define READ_RESERVED 24
#define READ_COMMITTED 32
#define TABLES 40
#define LOAD(place) __atomic_load_n(place, __ATOMIC_SEQ_CST)
#define EXCHANGE(place, expected, value) \
    __atomic_compare_exchange_n(place, expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
// Whether an entry is that of a reservation from `start` on that is not committed.
#define IS_OPEN(entry) (!((entry) & 1) && (entry) >> 1 > start && ((entry) >> 1) - start <= capacity)
#define WRITES ring + TABLES
#define READS ring + TABLES + ring[CAPACITY]

// Reserve packets from the counter `next` up to `last` plus `more`.
FN ulong weft_pipe_reserve(AS ulong *ring, AS ulong *next, AS ulong *last, ulong more, AS ulong *table, uint count,
                           uint bytes) {
    if (count == 0 || ring[PACKET_BYTES] != bytes)
        return 0;
    ulong start = LOAD(next);
    do {
        if (start + count > LOAD(last) + more)
            return 0;
    } while (!EXCHANGE(next, &start, start + count));
    __atomic_store_n(table + start % ring[CAPACITY], (start + count) << 1, __ATOMIC_SEQ_CST);
    return start + 1;
}

// The offset of a packet of a reservation from the start of the pipe, in bytes; negative if there is no such packet.
FN long weft_pipe_packet(AS ulong *ring, AS ulong *table, ulong id, uint index, uint bytes) {
    const ulong start = id - 1, capacity = ring[CAPACITY], entry = LOAD(table + start % capacity);
    if (!IS_OPEN(entry) || index >= (entry >> 1) - start || ring[PACKET_BYTES] != bytes)
        return -1;
    return ring[PACKETS] + (start + index) % capacity * bytes;
}

FN void weft_pipe_commit(AS ulong *ring, AS ulong *committed, AS ulong *table, ulong id) {
    const ulong start = id - 1, capacity = ring[CAPACITY];
    ulong entry = LOAD(table + start % capacity);
    if (!IS_OPEN(entry) || !EXCHANGE(table + start % capacity, &entry, entry | 1))
        return;
    ulong done = LOAD(committed);
    for (;;) {
        const ulong next = LOAD(table + done % capacity), end = next >> 1;
        if (!(next & 1) || end <= done)
            return;
        if (EXCHANGE(committed, &done, end))
            done = end;
    }
}

FN ulong weft_atomic_pipe_reserve_read(AS ulong *ring, uint count, uint bytes) {
    return weft_pipe_reserve(ring, ring + READ_RESERVED, ring + WRITE_COMMITTED, 0, READS, count, bytes);
}
FN ulong weft_atomic_pipe_reserve_write(AS ulong *ring, uint count, uint bytes) {
    return weft_pipe_reserve(ring, ring + WRITE_RESERVED, ring + READ_COMMITTED, ring[CAPACITY], WRITES, count, bytes);
}
FN long weft_atomic_pipe_packet_read(AS ulong *ring, ulong id, uint index, uint bytes) {
    return weft_pipe_packet(ring, READS, id, index, bytes);
}
FN long weft_atomic_pipe_packet_write(AS ulong *ring, ulong id, uint index, uint bytes) {
    return weft_pipe_packet(ring, WRITES, id, index, bytes);
}
FN void weft_atomic_pipe_commit_read(AS ulong *ring, ulong id) {
    weft_pipe_commit(ring, ring + READ_COMMITTED, READS, id);
}
FN void weft_atomic_pipe_commit_write(AS ulong *ring, ulong id) {
    weft_pipe_commit(ring, ring + WRITE_COMMITTED, WRITES, id);
}
// Packets that can be reserved for reading; while others reserve and commit, some number that there was.
FN uint weft_atomic_pipe_num_packets(AS ulong *ring) {
    const ulong reserved = LOAD(ring + READ_RESERVED), found = LOAD(ring + WRITE_COMMITTED) - reserved;
    return found < ring[CAPACITY] ? found : ring[CAPACITY];
}
FN uint weft_atomic_pipe_max_packets(AS ulong *ring) { return ring[CAPACITY]; }
#undef PACKET_BYTES
#undef CAPACITY
#undef PACKETS
#undef WRITE_RESERVED
#undef WRITE_COMMITTED
#undef READ_RESERVED
#undef READ_COMMITTED
#undef TABLES
#undef LOAD
#undef EXCHANGE
#undef IS_OPEN
#undef WRITES
#undef READS
