"""Modules linked as text give the code that LLVM's linker gives, and what is not simple is left to it."""

import pytest
from codegen_modules import ADD_ONE, WORK_ITEM_LOOP

from weft.codegen import optimise
from weft.codegen.host import host_target
from weft.codegen.link_text import link_text

KERNEL = """
source_filename = "kernel"
%pair = type { i32, i32 }
@table = addrspace(2) constant [2 x i32] [i32 3, i32 5]
@outside = external global i32
define dso_local i32 @start(ptr addrspace(1) %p, i32 %x) #0 {
  %one = call i32 @_Z3absi(i32 %x) #1, !note !0
  %two = call i32 @_Z3negi(i32 %one)
  %at = getelementptr [2 x i32], ptr addrspace(2) @table, i64 0, i64 1
  %three = load i32, ptr addrspace(2) %at
  %sum = add i32 %two, %three
  store i32 %sum, ptr addrspace(1) %p, !note !0
  ret i32 %sum
}
declare i32 @_Z3absi(i32)
declare i32 @_Z3negi(i32)
attributes #0 = { nounwind "target-cpu"="i486" "text"="#1 !0" }
attributes #1 = { nounwind }
!0 = !{!"a note, #0 and !0"}
"""
ABSOLUTE = """
define linkonce_odr i32 @_Z3absi(i32 %x) #0 {
  %n = call i32 @_Z3negi(i32 %x) #1, !other !4
  %r = call i32 @llvm.smax.i32(i32 %n, i32 %x)
  ret i32 %r
}
define linkonce_odr i32 @_Z3negi(i32 %x) #0 {
  %n = sub i32 0, %x
  ret i32 %n
}
declare i32 @llvm.smax.i32(i32, i32)
attributes #0 = { alwaysinline }
attributes #1 = { nounwind memory(none) }
!4 = !{!"another"}
"""
NEGATE = """
define linkonce_odr i32 @_Z3negi(i32 %x) #0 {
  %n = sub i32 0, %x
  ret i32 %n
}
attributes #0 = { alwaysinline }
"""
VARIABLE = (
    "@weight = internal global i32 7\ndefine i32 @get() {\n  %r = load i32, ptr @weight\n  ret i32 %r\n}\n"
)


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("exported", [["start"], ["start", "table"], ["start", "_Z3negi"]])
def test_the_code_is_that_of_llvms_linker(level, exported):
    modules = [KERNEL, ABSOLUTE, NEGATE]
    assert link_text(modules, host_target(), exported) is not None
    here = optimise.emit_here(modules, host_target(), level, exported)
    assert optimise.emit_object(modules, host_target(), level, exported) == here


@pytest.mark.parametrize("exported", [[], ["saxpy"]])
def test_modules_may_have_attributes_and_metadata_of_the_same_numbers(exported):
    modules = [WORK_ITEM_LOOP, ADD_ONE, VARIABLE]
    linked = link_text(modules, host_target(), exported)
    assert linked is not None and "i486" not in linked
    assert ("internal" in linked.partition("@weight")[2]) and ("define internal" in linked) == bool(exported)
    assert optimise.verify(linked) is None
    here = optimise.emit_here(modules, host_target(), 1, exported)
    assert optimise.emit_object(modules, host_target(), 1, exported) == here


def test_only_what_is_exported_is_seen_from_outside():
    linked = link_text([KERNEL, ABSOLUTE, NEGATE], host_target(), ["start"])
    assert linked is not None
    assert "define dso_local i32 @start" in linked and "define internal i32 @_Z3absi" in linked
    assert "@table = internal constant" in linked and "@outside = external global" in linked
    assert linked.count("define ") == 3 and "declare i32 @_Z3absi" not in linked
    assert '"text"="#1 !0"' in linked and '!"a note, #0 and !0"' in linked


@pytest.mark.parametrize(
    "modules",
    [
        [ADD_ONE, ADD_ONE],
        [VARIABLE, VARIABLE.replace("@get", "@other")],
        [ADD_ONE, "@again = alias i32 (i32), ptr @add_one\n"],
        [ADD_ONE, "$group = comdat any\n"],
        [ADD_ONE, '!llvm.module.flags = !{!0}\n!0 = !{i32 1, !"wchar_size", i32 4}\n'],
        [ADD_ONE, 'target datalayout = "e-p:32:32"\n'],
        [ADD_ONE, 'module asm "nop"\n'],
        [ADD_ONE, "@hidden = hidden global i32 0\n"],
        [ADD_ONE, "define void @é() {\n  ret void\n}\n"],
        [ADD_ONE.replace("@add_one", '@"add\\5fone"')],
        ["%t = type { i32 }\n" + ADD_ONE, "%t = type { i64 }\n"],
        ["%0 = type { i32 }\n" + ADD_ONE, "%0 = type { i32 }\n"],
        [ADD_ONE.replace("}\n", "")],
        [ADD_ONE.replace("@add_one", "@add_two")],
    ],
)
def test_what_is_not_simple_is_left_to_llvm(modules):
    assert link_text(modules, host_target(), ["add_one"]) is None
