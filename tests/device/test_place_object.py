"""Object files placed at addresses: what is written where, and what is refused."""

import random
import struct

import pytest

from weft.abi import LOOP_FUNCTIONS, SUB_GROUP_FUNCTIONS
from weft.codegen.host import host_target
from weft.codegen.imports import PROCESS_SYMBOLS
from weft.codegen.linking.place_object import ObjectFile
from weft.codegen.optimise import emit_here
from weft.device import isolated, server_imports
from weft.device.detours import RoundingDetours
from weft.errors import ToolError
from weft.target import riscv64

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
    assert set(server_imports.NAMES) == {
        *PROCESS_SYMBOLS,
        "weft_printf",
        *SUB_GROUP_FUNCTIONS,
        *LOOP_FUNCTIONS,
    }


CONVERSIONS = """
target triple = "riscv64-unknown-linux-gnu"
define void @convert(ptr %a, ptr %b) {
  %x = load <8 x float>, ptr %a
  %i = fptosi <8 x float> %x to <8 x i32>
  store <8 x i32> %i, ptr %a
  %y = load <8 x double>, ptr %b
  %u = fptoui <8 x double> %y to <8 x i32>
  store <8 x i32> %u, ptr %b
  ret void
}
"""


def test_conversions_that_round_to_zero_are_copied_after_one_that_does_not() -> None:
    target, detours = riscv64.describe("rv64gcv-zvl256b"), RoundingDetours()
    code = emit_here([CONVERSIONS], target, 2, ())
    plain, file = ObjectFile(code), ObjectFile(code, detours=detours)
    assert file.alignment % 16 == 0
    before, after = (f.place(CODE, VARIABLES, {}, {}).code for f in (plain, file))
    places = detours.find(before)
    assert len(places) == 2
    copies = [len(after) - 32, len(after) - 16]
    for place, copy in zip(places, copies, strict=True):
        jump, harmless, conversion, back = (
            int.from_bytes(after[at : at + 4], "little") for at in (place, copy, copy + 4, copy + 8)
        )
        assert place + jump_of(jump) == copy and copy + 8 + jump_of(back) == place + 4
        assert harmless == 0xC0007053  # fcvt.w.s zero, ft0
        assert conversion == int.from_bytes(before[place : place + 4], "little")
    untouched = bytearray(after[: len(before)])
    for place in places:
        untouched[place : place + 4] = before[place : place + 4]
    assert untouched == before


def jump_of(instruction: int) -> int:
    """The distance of a RISC-V `j`."""
    assert instruction & 0xFFF == 0x6F
    bits = ((instruction >> 31 & 1) << 20, (instruction >> 12 & 0xFF) << 12, (instruction >> 20 & 1) << 11)
    distance = sum(bits) + ((instruction >> 21 & 0x3FF) << 1)
    return distance - (distance >> 20 << 21)
