"""Passes over text, linking, vectorization, and LLVM's complaints as errors."""

import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from codegen_modules import ADD_ONE, CALLER, WORK_ITEM_LOOP, calls

import weft
from weft.codegen import isolate, optimise
from weft.codegen.host import host_target
from weft.codegen.jit import undefined_symbols
from weft.codegen.machine import machine
from weft.errors import ToolError
from weft.target import riscv64


def test_the_host_target_is_complete_and_stable():
    target = host_target()
    assert target is host_target()
    assert target.triple.startswith("x86_64")
    assert target.has("sse2") and not target.has("nonsense")
    assert target.data_layout.startswith("e-")
    assert machine(target, 3) is machine(target, 3)


def test_every_pass_of_the_table_runs_and_leaves_a_valid_module():
    for name in optimise.PASSES:
        optimise.verify(optimise.run_passes(WORK_ITEM_LOOP, [name], host_target()))


def test_passes_run_in_the_order_given():
    ir = """
define i32 @f(i1 %c) {
  %slot = alloca i32
  store i32 7, ptr %slot
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %v = load i32, ptr %slot
  ret i32 %v
}
"""
    text = optimise.run_passes(ir, ["sroa", "simplifycfg"], host_target())
    assert "alloca" not in text and "br " not in text and "ret i32 7" in text


def test_always_inline_and_globaldce_remove_internal_functions():
    inner = ADD_ONE.replace("define i32", "define internal i32").replace(") {", ") alwaysinline {")
    text = optimise.run_passes(
        inner + CALLER.split("\n", 2)[2], ["always-inline", "globaldce"], host_target()
    )
    assert "@add_one" not in text


def test_value_names_survive_passes():
    assert "%product" in optimise.run_passes(WORK_ITEM_LOOP, ["instcombine"], host_target())


def test_an_unknown_pass_is_named_in_the_error():
    with pytest.raises(ToolError, match="'licm'"):
        optimise.run_passes(ADD_ONE, ["sroa", "licm"], host_target())


@pytest.mark.parametrize(
    ("ir", "reason"),
    [
        ("define i32 @f() { ret i64 0 }", "doesn't match function result type"),
        ("this is not IR", "expected top-level entity"),
        (ADD_ONE + ADD_ONE, "redefinition"),
        (ADD_ONE + "\0", "zero byte"),
        (
            "define i32 @f(i1 %c) { br i1 %c, label %a, label %b\na:\n %x = add i32 1, 2\n br label %b\n"
            "b:\n ret i32 %x }",
            "does not dominate",
        ),
        ('target datalayout = "rubbish"', "unknown specifier"),
    ],
)
def test_bad_ir_is_an_error_with_the_reason(ir, reason):
    for use in (
        optimise.verify,
        optimise.bitcode,
        lambda ir: optimise.run_passes(ir, ["sroa"], host_target()),
        lambda ir: optimise.emit_object(ir, host_target()),
    ):
        with pytest.raises(ToolError, match=reason):
            use(ir)


@pytest.mark.parametrize("data", [b"", b"BC", b"garbage" * 50, b"BC\xc0\xde" + bytes(64)])
def test_bad_bitcode_is_an_error(data):
    with pytest.raises(ToolError, match="bitcode"):
        optimise.to_text(data)


def test_damaged_bitcode_is_an_error():
    data = optimise.bitcode(WORK_ITEM_LOOP)
    with pytest.raises(ToolError):
        optimise.to_text(data[: len(data) // 2])


def test_bitcode_round_trip_keeps_the_module():
    text = optimise.to_text(optimise.bitcode(WORK_ITEM_LOOP))
    assert optimise.to_text(optimise.bitcode(text)) == text
    assert "llvm.loop.parallel_accesses" in text and "@saxpy" in text


def test_bitcode_marks_definitions_to_be_inlined_even_if_they_said_otherwise():
    ir = CALLER.replace(") {", ") #0 {") + "attributes #0 = { noinline nounwind optnone }\n"
    text = optimise.to_text(optimise.bitcode(ir, always_inline=True))
    assert "alwaysinline" in text and "nounwind" in text
    assert "noinline" not in text and "optnone" not in text


@pytest.mark.parametrize("as_bitcode", [False, True])
@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_linked_functions_are_inlined_and_disappear(as_bitcode, level):
    library = optimise.bitcode(ADD_ONE, always_inline=True)
    modules = [CALLER, library if as_bitcode else optimise.to_text(library)]
    assembly = optimise.emit_assembly(modules, host_target(), level, ["add_two"])
    assert "add_two:" in assembly
    assert "add_one" not in assembly


def test_nothing_exported_keeps_all_symbols():
    assembly = optimise.emit_assembly([CALLER, ADD_ONE], host_target())
    assert "add_two:" in assembly and "add_one:" in assembly


def test_unused_constants_disappear_and_used_ones_stay():
    ir = """
@used = constant [4 x i32] [i32 1, i32 2, i32 3, i32 5]
@unused = constant [4 x i32] [i32 1, i32 2, i32 3, i32 6]
define i32 @f(i64 %i) {
  %p = getelementptr i32, ptr @used, i64 %i
  %v = load i32, ptr %p
  ret i32 %v
}
"""
    text = optimise.optimise(ir, host_target(), 3, ["f"])
    assert "@used" in text and "@unused" not in text


def test_a_module_that_defines_nothing_exported_is_an_error():
    with pytest.raises(ToolError, match="do not define missing_kernel"):
        optimise.emit_object(ADD_ONE, host_target(), 3, ["missing_kernel"])


def test_no_module_at_all_is_an_error():
    with pytest.raises(ToolError, match="no module"):
        optimise.emit_object([], host_target())


def test_a_symbol_defined_twice_is_an_error():
    with pytest.raises(ToolError, match="add_one"):
        optimise.emit_object([ADD_ONE, ADD_ONE], host_target())


def test_a_module_for_another_layout_is_an_error():
    with pytest.raises(ToolError, match="the data layout of the module"):
        optimise.emit_object('target datalayout = "e-p:32:32"\n' + ADD_ONE, host_target())


def test_modules_with_other_spellings_of_the_triple_link(capfd):
    other = 'target triple = "x86_64-unknown-linux5.10.0-gnu2.31.0"\n'
    optimise.emit_object([other + CALLER, ADD_ONE], host_target(), 2, ["add_two"])
    assert capfd.readouterr().err == ""


def test_an_unknown_level_is_an_error():
    with pytest.raises(ToolError, match="optimization level must be 0 to 3, got 4"):
        optimise.emit_object(ADD_ONE, host_target(), 4)


@pytest.mark.parametrize("level", [2, 3])
def test_a_work_item_loop_becomes_vector_code(level):
    text = optimise.optimise(WORK_ITEM_LOOP, host_target(), level, ["saxpy"])
    assert re.search(r"load <(8|16) x float>" if host_target().has("avx2") else r"load <4 x float>", text)
    # The parallel accesses made the check for overlap unnecessary.
    assert "memcheck" not in text and "noalias" not in text


def test_vector_code_uses_the_host_and_not_the_attributes_of_the_function():
    assembly = optimise.emit_assembly(WORK_ITEM_LOOP, host_target(), 3, ["saxpy"])
    registers = r"%[yz]mm\d" if host_target().has("avx2") else r"%xmm\d"
    assert re.search(rf"(mulps|fmadd\w*ps)\s.*{registers}", assembly)


def test_without_parallel_accesses_the_loop_needs_a_check_for_overlap():
    plain = WORK_ITEM_LOOP.replace(", !llvm.access.group !0", "").replace(", !llvm.loop !1", "")
    assert "memcheck" in optimise.optimise(plain, host_target(), 3, ["saxpy"])


def test_low_levels_do_not_vectorize():
    for level in (0, 1):
        assert "x float>" not in optimise.optimise(WORK_ITEM_LOOP, host_target(), level, ["saxpy"])


DEADLY = {
    "unknown instruction in inline assembly": (
        'define void @f() {\n call void asm sideeffect "bogus", ""()\n ret void\n}',
        "invalid instruction mnemonic 'bogus'",
    ),
    "module-level assembly": ('module asm "rubbish"\n' + ADD_ONE, "rubbish"),
    "unknown register": (
        'define void @f() {\n call void asm sideeffect "nop", "{xyz}"(i32 1)\n ret void\n}',
        "constraint",
    ),
    "intrinsic of another processor": (
        "declare i32 @llvm.amdgcn.workitem.id.x()\n"
        "define i32 @f() {\n %r = call i32 @llvm.amdgcn.workitem.id.x()\n ret i32 %r\n}",
        "Cannot select",
    ),
    "scalable vector": (
        "define <vscale x 4 x i32> @f(<vscale x 4 x i32> %x) {\n ret <vscale x 4 x i32> %x\n}",
        "scalable",
    ),
}


@pytest.mark.parametrize("case", DEADLY)
@pytest.mark.parametrize("clang", [True, False], ids=["with clang", "without clang"])
def test_what_would_end_the_process_is_an_error(case, clang, monkeypatch):
    ir, reason = DEADLY[case]
    monkeypatch.setattr(optimise, "available", lambda: clang)
    with pytest.raises(ToolError, match=reason):
        optimise.emit_object(ir, host_target())


def test_deadly_bitcode_is_an_error_too():
    ir, reason = DEADLY["unknown instruction in inline assembly"]
    with pytest.raises(ToolError, match=reason):
        optimise.emit_object(optimise.bitcode(ir), host_target())


def test_good_inline_assembly_compiles():
    ir = 'define i32 @f() {\n %r = call i32 asm "movl $$42, $0", "=r"()\n ret i32 %r\n}'
    assert optimise.emit_object(ir, host_target(), 3, ["f"])[:4] == b"\x7fELF"


def test_a_program_that_embeds_python_is_never_started_as_the_compiler(monkeypatch, tmp_path):
    ir = 'define i32 @f() {\n %r = call i32 asm "movl $$42, $0", "=r"()\n ret i32 %r\n}'
    monkeypatch.setattr(optimise, "available", lambda: False)
    monkeypatch.setattr(sys, "executable", "/bin/sh")
    assert optimise.emit_object(ir, host_target(), 3, ["f"])[:4] == b"\x7fELF"
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with pytest.raises(ToolError, match="separate Python interpreter"):
        optimise.emit_object(ir, host_target(), 3, ["f"])


def test_undefined_functions_stay_undefined_in_the_object():
    assert undefined_symbols(optimise.emit_object(calls("elsewhere"), host_target())) == ["elsewhere"]


def test_threads_compile_at_the_same_time():
    results = {}

    def work(number: int) -> None:
        ir = ADD_ONE.replace("%x, 1", f"%x, {number}")
        results[number] = [optimise.emit_object(ir, host_target(), 3, ["add_one"]) for _ in range(4)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 6
    assert all(len(set(objects)) == 1 for objects in results.values())
    assert len({objects[0] for objects in results.values()}) == 6


def test_the_package_does_not_import_llvmlite_before_it_is_used():
    code = (
        "import sys, weft.codegen.cache, weft.codegen.jit, weft.codegen.optimise\n"
        "assert 'llvmlite' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_permutations_of_the_library_are_compiled_here_if_the_processor_has_them():
    ir = "declare <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float>, <16 x i32>)"
    other = ir.replace("permvar.sf.512", "permvar.qi.512")
    for features, foreign in (("+avx2,+avx512f", False), ("+avx2", True)):
        target = replace(host_target(), features=features)
        assert isolate.needed([ir], target) is foreign
        assert isolate.needed([other], target)


def test_other_interpreters_find_the_same_weft(monkeypatch, tmp_path):
    package = str(Path(weft.__file__).parents[1])
    others = [str(tmp_path), str(tmp_path / "no folder"), ""]
    monkeypatch.setattr(sys, "path", others)
    assert isolate.environment()["PYTHONPATH"].split(":") == [package, str(tmp_path)]
    monkeypatch.setattr(sys, "path", [*others, package])
    assert isolate.environment()["PYTHONPATH"].split(":") == [str(tmp_path), package]


def test_child_finds_pythons_own_modules_before_those_of_the_program(tmp_path, monkeypatch):
    (tmp_path / "types.py").write_text("raise SystemExit('the wrong module')")
    monkeypatch.syspath_prepend(str(tmp_path))
    command = [isolate.interpreter(), "-P", "-c", "import weft.codegen.isolate"]
    subprocess.run(command, env=isolate.environment(), check=True)


def test_a_refused_module_is_freed_before_its_context():
    """In whatever order Python collects a cycle that an exception keeps them in; the process would end."""
    program = """
import gc
from weft.codegen.optimise import verify
from weft.errors import ToolError
from weft.target import riscv64
def refuse():
    kept = []
    try:
        verify("@a = external global i32\\n@b = alias i32, ptr @a\\n")
    except ToolError as error:
        kept.append((error, kept))
for _ in range(20):
    refuse()
    gc.collect()
print("alive")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "alive\n", done.stderr


SCATTER = """
define void @rotate(<8 x i32> %x, ptr %a) {
  %p = getelementptr i32, ptr %a, <8 x i32> <i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 0>
  call void @llvm.masked.scatter.v8i32.v8p0(<8 x i32> %x, <8 x ptr> %p, <8 x i1> splat (i1 true)), !t !0
  ret void
}
declare void @llvm.masked.scatter.v8i32.v8p0(<8 x i32>, <8 x ptr>, <8 x i1>)
!0 = !{}
"""


def test_scatters_to_constant_places_stay_scatters_for_riscv():
    # LLVM's back end makes a shuffle of them, by the wrong permutation.
    assembly = optimise.emit_assembly(SCATTER, riscv64.describe("rv64gcv-zvl256b"))
    assert re.search(r"vs[uo]xei", assembly)
    assert "vrgather" not in assembly and "vslide" not in assembly
