"""Stream ciphers: AES with tables and ChaCha20, one block per work-item."""

from functools import partial

import numpy as np

from bench.case import Case, Launch, Local, case

KEY_BYTES = 16
AES_ROUNDS = 10

AES = """
#define ROUNDS 10

// A round of four columns: four tables of 256 words, of which each is the first one turned by a byte.
#define COLUMN(T, a, b, c, d) \\
    (T[(a) & 255] ^ T[256 + (((b) >> 8) & 255)] ^ T[512 + (((c) >> 16) & 255)] ^ T[768 + ((d) >> 24)])
#define LAST(S, a, b, c, d) \\
    (S[(a) & 255] | (uint)S[((b) >> 8) & 255] << 8 | (uint)S[((c) >> 16) & 255] << 16 | \\
     (uint)S[(d) >> 24] << 24)

#define ENCRYPT(TABLE, BOX, block, keys) \\
    uint4 s = block ^ keys[0]; \\
    for (uint r = 1; r < ROUNDS; r++) \\
        s = (uint4)(COLUMN(TABLE, s.x, s.y, s.z, s.w), COLUMN(TABLE, s.y, s.z, s.w, s.x), \\
                    COLUMN(TABLE, s.z, s.w, s.x, s.y), COLUMN(TABLE, s.w, s.x, s.y, s.z)) ^ keys[r]; \\
    s = (uint4)(LAST(BOX, s.x, s.y, s.z, s.w), LAST(BOX, s.y, s.z, s.w, s.x), \\
                LAST(BOX, s.z, s.w, s.x, s.y), LAST(BOX, s.w, s.x, s.y, s.z)) ^ keys[ROUNDS];

// The counter is the last word of a block, the most significant byte first.
uint4 counter_block(uint4 nonce, uint number) {
    return (uint4)(nonce.xyz, as_uint(as_uchar4(number).wzyx));
}

kernel void aes_counter(global const uint4 *text, global uint4 *result, constant uint *tables,
                        constant uchar *box, constant uint4 *keys, uint4 nonce) {
    size_t item = get_global_id(0);
    uint4 block = counter_block(nonce, item);
    ENCRYPT(tables, box, block, keys)
    result[item] = text[item] ^ s;
}

// The tables of a group are copied to local memory first.
kernel void aes_counter_local(global const uint4 *text, global uint4 *result, global const uint *tables,
                              global const uchar *box, constant uint4 *keys, uint4 nonce,
                              local uint *near_tables, local uchar *near_box) {
    size_t item = get_global_id(0);
    for (uint k = get_local_id(0); k < 1024; k += get_local_size(0))
        near_tables[k] = tables[k];
    for (uint k = get_local_id(0); k < 256; k += get_local_size(0))
        near_box[k] = box[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint4 block = counter_block(nonce, item);
    ENCRYPT(near_tables, near_box, block, keys)
    result[item] = text[item] ^ s;
}
"""


def _doubled(x: int) -> int:
    """Return twice a byte, as a polynomial over bits modulo x^8 + x^4 + x^3 + x + 1."""
    return x << 1 ^ (0x11B if x & 0x80 else 0)


def substitution_box() -> np.ndarray:
    """Return the inverse of each byte, with its bits mixed."""
    powers = [1]
    while len(powers) < 255:
        powers.append(_doubled(powers[-1]) ^ powers[-1])  # 3 generates all bytes except 0
    inverse = {power: powers[-number % 255] for number, power in enumerate(powers)}
    box = []
    for byte in range(256):
        x = inverse.get(byte, 0)
        mixed = x
        for turn in range(1, 5):
            mixed ^= (x << turn | x >> (8 - turn)) & 255
        box.append(mixed ^ 0x63)
    return np.array(box, np.uint8)


def round_keys(key: bytes) -> np.ndarray:
    """Return a row of sixteen bytes for each round, and one more."""
    box = substitution_box()
    words = [list(key[k : k + 4]) for k in range(0, KEY_BYTES, 4)]
    factor = 1
    while len(words) < 4 * (AES_ROUNDS + 1):
        word = list(words[-1])
        if len(words) % 4 == 0:
            word = [int(box[byte]) for byte in (*word[1:], word[0])]
            word[0] ^= factor
            factor = _doubled(factor)
        words.append([a ^ b for a, b in zip(word, words[-4], strict=True)])
    return np.array(words, np.uint8).reshape(AES_ROUNDS + 1, KEY_BYTES)


def aes_blocks(blocks: np.ndarray, key: bytes) -> np.ndarray:
    """Compute AES-128 of rows of sixteen bytes, step by step as in the standard, without tables of words."""
    box, keys = substitution_box(), round_keys(key)
    doubled = np.array([_doubled(x) & 255 for x in range(256)], np.uint8)
    shifted = [(4 * (column + row) + row) % 16 for column in range(4) for row in range(4)]
    state = blocks ^ keys[0]
    for number in range(1, AES_ROUNDS + 1):
        state = box[state][:, shifted]
        if number < AES_ROUNDS:
            columns = state.reshape(-1, 4, 4)
            following = np.roll(columns, -1, axis=2)
            whole = np.bitwise_xor.reduce(columns, axis=2, keepdims=True)
            state = (columns ^ whole ^ doubled[columns ^ following]).reshape(-1, 16)
        state = state ^ keys[number]
    return state


def word_tables() -> np.ndarray:
    """Return tables that combine the substitution of a byte and the mixing of its column, by the byte's
    row."""
    box = substitution_box().astype(np.uint32)
    twice = np.array([_doubled(int(x)) & 255 for x in box], np.uint32)
    first = twice | box << 8 | box << 16 | (twice ^ box) << 24
    tables = [first << np.uint32(8 * row) | first >> np.uint32(32 - 8 * row) for row in (1, 2, 3)]
    return np.concatenate([first, *tables])


_UINT4 = np.dtype([(name, np.uint32) for name in "xyzw"])


def aes(random: np.random.Generator, count: int, kernel: str) -> Case:
    """AES-128 in counter mode."""
    key = random.integers(0, 256, KEY_BYTES, dtype=np.uint8)
    nonce = random.integers(0, 256, KEY_BYTES, dtype=np.uint8)
    text = random.integers(0, 256, (count, KEY_BYTES), dtype=np.uint8)
    counters = np.tile(nonce, (count, 1))
    counters[:, 12:] = np.arange(count, dtype=">u4").view(np.uint8).reshape(count, 4)
    near = (Local(4096), Local(256)) if kernel == "aes_counter_local" else ()
    arguments = ("text", "result", "tables", "box", "keys", nonce.view(_UINT4)[0], *near)
    return Case(
        AES,
        [Launch(kernel, arguments, (count,), (64,))],
        {
            "text": text,
            "result": np.zeros_like(text),
            "tables": word_tables(),
            "box": substitution_box(),
            "keys": round_keys(key.tobytes()),
        },
        {"result": text ^ aes_blocks(counters, key.tobytes())},
    )


for _count in (2**12, 2**18):
    case(f"hashes/AES/tables, {16 * _count // 1024} KiB", sizes={"count": _count}, small={"count": 128})(
        partial(aes, kernel="aes_counter")
    )
case("hashes/AES/tables in local memory", sizes={"count": 2**16}, small={"count": 128})(
    partial(aes, kernel="aes_counter_local")
)

CHACHA = """
#define QUARTER(a, b, c, d) \\
    a += b; d = rotate(d ^ a, (W)(16)); c += d; b = rotate(b ^ c, (W)(12)); \\
    a += b; d = rotate(d ^ a, (W)(8)); c += d; b = rotate(b ^ c, (W)(7));

// A word of the block in each variable.
#define W uint
kernel void chacha_words(global const uint *text, global uint *result, constant uint *start) {
    uint item = get_global_id(0);
    uint x[16];
    for (uint k = 0; k < 16; k++)
        x[k] = start[k];
    x[12] += item;
    for (uint n = 0; n < 10; n++) {
        QUARTER(x[0], x[4], x[8], x[12])
        QUARTER(x[1], x[5], x[9], x[13])
        QUARTER(x[2], x[6], x[10], x[14])
        QUARTER(x[3], x[7], x[11], x[15])
        QUARTER(x[0], x[5], x[10], x[15])
        QUARTER(x[1], x[6], x[11], x[12])
        QUARTER(x[2], x[7], x[8], x[13])
        QUARTER(x[3], x[4], x[9], x[14])
    }
    for (uint k = 0; k < 16; k++)
        result[16 * item + k] = text[16 * item + k] ^ (x[k] + start[k] + (k == 12 ? item : 0));
}
#undef W

// A row of the block in each variable; the diagonals are rows that are turned.
#define W uint4
kernel void chacha_rows(global const uint4 *text, global uint4 *result, constant uint4 *start) {
    uint item = get_global_id(0);
    uint4 last = start[3] + (uint4)(item, 0, 0, 0);
    uint4 a = start[0], b = start[1], c = start[2], d = last;
    for (uint n = 0; n < 10; n++) {
        QUARTER(a, b, c, d)
        b = b.yzwx; c = c.zwxy; d = d.wxyz;
        QUARTER(a, b, c, d)
        b = b.wxyz; c = c.zwxy; d = d.yzwx;
    }
    result[4 * item] = text[4 * item] ^ (a + start[0]);
    result[4 * item + 1] = text[4 * item + 1] ^ (b + start[1]);
    result[4 * item + 2] = text[4 * item + 2] ^ (c + start[2]);
    result[4 * item + 3] = text[4 * item + 3] ^ (d + last);
}
"""


def chacha_start(key: bytes, counter: int, nonce: bytes) -> np.ndarray:
    """Return the sixteen words of the first block before its rounds."""
    return np.frombuffer(b"expand 32-byte k" + key + counter.to_bytes(4, "little") + nonce, np.uint32)


def chacha_stream(start: np.ndarray, count: int) -> np.ndarray:
    """Return rows of sixteen words: the key stream of `count` blocks."""
    blocks = np.tile(start, (count, 1))
    blocks[:, 12] += np.arange(count, dtype=np.uint32)
    x = list(blocks.T.copy())

    def quarter(a: int, b: int, c: int, d: int) -> None:
        for target, other, turned, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[target] = x[target] + x[other]
            mixed = x[turned] ^ x[target]
            x[turned] = mixed << np.uint32(bits) | mixed >> np.uint32(32 - bits)

    for _ in range(10):
        for k in range(4):
            quarter(k, 4 + k, 8 + k, 12 + k)
        for k in range(4):
            quarter(k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4)
    return np.stack(x, axis=1) + blocks


def chacha(random: np.random.Generator, count: int, kernel: str) -> Case:
    """ChaCha20: sums, exclusive or, rotations."""
    text = random.integers(0, 2**32, (count, 16), dtype=np.uint32)
    start = chacha_start(random.bytes(32), 1, random.bytes(12))
    return Case(
        CHACHA,
        [Launch(kernel, ("text", "result", "start"), (count,), (64,))],
        {"text": text, "result": np.zeros_like(text), "start": start},
        {"result": text ^ chacha_stream(start, count)},
    )


for _count in (2**10, 2**16):
    for _kernel, _what in (("chacha_words", "uint"), ("chacha_rows", "uint4")):
        case(
            f"hashes/ChaCha20/{_what}, {64 * _count // 1024} KiB",
            sizes={"count": _count},
            small={"count": 128},
        )(partial(chacha, kernel=_kernel))
