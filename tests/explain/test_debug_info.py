"""Source lines and names in the IR, and that asking for them changes no code."""

import re

import pytest
from explained_kernels import CONDITIONAL, DCT, SHAPES

from weft import ir
from weft.compiler.build_program import compile_program
from weft.frontend.options import parse_options
from weft.ir.debug import DebugInfo, source_variables


def compiled(source: str, *, debug_info: bool = True) -> str:
    (kernel,) = compile_program(source, parse_options(""), debug_info=debug_info).kernels
    return kernel.text


def without_debug_info(text: str) -> str:
    """The instructions alone: names of metadata nodes differ when there are more of them."""
    text = re.sub(r"^\s+#dbg_.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r",? ![\w.]+ (?:distinct )?!\d+", "", text)
    return re.sub(r"^!.*\n", "", text, flags=re.MULTILINE).strip()


@pytest.mark.parametrize("source", [DCT, CONDITIONAL, SHAPES], ids=["dct", "conditional", "shapes"])
def test_debug_information_changes_no_code(source):
    assert without_debug_info(compiled(source)) == without_debug_info(compiled(source, debug_info=False))


def test_builds_carry_no_debug_information_unless_asked():
    assert "!dbg" not in compiled(DCT, debug_info=False)


def test_instructions_know_their_line_and_the_calls_that_lead_there():
    text = compiled(DCT)
    module = ir.parse(text)
    info = DebugInfo(module)
    function = module.function("DCT")
    found = {}
    for instruction in function.instructions():
        place = info.location(instruction)
        if place is not None:
            found.setdefault((place.line, place.function), place)
    assert found[5, "getIdx"].caller is not None and found[5, "getIdx"].caller.line == 22
    assert found[25, "DCT"].caller is None  # clang's wrapper around the kernel is no caller
    loops = [r for i in function.instructions() if (r := info.loop_range(i)) is not None]
    assert [(first.line, last.line) for first, last in loops] == [(20, 24), (30, 34)]


def test_values_know_their_variables():
    text = compiled(DCT)
    module = ir.parse(text)
    function = module.function("DCT")
    variables = source_variables(text, function, DebugInfo(module))
    by_name = {
        v.name: (variables[v].name, variables[v].line) for v in function.instructions() if v in variables
    }
    assert ("acc", 19) in by_name.values() and ("k", 30) in by_name.values()
    # A value that is an argument of an inlined function too keeps the name it has in the kernel.
    assert ("j", 16) in by_name.values() and not any(name == "localIdx" for name, _ in by_name.values())


def test_included_files_are_named(tmp_path):
    (tmp_path / "helper.h").write_text("int twice(int x) {\n    return x + x;\n}\n")
    source = '#include "helper.h"\nkernel void k(global int *a) {\n    a[0] = twice(a[1]);\n}\n'
    (kernel,) = compile_program(source, parse_options(f"-I {tmp_path}"), debug_info=True).kernels
    module = ir.parse(kernel.text)
    info = DebugInfo(module)
    places = [p for i in module.function("k").instructions() if (p := info.location(i)) is not None]
    inside = [p for p in places if p.function == "twice"]
    assert inside and all(p.file.endswith("helper.h") and p.line == 2 for p in inside)
    assert all(p.caller is not None and p.caller.line == 3 for p in inside)


def test_module_without_debug_information_has_no_places():
    module = ir.parse("define void @f(ptr %p) {\n  store i32 1, ptr %p, !tbaa !0\n  ret void\n}\n!0 = !{}\n")
    info = DebugInfo(module)
    assert [info.location(i) for i in module.function("f").instructions()] == [None, None]


def test_kernels_with_names_beyond_ascii_have_variables():
    text = compiled("kernel void größe(global int *a) {\n    int i = get_global_id(0);\n    a[i] = i;\n}\n")
    module = ir.parse(text)
    variables = source_variables(text, module.function("größe"), DebugInfo(module))
    assert {v.name for v in variables.values()} == {"i"}
