"""Devices for other processors: code, stubs, tables, output and faults go through the server in qemu."""

import ctypes
import gc
import struct
from collections.abc import Iterator

import numpy as np
import pytest
from isolated_support import Isolated
from weft.device._pool import lib

from weft.device import emulated, isolated
from weft.device.base import Device, Launch
from weft.device.emulators import EMULATORS, find_emulator
from weft.device.info import host_facts
from weft.device.region import Region
from weft.program import Kernel, build

ITEMS = 256
# A jump table, a constant array, a call that is not inlined, functions of the C library, output.
TABLES = """
constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__attribute__((noinline)) int choose(int i) {
    switch (i & 7) {
        case 0: return i * 3; case 1: return i - 7; case 2: return i ^ 21; case 3: return -i;
        case 4: return i / 3; case 5: return i << 2; case 6: return primes[i >> 3 & 7]; default: return 1;
    }
}
kernel void tables(global int *a, long n) {
    int i = get_global_id(0);
    a[i] = choose(i) + primes[i & 7] + (int)n + convert_int_rte(1000 * (float)fmod((double)i, 7.5));
    if (i == 9) printf("item %d of %s\\n", i, "all");
}
"""
OUT_OF_BOUNDS = "kernel void far(global int *a, long n) { a[n + get_global_id(0)] = 1; }"


def choose(i: int) -> int:
    primes = (2, 3, 5, 7, 11, 13, 17, 19)
    ways = (i * 3, i - 7, i ^ 21, -i, i // 3, i << 2, primes[i >> 3 & 7], 1)
    return ways[i & 7] + primes[i & 7]


class Emulator:
    """A device of its own with 64 MiB."""

    def __init__(self, kind: str, program: str) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("WEFT_ISOLATED_MEMORY", "64M")
            patch.setenv("WEFT_THREADS", "2")
            self.device = Device(emulated.describe(kind, program, host_facts()))
        assert isinstance(self.device.memory, Region)
        self.region: Region = self.device.memory
        self.buffer = self.device.allocate(4 * ITEMS)

    def run(self, kernel: Kernel, number: int = 0) -> int:
        """Launches a kernel of the buffer and a number; the command's status."""
        function = kernel.on(self.region).work_group_function((64, 1, 1))
        context = function.context_bytes((64, 1, 1))
        self.region.reserve_arenas(kernel.local_bytes, context)
        lib.weft_name_function(function.address, kernel.name.encode())
        queue = self.device.new_queue()
        args = struct.pack("<Qq", self.buffer, number)
        launch = Launch((ITEMS,), (64,))
        return queue.ndrange(function.address, launch, args, kernel.local_bytes, context).wait()

    def memory(self) -> np.ndarray:
        """The buffer."""
        return np.frombuffer((ctypes.c_int32 * ITEMS).from_address(self.buffer), np.int32)


# Each device first compiles its server.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=EMULATORS)
def emulator(request: pytest.FixtureRequest) -> Iterator[Emulator]:
    program = find_emulator(request.param)
    if program is None:
        pytest.skip(f"{EMULATORS[request.param]} is not installed (on Debian the package qemu-user-static)")
    yield Emulator(request.param, program)


def test_code_reaches_tables_functions_and_output(
    emulator: Emulator, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_INLINE", "0")
    assert emulator.run(build(TABLES, "").kernels["tables"], 100) == 0
    expected = [choose(i) + 100 + round(1000 * (i % 7.5)) for i in range(ITEMS)]
    assert emulator.memory().tolist() == expected
    assert capfd.readouterr().out == "item 9 of all\n"


def test_code_that_replaces_other_code_runs(emulator: Emulator) -> None:
    for number in range(3):
        source = f"kernel void k(global int *a, long n) {{ a[get_global_id(0)] = {number} + n; }}"
        kernel = build(source, "").kernels["k"]
        assert emulator.run(kernel, 10) == 0
        assert (emulator.memory() == number + 10).all()
        before = emulator.region.statistics()["code"].allocated
        del kernel
        gc.collect()
        assert emulator.region.statistics()["code"].allocated < before


def test_fault_ends_the_server_alone(emulator: Emulator, capfd: pytest.CaptureFixture[str]) -> None:
    starts = emulator.region.starts
    assert emulator.run(build(OUT_OF_BOUNDS, "").kernels["far"], 1 << 40) == -5
    assert capfd.readouterr().err.startswith("weft: kernel 'far': invalid memory access at 0x")
    good = build("kernel void good(global int *a, long n) { a[get_global_id(0)] = n; }", "").kernels["good"]
    assert emulator.run(good, 3) == 0 and (emulator.memory() == 3).all()
    assert emulator.region.starts == max(starts, 1) + 1


def test_device_tells_of_its_own_processor(emulator: Emulator) -> None:
    info, target = emulator.device.info, emulator.region.target
    assert target is not None
    assert info.kind == emulator.device.kind and info.name.startswith(f"{info.kind}-")
    assert info.vector_bytes == target.register_bits // 8
    assert info.vendor == "QEMU" and info.address_bits == 64 and info.little_endian
    assert not info.shares_system_memory and not info.partitionable


@pytest.mark.skipif(not isolated.is_available(), reason="there is no device server for this processor")
def test_buffers_of_isolated_are_used_in_place(emulator: Emulator) -> None:
    owner = Isolated()
    kernel = build("kernel void add(global int *a, long n) { a[get_global_id(0)] += n; }", "").kernels["add"]
    assert owner.works()
    expected = owner.memory()[:ITEMS] + 9
    assert emulator.region.share(owner.region)
    own, emulator.buffer = emulator.buffer, owner.buffer
    try:
        assert emulator.run(kernel, 9) == 0
    finally:
        emulator.buffer = own
    assert (owner.memory()[:ITEMS] == expected).all()
