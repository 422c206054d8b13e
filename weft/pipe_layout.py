"""The memory layout of a pipe (see `weft/builtins/lib/pipe.cl`): header, reservation tables, packets."""

import struct

ALIGNMENT = 128
"""The alignment of a pipe, and of its packets relative to its start: that of the largest type."""

_WORD = 8
_HEADER_WORDS = 40
_CONSTANTS = struct.Struct("=3Q")


def packets_offset(max_packets: int) -> int:
    """Return the offset of the packets: after the header and two tables, aligned for any type."""
    end = _WORD * (_HEADER_WORDS + 2 * max_packets)
    return -(-end // ALIGNMENT) * ALIGNMENT


def pipe_bytes(packet_size: int, max_packets: int) -> int:
    """Return the size of a pipe."""
    return packets_offset(max_packets) + packet_size * max_packets


def header(packet_size: int, max_packets: int) -> bytes:
    """Return the header of a pipe; followed by zeros up to the packets, it is an empty pipe."""
    return _CONSTANTS.pack(packet_size, max_packets, packets_offset(max_packets))
