"""Bufalloc: a host-side allocator for a region of device memory (pocl, section 3).

OpenCL buffers are few, large and long-lived, and those of one kernel come and go together. The host keeps the
metadata outside the region and never touches the memory itself, so the region may belong to a device that the
host cannot address. The region is a list of chunks ordered by address:

    | allocated | free | allocated | allocated |        sentinel        |
    start                                                             end

The last chunk, the sentinel, holds all memory after the last allocation. It always exists and is always free,
but may be empty. A request takes the first free chunk that is large enough and splits off the rest. In greedy
mode the sentinel is tried first, so that buffers allocated in sequence are adjacent until the region is full.
A freed chunk is merged with free neighbours, so no two free chunks are adjacent.

An allocation takes linear time in the number of chunks (greedy: constant, while the sentinel has room); a
release takes constant time.
"""

from collections.abc import Iterator

from weft.dataclasses import dataclass
from weft.errors import WeftError
from weft.locks import new_lock

# Addresses and sizes of chunks are multiples of this: the largest alignment of an OpenCL type.
GRAIN = 128


class OutOfDeviceMemory(WeftError):
    """No free chunk of the region is large enough."""


class NotAllocated(WeftError):
    """No allocated chunk starts at the address to be released."""


@dataclass(frozen=True)
class Statistics:
    """The use of a region, in bytes unless stated otherwise."""

    size: int
    allocated: int
    requested: int
    """The requested size, before rounding up to the grain."""
    chunks: int
    """The number of allocated chunks."""
    holes: int
    """The number of free chunks before the sentinel."""
    largest_free: int
    peak: int
    """The maximum size allocated at a time."""
    extent: int
    """The maximum distance from the start of the region to the end of the last allocated chunk."""

    @property
    def free(self) -> int:
        """The size that is not allocated."""
        return self.size - self.allocated

    @property
    def fragmentation(self) -> float:
        """The share of the free memory that is not in the largest free chunk."""
        return 1 - self.largest_free / self.free if self.free else 0.0


class _Chunk:
    """A part of the region; `requested` is None if it is free."""

    __slots__ = ("next", "previous", "requested", "size", "start")

    def __init__(self, start: int, size: int, previous: "_Chunk | None", following: "_Chunk | None") -> None:
        self.start, self.size = start, size
        self.requested: int | None = None
        self.previous, self.next = previous, following

    @property
    def free(self) -> bool:
        return self.requested is None


class Bufalloc:
    """The allocator of one region: `size` bytes from `start`. Threads may share it."""

    def __init__(self, start: int, size: int, *, greedy: bool = False, grain: int = GRAIN) -> None:
        if grain < 1 or grain & (grain - 1):
            raise ValueError(f"the grain must be a power of two, got {grain}")
        if start < 0 or size < 0:
            raise ValueError(f"a region must have a start and a size of at least 0, got {start} and {size}")
        first = -(-start // grain) * grain
        last = max((start + size) // grain * grain, first)
        self.start, self.size, self.greedy, self._grain = first, last - first, greedy, grain
        self._first = self._sentinel = _Chunk(first, last - first, None, None)
        self._allocated: dict[int, _Chunk] = {}
        self._bytes = self._requested = self._holes = self._peak = self._extent = 0
        self._lock = new_lock()

    def allocate(self, size: int, alignment: int = 1) -> int:
        """Allocate `size` bytes and return the address, a multiple of `alignment` (a power of two) and GRAIN.

        Raises OutOfDeviceMemory if no free chunk is large enough.
        """
        if size < 1:
            raise ValueError(f"the size of an allocation must be at least 1, got {size}")
        if alignment < 1 or alignment & (alignment - 1):
            raise ValueError(f"an alignment must be a power of two, got {alignment}")
        needed = -(-size // self._grain) * self._grain
        with self._lock:
            for chunk in self._candidates():
                padding = -chunk.start % alignment
                if chunk.size >= padding + needed:
                    return self._take(chunk, padding, needed, size)
        raise OutOfDeviceMemory(
            f"no contiguous {size} bytes of device memory are free: {self.statistics.free} of {self.size} "
            f"bytes are free, {self.statistics.largest_free} in the largest chunk"
        )

    def release(self, address: int) -> None:
        """Free the chunk that starts at an address; raises NotAllocated if there is none."""
        with self._lock:
            chunk = self._allocated.pop(address, None)
            if chunk is None or chunk.requested is None:
                raise NotAllocated(f"no device memory is allocated at {address:#x}")
            self._bytes -= chunk.size
            self._requested -= chunk.requested
            chunk.requested = None
            self._holes += 1
            if chunk.previous is not None and chunk.previous.free:
                chunk = chunk.previous
                self._absorb_next(chunk)
            if chunk.next is not None and chunk.next.free:
                self._absorb_next(chunk)

    @property
    def statistics(self) -> Statistics:
        """Return the current use of the region."""
        with self._lock:
            return Statistics(
                size=self.size,
                allocated=self._bytes,
                requested=self._requested,
                chunks=len(self._allocated),
                holes=self._holes,
                largest_free=max(chunk.size for chunk in self._walk() if chunk.free),
                peak=self._peak,
                extent=self._extent,
            )

    def chunks(self) -> list[tuple[int, int, bool]]:
        """Return (start, size, whether it is allocated) of each chunk, in the order of addresses."""
        with self._lock:
            return [(chunk.start, chunk.size, not chunk.free) for chunk in self._walk()]

    def _walk(self) -> Iterator[_Chunk]:
        chunk: _Chunk | None = self._first
        while chunk is not None:
            yield chunk
            chunk = chunk.next

    def _candidates(self) -> Iterator[_Chunk]:
        """Yield free chunks in the order in which they are tried."""
        if self.greedy:
            yield self._sentinel
        for chunk in self._walk():
            if chunk.free:
                yield chunk

    def _take(self, chunk: _Chunk, padding: int, needed: int, requested: int) -> int:
        """Allocate `needed` bytes of a free chunk after some padding."""
        if padding:
            chunk = self._split(chunk, padding)
            self._holes += 1
        if chunk is self._sentinel:
            self._split(chunk, needed)
        else:
            if chunk.size > needed:
                self._split(chunk, needed)
            else:
                self._holes -= 1
        chunk.requested = requested
        self._allocated[chunk.start] = chunk
        self._bytes += needed
        self._requested += requested
        self._peak = max(self._peak, self._bytes)
        self._extent = max(self._extent, chunk.start + needed - self.start)
        return chunk.start

    def _split(self, chunk: _Chunk, size: int) -> _Chunk:
        """Split a chunk after its first `size` bytes; return the second part."""
        rest = _Chunk(chunk.start + size, chunk.size - size, chunk, chunk.next)
        if chunk.next is not None:
            chunk.next.previous = rest
        chunk.next, chunk.size = rest, size
        if chunk is self._sentinel:
            self._sentinel = rest
        return rest

    def _absorb_next(self, chunk: _Chunk) -> None:
        """Merge a free chunk with the free one after it."""
        following = chunk.next
        assert following is not None
        chunk.size += following.size
        chunk.next = following.next
        if following.next is not None:
            following.next.previous = chunk
        if following is self._sentinel:
            self._sentinel = chunk
        self._holes -= 1
