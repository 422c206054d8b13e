"""Copies of buffers in the memories of two devices: random commands, against one array for each buffer."""

import ctypes
import random

import pytest

from weft.device.argument_table import MemoryArgument
from weft.device.bufalloc import Bufalloc, OutOfDeviceMemory
from weft.device.residency import DEVICE, HOME_READ, HOME_WRITE, Copy, DeviceCopies, Residency, lock

FIRST_ADDRESS = 4096
CAPACITY = 4096


class OwnMemory:
    """A memory that the host does not reach but by these functions; it holds garbage at first."""

    capacity = CAPACITY

    def __init__(self) -> None:
        self.data = bytearray(b"\xee" * CAPACITY)
        self.heap = Bufalloc(FIRST_ADDRESS, CAPACITY)

    def allocate(self, nbytes: int, alignment: int) -> int:
        try:
            return self.heap.allocate(nbytes, alignment)
        except OutOfDeviceMemory as error:
            raise MemoryError(str(error)) from None

    def free(self, address: int) -> None:
        self.heap.release(address)

    def part(self, address: int, nbytes: int) -> slice:
        return slice(address - FIRST_ADDRESS, address - FIRST_ADDRESS + nbytes)

    def write(self, address: int, source: int, nbytes: int) -> None:
        self.data[self.part(address, nbytes)] = ctypes.string_at(source, nbytes)

    def read(self, address: int, destination: int, nbytes: int) -> None:
        ctypes.memmove(destination, bytes(self.data[self.part(address, nbytes)]), nbytes)

    def copy(self, address: int, source: int, nbytes: int) -> None:
        self.data[self.part(address, nbytes)] = self.data[self.part(source, nbytes)]

    def fill(self, address: int, pattern: bytes, nbytes: int) -> None:
        self.data[self.part(address, nbytes)] = pattern * (nbytes // len(pattern))


class Buffer:
    """Memory at home, and what it should hold."""

    def __init__(self, size: int, content: bytes | None) -> None:
        self.home = ctypes.create_string_buffer(content or b"\xdd" * size, size)
        self.start, self.size = ctypes.addressof(self.home), size
        self.expected = bytearray(content or b"")


class Player:
    """Random commands on random parts of buffers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.residency = Residency()
        self.devices = [DeviceCopies(OwnMemory()) for _ in range(2)]
        self.buffers: list[Buffer] = []

    def part(self, size: int) -> tuple[int, int]:
        start = self.random.randrange(size)
        return start, self.random.randrange(start + 1, size + 1)

    def new(self) -> None:
        size = self.random.choice((1, 40, 500, 1500))
        buffer = Buffer(size, self.random.randbytes(size))
        self.residency.add(buffer.start, size, is_passing=self.random.random() < 0.2)
        self.buffers.append(buffer)

    def release(self) -> None:
        buffer = self.buffers.pop(self.random.randrange(len(self.buffers)))
        self.residency.remove(buffer.start, buffer.size)

    def launch(self, buffer: Buffer) -> None:
        """On a device: it reads all of a part, and may write all of it."""
        device, (start, end) = self.random.choice(self.devices), self.part(buffer.size)
        writes = self.random.random() < 0.7
        found = self.residency.find_argument(MemoryArgument(0, buffer.start + start, end - start, writes))
        assert found is not None
        allocation, first, last = found
        assert (first, last) == (start, end)
        copy: Copy = device.place(allocation)
        device.bring(copy, start, end)
        memory = device.memory
        assert isinstance(memory, OwnMemory)
        where = memory.part(copy.place + start, end - start)
        assert memory.data[where] == buffer.expected[start:end]
        if writes:
            allocation.valid_in_only(copy, start, end)
            memory.data[where] = buffer.expected[start:end] = self.random.randbytes(end - start)
        device.leave(copy)
        if allocation.is_passing:
            allocation.bring_home(start, end)
            device.drop(copy)

    def at_home(self, buffer: Buffer) -> None:
        start, end = self.part(buffer.size)
        reads = self.random.random() < 0.6
        writes = not reads or self.random.random() < 0.5
        self.residency.use_at_home(buffer.start + start, end - start, reads=reads, writes=writes)
        if reads:
            assert ctypes.string_at(buffer.start + start, end - start) == buffer.expected[start:end]
        if writes:
            buffer.expected[start:end] = self.random.randbytes(end - start)
            ctypes.memmove(buffer.start + start, bytes(buffer.expected[start:end]), end - start)

    def copy(self, source: Buffer, target: Buffer) -> None:
        size = self.random.randrange(1, min(source.size, target.size) + 1)
        a, b = self.random.randrange(source.size - size + 1), self.random.randrange(target.size - size + 1)
        if source is target and a < b + size and b < a + size:
            return
        if not self.residency.copy(target.start + b, source.start + a, size):
            ctypes.memmove(target.start + b, source.start + a, size)
        target.expected[b : b + size] = source.expected[a : a + size]

    def fill(self, buffer: Buffer) -> None:
        (start, end), pattern = self.part(buffer.size), self.random.randbytes(1)
        if not self.residency.fill(buffer.start + start, pattern, end - start):
            ctypes.memset(buffer.start + start, pattern[0], end - start)
        buffer.expected[start:end] = pattern * (end - start)

    def migrate(self, buffer: Buffer) -> None:
        (start, end), mode = self.part(buffer.size), self.random.choice((HOME_READ, HOME_WRITE, DEVICE))
        self.residency.migrate(self.random.choice(self.devices), buffer.start + start, end - start, mode)

    def play(self) -> None:
        with lock:
            if len(self.buffers) < 3 or (len(self.buffers) < 9 and self.random.random() < 0.1):
                self.new()
            elif self.random.random() < 0.1:
                self.release()
            one, other = self.random.choice(self.buffers), self.random.choice(self.buffers)
            action = self.random.randrange(8)
            if action < 3:
                self.launch(one)
            elif action < 5:
                self.at_home(one)
            elif action == 5:
                self.copy(one, other)
            elif action == 6:
                self.fill(one)
            else:
                self.migrate(one)


@pytest.mark.parametrize("seed", range(8))
def test_every_byte_is_found_where_it_is_valid(seed: int) -> None:
    player = Player(seed)
    for _ in range(600):
        player.play()
    moved = [device.moved for device in player.devices]
    assert any(one.given_up for one in moved) and any(one.copied for one in moved)
    assert any(one.filled for one in moved)
    while player.buffers:
        buffer = player.buffers[-1]
        player.residency.use_at_home(buffer.start, buffer.size, reads=True, writes=False)
        assert buffer.home.raw == buffer.expected
        player.buffers.pop()
        player.residency.remove(buffer.start, buffer.size)
    assert all(device.memory.heap.statistics.allocated == 0 for device in player.devices)  # type: ignore[attr-defined]
