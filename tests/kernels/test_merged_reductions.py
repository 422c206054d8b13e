"""Sub-groups that are reduced together have the results that each has alone, for every type and operation."""

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from kernel_case import FOLDER, KernelCase, load
from kernel_ways import WAYS, CompiledWay, the_kernel

from weft.codegen.host import host_target
from weft.compiler.compile_work_group import compile_work_group
from weft.launch_form import LaunchForm
from weft.remarks import Remarks
from weft.transform.simd.merge_reductions import MergedReductions
from weft.transform.workgroup import work_group_function

TYPES = {
    "char": "int8", "ushort": "uint16", "int": "int32", "uint": "uint32", "long": "int64", "ulong": "uint64",
    "half": "float16", "float": "float32", "double": "float64",
}  # fmt: skip
ARITHMETIC, BITS = ("add", "min", "max"), ("non_uniform_and", "non_uniform_or", "non_uniform_xor")
# Sub-groups in a work-group, of which 4 to 16 are reduced together where their number has such a divisor.
COUNTS = (16, 6, 5)
KERNEL = """// Sub-groups are reduced by one operation, and work-items get their distance from another one.
//! options: -cl-std=CL3.0
//! launch: {total} / {local}
//! arg a: {values}
//! arg r: zeros({total} // {size}, {number})
//! arg e: zeros({total}, {number})
{pragma}
__attribute__((intel_reqd_sub_group_size({size})))
kernel void k(global const {type} *a, global {type} *r, global {type} *e) {{
    size_t i = get_global_id(0);
    {type} one = sub_group_{first}(a[i]);
    if (get_sub_group_local_id() == 0) r[get_group_id(0) * get_num_sub_groups() + get_sub_group_id()] = one;
    e[i] = a[i] - sub_group_{second}(a[i]);
}}
"""


def _function(operation: str) -> str:
    how, _, bare = operation.rpartition("_")
    return f"{how}_reduce_{bare}" if how else f"reduce_{bare}"


def _case(
    path: Path, type: str, size: int, count: int, operations: tuple[str, str], values: str
) -> KernelCase:
    number, local = TYPES[type], size * count
    first, second = map(_function, operations)
    text = KERNEL.format(
        total=2 * local, local=local, size=size, type=type, number=number, values=values, first=first,
        second=second, pragma="#pragma OPENCL EXTENSION cl_khr_fp16 : enable" if type == "half" else "",
    )  # fmt: skip
    path.write_text(text)
    return replace(load(path), path=FOLDER / f"merged_{type}_{size}_{count}_{first}_{second}.cl")


def _reduced_together(case: KernelCase) -> int:
    kernel, launch = the_kernel(case), case.launches[0]
    remarks = Remarks(kernel.name)
    form = LaunchForm(launch.triple(launch.local_size))
    compile_work_group(kernel.code, replace(kernel.options, level=0), form, remarks=remarks)
    return len(remarks.named(MergedReductions.TOGETHER))


def _pairs(type: str) -> list[tuple[str, str]]:
    operations = ARITHMETIC if TYPES[type].startswith("float") else ARITHMETIC + BITS
    return list(zip(operations, operations[1:] + operations[:1], strict=True))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("size", (8, 16, 32))
@pytest.mark.parametrize("type", TYPES)
def test_sub_groups_are_reduced_together_as_by_the_interpreter(
    type: str, size: int, count: int, tmp_path: Path
) -> None:
    pairs = _pairs(type)
    operations = pairs[(size + count) % len(pairs)]
    values = f"small_ints({2 * size * count}, {TYPES[type]}, 0, 60)"
    if not TYPES[type].startswith("u"):
        values = f"({values} - 30).astype({TYPES[type]})"
    case = _case(tmp_path / "merged.cl", type, size, count, operations, values)
    (launch,) = case.launches
    given = case.make_arguments(launch)
    expected = WAYS["interpreter"](case, launch, copy.deepcopy(given))
    found = CompiledWay(level=2).run(case, launch, copy.deepcopy(given))
    np.testing.assert_array_equal(found["r"], expected["r"])
    np.testing.assert_array_equal(found["e"], expected["e"])


@pytest.mark.parametrize("type", ("char", "int", "float"))
def test_sixteen_sub_groups_share_steps(type: str, tmp_path: Path) -> None:
    size = 16 if type == "char" else host_target().lanes(32)  # at most one register each
    values = f"zeros({32 * size}, {TYPES[type]})"
    case = _case(tmp_path / "merged.cl", type, size, 16, ("add", "max"), values)
    assert _reduced_together(case) == 1


def test_what_work_items_keep_across_barriers_does_not_matter() -> None:
    """It is in context arrays, where each work-item has an element."""
    assert _reduced_together(load(FOLDER / "sub_group/reductions_between_barriers.cl")) == 1


def test_regions_too_long_for_llvms_vectorizer_run_in_lanes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Functions of sub-groups in registers have no scalar code."""
    monkeypatch.setattr(work_group_function, "VECTORIZED_SQUARES", 1)
    case = _case(tmp_path / "merged.cl", "float", 8, 16, ("add", "max"), "zeros(256, float32)")
    assert _reduced_together(case) == 1


@pytest.mark.parametrize("operation", ARITHMETIC)
@pytest.mark.parametrize("count", (1, 16))
def test_numbers_are_combined_in_the_order_of_one_sub_group(
    operation: str, count: int, tmp_path: Path
) -> None:
    """Together with others a sub-group gets the bits that it gets alone: rounded sums, zeros and NaNs."""
    values = (
        f"where(arange({32 * count}) % 11 == 3, nan, 0.1 * (arange({32 * count}) % 7 - 3)).astype(float32)"
    )
    if operation == "add":
        values = f"(0.1 * arange({32 * count})).astype(float32)"
    case = _case(tmp_path / "merged.cl", "float", 16, count, (operation, operation), values)
    (launch,) = case.launches
    given = case.make_arguments(launch)
    left = np.array(given["a"]).reshape(-1, 16)
    while left.shape[1] > 1:
        lower, upper = np.split(left, 2, axis=1)
        with np.errstate(invalid="ignore"):
            takes = upper < lower if operation == "min" else upper > lower
        left = lower + upper if operation == "add" else np.where(takes, upper, lower)
    found = CompiledWay(level=2).run(case, launch, copy.deepcopy(given))
    np.testing.assert_array_equal(found["r"].view(np.uint32), left[:, 0].view(np.uint32))
