"""Programs that are too large for everything to be inlined build soon, and compute what they should."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernel_case import FOLDER, KernelCase, Range
from kernel_ways import CompiledWay, InterpreterWay, the_kernel

import weft.kernel
from weft import ir
from weft.compiler import compile_work_group as compiler
from weft.compiler.build_program import compile_program
from weft.compiler.passes import BUILD_PASSES, FUNCTION_PASSES
from weft.errors import BudgetExceeded, BuildError
from weft.frontend.options import parse_options
from weft.functions import kernel_and_functions
from weft.launch_form import LaunchForm
from weft.program import build, load_binary
from weft.trace import Trace
from weft.verify_binary import verify_kernels

WAYS = (CompiledWay(level=2, verify=False), CompiledWay(level=2, first=True, verify=False))


def _run(source: str, count: int = 8) -> tuple[np.ndarray, str]:
    """What kernel `k` leaves of its buffer in both tiers, as the interpreter has it, and the kernel's IR."""
    launch = Range(f"{count} / {count}", (count,), (count,), (0,))
    case = KernelCase(FOLDER / "large" / "program.cl", source)

    def arguments() -> dict[str, np.ndarray]:
        return {"a": np.arange(count, dtype=np.int32)}

    expected = InterpreterWay().run(case, launch, arguments())["a"]
    for way in WAYS:
        np.testing.assert_array_equal(way.run(case, launch, arguments())["a"], expected)
    return expected, the_kernel(case).code.text


def _long_body(lines: int, seed: int) -> str:
    return "".join(f"x = (x ^ {seed + n}) * {2 * n + 3} + (x >> {n % 7 + 1});\n" for n in range(lines))


def _kernel(body: str) -> str:
    return f"kernel void k(global int *a) {{ uint i = get_global_id(0), x = a[i]; {body} a[i] = x; }}"


def test_calls_hundred_deep_that_double_at_each_level() -> None:
    functions = ["int f0(int x) { return x + (int)get_global_id(0); }"]
    functions += [
        f"int f{n}(int x) {{ if (x & 1) return f{n - 1}(x >> 1) + {n}; return f{n - 1}(x + 2) ^ {n}; }}"
        for n in range(1, 100)
    ]
    kernel = "kernel void k(global int *a) { int i = get_global_id(0); a[i] = f99(a[i]); }"
    found, text = _run("\n".join([*functions, kernel]))
    assert len(set(found.tolist())) > 1
    assert text.count("\ndefine ") < 100


def test_function_called_from_five_hundred_places() -> None:
    function = f"uint f(uint x, uint n) {{ {_long_body(60, 5)} return x + n; }}"
    calls = "\n".join(f"if (x & {1 << n % 5}) x = f(x, {n});" for n in range(500))
    kernel = f"kernel void k(global int *a) {{ uint i = get_global_id(0), x = a[i]; {calls} a[i] = x; }}"
    _, text = _run(f"{function}\n{kernel}")
    kernel_text, functions = kernel_and_functions(text, "k")
    assert len(functions) == 1
    assert kernel_text.count("call i32 @weft.function.f(") == 500


def test_functions_with_barriers_are_inlined_into_large_kernels() -> None:
    large = "\n".join(f"uint g{n}(uint x) {{ {_long_body(300, n)} return x; }}" for n in range(4))
    shared = """void both(local uint *t, uint x, uint *y) {
        t[get_local_id(0)] = x; barrier(CLK_LOCAL_MEM_FENCE); *y = t[get_local_size(0) - 1 - get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }"""
    calls = "\n".join(f"both(t, g{n % 4}(x), &x);" for n in range(10))
    kernel = f"""kernel void k(global int *a) {{
        local uint t[8]; uint i = get_global_id(0), x = a[i]; {calls} a[i] = x; }}"""
    _, text = _run("\n".join([large, shared, kernel]))
    names = {f.name for f in ir.parse(text).functions if not f.is_declaration}
    assert names == {"k", *(f"weft.function.g{n}" for n in range(4))}


def test_builds_run_the_listed_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    function = (
        f"int f(int *x) {{ int p[20]; p[*x & 7] = *x; {_long_body(300, 1).replace('x', '*x')} return p[3]; }}"
    )
    calls = "\n".join(f"x += f(&x + ({n} & get_local_id(0)));" for n in range(100))
    kernel = f"int x = a[0]; {calls} barrier(1); a[0] = pown((float)x, 2);"
    source = f"{function}\nkernel void k(global int *a) {{ {kernel} }}"
    monkeypatch.setenv("WEFT_DUMP", str(tmp_path))
    compile_program(source, parse_options("-cl-std=CL3.0"))
    run = [path.stem[3:] for path in sorted((tmp_path / "program").iterdir())]
    assert run == [p.name for p in (*FUNCTION_PASSES, *BUILD_PASSES)]


def test_recursion_in_large_program_is_refused() -> None:
    function = f"int f(int x) {{ {_long_body(300, 1)} return x > 3 ? f(x - 1) + f(x - 2) : x; }}"
    calls = "\n".join(f"x += f(x + {n});" for n in range(100))
    source = f"{function}\nkernel void k(global int *a) {{ int x = a[0]; {calls} a[0] = x; }}"
    with pytest.raises(BuildError, match="calls 'f', which is recursive"):
        build(source, "")


def test_small_kernels_of_large_program_have_everything_inlined() -> None:
    function = f"int f(int x) {{ {_long_body(300, 1)} return x; }}"
    calls = "\n".join(f"x += f(x + {n});" for n in range(100))
    source = f"""{function}
        kernel void small(global int *a) {{ a[0] = f(a[0]); }}
        kernel void k(global int *a) {{ int x = a[0]; {calls} a[0] = x; }}"""
    kernels = build(source, "").kernels
    assert "@weft.function." not in kernels["small"].code.text
    assert "@weft.function.f" in kernels["k"].code.text


def test_binary_holds_functions() -> None:
    function = f"int f(int x) {{ int p[20]; p[x & 7] = x; {_long_body(300, 1)} return x + p[x & 3]; }}"
    calls = "\n".join(f"x += f(x + {n});" for n in range(100))
    program = build(f"{function}\nkernel void k(global int *a) {{ int x = a[0]; {calls} a[0] = x; }}", "")
    loaded = load_binary(program.binary())
    assert loaded.kernels["k"].code.text == program.kernels["k"].code.text
    assert program.kernels["k"].private_bytes >= 80
    verify_kernels([program.kernels["k"].code], {})


def test_kernels_beyond_the_vectorizers_budget_run_in_plain_loops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = _kernel(_long_body(9, 1))
    code = build(source, "").kernels["k"].code
    options = build(source, "").kernels["k"].options
    steps: list[str] = []

    class Steps(Trace):
        def run(self, name: str, module: ir.Module, change: Callable[[], Any]) -> Any:
            steps.append(name)
            return super().run(name, module, change)

    for most in (1000, 10):
        monkeypatch.setattr(weft.kernel, "MOST_VECTORIZED", most)
        steps.clear()
        compiler.compile_work_group(code, options, LaunchForm((64, 1, 1)), trace=Steps("k", None, "", None))
        assert ("vectorize-work-items" in steps) == (most == 1000)


def test_kernels_beyond_the_optimizers_budget_keep_baseline_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(weft.kernel, "MOST_OPTIMIZED", 10)
    source = _kernel(_long_body(9, 2))
    kernel = build(source, "").kernels["k"]
    with pytest.raises(BudgetExceeded, match="instructions exceed the limit of 10"):
        compiler.compile_work_group(kernel.code, kernel.options, LaunchForm((64, 1, 1)))
    monkeypatch.setenv("WEFT_TIERS", "0")
    assert "weft.baseline.k" in repr(kernel.work_group_function((64, 1, 1)).code)


def test_functions_that_stay_call_built_ins_that_stay() -> None:
    body = "".join(
        f"x = 1.5f + 0.25f * sin(x + {n}) + 0.125f * pow(x, 0.3f) + fabs(x - {n});" for n in range(60)
    )
    function = f"float f(float x) {{ {body} return x; }}"
    calls = "\n".join(f"if (a[i] == {n}) x = f(x);" for n in range(100))
    kernel = f"kernel void k(global int *a) {{ int i = get_global_id(0); float x = i; {calls} a[i] = x; }}"
    _, text = _run(f"#pragma OPENCL FP_CONTRACT OFF\n{function}\n{kernel}")
    _, (functions,) = kernel_and_functions(text, "k")
    assert functions.count("@_Z3sinf(") == functions.count("@_Z3powff(") == 61
    assert len(re.findall(r" call [^\n]* noinline", functions)) == 120
