"""The device `ttasim`: kernels on a simulated transport-triggered machine (docs/tta.md).

The machine has a separate memory with copies of the buffers that launches use (`residency.py`). Launches run
in the simulator, one at a time, in the thread that runs the command.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from weft import settings
from weft.codegen.load import CodeLoader
from weft.dataclasses import dataclass, field, replace
from weft.device._pool import ffi, lib
from weft.device.bufalloc import OutOfDeviceMemory, Statistics
from weft.device.info import Description, DeviceInfo, HostFacts, device_info
from weft.device.memories import KernelCompiler, Memory
from weft.device.residency import DeviceCopies
from weft.device.tracked_queue import DeviceArguments, settled
from weft.locks import new_lock
from weft.tta.errors import DeviceFault, Refused
from weft.tta.machine import Machine, MachineError, load_machine
from weft.tta.memory_map import LOCAL, STACK

if TYPE_CHECKING:
    from weft.device.tta_machine import TtaDevice
    from weft.kernel import CodeOptions, KernelCode, LocalSize
    from weft.tta.compile import TtaKernel
    from weft.tta.simulate import Simulator

# The size of the memory before buffers (`weft/tta/memory_map.py`).
PROGRAM_BYTES = 8 << 20
# The number of work-items in one iteration of a work-item loop; more would take long to schedule.
ITEMS_PER_ITERATION = 8
LOCAL_BYTES = STACK - LOCAL
MOST_WORK_ITEMS = 1024
# The number of cycles between checks of whether the launch should end; they take some tenths of a second.
LOOK_CYCLES = 50_000
_FAILED = -1
# The extensions and the features of OpenCL C that the machine supports.
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
        "__opencl_c_generic_address_space",
        "__opencl_c_int64",
        "__opencl_c_work_group_collective_functions",
    }
)


def describe(host: HostFacts) -> Description:
    """Describe the machine that WEFT_TTA_MACHINE names."""
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
    """A compiled kernel for work-groups of one size."""

    kernel: "TtaKernel"
    simulator: "Simulator"
    memory: "MachineMemory"
    local_bytes: int
    place: Any = field(default_factory=lambda: ffi.new("char[1]"))

    @property
    def address(self) -> int:
        """A number that identifies the function in the pool: the address of an object with its lifetime."""
        return int(ffi.cast("uintptr_t", self.place))


# The functions by their addresses.
_functions: "WeakValueDictionary[int, TtaFunction]" = WeakValueDictionary()


class MachineMemory:
    """The memory of a simulated machine, with copies of buffers. It is allocated at the first use."""

    is_host = False
    loader: CodeLoader | None = None

    def __init__(self, machine: Machine, pool: Any) -> None:
        self.compiler: KernelCompiler | None = self
        self.copies: DeviceCopies | None = DeviceCopies(self)
        self.capacity = machine.memory_bytes - PROGRAM_BYTES
        self._machine = machine
        self._opening = new_lock()
        self._device: TtaDevice | None = None
        if lib.weft_pool_simulate(pool, int(ffi.cast("uintptr_t", ffi.addressof(lib, "weft_simulate")))):
            raise MemoryError("no memory for a worker pool")

    @property
    def device(self) -> "TtaDevice":
        """The machine with its memory."""
        from weft.device.tta_machine import TtaDevice  # not needed by programs that only list devices

        with self._opening:
            if self._device is None:
                self._device = TtaDevice(self._machine, PROGRAM_BYTES)
            return self._device

    def share(self, other: Memory) -> bool:
        """Return False: the machine can access no memory but its own."""
        return False

    def allocate(self, nbytes: int, alignment: int) -> int:
        """Allocate a chunk of the memory; return its address in the machine."""
        try:
            return self.device.heap.allocate(nbytes, alignment)
        except OutOfDeviceMemory as error:
            raise MemoryError(str(error)) from None

    def free(self, address: int) -> None:
        """Free a chunk."""
        self.device.heap.release(address)

    def write(self, address: int, source: int, nbytes: int) -> None:
        """Copy from the host."""
        self.device.write(address, ffi.buffer(ffi.cast("char *", source), nbytes))

    def read(self, address: int, destination: int, nbytes: int) -> None:
        """Copy to the host."""
        ffi.memmove(ffi.cast("char *", destination), self.device.read(address, nbytes), nbytes)

    def copy(self, address: int, source: int, nbytes: int) -> None:
        """Copy within the memory."""
        self.device.write(address, self.device.read(source, nbytes))

    def fill(self, address: int, pattern: bytes, nbytes: int) -> None:
        """Repeat a pattern."""
        self.device.write(address, pattern * (nbytes // len(pattern)))

    def reserve_arenas(self, local_bytes: int, context_bytes: int) -> None:
        """Do nothing: the machine has its own arenas."""

    def statistics(self) -> dict[str, Statistics]:
        """Return the statistics of buffers."""
        return {"buffers": self.device.heap.statistics}

    def compile(
        self, code: "KernelCode", options: "CodeOptions", local_size: "LocalSize", id_bits: int
    ) -> TtaFunction:
        """Compile a kernel for the machine; raises WeftError if the machine cannot run it."""
        from weft.tta.compile import TtaOptions, compile_kernel  # imports LLVM
        from weft.tta.simulate import Simulator

        for layout, described in zip(code.arguments, code.info.arguments, strict=True):
            if layout.kind in ("image", "sampler"):
                raise Refused(
                    f"argument {described.name!r} is an {layout.kind}, which the device does not support"
                )
        compiled = compile_kernel(
            code, options, local_size, self._machine, TtaOptions(items=ITEMS_PER_ITERATION, id_bits=id_bits)
        )
        if compiled.heap > PROGRAM_BYTES:
            raise Refused(f"its constants and private memory take {compiled.heap} bytes of {PROGRAM_BYTES}")
        function = TtaFunction(compiled, Simulator(compiled.program), self, code.local_bytes)
        _functions[function.address] = function
        return function

    def run(self, function: TtaFunction, launch: Any) -> int:
        """Run a launch; return its duration in nanoseconds of the machine's clock."""
        header, most = launch.launch, settings.get("WEFT_TTA_CYCLES")
        dimensions = header.work_dim

        def pause(cycles: int) -> int:
            if lib.weft_simulation_ends(launch.command):
                raise DeviceFault("")
            if most and cycles > most:
                raise DeviceFault(f"it exceeded the {most} cycles that WEFT_TTA_CYCLES allows")
            return cycles + LOOK_CYCLES

        with DeviceArguments(launch.memories, bytes(ffi.buffer(launch.args, launch.args_bytes))) as arguments:
            run = self.device.launch(
                function.kernel,
                function.simulator,
                arguments,
                launch.local_bytes,
                list(header.global_size[0:dimensions]),
                list(header.global_offset[0:dimensions]),
                pause,
            )
        return max(1, round(run.cycles * 1000 / self._machine.clock_mhz))


def _simulate(launch: Any) -> int:
    """Run a launch for the pool; see `weft_simulate_function`."""

    def run() -> int:
        function = _functions.get(launch.function)
        if function is None:
            raise DeviceFault("its code was unloaded")
        return function.memory.run(function, launch)

    return settled(run, launch.message, launch.message_bytes)


_define: Callable[..., object] = ffi.def_extern(name="weft_simulate", error=_FAILED)
_define(_simulate)
