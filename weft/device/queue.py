"""Command queues: thin wrappers around the pool's queues."""

from collections.abc import Callable, Sequence
from typing import Any

from weft.device._pool import ffi, lib
from weft.device.command import Command
from weft.device.interrupts import INTERRUPTED, raised
from weft.device.launch import Launch
from weft.device.residency import DeviceCopies, Residency
from weft.device.tracked_queue import TrackedQueue

_NULL = ffi.NULL
_ndrange = lib.weft_enqueue_ndrange
_copy = lib.weft_enqueue_copy
_finish = lib.weft_queue_finish
_new_wait_list = ffi.new
_MAX_PATTERN = 128
_SIZE_LIMIT = 2**63


def _wait_list(wait: Sequence[Command]) -> Any:
    return _new_wait_list("weft_command *[]", [command.c for command in wait])


def _readable(block: Any) -> Any:
    """Return a value that cffi can pass as `const void *`: bytes and cffi arrays, or a view of a buffer."""
    return block if isinstance(block, ffi.CData) else ffi.from_buffer(block)


class Queue:
    """An in-order or out-of-order queue; any thread may use it at any time.

    Methods that enqueue return immediately. `wait` lists commands that must end first; if one of them fails,
    the new command fails with -14 and does nothing. The caller must keep all memory that a command uses alive
    until the command has ended; argument blocks, patterns and launches are copied.
    """

    __slots__ = ("c",)

    def __init__(
        self, pool: Any, *, out_of_order: bool = False, profiling: bool = False, native: Any = None
    ) -> None:
        self.c = _NULL
        self.c = native or lib.weft_queue_new(pool, out_of_order, profiling)
        if not self.c:
            raise MemoryError("no memory for a command queue")

    def __del__(self, release: Callable[[Any], None] = lib.weft_queue_release) -> None:
        if self.c:
            release(self.c)

    @property
    def used(self) -> bool:
        """Whether a command has ever been enqueued."""
        return bool(lib.weft_queue_used(self.c))

    def ndrange(
        self,
        address: int,
        launch: Launch,
        args: Any,
        local_bytes: int,
        context_bytes: int,
        wait: Sequence[Command] = (),
    ) -> Command:
        """Run the work-group function at `address` for every group of `launch`.

        `args` is the packed argument block: bytes or a cffi char array (fastest), or any buffer of bytes.
        """
        if args.__class__ is not bytes:
            args = _readable(args)
        c = _ndrange(
            self.c, address, launch.c, args, len(args), local_bytes, context_bytes,
            _wait_list(wait) if wait else _NULL, len(wait), _NULL, 0,
        )  # fmt: skip
        if not c:
            raise MemoryError("no memory for a command")
        return Command(c)

    def copy(self, dst: int, src: int, nbytes: int, wait: Sequence[Command] = ()) -> Command:
        """Copy `nbytes` bytes; the ranges may overlap, as for memmove."""
        return _command(_copy(self.c, dst, src, nbytes, _wait_list(wait) if wait else _NULL, len(wait)))

    def copy_rect(
        self,
        dst: int,
        src: int,
        region: Sequence[int],
        dst_pitches: Sequence[int],
        src_pitches: Sequence[int],
        wait: Sequence[Command] = (),
    ) -> Command:
        """Copy a box: `region` is (bytes in a row, rows, slices), pitches are (row, slice) in bytes.

        `dst` and `src` are the addresses of the first byte of the box; the boxes must not overlap.
        """
        width, height, depth = region
        if min(width, height, depth) < 0 or width * height * depth >= _SIZE_LIMIT:
            raise ValueError(f"bad region {tuple(region)}")
        rect = ffi.new("weft_rect *", ((width, height, depth), *dst_pitches, *src_pitches))
        waits = _wait_list(wait) if wait else _NULL
        return _command(lib.weft_enqueue_copy_rect(self.c, dst, src, rect, waits, len(wait)))

    def fill(self, dst: int, pattern: bytes, nbytes: int, wait: Sequence[Command] = ()) -> Command:
        """Fill `nbytes` bytes, a multiple of the pattern's 1 to 128 bytes, with the pattern."""
        size = len(pattern)
        if not 1 <= size <= _MAX_PATTERN or nbytes % size:
            raise ValueError(f"cannot fill {nbytes} bytes with a pattern of {size} bytes")
        waits = _wait_list(wait) if wait else _NULL
        return _command(lib.weft_enqueue_fill(self.c, dst, pattern, size, nbytes, waits, len(wait)))

    def track(self, residency: Residency, copies: DeviceCopies | None) -> TrackedQueue:
        """Make commands use valid copies of memory, as long as the result lives.

        Must be called before the first command; `copies` are those of the queue's device.
        """
        return TrackedQueue(residency, copies, self.c)

    def migrate(self, address: int, nbytes: int, mode: int, wait: Sequence[Command] = ()) -> Command:
        """Make memory valid in the place that `mode` selects (`residency.py`); only for tracked queues."""
        waits = _wait_list(wait) if wait else _NULL
        return _command(lib.weft_enqueue_migrate(self.c, address, nbytes, mode, waits, len(wait)))

    def native(self, address: int, args: Any, wait: Sequence[Command] = ()) -> Command:
        """Call the C function `void f(void *)` at `address` once, with a copy of `args`."""
        args = _readable(args)
        waits = _wait_list(wait) if wait else _NULL
        return _command(lib.weft_enqueue_native(self.c, address, args, len(args), waits, len(wait)))

    def marker(self, wait: Sequence[Command] = ()) -> Command:
        """Enqueue a command that ends when those of `wait` (if empty: all before it) have ended."""
        waits = _wait_list(wait) if wait else _NULL
        return _command(lib.weft_enqueue_marker(self.c, waits, len(wait)))

    def barrier(self, wait: Sequence[Command] = ()) -> Command:
        """Enqueue a marker for which all later commands of this queue wait."""
        waits = _wait_list(wait) if wait else _NULL
        return _command(lib.weft_enqueue_barrier(self.c, waits, len(wait)))

    def flush(self) -> None:
        """Start all ready commands, without waiting for them."""
        lib.weft_queue_flush(self.c)

    def finish(self) -> int:
        """Wait until all commands have ended; the calling thread helps to run them.

        Return 0, or an error code if it cannot wait for them, as in a signal handler that interrupted one.
        Raises exceptions that signal handlers of the program raise in the meantime.
        """
        status = _finish(self.c)
        if status == INTERRUPTED:
            raise raised()
        return status

    def take_failure(self) -> int:
        """Return an error code if a command was terminated abnormally since the last call; otherwise 0."""
        return lib.weft_queue_take_failure(self.c)


def _command(c: Any) -> Command:
    if not c:
        raise MemoryError("no memory for a command")
    return Command(c)
