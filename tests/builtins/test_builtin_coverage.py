"""The built-in functions of OpenCL C 1.2 are declared for every type and width, and the library has them."""

import re

import pytest
from builtin_harness import resolve
from builtin_table import Call, calls

from weft.codegen.host import host_target
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options

# A sample takes one call in so many; the number has no factor in common with those of types and widths.
STEP = 29
BATCH = 700
EXTENSIONS = (
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
)
_VOID = re.compile(r"vstore|prefetch|\w*mem_fence")


def _source(batch: list[Call]) -> str:
    """A function that makes each call with its own parameters, so that nothing is known of them."""
    functions = []
    for index, call in enumerate(batch):
        names = [f"a{i}" for i in range(len(call.parameters))]
        parameters = ", ".join(f"{p} {n}" for p, n in zip(call.parameters, names, strict=True))
        made = f"{call.name}({', '.join(names)})"
        action = made if _VOID.match(call.name) else f"*(global __typeof__({made}) *)out = {made}"
        functions.append(f"void call_{index}(global void *out, {parameters}) {{ {action}; }}")
    return EXTENSIONS + "\n".join(functions) + "\n"


def _check(batch: list[Call]) -> None:
    ir = compile_source(_source(batch), parse_options("-cl-std=CL1.2"), host_target()).ir
    found = resolve(ir, host_target())
    assert found.missing == ()
    assert len(found.modules) >= len({(c.name, c.parameters) for c in batch}) * 0.9


def test_functions_of_the_specification_are_there() -> None:
    """A sample over all names, types, widths and address spaces."""
    every = calls()
    assert len(every) > 9000
    _check(every[::STEP])


def test_each_name_is_there() -> None:
    """One form of each, conversions apart."""
    first = {call.name: call for call in calls() if not call.name.startswith("convert_")}
    assert len(first) > 240
    _check(list(first.values()))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(24))
def test_all_functions_of_the_specification_are_there(part: int) -> None:
    every = calls()
    assert len(every) <= 24 * BATCH
    if part * BATCH < len(every):
        _check(every[part * BATCH : (part + 1) * BATCH])
