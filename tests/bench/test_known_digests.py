"""What the benchmarks of ciphers expect is what their standards print."""

import numpy as np

from bench.families.hashes_ciphers import aes_blocks, chacha_start, chacha_stream
from bench.families.hashes_digests import sip_hashes


def test_aes_encrypts_the_block_of_its_standard() -> None:
    block = np.frombuffer(bytes.fromhex("00112233445566778899aabbccddeeff"), np.uint8)
    found = aes_blocks(block[None], bytes(range(16)))
    assert found.tobytes().hex() == "69c4e0d86a7b0430d8cdb78070b4c55a"


def test_chacha_makes_the_stream_of_its_standard() -> None:
    start = chacha_start(bytes(range(32)), 1, bytes.fromhex("000000090000004a00000000"))
    assert chacha_stream(start, 2)[0].tobytes().hex().startswith("10f1e7e4d13b5915500fdd1fa32071c4")


def test_siphash_of_eight_bytes_and_of_none() -> None:
    words = np.frombuffer(bytes(range(8)), np.uint64)
    assert sip_hashes(words[None]).tobytes().hex() == "6224939a79f5f593"
    assert sip_hashes(words[None, :0]).tobytes().hex() == "310e0edd47db6f72"
