"""Functions that stay functions run in the lanes of the kernels that call them."""

import re
from dataclasses import replace
from typing import Any

import pytest

from weft import ir
from weft.codegen.host import host_target
from weft.compiler import compile_work_group as compiler
from weft.launch_form import LaunchForm
from weft.program import build

LOOP = "float f(float x, int n) { for (int k = 0; k < n; k++) x = x * 3 - 1 / x; return x; }"


def _made(monkeypatch: pytest.MonkeyPatch, source: str, **options: Any) -> tuple[str, str]:
    """The modules that LLVM gets of a kernel and of its functions."""
    monkeypatch.setenv("WEFT_INLINE", "0")
    (kernel,) = build(source, "").kernels.values()
    emitted: list[list[str]] = []

    def emit(modules: list[str], *_: object, **__: object) -> bytes:
        emitted.append(modules)
        return b""

    monkeypatch.setattr(compiler, "emit_object", emit)
    compiler.compile_work_group(kernel.code, replace(kernel.options, **options), LaunchForm((64, 1, 1)))
    own, functions = emitted[0][:2]
    return own, functions


def _body(functions: str, name: str) -> str:
    found = re.search(rf"\ndefine void @{re.escape(name)}\(.*?\n}}", functions, re.DOTALL)
    assert found is not None, name
    return found[0]


def _for_lanes(text: str) -> set[str]:
    return set(re.findall(r"call void @(weft\.lanes\.[\w.-]+)\(", text))


def test_function_is_called_for_all_lanes_by_the_shapes_of_its_arguments(monkeypatch):
    source = (
        LOOP
        + """
    kernel void k(global float *a, int n) { int i = get_global_id(0); a[i] = f(a[i], n) + f(a[i], i); }"""
    )
    own, functions = _made(monkeypatch, source, lanes=8)
    assert _for_lanes(own) == {
        "weft.lanes.8.v_0.a.weft.function.f",
        "weft.lanes.8.v_1.a.weft.function.f",
    }
    for name in _for_lanes(own):
        assert "fdiv <8 x float>" in _body(functions, name)
        assert "call float @weft.function.f" not in _body(functions, name)


def test_idle_lanes_are_told_to_the_function(monkeypatch):
    source = (
        LOOP
        + """
    kernel void k(global float *a, int n) { int i = get_global_id(0); if (a[i] > 2) a[i] = f(a[i], n); }"""
    )
    own, _ = _made(monkeypatch, source, lanes=4)
    assert _for_lanes(own) == {"weft.lanes.4.v_0.m.weft.function.f"}


def test_functions_for_lanes_call_functions_for_lanes(monkeypatch):
    source = (
        LOOP
        + """
    float g(float x, int n) { if (x > 3) return f(x, n); return x * 2; }
    kernel void k(global float *a, int n) { int i = get_global_id(0); a[i] = g(a[i], n); }"""
    )
    own, functions = _made(monkeypatch, source, lanes=8)
    (outer,) = _for_lanes(own)
    (inner,) = _for_lanes(_body(functions, outer))
    assert inner == "weft.lanes.8.v_0.m.weft.function.f"
    assert "fdiv <8 x float>" in _body(functions, inner)


def test_nothing_is_left_of_functions_that_were_made_for_their_cost(monkeypatch):
    source = (
        LOOP
        + """
    float g(float x, int n) { if (x > 3) return f(x, n); return f(x * 2, n + 1); }
    kernel void k(global float *a, int n) { int i = get_global_id(0); a[i] = g(a[i], n); }"""
    )
    own, functions = _made(monkeypatch, source)
    called = _for_lanes(own) | _for_lanes(functions)
    assert called == set(re.findall(r"define void @(weft\.lanes\.[\w.-]+)\(", functions))
    assert len(called) > 1


def test_functions_without_vector_form_are_called_sequentially(monkeypatch):
    source = """typedef struct { int v[9]; } S;
    int f(S s, int i) { s.v[i & 7] = i; return s.v[i & 3]; }
    kernel void k(global int *a, S s) { int i = get_global_id(0); a[i] = f(s, a[i]); }"""
    own, functions = _made(monkeypatch, source, lanes=8)
    (name,) = _for_lanes(own)
    assert "call i32 @weft.function.f(" in _body(functions, name)


@pytest.mark.parametrize("taken", ["atomic_cmpxchg(lock, 0, 1)", "atomic_or(lock, 1)"])
def test_work_items_that_may_wait_for_one_another_run_sequentially(monkeypatch, taken):
    source = """int take(volatile global int *lock) { return TAKEN; }
    kernel void k(global int *a) { a[get_global_id(0) + 1] = take(a); }"""
    own, _ = _made(monkeypatch, source.replace("TAKEN", taken), lanes=8)
    assert not _for_lanes(own)


def test_functions_run_sequentially_while_work_items_hold_a_lock(monkeypatch):
    source = (
        LOOP
        + """
    kernel void k(global float *a, volatile global int *lock, int n) {
        while (atomic_or(lock, 1)) ;
        a[0] += f(a[get_global_id(0)], n);
        atomic_and(lock, 0);
    }"""
    )
    assert not _for_lanes(_made(monkeypatch, source, lanes=8)[0])


def test_lanes_are_taken_if_they_pay(monkeypatch):
    kernel = "kernel void k(global float *a, int n) { int i = get_global_id(0); a[i] = f(a[i], n); }"
    assert _for_lanes(_made(monkeypatch, LOOP + kernel)[0])
    atomic = """int f(global int *a, int x) { return atomic_add(a, x) + atomic_max(a + 1, x); }
    kernel void k(global int *a) { int i = get_global_id(0); a[i] = f(a, a[i]); }"""
    assert not _for_lanes(_made(monkeypatch, atomic)[0])


def test_private_memory_passed_to_functions_is_separate_for_each_lane(monkeypatch):
    source = """typedef struct { float x; int n; float v[5]; } S;
    void f(S *s) { for (int k = 0; k < s->n; k++) s->v[k % 5] += s->x * k; }
    kernel void k(global float *a) { int i = get_global_id(0); S s = {a[i], i}; f(&s); a[i] = s.v[i % 5]; }"""
    own, _ = _made(monkeypatch, source, lanes=8)
    assert _for_lanes(own) == {"weft.lanes.8.28.a.weft.function.f"}
    ir.parse(own)


@pytest.mark.parametrize(("more", "in_lanes"), [(0, True), (8, False)])
def test_functions_in_lanes_leave_half_of_a_small_stack(monkeypatch, more, in_lanes):
    """Arrays of all lanes in the functions of a chain take 512 KiB at most: many threads have 1 MiB."""
    width = host_target().lanes(32)
    elements = (1 << 19) // width // 4 // 2 // 4 + more
    names = [f"t{number}" for number in range(4)]
    arrays = ", ".join(f"{name}[{elements}]" for name in names)
    functions = "".join(
        f"float f{depth}(float x, int n) {{ float {arrays}, sum = 0;"
        f" for (int k = 0; k < {elements}; k++) {{ {' '.join(f'{t}[k] = k / x;' for t in names)} }}"
        f" for (int k = 0; k < n; k++) {{ {' '.join(f'{t}[k * n % {elements}] += k;' for t in names)} }}"
        f" sum = {f'f{depth - 1}(x, n)' if depth else '0'};"
        f" for (int k = 0; k < {elements}; k++) sum += {' + '.join(f'{t}[k]' for t in names)};"
        " return sum; }\n"
        for depth in range(2)
    )
    source = (
        functions + "kernel void k(global float *a, int n) { int i = get_global_id(0); a[i] = f1(a[i], n); }"
    )
    _, made = _made(monkeypatch, source, lanes=width)
    (name,) = set(re.findall(r"define void @(weft\.lanes\.\S*f1)\(", made))
    assert ("call float @weft.function.f1" not in _body(made, name)) == in_lanes
