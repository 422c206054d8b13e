"""Programs in an intermediate language: what is checked before they are built."""

import struct

import pytest
from api_support import World, create, ffi, handles, query, refused, sizes, text

from weft.api import constants as c

# A header, and an instruction that says nothing.
MODULE = struct.pack("<6I", 0x07230203, 0x00010000, 0, 1, 0, 1 << 16)


def il(data: bytes) -> int:
    """The address of bytes, which stay there."""
    kept.append(ffi.from_buffer(data))
    return int(ffi.cast("uintptr_t", kept[-1]))


kept: list[object] = []


def test_a_program_keeps_its_module(world: World) -> None:
    program = create("clCreateProgramWithIL", world.context, il(MODULE), len(MODULE))
    assert query("clGetProgramInfo", program, c.CL_PROGRAM_IL) == MODULE
    assert text("clGetProgramInfo", program, c.CL_PROGRAM_SOURCE) == ""


def test_what_is_no_module_is_refused(world: World) -> None:
    assert refused("clCreateProgramWithIL", 0, il(MODULE), len(MODULE)) == c.CL_INVALID_CONTEXT
    assert refused("clCreateProgramWithIL", world.context, 0, 24) == c.CL_INVALID_VALUE
    for data, size in ((MODULE, 0), (MODULE, 22), (MODULE, 16), (MODULE[:-4] + b"\0\0\2\0", 24)):
        assert refused("clCreateProgramWithIL", world.context, il(data), size) == c.CL_INVALID_VALUE
    assert (
        refused("clCreateProgramWithIL", world.context, il(b"BC\xc0\xde" + bytes(20)), 24)
        == c.CL_INVALID_VALUE
    )


def test_what_is_no_binary_is_refused_with_the_reason(
    world: World, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEFT_VERBOSE", "1")
    for data, reason in (
        (MODULE, "SPIR-V: see clCreateProgramWithIL"),
        (b"BC\xc0\xde" + bytes(20), "SPIR 1.2: not supported"),
        (b"nothing of the kind", "not a Weft binary"),
    ):
        binaries = ffi.new("uint8_t *[]", [ffi.cast("uint8_t *", il(data))])
        arguments = (1, handles(world.device), sizes(len(data)), binaries, ffi.NULL)
        assert refused("clCreateProgramWithBinary", world.context, *arguments) == c.CL_INVALID_BINARY
        assert reason in capfd.readouterr().err
