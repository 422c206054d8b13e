"""Entries of pipes."""

from typing import Any

from weft.api import handles
from weft.api.constants import (
    CL_INVALID_MEM_OBJECT,
    CL_INVALID_VALUE,
    CL_PIPE_MAX_PACKETS,
    CL_PIPE_PACKET_SIZE,
    CL_PIPE_PROPERTIES,
)
from weft.api.context import context_of
from weft.api.info import answer, uint, ulongs
from weft.api.registry import creator, entry
from weft.runtime.errors import CLError
from weft.runtime.pipe import Pipe

PIPE_INFO = {
    CL_PIPE_PACKET_SIZE: uint(lambda p: p.packet_size),
    CL_PIPE_MAX_PACKETS: uint(lambda p: p.max_packets),
    CL_PIPE_PROPERTIES: ulongs(lambda p: p.properties),
}


def pipe_of(handle: int) -> Pipe:
    """Return the pipe of a handle."""
    return handles.lookup(handle, Pipe, CL_INVALID_MEM_OBJECT)


@creator("clCreatePipe")
def create_pipe(context: int, flags: int, packet_size: int, max_packets: int, properties: Any) -> Pipe:
    """Create a pipe; there are no valid properties."""
    owner = context_of(context)
    if properties:
        raise CLError(CL_INVALID_VALUE, "properties must be NULL for pipes")
    return Pipe(owner, flags, packet_size, max_packets)


@entry("clGetPipeInfo")
def get_pipe_info(pipe: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about a pipe."""
    answer(PIPE_INFO, pipe_of(pipe), param, size, value, size_ret)
