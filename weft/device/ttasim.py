"""The device `ttasim`: kernels on a simulated transport-triggered machine (docs/tta.md).

The machine's memory is a block of this process, so that transfers, fills and mappings are commands of the
pool, as for all devices. To the machine it begins at 0: a launch turns the host's addresses in its arguments
into the machine's. Launches run in the simulator, one at a time, in the thread that takes them.
"""

import os
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from weft import settings
from weft.device._pool import ffi, lib
from weft.device.bufalloc import OutOfDeviceMemory, Statistics
from weft.device.info import Description, DeviceInfo, HostFacts, device_info
from weft.device.interrupts import INTERRUPTED, note
from weft.device.memories import CodeLoader, KernelCompiler, Memory
from weft.errors import WeftError
from weft.locks import new_lock
from weft.tta.errors import DeviceFault, Refused
from weft.tta.machine import Machine, MachineError, load_machine
from weft.tta.memory_map import LOCAL, STACK

if TYPE_CHECKING:
    from weft.device.tta_machine import TtaDevice
    from weft.kernel import CodeOptions, KernelCode, LocalSize
    from weft.tta.compile import TtaKernel
    from weft.tta.simulate import Simulator

# The memory before buffers (`weft/tta/memory_map.py`).
PROGRAM_BYTES = 8 << 20
# So many work-items run in one iteration of a work-item loop: more take long to schedule.
WOVEN = 8
LOCAL_BYTES = STACK - LOCAL
MOST_WORK_ITEMS = 1024
# The simulator looks so often, in cycles, whether the launch should end: some tenths of a second.
LOOK_CYCLES = 50_000
_POINTER = struct.Struct("<Q")
_FAILED = -1
# The extensions and the features of OpenCL C that the machine has.
ONLY = frozenset(
    {
        "cl_khr_byte_addressable_store",
        "cl_khr_create_command_queue",
        "cl_khr_device_uuid",
        "cl_khr_extended_versioning",
        "cl_khr_global_int32_base_atomics",
        "cl_khr_global_int32_extended_atomics",
        "cl_khr_icd",
        "cl_khr_local_int32_base_atomics",
        "cl_khr_local_int32_extended_atomics",
        "cl_khr_priority_hints",
        "cl_khr_suggested_local_work_size",
        "cl_khr_throttle_hints",
        "cles_khr_int64",
        "__opencl_c_atomic_order_acq_rel",
        "__opencl_c_atomic_order_seq_cst",
        "__opencl_c_atomic_scope_all_devices",
        "__opencl_c_atomic_scope_device",
        "__opencl_c_int64",
        "__opencl_c_work_group_collective_functions",
    }
)


def describe(host: HostFacts) -> Description:
    """The machine that WEFT_TTA_MACHINE names."""
    try:
        machine = load_machine(settings.get("WEFT_TTA_MACHINE"))
    except MachineError as error:
        raise settings.InvalidSetting(f"WEFT_TTA_MACHINE: {error}") from None
    if machine.memory_bytes <= PROGRAM_BYTES:
        raise settings.InvalidSetting(
            f"WEFT_TTA_MACHINE: the machine {machine.name} has {machine.memory_bytes} bytes of memory, "
            f"programs alone need {PROGRAM_BYTES}"
        )
    info = _info(device_info("ttasim", host, 1), machine)
    return Description(info, threads=1, exclusive=True, machine=machine)


def _info(usual: DeviceInfo, machine: Machine) -> DeviceInfo:
    buffers = machine.memory_bytes - PROGRAM_BYTES
    return replace(
        usual,
        name=f"ttasim-{machine.name}",
        vendor="Weft developers",
        vendor_id=0,
        clock_mhz=round(machine.clock_mhz),
        max_work_item_sizes=(MOST_WORK_ITEMS,) * 3,
        max_work_group_size=MOST_WORK_ITEMS,
        global_memory_bytes=buffers,
        max_allocation_bytes=buffers // 2,
        global_cache_bytes=0,
        cache_line_bytes=0,
        local_memory_bytes=LOCAL_BYTES,
        max_constant_bytes=buffers // 2,
        max_parameter_bytes=4096,
        vector_bytes=0,
        profiling_resolution_ns=max(1, round(1000 / machine.clock_mhz)),
        l1_bytes=0,
        l2_bytes=0,
        l3_bytes=0,
        shares_system_memory=False,
        partitionable=False,
        is_accelerator=True,
        is_full=False,
        only=ONLY,
        has_fused_multiply_add=False,
    )


@dataclass(eq=False)
class TtaFunction:
    """A kernel for work-groups of one size, in the form that launches take."""

    kernel: "TtaKernel"
    simulator: "Simulator"
    pointers: tuple[int, ...]
    """The offsets of global and constant pointers in the argument block."""
    memory: "MachineMemory"
    local_bytes: int
    place: Any = field(default_factory=lambda: ffi.new("char[1]"))

    @property
    def address(self) -> int:
        """What the pool knows the function by: the address of something that lives as long as it does."""
        return int(ffi.cast("uintptr_t", self.place))


# The functions that launches name by their addresses.
_functions: "WeakValueDictionary[int, TtaFunction]" = WeakValueDictionary()


class MachineMemory:
    """The memory of a simulated machine; it is allocated at the first use."""

    is_host = False
    loader: CodeLoader | None = None

    def __init__(self, machine: Machine, pool: Any) -> None:
        self.compiler: KernelCompiler | None = self
        self._machine = machine
        self._opening = new_lock()
        self._device: TtaDevice | None = None
        self._base = 0
        self._others: tuple[Memory, ...] = ()
        if lib.weft_pool_simulate(pool, int(ffi.cast("uintptr_t", ffi.addressof(lib, "weft_simulate")))):
            raise MemoryError("no memory for a worker pool")

    @property
    def device(self) -> "TtaDevice":
        """The machine with its memory."""
        from weft.device.tta_machine import TtaDevice  # which programs that only list devices do not need

        with self._opening:
            if self._device is None:
                size = self._machine.memory_bytes
                place = lib.weft_allocate(size, os.sysconf("SC_PAGE_SIZE"))
                if not place:
                    raise MemoryError(f"no memory for the {size} bytes of the machine {self._machine.name}")
                self._base = int(ffi.cast("uintptr_t", place))
                self._device = TtaDevice(
                    self._machine, PROGRAM_BYTES, memoryview(ffi.buffer(place, size)).cast("B")
                )
            return self._device

    def allocate(self, nbytes: int, alignment: int) -> int:
        """The host's address of a chunk of the machine's memory."""
        device = self.device
        try:
            return self._base + device.heap.allocate(nbytes, alignment)
        except OutOfDeviceMemory as error:
            raise MemoryError(str(error)) from None

    def find(self, address: int) -> tuple[int, int] | None:
        """The chunk that holds an address of the host."""
        found = self.device.heap.find(address - self._base)
        return None if found is None else (self._base + found[0], found[1])

    def share(self, other: Memory) -> bool:
        """Launches copy buffers of the other memory to the machine's, and back when they have ended."""
        if other not in self._others:
            self._others = (*self._others, other)
        return True

    def free(self, address: int) -> None:
        """Give a chunk back."""
        self.device.heap.release(address - self._base)

    def reserve_arenas(self, local_bytes: int, context_bytes: int) -> None:
        """The machine has its own."""

    def statistics(self) -> dict[str, Statistics]:
        """Of buffers."""
        return {"buffers": self.device.heap.statistics}

    def compile(
        self, code: "KernelCode", options: "CodeOptions", local_size: "LocalSize", wide: bool
    ) -> TtaFunction:
        """A kernel for the machine; raises WeftError if the machine cannot run it."""
        from weft.tta.compile import TtaOptions, compile_kernel  # LLVM
        from weft.tta.simulate import Simulator

        for layout, described in zip(code.arguments, code.info.arguments, strict=True):
            if layout.kind in ("image", "sampler"):
                raise Refused(f"argument {described.name!r} is an {layout.kind}, which the device has not")
        made = compile_kernel(code, options, local_size, self._machine, TtaOptions(items=WOVEN, wide=wide))
        if made.heap > PROGRAM_BYTES:
            raise Refused(f"its constants and private memory take {made.heap} bytes of {PROGRAM_BYTES}")
        pointers = tuple(a.offset for a in code.arguments if a.kind in ("global", "constant"))
        function = TtaFunction(made, Simulator(made.program), pointers, self, code.local_bytes)
        _functions[function.address] = function
        return function

    def run(self, function: TtaFunction, launch: Any) -> int:
        """Run a launch; the nanoseconds that it took by the machine's clock."""
        header, most = launch.launch, settings.get("WEFT_TTA_CYCLES")
        dimensions = header.work_dim

        def pause(cycles: int) -> int:
            if lib.weft_simulation_ends(launch.command):
                raise DeviceFault("")
            if most and cycles > most:
                raise DeviceFault(f"it ran longer than the {most} cycles that WEFT_TTA_CYCLES allows")
            return cycles + LOOK_CYCLES

        device, staged = self.device, _Staged(self.device)
        try:
            run = device.launch(
                function.kernel,
                function.simulator,
                self._translated(ffi.buffer(launch.args, launch.args_bytes), function.pointers, staged),
                launch.local_bytes,
                list(header.global_size[0:dimensions]),
                list(header.global_offset[0:dimensions]),
                pause,
            )
            staged.copy_back()
        finally:
            staged.release()
        return max(1, round(run.cycles * 1000 / self._machine.clock_mhz))

    def _translated(self, arguments: Any, pointers: Sequence[int], staged: "_Staged") -> bytes:
        """An argument block with the machine's addresses in place of the host's."""
        block = bytearray(arguments)
        for offset in pointers:
            (address,) = _POINTER.unpack_from(block, offset)
            if address and not self._base <= address < self._base + self._machine.memory_bytes:
                found = next((f for other in self._others if (f := other.find(address))), None)
                if found is None:
                    raise DeviceFault(f"the memory at {address:#x} is not the device's")
                _POINTER.pack_into(block, offset, staged.copy_in(*found) + address - found[0])
            elif address:
                _POINTER.pack_into(block, offset, address - self._base)
        return bytes(block)


class _Staged:
    """Buffers of another memory in that of the machine, for one launch."""

    def __init__(self, device: "TtaDevice") -> None:
        self._device = device
        self._places: dict[tuple[int, int], int] = {}

    def copy_in(self, start: int, size: int) -> int:
        """The machine's address of a copy; raises OutOfDeviceMemory."""
        if (start, size) not in self._places:
            self._places[start, size] = place = self._device.heap.allocate(size)
            self._device.write(place, ffi.buffer(ffi.cast("char *", start), size))
        return self._places[start, size]

    def copy_back(self) -> None:
        """Write the copies where they came from."""
        for (start, size), place in self._places.items():
            ffi.memmove(ffi.cast("char *", start), self._device.read(place, size), size)

    def release(self) -> None:
        """Give the copies' memory back."""
        for place in self._places.values():
            self._device.heap.release(place)


def _simulate(launch: Any) -> int:
    """What the pool calls for a launch; see `weft_simulate_function`."""
    try:
        function = _functions.get(launch.function)
        if function is None:
            raise DeviceFault("its code is gone")
        return function.memory.run(function, launch)
    except WeftError as error:
        text = str(error)
    except Exception as error:
        text = f"the simulator failed: {type(error).__name__}: {error}"
    except BaseException as error:  # of a handler of signals: the wait for the launch ends with it
        note(error)
        return INTERRUPTED
    data = text.encode()[: launch.message_bytes - 1] + b"\0"
    ffi.memmove(launch.message, data, len(data))
    return _FAILED


_define: Callable[..., object] = ffi.def_extern(name="weft_simulate", error=_FAILED)
_define(_simulate)
