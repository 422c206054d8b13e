"""Kernels cut out of a program's text, by their names and with what they use."""

from weft.codegen.program_text import ProgramText
from weft.compiler import compile_program
from weft.frontend.options import parse_options

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
