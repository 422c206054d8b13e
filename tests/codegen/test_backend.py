"""Machine code by clang is the code llvmlite would give, and clang ends whatever happens."""

import resource
import signal

import pytest
from codegen_modules import ADD_ONE

from weft.codegen import backend as backend_module
from weft.codegen import optimise
from weft.codegen.backend import Backend, prepare
from weft.codegen.host import host_target
from weft.errors import ToolError, TooSlow
from weft.frontend import clang_workers
from weft.frontend.clang_workers import pool
from weft.target import x86

SUM = """
define float @sum(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %s = phi float [ 0.0, %entry ], [ %t, %loop ]
  %p = getelementptr float, ptr %x, i64 %i
  %v = load float, ptr %p
  %t = fadd reassoc float %s, %v
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret float %t
}
"""

# A loop that is not vectorized.
COUNT = """
define void @count(ptr %x, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i32, ptr %x, i64 %i
  %v = load volatile i32, ptr %p
  %next = add i64 %i, 1
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %end
end:
  ret void
}
"""


@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("module", [ADD_ONE, COUNT], ids=["add one", "count"])
def test_clang_and_llvmlite_give_the_same_code(module, level):
    here = optimise.emit_here([module], host_target(), level, ())
    assert optimise.emit_object(module, host_target(), level) == here


def test_a_prepared_backend_is_used_for_the_module():
    with prepare(host_target(), 2) as backend:
        assert optimise.emit_object(SUM, host_target(), 2, ["sum"], backend=backend)[:4] == b"\x7fELF"


def test_a_backend_gives_code_again_after_it_gave_some():
    with Backend(host_target(), 2) as backend:
        assert backend.emit(SUM.encode()) == backend.emit(SUM.encode())


def test_a_backend_compiles_several_modules():
    pool.close()
    with Backend(host_target(), 2) as backend:
        (process,) = clang_workers._alive
        codes = [
            optimise.emit_object(module, host_target(), 2, backend=backend) for module in (COUNT, ADD_ONE)
        ]
        assert clang_workers._alive == {process}
    assert codes == [optimise.emit_here([module], host_target(), 2, ()) for module in (COUNT, ADD_ONE)]
    pool.close()
    assert process._process.returncode is not None and not clang_workers._alive


def test_code_is_simpler_where_the_optimizer_takes_too_long(monkeypatch, capsys):
    module = "".join(SUM.replace("@sum", f"@sum{n}") for n in range(300)).encode()
    monkeypatch.setattr(backend_module, "SECONDS", 0.05)
    monkeypatch.setattr(backend_module, "SECONDS_PER_BYTE", 0.0)
    with Backend(host_target(), 3) as backend, Backend(host_target(), 3, quick=True) as quick:
        small = backend._emit(SUM.encode(), False, 60.0)
        for alone in (False, True):
            with pytest.raises(TooSlow):
                backend._emit(module, alone, 0.05)
            assert backend.emit(module, alone) == quick._emit(module, alone, 60.0)
            assert not capsys.readouterr().err
        monkeypatch.setenv("WEFT_VERBOSE", "1")
        backend.emit(module)
        assert f"LLVM optimized a module of {len(module)} bytes" in capsys.readouterr().err
        assert backend._emit(SUM.encode(), False, 60.0) == small


# Saturated conversions and a comparison: LLVM's back end makes a copy between registers that cannot be.
_SATURATED = """
define void @greater(ptr %p, ptr %q, ptr %o) {
  %a = load <8 x i8>, ptr %p
  %b = load <8 x i8>, ptr %q
  %c = sext <8 x i8> %a to <8 x i16>
  %d = sext <8 x i8> %b to <8 x i16>
  %e = mul nsw <8 x i16> %c, splat (i16 3)
  %f = mul nsw <8 x i16> %d, splat (i16 3)
  %g = call <8 x i16> @llvm.smax.v8i16(<8 x i16> %e, <8 x i16> splat (i16 -128))
  %h = call <8 x i16> @llvm.smax.v8i16(<8 x i16> %f, <8 x i16> splat (i16 -128))
  %i = call <8 x i16> @llvm.smin.v8i16(<8 x i16> %g, <8 x i16> splat (i16 127))
  %j = call <8 x i16> @llvm.smin.v8i16(<8 x i16> %h, <8 x i16> splat (i16 127))
  %x = trunc nsw <8 x i16> %i to <8 x i8>
  %y = trunc nsw <8 x i16> %j to <8 x i8>
  %greater = icmp sgt <8 x i8> %y, %x
  %mask = sext <8 x i1> %greater to <8 x i8>
  store <8 x i8> %mask, ptr %o
  ret void
}
declare <8 x i16> @llvm.smax.v8i16(<8 x i16>, <8 x i16>)
declare <8 x i16> @llvm.smin.v8i16(<8 x i16>, <8 x i16>)
"""


@pytest.mark.parametrize(("level", "quick"), [(0, False), (1, True), (3, True)])
def test_code_is_optimized_where_the_back_end_fails_without(level, quick):
    with Backend(x86.describe("x86-64-v4"), level, quick) as backend:
        with pytest.raises(ToolError, match="physreg"):
            backend._emit(_SATURATED.encode(), False, None)
        assert backend.emit(_SATURATED.encode())[:4] == b"\x7fELF"


def test_code_is_optimized_a_little_where_all_is_too_slow_and_none_fails(monkeypatch):
    module = "".join([*(SUM.replace("@sum", f"@sum{n}") for n in range(60)), _SATURATED]).encode()
    monkeypatch.setattr(backend_module, "SECONDS", 0.05)
    monkeypatch.setattr(backend_module, "SECONDS_PER_BYTE", 0.0)
    target = x86.describe("x86-64-v4")
    with Backend(target, 3) as backend, Backend(target, 1) as least:
        assert backend.emit(module) == least._emit(module, True, None)


def test_loops_of_large_modules_are_not_unrolled(monkeypatch):
    usual = optimise.emit_object(COUNT, host_target(), 2)
    monkeypatch.setattr(backend_module, "LARGE", 1)
    assert len(optimise.emit_object(COUNT, host_target(), 2)) < len(usual)


def a_long_block(instructions: int, type: str = "i32") -> bytes:
    """A function `@long` with a basic block of that many dependent multiplications."""
    text = "".join(f"  %v{i + 1} = mul {type} %v{i}, %v{max(0, i - 99)}\n" for i in range(instructions))
    return f"define {type} @long({type} %v0) {{\n{text}  ret {type} %v{instructions}\n}}\n".encode()


def test_baseline_code_of_a_long_block_is_generated_at_level_0():
    module = a_long_block(backend_module.LONG_BLOCK)
    target = host_target()
    with Backend(target, 2, quick=True) as quick, Backend(target, 2) as backend, Backend(target, 0) as none:
        simple = none.emit(module, alone=True)
        assert quick.emit(module) == simple
        assert backend.emit(module) != simple


def test_baseline_code_of_a_long_block_has_no_large_frame(monkeypatch):
    module = a_long_block(backend_module.LONG_BLOCK)
    with Backend(host_target(), 2, quick=True) as quick:
        simple = quick.emit(module)
        monkeypatch.setattr(backend_module, "LARGEST_FRAME", 64)  # the block keeps 99 values
        assert quick.emit(module) != simple


def test_frame_of_level_0_is_measured():
    wide, narrow = (a_long_block(backend_module.LONG_BLOCK, type) for type in ("<16 x i64>", "i64"))
    with Backend(host_target(), 2, quick=True) as quick:
        assert quick._emit_at_level_0(wide) is None
        assert quick._emit_at_level_0(narrow) is not None


@pytest.mark.parametrize(
    ("module", "is_long"),
    [
        (a_long_block(backend_module.LONG_BLOCK), True),
        (a_long_block(backend_module.LONG_BLOCK - 2), False),
        (a_long_block(backend_module.LONG_BLOCK // 2) * 3, False),
    ],
    ids=["long", "shorter", "several"],
)
def test_long_blocks(module, is_long):
    assert backend_module.has_long_block(module) == is_long


def test_what_clang_does_not_take_is_an_error_with_its_words():
    with Backend(host_target(), 2) as backend, pytest.raises(ToolError, match="expected"):
        backend.emit(b"nonsense")


def test_errors_are_seen_in_programs_that_do_not_wait_for_children():
    bad = ADD_ONE.replace("  ret", '  call void asm sideeffect "nonsense", ""()\n  ret')
    assert bad != ADD_ONE
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with pytest.raises(ToolError, match="nonsense"):
            Backend(host_target(), 2).emit(bad.encode(), alone=True)
    finally:
        signal.signal(signal.SIGCHLD, before)


def a_switch(cases: int, name: str = "f") -> bytes:
    """A function with a switch in a loop whose cases all go on at the same block."""
    choices = "\n".join(f"    i32 {n}, label %case.{n}" for n in range(cases))
    blocks = "\n".join(
        f"case.{n}:\n  %to.{n} = getelementptr i32, ptr %p, i64 {n}\n  store i32 {n * 7}, ptr %to.{n}\n"
        "  br label %end"
        for n in range(cases)
    )
    return f"""define void @{name}(ptr %p, i32 %count) {{
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %end ]
  %x = load i32, ptr %p
  switch i32 %x, label %end [
{choices}
  ]
{blocks}
end:
  %next = add i32 %i, 1
  %again = icmp ult i32 %next, %count
  br i1 %again, label %loop, label %exit
exit:
  ret void
}}
""".encode()


@pytest.mark.parametrize(
    ("module", "is_crowded"),
    [
        (a_switch(backend_module.MOST_BRANCHES), True),
        (a_switch(backend_module.MOST_BRANCHES - 2), False),
        (
            a_switch(backend_module.MOST_BRANCHES // 2) + a_switch(backend_module.MOST_BRANCHES // 2, "g"),
            False,
        ),
    ],
    ids=["in one function", "fewer", "in two functions"],
)
def test_blocks_that_many_branches_go_to(module: bytes, is_crowded: bool) -> None:
    assert backend_module.has_crowded_block(module) == is_crowded


@pytest.mark.parametrize("quick", [False, True])
def test_a_switch_of_thousands_of_cases_takes_little_time(quick: bool) -> None:
    module = b";\n" + a_switch(5000)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert Backend(host_target(), 2, quick).emit(module)
    # It takes 0.3 s; with block placement, 18 s.
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before < 5
