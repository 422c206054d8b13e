"""A simulated machine with its own memory, to which the host copies buffers and programs.

The host manages the device's memory with Bufalloc. A launch writes the arguments, the launch structure and
the ids of each work-group to fixed addresses and starts the program; the device has no operating system.
"""

import struct
from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from weft import abi
from weft.device.bufalloc import Bufalloc
from weft.ir.types import align_up
from weft.tta.errors import DeviceFault
from weft.tta.machine import Machine
from weft.tta.memory_map import ARGUMENTS, GROUPS, LAUNCH, LOCAL, STACK
from weft.tta.simulate import Pause, Run, Simulator

if TYPE_CHECKING:
    from weft.tta.compile import TtaKernel


class TtaDevice:
    """One machine and its memory."""

    def __init__(self, machine: Machine, reserved: int = STACK) -> None:
        """`reserved` is the size of the memory for programs, which precedes buffers."""
        self.machine = machine
        self.memory = bytearray(machine.memory_bytes)
        self.heap = Bufalloc(reserved, machine.memory_bytes - reserved, greedy=True)

    def write(self, address: int, data: bytes | bytearray | memoryview) -> None:
        """Copy bytes from the host to the device."""
        view = memoryview(data).cast("B")
        if address < 0 or address + len(view) > len(self.memory):
            raise DeviceFault(f"{len(view)} bytes at {address:#x} are outside the device's memory")
        self.memory[address : address + len(view)] = view

    def read(self, address: int, size: int) -> bytes:
        """Copy bytes from the device to the host."""
        if address < 0 or address + size > len(self.memory):
            raise DeviceFault(f"{size} bytes at {address:#x} are outside the device's memory")
        return bytes(self.memory[address : address + size])

    def launch(
        self,
        kernel: "TtaKernel",
        simulator: Simulator,
        arguments: bytes,
        local_bytes: int,
        global_size: Sequence[int],
        offset: Sequence[int] = (0, 0, 0),
        pause: Pause | None = None,
    ) -> Run:
        """Run a kernel for all work-groups of an NDRange, sequentially.

        `arguments` is the argument block, with device addresses in place of pointers. `pause`: see
        `Simulator.run`; its argument counts the cycles of the launch.
        """
        if local_bytes > STACK - LOCAL:
            raise DeviceFault(f"{local_bytes} bytes of local memory exceed the machine's {STACK - LOCAL}")
        if ARGUMENTS + len(arguments) > LOCAL:
            raise DeviceFault(
                f"the arguments have {len(arguments)} bytes, the machine has room for {LOCAL - ARGUMENTS}"
            )
        for address, data in kernel.data.items():
            self.write(address, data)
        self.write(ARGUMENTS, arguments)
        dimensions = len(global_size)
        whole, local, shift = (
            _triple(s, m) for s, m in ((global_size, 1), (kernel.local_size, 1), (offset, 0))
        )
        end = max(size + first for size, first in zip(whole, shift, strict=True))
        if abi.id_bits(end) > kernel.id_bits:
            raise DeviceFault(
                f"a global id has more than the {kernel.id_bits} bits that the kernel was compiled for"
            )
        groups = [g // s for g, s in zip(whole, local, strict=True)]
        header = struct.pack("<12QIxxxxQ", *whole, *shift, *local, *groups, dimensions, local_bytes)
        assert len(header) == abi.LAUNCH_SIZE
        self.write(LAUNCH, header)
        total = Run(0, [0] * len(kernel.program.blocks))
        for z, y, x in product(*map(range, reversed(groups))):
            self.write(GROUPS, struct.pack("<3I", x, y, z))
            total.add(simulator.run(self.memory, total.cycles, pause))
        return total


def _triple(sizes: Sequence[int], missing: int) -> tuple[int, int, int]:
    x, y, z = (*sizes, *(missing,) * (3 - len(sizes)))
    return x, y, z


def run_kernel(
    device: TtaDevice,
    kernel: "TtaKernel",
    layouts: Sequence[Any],
    values: Sequence[Any],
    local_bytes: int,
    global_size: Sequence[int],
    offset: Sequence[int] = (0, 0, 0),
    simulator: Simulator | None = None,
) -> Run:
    """Run a kernel with host arguments: copy arrays to the device, and back into the arrays.

    `values` are numpy arrays (or None) for buffers, numbers of bytes for local memory, bytes for values.
    """
    block = bytearray(max((layout.offset + layout.size for layout in layouts), default=0))
    buffers: list[tuple[int, memoryview]] = []
    arena = local_bytes
    try:
        for layout, value in zip(layouts, values, strict=True):
            if layout.kind == "value":
                data = bytes(value)
            elif layout.kind == "local":
                start = align_up(arena, abi.ARENA_ALIGNMENT)
                arena = start + int(value)
                data = struct.pack("<Q", start)
            elif value is None:
                data = bytes(8)
            else:
                view = memoryview(value).cast("B") if value.nbytes else memoryview(bytearray(1))
                address = device.heap.allocate(max(len(view), 1))
                buffers.append((address, view))
                device.write(address, view)
                data = struct.pack("<Q", address)
            block[layout.offset : layout.offset + len(data)] = data
        run = device.launch(
            kernel, simulator or Simulator(kernel.program), bytes(block), arena, global_size, offset
        )
        for address, view in buffers:
            view[:] = device.read(address, len(view))
        return run
    finally:
        for address, _ in buffers:
            device.heap.release(address)
