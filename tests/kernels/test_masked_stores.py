"""Numbers that are truncated and stored by one lane alone leave what lies behind them as it was."""

import numpy as np
import pytest
from kernel_case import FOLDER, KernelCase, parse_launch
from kernel_ways import CompiledWay

TYPES = {"uint": ("ulong", np.uint32), "uchar": ("ushort", np.uint8), "ushort": ("long", np.uint16)}


@pytest.mark.parametrize("lanes", [4, 8])
@pytest.mark.parametrize("level", [0, 3])
@pytest.mark.parametrize("local_size", [9, 17])
@pytest.mark.parametrize("name", TYPES)
def test_work_item_that_is_left_stores_one_number(name: str, local_size: int, level: int, lanes: int) -> None:
    wide, narrow = TYPES[name]
    source = f"kernel void k(global {name} *o, global {name} *first, global const {wide} *a) {{"
    source += f" int i = get_global_id(0); {wide} x = a[i] * a[i] + 3; o[i] = ({name})(x >> 1);"
    source += f" if (get_local_id(0) == 2) first[i] = ({name})(x >> 2); }}"
    launch = parse_launch(f"{local_size} / {local_size}")
    a = np.arange(local_size, dtype={"ulong": np.uint64, "ushort": np.uint16, "long": np.int64}[wide]) * 77
    arguments = {"o": np.zeros(local_size, narrow), "first": np.full(3, 9, narrow), "a": a}
    # Whoever writes behind an array is found out.
    way = CompiledWay(method="simd", lanes=lanes, level=level)
    found = way.run(KernelCase(FOLDER / "masked_stores.cl", source), launch, arguments)
    x = (a * a + 3).astype(a.dtype)
    np.testing.assert_array_equal(found["o"], (x >> 1).astype(narrow))
    np.testing.assert_array_equal(found["first"], [9, 9, (x[2] >> 2).astype(narrow)])
