"""NDRange launches: validated and prepared once, then reused.

A client that runs a kernel in a loop passes the same sizes repeatedly. The first time, `prepare` validates
them, chooses the local size, compiles the kernel for it and packs the launch. The result is kept in
`Kernel.prepared` under (queue, global size, local size, offset) as the client passed them. The native side
also uses it for other global sizes if it runs in work-groups: the range of a program may grow or shrink.
"""

from collections.abc import Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

from weft import abi
from weft.dataclasses import dataclass
from weft.device._pool import ffi, lib
from weft.device.base import Command, Launch
from weft.device.command import host_waits
from weft.device.recording import Recorded, Recorder
from weft.errors import WeftError, tell
from weft.runtime.codes import (
    CL_INVALID_CONTEXT,
    CL_INVALID_GLOBAL_OFFSET,
    CL_INVALID_GLOBAL_WORK_SIZE,
    CL_INVALID_WORK_DIMENSION,
    CL_INVALID_WORK_GROUP_SIZE,
    CL_INVALID_WORK_ITEM_SIZE,
    CL_OUT_OF_RESOURCES,
)
from weft.runtime.errors import CLError
from weft.runtime.hot import ffi as ffi_hot
from weft.runtime.hot import lib as lib_hot
from weft.runtime.hot import pool_address
from weft.runtime.kernel import Kernel
from weft.runtime.local_size import Size, choose_local_size
from weft.runtime.queue import CommandQueue
from weft.tile_policy import NDRange, choose_tiles, runs_in_groups, tile_size

if TYPE_CHECKING:
    from weft import program as compiler
    from weft.device.memories import DeviceFunction, KernelCompiler
    from weft.group_code import WorkGroupFunction
    from weft.tiers.tiered_code import LaunchContext

_enqueue_ndrange = lib.weft_enqueue_ndrange
release_command = lib.weft_command_release
fail_deferred = lib.weft_deferred_fail

_EPOCH = ffi.cast("uint64_t *", lib_hot.weft_hot_epoch_address())

ADDRESSES = 1 << 64
KEPT_LAUNCHES = 64


@dataclass(frozen=True)
class Deferred:
    """Properties of the arguments of a launch that is prepared after it has been enqueued.

    The client may have changed the arguments since, and released the buffers.
    """

    local_bytes: int
    layout: int
    are_disjoint: bool
    waits: int | None = None
    """How often the host has waited for commands, if the host is another process."""


class PreparedLaunch:
    """A validated launch of a kernel on a queue. Each start uses the current arguments of the kernel.

    If it is not `lasting`, the next launch should be prepared again, because optimized code may be available
    by then. If it `requires_noalias`, it must not be started with buffers that overlap
    (`Kernel.buffers_are_disjoint`). If `ids` is not 0, its code is valid for other multiples of its local
    size, as long as all global ids are below `ids`.
    """

    __slots__ = (
        "_arguments",
        "_function",
        "_ids",
        "_launch",
        "_layout",
        "lasting",
        "queue",
        "requires_noalias",
        "start",
    )

    def __init__(
        self,
        queue: CommandQueue,
        kernel: Kernel,
        launch: Launch,
        function: "WorkGroupFunction | DeviceFunction",
        context_bytes: int,
        lasting: bool = True,
        requires_noalias: bool = False,
        ids: int = 0,
        deferred: "Deferred | None" = None,
    ) -> None:
        self._layout = kernel.native.layout if deferred is None else deferred.layout
        arena = kernel.local_bytes() if deferred is None else deferred.local_bytes
        local_bytes = max(arena, function.local_bytes)
        try:
            queue.device.native.memory.reserve_arenas(local_bytes, context_bytes)
        except MemoryError as error:
            message = f"kernel {kernel.name!r} needs arenas of {local_bytes + context_bytes} bytes: {error}"
            raise CLError(CL_OUT_OF_RESOURCES, message) from None
        lib.weft_name_function(function.address, kernel.name.encode())
        self.queue = queue
        self.lasting = lasting
        self.requires_noalias = requires_noalias
        self._ids = ids
        self._function = function
        self._launch = launch
        self._arguments = (
            queue.native.c,
            function.address,
            launch.c,
            kernel.native_block,
            len(kernel.block),
            local_bytes,
            context_bytes,
        )
        # The call that starts a launch without a wait list, with all arguments but the epoch bound. It
        # returns the native command, which the caller must release, or NULL (see `enqueue`).
        self.start = partial(_enqueue_ndrange, *self._arguments, ffi.NULL, 0, _EPOCH)

    def keep(self, kernel: int, key: Any) -> None:
        """Let the native side handle the same launch when the client repeats it."""
        _, function, launch, _args, _args_bytes, local_bytes, context_bytes = self._arguments
        lib_hot.weft_hot_keep(
            kernel,
            self.queue.handle,
            key,
            self._layout,
            self.requires_noalias,
            function,
            ffi_hot.cast("void *", pool_address(launch)),
            ffi.sizeof("weft_launch"),
            local_bytes,
            context_bytes,
            self._ids,
        )

    def describe(self, prepared: Any) -> None:
        """Fill in a `weft_hot_prepared`, for another process that runs the same code."""
        _, function, launch, _args, _args_bytes, local_bytes, context_bytes = self._arguments
        prepared.is_lasting, prepared.requires_noalias = self.lasting, self.requires_noalias
        prepared.layout, prepared.function = self._layout, function
        prepared.local_bytes, prepared.context_bytes, prepared.ids = local_bytes, context_bytes, self._ids
        ffi_hot.memmove(prepared.launch, ffi.buffer(launch), ffi.sizeof("weft_launch"))

    def start_deferred(self, command: object) -> None:
        """Start a deferred launch, which has been enqueued with its arguments."""
        _, function, launch, _args, _args_bytes, local_bytes, context_bytes = self._arguments
        lib.weft_deferred_start(command, function, launch, local_bytes, context_bytes)

    def record(self, recorder: Recorder, wait: Sequence[Command]) -> Recorded:
        """Append the launch to a sequence. A replay uses the arguments that the kernel has then."""
        _, function, _, args, _, local_bytes, context_bytes = self._arguments
        return recorder.ndrange(function, self._launch, args, local_bytes, context_bytes, wait)

    def record_in_place(self, recorder: Recorder, command: Recorded) -> None:
        """Replace another launch in a sequence by this one."""
        _, function, _, args, _, local_bytes, context_bytes = self._arguments
        recorder.change_launch(command, function, self._launch, args, local_bytes, context_bytes)

    def enqueue(self, kernel: Kernel, wait: Sequence[Command] = ()) -> Command:
        """Check the arguments, start the launch and return its command; the argument block is copied."""
        waits = ffi.new("weft_command *[]", [command.c for command in wait])
        while True:
            epoch = lib_hot.weft_hot_epoch()
            if kernel.ready_epoch != epoch:
                kernel.check_arguments()
            started = _enqueue_ndrange(*self._arguments, waits, len(wait), _EPOCH, epoch)
            if started:
                return Command(started)
            # Otherwise another thread has released a memory object, which may be an argument.
            if epoch == lib_hot.weft_hot_epoch():
                raise MemoryError("out of memory for a command")


def prepare(
    queue: CommandQueue,
    kernel: Kernel,
    work_dim: int,
    offset: Sequence[int] | None,
    global_size: Sequence[int] | None,
    local_size: Sequence[int] | None,
    deferred: Deferred | None = None,
) -> PreparedLaunch | None:
    """Validate and prepare a launch; None if it has no work-items, so the command does nothing.

    The arguments of a `deferred` launch have been checked when it was enqueued.
    """
    _check(queue, kernel, work_dim)
    if deferred is None:
        kernel.check_arguments()
    if global_size is None or 0 in global_size[:work_dim]:
        return None
    _check_local_memory(queue, kernel, kernel.local_bytes() if deferred is None else deferred.local_bytes)
    extents, start = _range(work_dim, offset, global_size)
    given = None if local_size is None else _three(local_size[:work_dim], 1)
    chosen = _local_size(queue, kernel, work_dim, extents, given)
    memory = queue.device.root.native.memory
    if memory.compiler is not None:
        return _prepare_program(memory.compiler, queue, kernel, work_dim, start, extents, chosen)
    compiled = kernel.compiled.on(memory)
    non_uniform = any(extent % n for n, extent in zip(chosen, extents, strict=True))
    context = _launch_context(kernel, extents, queue.device.info.compute_units, deferred)
    item_ns = lib.weft_item_ns(compiled.generic_address)
    lasting = not kernel.known or compiled.worth_specializing(kernel.known, context, item_ns)
    try:
        if lasting:
            disjoint = compiled.benefits_from_noalias and (
                kernel.buffers_are_disjoint() if deferred is None else deferred.are_disjoint
            )
            function, size = _function(
                queue, kernel, compiled, start, extents, given, chosen, non_uniform, disjoint, context
            )
        else:
            function = compiled.generic_function(_id_bits(start, extents), context, non_uniform)
            size = chosen
    except WeftError as error:
        message = f"kernel {kernel.name!r} cannot be compiled: {error}"
        raise CLError(CL_OUT_OF_RESOURCES, message) from error
    launch = Launch(extents[:work_dim], size[:work_dim], start[:work_dim], clipped=True, block=function.block)
    lasting = lasting and not function.provisional
    context_bytes, noalias = function.context_bytes(size), function.requires_noalias
    ids = 0 if non_uniform else _ids_of_groups(kernel, extents, given, start)
    return PreparedLaunch(queue, kernel, launch, function, context_bytes, lasting, noalias, ids, deferred)


def _check_local_memory(queue: CommandQueue, kernel: Kernel, size: int) -> None:
    """Raise CLError if a launch needs more local memory than there is; code for it could not be compiled."""
    available = queue.device.info.local_memory_bytes
    if size > available:
        message = f"kernel {kernel.name!r} needs {size} bytes of local memory, the device has {available}"
        raise CLError(CL_OUT_OF_RESOURCES, message)


def _prepare_program(
    compiler: "KernelCompiler",
    queue: CommandQueue,
    kernel: Kernel,
    work_dim: int,
    start: Size,
    extents: Size,
    size: Size,
) -> PreparedLaunch:
    """Prepare a launch on a device that runs no machine code. It runs in work-groups, not in tiles."""
    try:
        function = kernel.compiled.compiled_by(compiler, size, _id_bits(start, extents))
    except WeftError as error:
        message = f"kernel {kernel.name!r} cannot run on {queue.device.info.name}: {error}"
        tell(message)
        raise CLError(CL_OUT_OF_RESOURCES, message) from error
    launch = Launch(extents[:work_dim], size[:work_dim], start[:work_dim])
    return PreparedLaunch(queue, kernel, launch, function, context_bytes=0)


def suggest_local_size(
    queue: CommandQueue,
    kernel: Kernel,
    work_dim: int,
    offset: Sequence[int] | None,
    global_size: Sequence[int] | None,
) -> Size:
    """Return the local size of a launch for which the client passes none."""
    _check(queue, kernel, work_dim)
    kernel.check_arguments()
    if global_size is None or 0 in global_size[:work_dim]:
        raise CLError(CL_INVALID_GLOBAL_WORK_SIZE, "the global size is 0")
    extents, _ = _range(work_dim, offset, global_size)
    return _local_size(queue, kernel, work_dim, extents, None)


def _check(queue: CommandQueue, kernel: Kernel, work_dim: int) -> None:
    """Raise unless the kernel can be launched on the queue."""
    if queue.context is not kernel.context:
        raise CLError(CL_INVALID_CONTEXT, "kernel and queue belong to different contexts")
    kernel.program.executable(queue.device)
    if not 1 <= work_dim <= 3:
        raise CLError(CL_INVALID_WORK_DIMENSION, f"work_dim must be 1, 2 or 3, got {work_dim}")


def _range(work_dim: int, offset: Sequence[int] | None, global_size: Sequence[int]) -> tuple[Size, Size]:
    """Return the global size and offset in three dimensions, after checking them."""
    extents = _three(global_size[:work_dim], 1)
    start = _three(offset[:work_dim] if offset is not None else (), 0)
    for n, first in zip(extents, start, strict=True):
        if first + n > ADDRESSES:
            raise CLError(CL_INVALID_GLOBAL_OFFSET, f"offset {first} + size {n} does not fit in size_t")
    if extents[0] * extents[1] * extents[2] >= ADDRESSES // 2:
        raise CLError(CL_OUT_OF_RESOURCES, f"{extents} exceeds the maximum number of work-items")
    return extents, start


def _function(
    queue: CommandQueue,
    kernel: Kernel,
    compiled: "compiler.Kernel",
    start: Size,
    extents: Size,
    given: Size | None,
    chosen: Size,
    non_uniform: bool,
    noalias: bool,
    context: "LaunchContext",
) -> "tuple[WorkGroupFunction, Size]":
    """Return the code for a launch, and the box of work-items that each call of it runs.

    That is a work-group, or a tile if the kernel cannot observe the difference. `non_uniform`: the last
    work-groups of the range are smaller. `noalias`: no two buffers overlap, and the code may rely on that.
    """
    bits = _id_bits(start, extents)
    threads = queue.device.info.compute_units
    group_size = chosen if compiled.traits.queries_group else given or compiled.info.reqd_work_group_size
    choice = choose_tiles(
        compiled.traits, compiled.options, NDRange(extents, group_size, start), threads=threads
    )
    for tile in () if non_uniform and compiled.traits.queries_group else choice.tiles:
        function = compiled.tile_function(tile, group_size, bits, kernel.known, noalias, context)
        if function is not None:
            assert function.tile is not None
            return function, tile_size(
                function.tile, extents, threads=threads, item_bytes=function.item_bytes
            )
    size = None if non_uniform else chosen
    return compiled.work_group_function(size, bits, kernel.known, noalias, context, non_uniform), chosen


def _launch_context(
    kernel: Kernel, extents: Size, threads: int, deferred: Deferred | None
) -> "LaunchContext":
    from weft.tiers.tiered_code import LaunchContext  # not needed by clients that launch no kernels

    work = kernel.compiled.traits.loop_work
    in_loops = sum(loop.instructions([kernel.value_of(n) for n in loop.arguments]) for loop in work)
    waits = host_waits() if deferred is None or deferred.waits is None else deferred.waits
    return LaunchContext(waits, prod(extents), in_loops, threads)


def _ids_of_groups(kernel: Kernel, extents: Size, given: Size | None, start: Size) -> int:
    """Return the number of global ids for which the code of a launch is valid, whatever the global size.

    0 unless all launches with this local size run in work-groups, in code that depends on nothing else.
    """
    compiled = kernel.compiled
    if given is None or kernel.known:
        return 0
    if not runs_in_groups(compiled.traits, compiled.options, NDRange(extents, given, start)):
        return 0
    bits = _id_bits(start, extents)
    return 1 << bits if bits < abi.WIDE_IDS else 0


def _id_bits(start: Size, extents: Size) -> int:
    """Return the width of global ids that the code of a launch must support."""
    return abi.id_bits(max(first + n for first, n in zip(start, extents, strict=True)))


def remember(
    kernel: Kernel,
    key: object,
    launch: PreparedLaunch,
    offset: Sequence[int] | None,
    global_size: Sequence[int],
    local_size: Sequence[int] | None,
) -> None:
    """Keep a lasting launch, here and on the native side. If there are too many, discard all others."""
    if not launch.lasting:
        return
    if len(kernel.prepared) >= KEPT_LAUNCHES:
        kernel.forget_launches()
    kernel.prepared[key] = launch
    if kernel.handle and launch.queue.handle and kernel.context.residency is None:
        sizes = ffi_hot.new("weft_hot_key *")
        sizes.work_dim = len(global_size)
        sizes.given = (lib_hot.WEFT_HOT_LOCAL_SIZE if local_size is not None else 0) | (
            lib_hot.WEFT_HOT_OFFSET if offset is not None else 0
        )
        for index in range(len(global_size)):
            sizes.global_size[index] = global_size[index]
            sizes.local_size[index] = local_size[index] if local_size is not None else 0
            sizes.offset[index] = offset[index] if offset is not None else 0
        launch.keep(kernel.handle, sizes)


def _three(values: Sequence[int], fill: int) -> Size:
    padded = (*values, fill, fill, fill)
    return padded[0], padded[1], padded[2]


def _local_size(
    queue: CommandQueue, kernel: Kernel, work_dim: int, extents: Size, given: Size | None
) -> Size:
    info = queue.device.info
    required = kernel.compiled.info.reqd_work_group_size
    chosen = given or choose_local_size(
        extents,
        threads=info.compute_units,
        max_group_size=info.max_work_group_size,
        max_item_sizes=info.max_work_item_sizes,
        required=required,
        hint=kernel.compiled.info.work_group_size_hint,
    )
    size = _three(chosen[:work_dim], 1)
    if required is not None and size != required:
        message = f"local size must be the {required} that {kernel.name!r} requires, got {size}"
        raise CLError(CL_INVALID_WORK_GROUP_SIZE, message)
    for n, most in zip(size, info.max_work_item_sizes, strict=True):
        if n > most:
            raise CLError(CL_INVALID_WORK_ITEM_SIZE, f"local size {size} exceeds {most} in one dimension")
    if size[0] * size[1] * size[2] > info.max_work_group_size:
        message = f"local size {size} has more than {info.max_work_group_size} work-items"
        raise CLError(CL_INVALID_WORK_GROUP_SIZE, message)
    divides = 0 not in size and not any(extent % n for n, extent in zip(size, extents, strict=True))
    if 0 in size or not (divides or _may_differ(queue, kernel)):
        message = f"local size {size} does not divide the global size {extents}"
        raise CLError(CL_INVALID_WORK_GROUP_SIZE, message)
    return size


def _may_differ(queue: CommandQueue, kernel: Kernel) -> bool:
    """Whether the last work-groups of a range may be smaller than the local size."""
    return not (kernel.compiled.info.uniform_groups or queue.device.info.is_accelerator)
