"""Where Weft's own linker puts code and variables, and what it leaves to LLVM's."""

import ctypes
import mmap
import os
from pathlib import Path

import pytest
from codegen_modules import calls

from weft.codegen import jit, load, optimise
from weft.codegen.host import host_target

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="LLVM's linker loads all code here")

_VARIABLES = """
@before = internal global i32 5, align 4
@aligned = internal global [3 x i32] [i32 1, i32 2, i32 3], align ALIGNMENT
@large = internal global [100000 x i32] zeroinitializer, align 64
declare double @fmod(double, double)
define i32 @f(i32 %x) {
  %old = load volatile i32, ptr @before
  %end = getelementptr i32, ptr @large, i64 99999
  %more = load volatile i32, ptr %end
  %next = add i32 %more, %x
  store volatile i32 %next, ptr %end
  %second = getelementptr i32, ptr @aligned, i64 1
  %two = load volatile i32, ptr %second
  %sum = add i32 %next, %old
  %place = ptrtoint ptr @aligned to i64
  %beyond = urem i64 %place, ALIGNMENT
  %wrong = trunc i64 %beyond to i32
  %both = add i32 %two, %wrong
  %all = add i32 %sum, %both
  %real = sitofp i32 %all to double
  %rest = call double @fmod(double %real, double 1000.0)
  %result = fptosi double %rest to i32
  ret i32 %result
}
"""


def _rights(address: int) -> str:
    """What the memory at an address is for, as `r-xp`."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        places, rights, *_ = line.split()
        start, end = (int(place, 16) for place in places.split("-"))
        if start <= address < end:
            return rights
    return ""


def _compiled(ir: str) -> bytes:
    return optimise.emit_object([ir], host_target(), 2, ("f",))


@pytest.mark.parametrize("alignment", [4, 64, 256, 2 * mmap.PAGESIZE])
def test_variables_are_where_they_must_be(alignment: int) -> None:
    # The address is computed where the compiler cannot know what it is a multiple of.
    ir = _VARIABLES.replace("ptrtoint ptr @aligned", "ptrtoint ptr %opaque")
    ir = ir.replace("  %place", '  %opaque = call ptr asm "", "=r,0"(ptr @aligned)\n  %place')
    code = load.load(_compiled(ir.replace("ALIGNMENT", str(alignment))), "f")
    function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)(code.address)
    assert [function(1), function(990), function(3)] == [8, 998, 1]
    assert isinstance(code, load.PlacedCode)


def test_nothing_that_is_executed_or_jumped_by_can_be_written() -> None:
    code = load.load(_compiled(_VARIABLES.replace("ALIGNMENT", "16")), "f")
    assert isinstance(code, load.PlacedCode)
    start = ctypes.addressof(ctypes.c_char.from_buffer(code._memory))
    rights = [_rights(start + offset) for offset in range(0, len(code._memory), mmap.PAGESIZE)]
    assert rights == sorted(rights) and set(rights) == {"r-xp", "rw-p"}
    assert _rights(code.address) == "r-xp"
    target = ctypes.cast(ctypes.CDLL("libm.so.6").fmod, ctypes.c_void_p).value
    assert target is not None
    place = code._memory.find(target.to_bytes(8, "little"), 0)
    assert place >= 0 and _rights(start + place) == "r-xp"


def test_code_without_variables_takes_one_page() -> None:
    callback = ctypes.CFUNCTYPE(None)(lambda: None)
    address = ctypes.cast(callback, ctypes.c_void_p).value
    assert address is not None
    code = load.load(_compiled(calls("host_service")), "f", {"host_service": address})
    assert isinstance(code, load.PlacedCode) and len(code._memory) == mmap.PAGESIZE
    ctypes.CFUNCTYPE(None)(code.address)()


def test_what_the_linker_cannot_do_is_llvms(monkeypatch: pytest.MonkeyPatch) -> None:
    data = _compiled(calls("host_service"))
    monkeypatch.setattr(load, "_LARGEST", len(data) - 1)
    code = load.load(data, "f", {"host_service": 4096})
    assert isinstance(code, jit.LoadedCode)
