"""Object files placed at addresses: what is written where, and what is refused."""

import random
import struct

import pytest

from weft.codegen.host import host_target
from weft.codegen.jit import PROCESS_SYMBOLS
from weft.codegen.optimise import emit_here
from weft.device import isolated, server_imports
from weft.device.place_object import ObjectFile
from weft.errors import ToolError

pytestmark = pytest.mark.skipif(
    not isolated.is_available(), reason="objects for other processors are not placed"
)

CODE, VARIABLES, ENTRY = 0x200000100000, 0x200010000000, 0x200000000040

MODULE = """
target triple = "x86_64-unknown-linux-gnu"
@counter = global i64 7, align 64
@pointer = global ptr @counter
@table = constant [4 x i64] [i64 11, i64 22, i64 33, i64 44]
declare double @exp10(double)
define i64 @pick(i64 %i) noinline {
  %p = getelementptr [4 x i64], ptr @table, i64 0, i64 %i
  %v = load i64, ptr %p
  %w = load volatile i64, ptr @counter
  %s = add i64 %v, %w
  ret i64 %s
}
define double @outer(i64 %i, double %x) {
  %v = call i64 @pick(i64 %i)
  %d = sitofp i64 %v to double
  %e = call double @exp10(double %x)
  %r = fadd double %d, %e
  ret double %r
}
"""


@pytest.fixture(scope="module")
def code() -> bytes:
    return emit_here([MODULE], host_target(), 2, ())


def test_variables_and_code_are_written_for_their_addresses(code: bytes) -> None:
    file = ObjectFile(code)
    assert file.undefined == ["exp10"]
    placed = file.place(CODE, VARIABLES, {"exp10": ENTRY}, {})
    symbols = placed.symbols
    assert VARIABLES <= symbols["counter"] < VARIABLES + file.variable_bytes
    assert CODE <= symbols["pick"] < CODE + file.code_bytes
    pointer = symbols["pointer"] - VARIABLES
    assert struct.unpack_from("<Q", placed.variables, pointer) == (symbols["counter"],)
    # The stub jumps to where the entry of the table says.
    stub = placed.code.index(b"\xff\x25")
    (distance,) = struct.unpack_from("<i", placed.code, stub + 2)
    assert CODE + stub + 6 + distance == ENTRY


def test_function_that_nobody_has_is_refused(code: bytes) -> None:
    with pytest.raises(ToolError, match="undefined functions: exp10"):
        ObjectFile(code).place(CODE, VARIABLES, {}, {})


def test_table_that_is_too_far_away_is_refused(code: bytes) -> None:
    with pytest.raises(ToolError, match="32 bits do not reach"):
        ObjectFile(code).place(CODE, VARIABLES, {"exp10": ENTRY + (1 << 40)}, {})


def test_damaged_objects_are_refused_or_placed(code: bytes) -> None:
    choose = random.Random(5)
    refused = 0
    for turn in range(1500):
        damaged = bytearray(code)
        if turn % 3 == 0:
            damaged = damaged[: choose.randrange(len(damaged))]
        for _ in range(choose.randrange(1, 4)):
            if damaged:
                damaged[choose.randrange(len(damaged))] = choose.choice(
                    (0, 1, 0x7F, 0x80, 0xFF, choose.randrange(256))
                )
        try:
            ObjectFile(bytes(damaged)).place(CODE, VARIABLES, {"exp10": ENTRY}, {})
        except ToolError:
            refused += 1
    assert refused > 500


def test_server_has_what_the_compiler_may_call() -> None:
    assert set(server_imports.NAMES) == {*PROCESS_SYMBOLS, "weft_printf"}
