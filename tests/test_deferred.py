"""Functions whose modules are imported when they are first called."""

import subprocess
import sys

from weft.compiler import apply_passes, passes
from weft.deferred import deferred, load_deferred


def test_all_functions_that_are_deferred_exist():
    load_deferred()
    listed = [*vars(passes).values(), *vars(apply_passes).values()]
    found = [f for f in listed if getattr(f, "__module__", "") == "weft.deferred" and f is not deferred]
    assert len(found) > 15
    for function in found:
        module, name = (cell.cell_contents for cell in function.__closure__)
        assert callable(getattr(sys.modules[module], name)), name
        assert name == function.__name__


def test_a_call_imports_the_module():
    assert deferred("fractions", "Fraction")(1, 2) * 2 == 1


def test_baseline_code_is_compiled_without_passes_of_the_optimized_tier():
    code = """
import sys
from weft.compiler.build_program import compile_program
from weft.frontend.options import parse_options
from weft.group_code import compile_form
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm
options = parse_options("")
source = "kernel void k(global int *a) { a[get_global_id(0)] += get_local_id(0); }"
kernel, = compile_program(source, options).kernels
compile_form(kernel, CodeOptions.of(options).baseline_tier(), LaunchForm((64, 1, 1)))
print([name for name in sys.modules if name.startswith(("weft.transform.simd.", "weft.smt"))])
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found == "['weft.transform.simd.fuse_sincos']\n"
