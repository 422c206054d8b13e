"""Kernels that come where they say they never do have no result to speak of, but they return."""

import pyopencl as cl
import pytest

from weft.codegen.optimise import verify
from weft.codegen.return_from_unreachable import has_unreachable_or_assumptions, return_from_unreachable
from weft.compiler.build_program import compile_program
from weft.frontend.options import parse_options

NEVER = """
define internal <2 x i32> @f(i32 %a) {
  unreachable
}
define internal noundef i32 @g(i1 %a) {
  call void @llvm.assume(i1 %a)
  br i1 %a, label %b, label %c
b:
  unreachable
c:
  ret i32 3
}
define spir_kernel void @k() {
  unreachable
}
declare void @llvm.assume(i1)
"""


def test_every_function_returns_something_of_its_type():
    text = return_from_unreachable(NEVER)
    verify(text)
    assert "unreachable" not in text and "call void @llvm.assume" not in text
    assert text.count("\n  ret ") == 4 and has_unreachable_or_assumptions(NEVER)


@pytest.mark.parametrize(
    "body",
    [
        "__builtin_unreachable();",
        "out[i] = 1; __builtin_unreachable();",
        "barrier(CLK_LOCAL_MEM_FENCE); __builtin_unreachable();",
        "while (1) { if (i == -1) out[i] = 3; __builtin_unreachable(); }",
        "__builtin_assume(i < 0); out[i] = 0;",
        "out[i] = 0; __builtin_assume(out[i + 8] == 1);",
    ],
)
@pytest.mark.parametrize("options", ["", "-cl-opt-disable"])
def test_such_a_kernel_does_not_end_the_process(body, options):
    source = f"kernel void k(global int *out) {{ int i = get_global_id(0); {body} }}"
    platform = next(p for p in cl.get_platforms() if p.name == "Weft")
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)
    out = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
    kernel = cl.Kernel(cl.Program(context, source).build(options), "k")
    for _ in range(2):
        kernel(queue, (16,), (8,), out)
        queue.finish()


def test_a_hint_is_used_before_it_is_forgotten():
    source = "kernel void k(global int *out, int n) { __builtin_assume(n > 0); if (n < 1) out[0] = 77; }"
    (kernel,) = compile_program(source, parse_options("")).kernels
    assert "77" not in kernel.text and "assume" not in kernel.text
