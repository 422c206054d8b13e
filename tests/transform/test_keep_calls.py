"""LLVM inlines built-ins where they are called few times; what it would get beyond a budget stays calls."""

import re
from typing import Any

import pytest
from watched_pass import result_of

from weft import ir
from weft.codegen.optimise import optimise
from weft.compiler import compile_work_group as compiler
from weft.compiler.build_program import compile_program
from weft.compiler.compile_work_group import compile_work_group
from weft.frontend.options import parse_options
from weft.ir.loops import loop_forest
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm
from weft.target import Target
from weft.transform.workgroup.keep_calls import MOST_INLINED, keep_calls

_CALL = re.compile(r" call [^@\n]*@_Z")


def kernel(statement: str, count: int) -> str:
    body = "".join(statement.replace("#", str(k)) for k in range(count))
    return f"""
        kernel void k(global float *a, int n) {{
            int i = get_global_id(0);
            float x = a[i];
            for (int j = 0; j < n; j++) {{ {body} }}
            a[i] = x;
        }}"""


MIXED = "x = sin(x) * cos(x + #) + exp(-x * x) + pow(fabs(x), 0.3f);"


def optimised(source: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The work-group function of a kernel as LLVM leaves it."""
    made = []

    def emit(modules: list[str], target: Target, level: int, exported: list[str], **_: Any) -> bytes:
        made.append(optimise(modules, target, level, exported))
        return b""

    monkeypatch.setattr(compiler, "emit_object", emit)
    options = parse_options("")
    (code,) = compile_program(source, options).kernels
    compile_work_group(code, CodeOptions.of(options), LaunchForm((256, 1, 1)))
    (text,) = made
    return text[text.index("define void @weft.workgroup.k(") :].partition("\n}\n")[0]


def test_few_calls_are_inlined(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _CALL.search(optimised(kernel(MIXED, 1), monkeypatch))


def test_code_grows_by_the_calls_and_not_by_their_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = (20, 40, 80)
    texts = [optimised(kernel(MIXED, count), monkeypatch) for count in counts]
    calls, lines = [len(_CALL.findall(t)) for t in texts], [t.count("\n") for t in texts]
    # Exponentials are so short that those of 40 statements may still be inlined.
    assert calls[2] >= 4 * counts[2]
    assert all(found >= 3 * count for found, count in zip(calls, counts, strict=True))
    assert all(found <= MOST_INLINED + 40 * count for found, count in zip(lines, counts, strict=True))


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_many_calls_stay_in_lanes(lanes: int) -> None:
    kept, text = result_of("keep-calls", kernel(MIXED, 30), lanes, 64)
    assert kept >= 90
    assert text.count(f"@_Z3sinDv{lanes}_f(") >= 30


def test_what_is_no_larger_than_a_call_is_always_inlined() -> None:
    kept, _ = result_of("keep-calls", kernel("x = rint(x) + sqrt(x + #); ", 1000), 8, 64)
    assert kept == 0


def test_calls_in_inner_loops_are_inlined_first() -> None:
    source = """
        kernel void k(global float *a, int n) {
            int i = get_global_id(0);
            float x = a[i];
            %s
            for (int j = 0; j < n; j++) x = sin(x) + pow(x, 0.3f);
            a[i] = x;
        }"""
    calls = "".join(f"x = sin(x + {k}) + {k};" for k in range(60))
    kept, text = result_of("keep-calls", source % calls, 8, 64)
    assert kept >= 60
    function = ir.parse(text).function("weft.workgroup.k")
    depths = {False: set[int](), True: set[int]()}
    for i in function.instructions():
        if i.called_function is not None and (i.called_function.name or "").startswith(("_Z3sin", "_Z3pow")):
            assert i.block is not None
            depths["noinline" in i.attributes["suffix"]].add(loop_forest(function).depth(i.block))
    assert max(depths[True]) < min(depths[False])


def test_a_budget_that_is_not_exceeded_changes_nothing() -> None:
    text = """
declare float @_Z3sinf(float) #0
define float @f(float %x) {
  %a = call float @_Z3sinf(float %x) #0
  %b = call float @_Z3sinf(float %a) #0
  ret float %b
}
attributes #0 = { alwaysinline nounwind }
"""
    module = ir.parse(text)
    before = ir.print_module(module)
    assert keep_calls([module.function("f")], {"_Z3sinf": 58}, most=100) == 0
    assert ir.print_module(module) == before
    assert keep_calls([module.function("f")], {"_Z3sinf": 58}, most=99) == 2
    assert ir.print_module(module).count("noinline") == 2
