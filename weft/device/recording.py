"""Sequences of commands that are recorded once and replayed with one call."""

from collections.abc import Callable, Sequence
from typing import Any

from weft.device._pool import ffi, lib
from weft.device.command import Command
from weft.device.launch import Launch
from weft.device.queue import Queue


class Recorded(Command):
    """A command of a sequence, identified by its index. It runs whenever the sequence is replayed."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place

    def __del__(self, release: Callable[[object], None] = lib.weft_command_release) -> None:
        """Do nothing: there is no native command to release."""


class Recorder(Queue):
    """Records commands, with the interface of a queue. Wait lists contain commands of the same recorder.

    In a sequence for an out-of-order queue, commands are ordered only by their wait lists and by barriers.
    Commands of a sequence for an in-order queue run sequentially in any queue.
    """

    __slots__ = ("_barrier", "_covered", "_kept", "_out_of_order", "_records", "_sealed", "_serial")

    def __init__(self, out_of_order: bool) -> None:
        self.c = ffi.NULL
        self._out_of_order = out_of_order
        self._records: list[Any] = []
        self._kept: list[tuple[Any, ...]] = []  # objects to which the record of the same index points
        self._barrier: Recorded | None = None
        self._covered = 0  # commands before this index are ordered before all that are recorded from now on
        self._sealed: Any = None
        self._serial: Any = None

    def _add(self, kind: int, wait: Sequence[Command], kept: tuple[Any, ...] = (), **fields: Any) -> Recorded:
        places = [command.place for command in wait if isinstance(command, Recorded)]
        if self._out_of_order and self._barrier is not None:
            places.append(self._barrier.place)
        waits = ffi.new("uint32_t[]", places or [0])
        record = ffi.new("weft_record *", {"kind": kind, "wait_count": len(places), "waits": waits, **fields})
        self._records.append(record)
        self._kept.append((waits, *kept))
        self._sealed = None
        return Recorded(len(self._records) - 1)

    def ndrange(
        self,
        address: int,
        launch: Launch,
        args: Any,
        local_bytes: int,
        context_bytes: int,
        wait: Sequence[Command] = (),
    ) -> Recorded:
        """Record a launch; a replay uses the contents that `args` has then."""
        fields = _launch_fields(address, launch, args, local_bytes, context_bytes)
        return self._add(lib.WEFT_RECORD_NDRANGE, wait, (launch, args), **fields)

    def change_launch(
        self, command: Recorded, address: int, launch: Launch, args: Any, local_bytes: int, context_bytes: int
    ) -> None:
        """Replace a launch, or a command without work, by a launch."""
        record = self._records[command.place]
        record.kind = lib.WEFT_RECORD_NDRANGE
        for name, value in _launch_fields(address, launch, args, local_bytes, context_bytes).items():
            setattr(record, name, value)
        self._kept[command.place] = (self._kept[command.place][0], launch, args)
        self._sealed = None

    def change_to_nothing(self, command: Recorded) -> None:
        """Replace a launch by a command without work."""
        self._records[command.place].kind = lib.WEFT_RECORD_NOTHING
        self._sealed = None

    def copy(self, dst: int, src: int, nbytes: int, wait: Sequence[Command] = ()) -> Recorded:
        """Record a copy."""
        return self._add(lib.WEFT_RECORD_COPY, wait, dst=dst, src=src, nbytes=nbytes)

    def copy_rect(
        self,
        dst: int,
        src: int,
        region: Sequence[int],
        dst_pitches: Sequence[int],
        src_pitches: Sequence[int],
        wait: Sequence[Command] = (),
    ) -> Recorded:
        """Record a copy of a box."""
        rect = ffi.new("weft_rect *", (tuple(region), *dst_pitches, *src_pitches))
        return self._add(lib.WEFT_RECORD_COPY_RECT, wait, (rect,), dst=dst, src=src, rect=rect)

    def fill(self, dst: int, pattern: bytes, nbytes: int, wait: Sequence[Command] = ()) -> Recorded:
        """Record a fill."""
        block = ffi.new("char[]", pattern)
        return self._add(
            lib.WEFT_RECORD_FILL, wait, (block,), dst=dst, nbytes=nbytes, args=block, args_bytes=len(pattern)
        )

    def marker(self, wait: Sequence[Command] = ()) -> Recorded:
        """Record a command without work."""
        return self._add(lib.WEFT_RECORD_NOTHING, wait)

    def barrier(self, wait: Sequence[Command] = ()) -> Recorded:
        """Record a command without work, after `wait` (if empty: all before it) and before all later ones."""
        whole = self._out_of_order and not wait
        if whole:
            wait = [Recorded(place) for place in range(self._covered, len(self._records))]
        self._barrier = self._add(lib.WEFT_RECORD_NOTHING, wait)
        if whole:
            self._covered = self._barrier.place
        return self._barrier

    def seal(self) -> tuple[Any, int]:
        """Return the records as an array, valid until one of them changes, and their number."""
        if self._sealed is None:
            self._sealed = ffi.new("weft_record[]", len(self._records) or 1)
            for place, record in enumerate(self._records):
                self._sealed[place] = record[0]
            self._serial = None
        return self._sealed, len(self._records)

    def _serialize(self) -> Any:
        """Return the records as an array in which each waits for the previous one."""
        records, count = self.seal()
        if self._serial is None:
            before = ffi.new("uint32_t[]", max(count, 1))
            serial = ffi.new("weft_record[]", max(count, 1))
            for place in range(count):
                serial[place] = records[place]
                serial[place].wait_count = min(place, 1)
                serial[place].waits = before + place
                before[place] = max(place - 1, 0)
            self._serial = (serial, before)
        return self._serial[0]

    def replay(self, queue: Queue, wait: Sequence[Command] = (), out_of_order: bool = False) -> Command:
        """Enqueue all commands; return one that ends when all have ended, and fails if one of them fails.

        `out_of_order`: whether `queue` is out-of-order, so it does not order the commands itself.
        """
        waits = ffi.new("weft_command *[]", [command.c for command in wait]) if wait else ffi.NULL
        records, count = self.seal()
        if out_of_order and not self._out_of_order:
            records = self._serialize()
        command = lib.weft_replay(queue.c, records, count, waits, len(wait), True)
        if not command:
            raise MemoryError("no memory for a command")
        return Command(command)


def _launch_fields(
    address: int, launch: Launch, args: Any, local_bytes: int, context_bytes: int
) -> dict[str, Any]:
    return {
        "function": address,
        "launch": launch.c,
        "args": args,
        "args_bytes": len(args),
        "local_bytes": local_bytes,
        "context_bytes": context_bytes,
    }
