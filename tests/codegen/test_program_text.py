"""Kernels cut out of a program's text, by their names and with what they use."""

from weft.codegen.program_text import ProgramText
from weft.codegen.remove_tail_calls import recursive_functions
from weft.compiler.build_program import compile_program
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options
from weft.ir import parse
from weft.ir.verifier import verify
from weft.target import x86

TEXT = r"""
@"t\C3\A4.k" = internal addrspace(3) global [4 x i32] undef

define spir_kernel void @"gr\C3\BC\C3\9Fe"(ptr addrspace(1) %p) {
  store i32 1, ptr addrspace(3) @"t\C3\A4.k"
  call void @"na\C3\AFf"()
  ret void
}

declare void @"na\C3\AFf"()
"""


def test_names_are_as_in_the_source_also_where_llvm_writes_them_in_escapes():
    text = ProgramText(TEXT)
    assert text.defines("grüße") and not text.defines(r"gr\C3\BC\C3\9Fe")
    assert text.names_in("grüße") == {"tä.k", "naïf"}
    assert text.called_by("grüße") == {"naïf"}


def test_local_memory_is_reserved_for_variables_whatever_letters_their_names_have():
    source = """
    kernel void grüße(global int *out) {
        local int größe[1000];
        größe[get_local_id(0)] = 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = größe[0];
    }"""
    (kernel,) = compile_program(source, parse_options("")).kernels
    assert kernel.info.name == "grüße" and kernel.local_bytes == 4000


def test_kernels_of_a_program_exclude_what_only_others_use():
    source = """
    constant int table[4] = {1, 2, 3, 4};
    struct pair { int a, b; };
    kernel void first(global int *out) { out[get_global_id(0)] = table[out[0] & 3]; }
    kernel void second(global struct pair *out, struct pair p) {
        local struct pair shared;
        shared = p;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_local_id(0)] = shared;
    }"""
    first, second = compile_program(source, parse_options("")).kernels
    assert "@table = " in first.text and "%struct.pair = type" not in first.text
    assert "get_local_id" not in first.text and "@second" not in first.text
    assert "@table" not in second.text and "%struct.pair = type" in second.text
    assert second.local_bytes == 8
    for kernel in (first, second):
        module = parse(kernel.text)
        verify(module)
        assert module.function(kernel.info.name).blocks


def test_the_length_of_all_kernels_grows_with_the_program():
    def length(count: int) -> int:
        kernels = (
            f"kernel void k{n}(global int *a{n}) {{ local int l{n}; l{n} = n{n}(a{n}[0]); a{n}[1] = l{n}; }}"
            for n in range(count)
        )
        functions = (f"int n{n}(int x) {{ return x + {n}; }}" for n in range(count))
        program = compile_program("\n".join((*functions, *kernels)), parse_options(""))
        return sum(len(kernel.text) for kernel in program.kernels)

    assert length(320) < 5 * length(80)


def test_inline_assembly_calls_nothing_by_name():
    source = """int f(int x) { __asm__ volatile("# call @f(" ::: "memory"); return x; }
        kernel void k(global int *a) { *a = f(*a); }"""
    text = ProgramText(compile_source(source, parse_options(""), x86.describe("x86-64")).ir)
    assert not text.calls_in("f") and text.calls_pointers("f")
    assert not recursive_functions(text.alone("f"))
    assert compile_program(source, parse_options("")).kernels
