"""Translate pipe instructions to the functions that clang calls for OpenCL C pipes (`frontend/pipes.py`).

    %r = OpReadPipe %uint %pipe %pointer %four %four

becomes

    %r = call i32 @__read_pipe_2(ptr addrspace(1) %pipe, ptr addrspace(4) %pointer, i32 4, i32 4)
"""

from weft.frontend.spirv.binary import Instruction
from weft.frontend.spirv.body import I32, Body, Value, number, translates
from weft.frontend.spirv.calls import SUBGROUP, WORKGROUP
from weft.frontend.spirv.types import (
    BOOL,
    MOST_ALIGNMENT,
    MOST_BYTES,
    PIPE_STORAGE,
    RESERVATION,
    VOID,
    Opaque,
    Pointer,
    Type,
)

_READS, _WRITES = "read_only", "write_only"
# The access of a pipe, by the word in the name of an instruction.
_ACCESS = {"Read": _READS, "Write": _WRITES}
_GROUPS = {WORKGROUP: "work_group_", SUBGROUP: "sub_group_"}


def _pipe(body: Body, instruction: Instruction, index: int) -> Value:
    """Return a pipe operand with the access that the instruction requires."""
    value = body.operand(instruction, index)
    right = isinstance(value.type, Opaque) and value.type.name == "pipe"
    body.require(right, instruction, "the operand is not a pipe")
    assert isinstance(value.type, Opaque)
    for word, access in _ACCESS.items():
        right = word not in instruction.name or value.type.access == access
        body.require(right, instruction, f"the pipe is not {access}")
    return value


def _reservation(body: Body, instruction: Instruction, index: int) -> Value:
    value = body.operand(instruction, index)
    body.require(value.type == RESERVATION, instruction, "the operand is not a reservation id")
    return value


def _count(body: Body, instruction: Instruction, index: int) -> Value:
    value = body.operand(instruction, index)
    body.require(value.type == I32, instruction, "the packet count or index must be a 32-bit integer")
    return value


def _place(body: Body, instruction: Instruction, index: int) -> Value:
    """Return the pointer that a packet is read to or written from."""
    value = body.operand(instruction, index)
    right = isinstance(value.type, Pointer) and value.type.storage == "Generic"
    body.require(right, instruction, "the pointer is not a Generic pointer")
    return value


def _called(
    body: Body, instruction: Instruction, function: str, arguments: list[Value], returns: Type
) -> Value:
    """Call a pipe function; size and alignment of a packet follow the arguments."""
    if returns is not VOID:
        right = body.type(instruction) == returns
        body.require(right, instruction, "invalid result type")
    operands = len(instruction.operands)
    size, alignment = (body.integer(instruction, operands - place) for place in (2, 1))
    body.require(0 < size < MOST_BYTES, instruction, f"packets of {size} bytes are not supported")
    right = 0 < alignment <= MOST_ALIGNMENT and not alignment & (alignment - 1)
    body.require(right, instruction, f"an alignment of {alignment} bytes is not supported")
    return body.call_symbol(
        f"__{function}", [*arguments, number(size), number(alignment)], returns, pure=False
    )


def _direction(instruction: Instruction) -> str:
    return "read" if "Read" in instruction.name else "write"


@translates("ReadPipe", "WritePipe")
def _access_one(body: Body, instruction: Instruction) -> Value:
    arguments = [_pipe(body, instruction, 0), _place(body, instruction, 1)]
    return _called(body, instruction, f"{_direction(instruction)}_pipe_2", arguments, I32)


@translates("ReservedReadPipe", "ReservedWritePipe")
def _access_reserved(body: Body, instruction: Instruction) -> Value:
    arguments = [
        _pipe(body, instruction, 0),
        _reservation(body, instruction, 1),
        _count(body, instruction, 2),
        _place(body, instruction, 3),
    ]
    return _called(body, instruction, f"{_direction(instruction)}_pipe_4", arguments, I32)


def _group(body: Body, instruction: Instruction) -> tuple[str, int]:
    """Return the prefix for the group of an instruction, and the operand index of its pipe."""
    if not instruction.name.startswith("Group"):
        return "", 0
    scope = body.integer(instruction, 0)
    body.require(scope in _GROUPS, instruction, "the scope must be Workgroup or Subgroup")
    return _GROUPS[scope], 1


@translates(
    "ReserveReadPipePackets",
    "ReserveWritePipePackets",
    "GroupReserveReadPipePackets",
    "GroupReserveWritePipePackets",
)
def _reserve(body: Body, instruction: Instruction) -> Value:
    group, first = _group(body, instruction)
    arguments = [_pipe(body, instruction, first), _count(body, instruction, first + 1)]
    function = f"{group}reserve_{_direction(instruction)}_pipe"
    return _called(body, instruction, function, arguments, RESERVATION)


@translates("CommitReadPipe", "CommitWritePipe", "GroupCommitReadPipe", "GroupCommitWritePipe")
def _commit(body: Body, instruction: Instruction) -> None:
    group, first = _group(body, instruction)
    arguments = [_pipe(body, instruction, first), _reservation(body, instruction, first + 1)]
    _called(body, instruction, f"{group}commit_{_direction(instruction)}_pipe", arguments, VOID)


@translates("IsValidReserveId")
def _is_valid(body: Body, instruction: Instruction) -> Value:
    body.require(body.type(instruction) == BOOL, instruction, "the result type is not bool")
    id = _reservation(body, instruction, 0)
    return body.emit(f"icmp ne {id.typed}, 0", BOOL)


@translates("GetNumPipePackets", "GetMaxPipePackets")
def _packets(body: Body, instruction: Instruction) -> Value:
    pipe = _pipe(body, instruction, 0)
    assert isinstance(pipe.type, Opaque)
    what = "num" if instruction.name == "GetNumPipePackets" else "max"
    suffix = "ro" if pipe.type.access == _READS else "wo"
    return _called(body, instruction, f"get_pipe_{what}_packets_{suffix}", [pipe], I32)


@translates("CreatePipeFromPipeStorage")
def _pipe_from_storage(body: Body, instruction: Instruction) -> Value:
    type, storage = body.type(instruction), body.operand(instruction, 0)
    body.require(storage.type == PIPE_STORAGE, instruction, "the operand is not a pipe storage")
    body.require(
        isinstance(type, Opaque) and type.name == "pipe", instruction, "the result type is not a pipe"
    )
    return Value(type, storage.text)
