"""Kernels on the simulated machine do what their references say; what it lacks is named."""

import copy
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from kernel_case import KernelCase, all_cases
from kernel_ways import the_kernel, value_bytes

from weft.device.tta_machine import TtaDevice, run_kernel
from weft.program import build
from weft.tta.compile import TtaOptions, compile_kernel
from weft.tta.errors import Refused
from weft.tta.machine import load_machine

CASES = {case.name: case for case in all_cases() if case.error is None}
MOST_WORK_ITEMS = 1024
# Kernels that run by default: barriers in loops, divergent branches, local and private memory, floats.
CHOSEN = (
    "local/two_dimensional_array",
    "local/order_through_either_pointer",
    "algorithms/exclusive_scan",
    "algorithms/convolution_row",
    "conditional/if_in_loop_with_break",
    "divergent/left_by_cases",
)
# The kernels that a machine cannot run, and what it lacks. The device `ttasim` is a `table2-math`: its
# kernels run with those of all devices, in tests/kernels.
REFUSED: dict[str, dict[str, str]] = json.loads((Path(__file__).parent / "refused.json").read_text())


def run(case: KernelCase, machine_name: str, how: TtaOptions) -> int:
    """The cycles of the first launch of a case; raises AssertionError if its results are wrong."""
    machine, launch = load_machine(machine_name), case.launches[0]
    kernel, arguments = the_kernel(case), case.make_arguments(launch)
    expected = copy.deepcopy(arguments)
    case.apply_reference(launch, expected)
    how = replace(how, id_bits=launch.id_bits)
    made = compile_kernel(kernel.code, kernel.options, launch.triple(launch.local_size), machine, how)
    values: list[object] = []
    found: dict[str, np.ndarray] = {}
    described = zip(kernel.arguments, kernel.info.arguments, arguments.values(), strict=True)
    for layout, info, value in described:
        if layout.kind == "value":
            values.append(value_bytes(value, info.type_name, layout.size))
        elif layout.kind == "local" or value is None:
            values.append(value)
        else:
            found[info.name] = np.ascontiguousarray(value).copy()
            values.append(found[info.name].reshape(-1).view(np.uint8))
    device = TtaDevice(machine, made.heap)
    result = run_kernel(
        device, made, kernel.arguments, values, kernel.local_bytes, launch.global_size, launch.offset
    )
    case.compare(expected, found)
    assert device.heap.statistics.chunks == 0
    return result.cycles


def outcome(case: KernelCase, machine: str) -> str:
    """What the machine lacks for a kernel, or "" if it ran and its results are right."""
    try:
        run(case, machine, TtaOptions(items=8))
    except Refused as error:
        return str(error).split(" (`")[0]
    return ""


@pytest.mark.parametrize("items", [1, 8])
@pytest.mark.parametrize("name", CHOSEN)
def test_a_kernel_equals_its_reference(name: str, items: int) -> None:
    assert run(CASES[name], "table2", TtaOptions(items=items, horizontal=items > 1)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_every_kernel_equals_its_reference_or_is_refused(name: str) -> None:
    case = CASES[name]
    if np.prod(case.launches[0].global_size) > MOST_WORK_ITEMS:
        pytest.skip("too many work-items to simulate")
    if case.launches[0].non_uniform:
        pytest.skip("a transport-triggered processor has no smaller last work-groups")
    assert outcome(case, "table2") == REFUSED["table2"].get(name, "")


@pytest.mark.parametrize(
    ("statement", "lacks"),
    [
        ("a[i] %= n;", "no unit of the machine table2 has the operation rem"),
        ("a[i] = (int)(n * 0.1f);", "the operation itof"),
        ("a[i] = (int)fma((double)n, 0.1, 2.5);", "llvm.fma of double"),
        ("a[i] = (int)vload_half(i, (global half *)a);", "numbers of type half"),
        ("a[i] = mul_hi(n * 3L, 5L + n);", "numbers of type i128"),
        ('printf("%d", n);', "calls of|printf"),
    ],
)
def test_what_the_machine_lacks_is_named(statement: str, lacks: str) -> None:
    source = f"kernel void k(global int *a, int n) {{ size_t i = get_global_id(0); {statement} }}"
    kernel = build(source, "").kernels["k"]
    with pytest.raises(Refused, match=lacks):
        compile_kernel(kernel.code, kernel.options, (4, 1, 1), load_machine(), TtaOptions(items=1))


def test_what_has_no_unit_is_computed_by_others() -> None:
    source = """kernel void k(global int *a, global long *b) {
        int i = get_global_id(0);
        a[i] = (int)((double)a[i] * 0.3 + 0.7);
        b[i] = (long)((float)b[i] + 1.0f);
    }"""
    kernel = build(source, "").kernels["k"]
    machine = load_machine()
    made = compile_kernel(kernel.code, kernel.options, (4, 1, 1), machine, TtaOptions(items=1))
    assert made.softened == 5  # a product and a sum are one
    found = np.array([-100, 7, 1 << 30, -(1 << 30)], np.int32)
    long = np.array([5, -(2**40), 2**62, 123456789012], np.int64)
    expected = np.trunc(found * 0.3 + 0.7), (long.astype(np.float32) + np.float32(1)).astype(np.int64)
    device = TtaDevice(machine, made.heap)
    values = [found.view(np.uint8), long.view(np.uint8)]
    run_kernel(device, made, kernel.arguments, values, kernel.local_bytes, (4,))
    assert (found == expected[0]).all()
    assert (long == expected[1]).all()
