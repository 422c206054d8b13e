"""Kernels of many generic pointers take work by their number, however they are chosen."""

from collections.abc import Callable
from math import log2

import pytest
from test_compile_growth import ONE_ROW, PLAIN, SCALE, counted_calls, without_llvm

from weft.compiler.build_program import compile_program
from weft.compiler.compile_work_group import compile_work_group
from weft.frontend.options import parse_options
from weft.ir import parse
from weft.transform.canonical.infer_address_spaces import infer_address_spaces

__all__ = ["without_llvm"]

HEAD = """int where(void *p) { return (to_local(p) != 0) + 2 * (to_private(p) != 0); }
kernel void k(global int *a, global int *o, local int *sh, int m) {
    int i = get_global_id(0), own[4] = {i, m, 1, 2}, s = 0;
"""


def _each(n: int, text: Callable[[int], str]) -> str:
    return " ".join(map(text, range(n)))


KINDS: dict[str, Callable[[int], str]] = {
    "chosen of several spaces": lambda n: (
        "int *p0 = own, *p1 = m ? (int *)a : (int *)sh;"
        + _each(n, lambda k: f"int *p{k + 2} = a[{k}] > i ? p{k + 1} + 1 : p{k}; *p{k + 2} += {k};")
        + f"s = where(p{n}) + *p{n};"
    ),
    "chosen of one space": lambda n: (
        "int *p0 = a, *p1 = a + m;"
        + _each(n, lambda k: f"int *p{k + 2} = o[{k}] > i ? p{k + 1} + 1 : p{k}; s += *p{k + 2};")
    ),
    "one of many": lambda n: (
        "int *p = 0; switch (m) {"
        + _each(n, lambda k: f"case {k}: p = a + i * {k + 2} + o[{k}]; break;")
        + "} if (p) *p = i;"
    ),
    "changed in a loop": lambda n: (
        _each(n, lambda k: f"int *p{k} = a + {k};")
        + "for (int j = 0; j < m; j++) {"
        + _each(n, lambda k: f"s += *p{k}; p{k} = p{(k + 1) % n} + j;")
        + "}"
    ),
}


def calls(body: str) -> int:
    """How many calls it takes to build a program and to compile its kernel."""
    options = parse_options("-cl-std=CL3.0")
    with counted_calls() as found:
        (kernel,) = compile_program(f"{HEAD}{body} o[i] = s; }}", options).kernels
        compile_work_group(kernel, PLAIN, ONE_ROW)
    return found[0]


def check_growth(count: Callable[[int], int], n: int) -> None:
    few, many = count(n), count(SCALE * n)
    bound = SCALE * log2(SCALE * n) / log2(n)
    assert many <= bound * few, f"{few} calls for {n}, {many} for {SCALE * n}: {many / few:.1f} times as many"


@pytest.mark.parametrize("kind", KINDS)
def test_work_grows_by_pointers(kind: str, without_llvm: None) -> None:
    check_growth(lambda n: calls(KINDS[kind](n)), 16)


def inferred(n: int) -> int:
    """How many calls it takes to find the space of a pointer that is one of many."""
    cases = " ".join(f"i32 {k}, label %c{k}" for k in range(n))
    blocks = "\n".join(
        f"c{k}:\n  %p{k} = addrspacecast ptr addrspace(1) %a to ptr addrspace(4)\n"
        f"  %q{k} = getelementptr i32, ptr addrspace(4) %p{k}, i64 {k}\n  br label %end"
        for k in range(n)
    )
    ways = ", ".join(f"[ %q{k}, %c{k} ]" for k in range(n))
    module = parse(
        f"define spir_kernel void @k(ptr addrspace(1) %a, i32 %m) {{\nentry:\n"
        f"  switch i32 %m, label %end [ {cases} ]\n{blocks}\nend:\n"
        f"  %p = phi ptr addrspace(4) [ null, %entry ], {ways}\n"
        "  store i32 1, ptr addrspace(4) %p, align 4\n  ret void\n}\n"
    )
    (function,) = module.functions
    with counted_calls() as found:
        assert infer_address_spaces(function, lambda _: False) == 2 * n + 1
    return found[0]


def test_space_of_one_of_many_pointers_is_found_by_their_number() -> None:
    check_growth(inferred, 100)
