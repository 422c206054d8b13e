"""Recursion that LLVM makes loops of is gone, the rest is found."""

from weft.codegen.optimise import verify
from weft.codegen.remove_tail_calls import recursive_functions, remove_tail_calls
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options
from weft.target import x86

TARGET = x86.describe("x86-64")


def ir_of(source: str, debug_info: bool = False) -> str:
    return compile_source(source, parse_options(""), TARGET, debug_info=debug_info).ir


def test_a_program_without_recursion_stays_as_it_is():
    text = ir_of("int f(int n) { return n; } kernel void k(global int *a) { *a = f(f(*a)); }")
    assert not recursive_functions(text) and remove_tail_calls(text, TARGET) is text


def test_tail_calls_become_loops_also_with_source_lines():
    source = """
    int odd(int n);
    __attribute__((noinline)) int even(int n) { return n == 0 ? 1 : odd(n - 1); }
    int odd(int n) { return n == 0 ? 0 : even(n - 1); }
    uint gcd(uint a, uint b) { return b ? gcd(b, a % b) : a; }
    kernel void k(global int *a) { *a = odd(*a) + gcd(a[1], a[2]); }"""
    for debug_info in (False, True):
        text = ir_of(source, debug_info)
        assert recursive_functions(text) == {"odd", "even", "gcd"}
        made = remove_tail_calls(text, TARGET)
        verify(made)
        assert not recursive_functions(made)
        assert "urem i32" in made and "weft.urem" not in made


def test_what_cannot_be_a_loop_remains():
    source = """
    int f(int n) { return n < 2 ? n : f(n - 1) ^ f(n - 2); }
    kernel void k(global int *a) { *a = f(*a); }"""
    assert recursive_functions(remove_tail_calls(ir_of(source), TARGET)) == {"f"}
