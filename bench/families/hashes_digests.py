"""Digests of many messages: MD5, SHA-256 and SipHash, one message per work-item."""

import hashlib
from functools import partial

import numpy as np

from bench.case import Case, Launch, case

KEY = np.arange(16, dtype=np.uint8)

_SINES = ", ".join(f"{int(abs(np.sin(i + 1)) * 2**32):#x}" for i in range(64))
MD5 = """
constant uint SINES[64] = {SINES_OF_1_TO_64};
constant uint TURNS[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

// Adds a block of sixteen words to the state.
uint4 md5_block(uint4 state, const uint *block) {
    uint a = state.x, b = state.y, c = state.z, d = state.w;
    for (uint i = 0; i < 64; i++) {
        uint mixed, word;
        if (i < 16) {
            mixed = bitselect(d, c, b);
            word = i;
        } else if (i < 32) {
            mixed = bitselect(c, b, d);
            word = (5 * i + 1) & 15;
        } else if (i < 48) {
            mixed = b ^ c ^ d;
            word = (3 * i + 5) & 15;
        } else {
            mixed = c ^ (b | ~d);
            word = (7 * i) & 15;
        }
        uint turned = rotate(a + mixed + SINES[i] + block[word], TURNS[(i >> 4) * 4 + (i & 3)]);
        a = d;
        d = c;
        c = b;
        b += turned;
    }
    return state + (uint4)(a, b, c, d);
}

// Messages of `blocks` times 64 bytes, one behind the other.
kernel void md5_messages(global const uint *messages, global uint4 *digests, uint blocks) {
    size_t item = get_global_id(0);
    global const uint *message = messages + item * blocks * 16;
    uint4 state = (uint4)(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
    uint block[16];
    for (uint n = 0; n < blocks; n++) {
        for (uint k = 0; k < 16; k++)
            block[k] = message[16 * n + k];
        state = md5_block(state, block);
    }
    for (uint k = 0; k < 16; k++)
        block[k] = 0;
    block[0] = 0x80;
    block[14] = blocks * 512;
    digests[item] = md5_block(state, block);
}

// Messages of eight hexadecimal digits, the number of the work-item, as in a search for passwords.
kernel void md5_numbers(global uint4 *digests) {
    uint item = get_global_id(0);
    uint block[16];
    for (uint k = 0; k < 16; k++)
        block[k] = 0;
    for (uint k = 0; k < 8; k++) {
        uint digit = (item >> (28 - 4 * k)) & 15;
        uint letter = digit < 10 ? '0' + digit : 'a' + digit - 10;
        block[k / 4] |= letter << (8 * (k & 3));
    }
    block[2] = 0x80;
    block[14] = 64;
    digests[item] = md5_block((uint4)(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476), block);
}
""".replace("SINES_OF_1_TO_64", _SINES)


@case("hashes/MD5/messages of 256 bytes", sizes={"count": 2**14}, small={"count": 64})
def md5_messages(random: np.random.Generator, count: int, blocks: int = 4) -> Case:
    """Each work-item reads its own message."""
    messages = random.integers(0, 256, (count, 64 * blocks), dtype=np.uint8)
    digests = np.frombuffer(b"".join(hashlib.md5(row.tobytes()).digest() for row in messages), np.uint32)
    return Case(
        MD5,
        [Launch("md5_messages", ("messages", "digests", np.uint32(blocks)), (count,), (64,))],
        {"messages": messages, "digests": np.zeros_like(digests)},
        {"digests": digests},
    )


@case("hashes/MD5/numbers", sizes={"count": 2**16}, small={"count": 64})
def md5_numbers(random: np.random.Generator, count: int) -> Case:
    """Pure arithmetic: the message is the number of the work-item."""
    digests = b"".join(hashlib.md5(b"%08x" % number).digest() for number in range(count))
    expected = np.frombuffer(digests, np.uint32)
    return Case(
        MD5,
        [Launch("md5_numbers", ("digests",), (count,), (64,))],
        {"digests": np.zeros_like(expected)},
        {"digests": expected},
    )


def _primes(count: int) -> list[int]:
    primes: list[int] = []
    number = 2
    while len(primes) < count:
        if all(number % prime for prime in primes):
            primes.append(number)
        number += 1
    return primes


def _root(number: int, degree: int) -> int:
    """Return the first 32 bits of the fraction of a root, the source of SHA-256's constants."""
    scaled = number << (32 * degree)
    low, high = 0, 1 << 40
    while low < high:
        middle = (low + high + 1) // 2
        if middle**degree <= scaled:
            low = middle
        else:
            high = middle - 1
    return low & 0xFFFFFFFF


_FIRST_WORDS = ", ".join(f"{_root(prime, 2):#x}" for prime in _primes(8))
SHA256 = (
    f"""
constant uint ROOTS[64] = {{
    {", ".join(f"{_root(prime, 3):#x}" for prime in _primes(64))}
}};
#define FIRST (uint8)({_FIRST_WORDS})
"""
    + """
#define TURN(x, n) rotate((uint)(x), (uint)(32 - n))

uint8 sha256_block(uint8 state, uint *w) {
    uint a = state.s0, b = state.s1, c = state.s2, d = state.s3;
    uint e = state.s4, f = state.s5, g = state.s6, h = state.s7;
    for (uint i = 0; i < 64; i++) {
        if (i >= 16) {
            uint early = w[(i + 1) & 15], late = w[(i + 14) & 15];
            w[i & 15] += (TURN(early, 7) ^ TURN(early, 18) ^ (early >> 3)) + w[(i + 9) & 15]
                         + (TURN(late, 17) ^ TURN(late, 19) ^ (late >> 10));
        }
        uint x = h + (TURN(e, 6) ^ TURN(e, 11) ^ TURN(e, 25)) + bitselect(g, f, e) + ROOTS[i] + w[i & 15];
        uint y = (TURN(a, 2) ^ TURN(a, 13) ^ TURN(a, 22)) + bitselect(a, b, c ^ a);
        h = g; g = f; f = e; e = d + x;
        d = c; c = b; b = a; a = x + y;
    }
    return state + (uint8)(a, b, c, d, e, f, g, h);
}

uint big_endian(uint x) {
    return as_uint(as_uchar4(x).wzyx);
}

kernel void sha256_messages(global const uint *messages, global uint *digests, uint blocks) {
    size_t item = get_global_id(0);
    global const uint *message = messages + item * blocks * 16;
    uint8 state = FIRST;
    uint w[16];
    for (uint n = 0; n < blocks; n++) {
        for (uint k = 0; k < 16; k++)
            w[k] = big_endian(message[16 * n + k]);
        state = sha256_block(state, w);
    }
    for (uint k = 0; k < 16; k++)
        w[k] = 0;
    w[0] = 0x80000000;
    w[15] = blocks * 512;
    state = sha256_block(state, w);
    uint word[8];
    vstore8(state, 0, word);
    for (uint k = 0; k < 8; k++)
        digests[8 * item + k] = big_endian(word[k]);
}

// The digest of the digest of ... of a message of 32 bytes, as passwords are stretched.
kernel void sha256_chain(global const uint *messages, global uint *digests, uint links) {
    size_t item = get_global_id(0);
    uint word[8], w[16];
    for (uint k = 0; k < 8; k++)
        word[k] = big_endian(messages[8 * item + k]);
    for (uint n = 0; n < links; n++) {
        for (uint k = 0; k < 8; k++)
            w[k] = word[k];
        w[8] = 0x80000000;
        for (uint k = 9; k < 15; k++)
            w[k] = 0;
        w[15] = 256;
        vstore8(sha256_block(FIRST, w), 0, word);
    }
    for (uint k = 0; k < 8; k++)
        digests[8 * item + k] = big_endian(word[k]);
}
"""
)


def sha256_messages(random: np.random.Generator, count: int, blocks: int) -> Case:
    """Each work-item reads its own message."""
    messages = random.integers(0, 256, (count, 64 * blocks), dtype=np.uint8)
    digests = np.frombuffer(b"".join(hashlib.sha256(row.tobytes()).digest() for row in messages), np.uint32)
    return Case(
        SHA256,
        [Launch("sha256_messages", ("messages", "digests", np.uint32(blocks)), (count,), (64,))],
        {"messages": messages, "digests": np.zeros_like(digests)},
        {"digests": digests},
    )


for _bytes, _count in ((64, 2**14), (1024, 2**11)):
    case(f"hashes/SHA-256/messages of {_bytes} bytes", sizes={"count": _count}, small={"count": 64})(
        partial(sha256_messages, blocks=_bytes // 64)
    )


@case("hashes/SHA-256/chain", sizes={"count": 2**10, "links": 64}, small={"count": 64, "links": 3})
def sha256_chain(random: np.random.Generator, count: int, links: int) -> Case:
    """Pure arithmetic, in a loop over blocks."""
    messages = random.integers(0, 256, (count, 32), dtype=np.uint8)
    rows = [row.tobytes() for row in messages]
    for _ in range(links):
        rows = [hashlib.sha256(row).digest() for row in rows]
    digests = np.frombuffer(b"".join(rows), np.uint32)
    return Case(
        SHA256,
        [Launch("sha256_chain", ("messages", "digests", np.uint32(links)), (count,), (64,))],
        {"messages": messages, "digests": np.zeros_like(digests)},
        {"digests": digests},
    )


SIPHASH = """
#define ROUND \\
    v0 += v1; v2 += v3; v1 = rotate(v1, 13ul) ^ v0; v3 = rotate(v3, 16ul) ^ v2; v0 = rotate(v0, 32ul); \\
    v2 += v1; v0 += v3; v1 = rotate(v1, 17ul) ^ v2; v3 = rotate(v3, 21ul) ^ v0; v2 = rotate(v2, 32ul);

kernel void siphash(global const ulong *messages, global ulong *hashes, ulong2 key, uint words) {
    size_t item = get_global_id(0);
    ulong v0 = key.x ^ 0x736f6d6570736575ul, v1 = key.y ^ 0x646f72616e646f6dul;
    ulong v2 = key.x ^ 0x6c7967656e657261ul, v3 = key.y ^ 0x7465646279746573ul;
    for (uint k = 0; k < words; k++) {
        ulong word = messages[item * words + k];
        v3 ^= word;
        ROUND ROUND
        v0 ^= word;
    }
    ulong last = (ulong)words << 59;
    v3 ^= last;
    ROUND ROUND
    v0 ^= last;
    v2 ^= 0xff;
    ROUND ROUND ROUND ROUND
    hashes[item] = v0 ^ v1 ^ v2 ^ v3;
}
"""


def sip_hashes(words: np.ndarray, key: np.ndarray = KEY) -> np.ndarray:
    """Return SipHash-2-4 of each row of 64-bit words."""
    k0, k1 = key.view(np.uint64)
    v = [
        np.full(len(words), start, np.uint64)
        for start in (
            k0 ^ np.uint64(0x736F6D6570736575),
            k1 ^ np.uint64(0x646F72616E646F6D),
            k0 ^ np.uint64(0x6C7967656E657261),
            k1 ^ np.uint64(0x7465646279746573),
        )
    ]

    def turned(x: np.ndarray, bits: int) -> np.ndarray:
        return x << np.uint64(bits) | x >> np.uint64(64 - bits)

    def rounds(count: int) -> None:
        for _ in range(count):
            for first, bits, second in ((0, 13, 1), (2, 16, 3)):
                v[first] = v[first] + v[second]
                v[second] = turned(v[second], bits) ^ v[first]
            v[0] = turned(v[0], 32)
            for first, bits, second in ((2, 17, 1), (0, 21, 3)):
                v[first] = v[first] + v[second]
                v[second] = turned(v[second], bits) ^ v[first]
            v[2] = turned(v[2], 32)

    length = np.full(len(words), (8 * words.shape[1] & 255) << 56, np.uint64)
    for word in (*words.T, length):
        v[3] = v[3] ^ word
        rounds(2)
        v[0] = v[0] ^ word
    v[2] = v[2] ^ np.uint64(0xFF)
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def siphash(random: np.random.Generator, count: int, words: int) -> Case:
    """64-bit additions and rotations."""
    messages = random.integers(0, 2**64, (count, words), dtype=np.uint64)
    hashes = sip_hashes(messages)
    key = np.zeros(1, [("x", np.uint64), ("y", np.uint64)])
    key["x"], key["y"] = KEY.view(np.uint64)
    return Case(
        SIPHASH,
        [Launch("siphash", ("messages", "hashes", key[0], np.uint32(words)), (count,), (64,))],
        {"messages": messages, "hashes": np.zeros_like(hashes)},
        {"hashes": hashes},
    )


for _bytes, _count in ((16, 2**17), (256, 2**14)):
    case(f"hashes/SipHash/messages of {_bytes} bytes", sizes={"count": _count}, small={"count": 64})(
        partial(siphash, words=_bytes // 8)
    )
