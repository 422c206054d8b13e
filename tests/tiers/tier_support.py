"""Kernels for the tests of the tiers, and how they are launched."""

import ctypes
import time
from collections.abc import Callable

import numpy as np

from weft.abi import TIER_BETTER
from weft.device.base import Launch, devices
from weft.group_code import WorkGroupFunction
from weft.program import Kernel, build
from weft.tiers.tiered_code import LaunchContext, TieredCode

SIZE = 4096
SOURCE = """
kernel void sums(global const int *a, global int *b, int n) {
    int i = get_global_id(0), sum = get_local_size(0);
    for (int k = 0; k < n + (i & 7); k++) sum = sum * 3 + a[(i + k) & 4095];
    b[i] = sum;
}
"""


def only_code(kernel: Kernel) -> TieredCode:
    """The code of a kernel that was launched in one form."""
    (code,) = kernel._forms.values()
    return code


def patched_entry(code: TieredCode) -> int:
    """The address of the code that follows baseline code in launches that have begun; 0: none does."""
    assert code._baseline is not None
    return ctypes.c_uint64.from_address(code._baseline.code.data_address + TIER_BETTER).value


def sums_kernel(note: str = "") -> Kernel:
    """A kernel with a divergent loop; another one for each note."""
    return build(f"{SOURCE}// {note}\n", "").kernels["sums"]


def launch(kernel: Kernel, n: int = 5, local: int = 64, waits: int = 0) -> bool:
    """Runs the kernel and checks what it did; tells whether it began with baseline code, for a start.

    `waits`: how often the host program has waited before.
    """
    function = kernel.work_group_function((local, 1, 1), context=LaunchContext(waits))
    run(function, n, local)
    return function.provisional


def run(function: WorkGroupFunction, n: int = 5, local: int = 64) -> None:
    """Runs a launch and checks what it did."""
    a, b = np.arange(SIZE, dtype=np.int32), np.zeros(SIZE, np.int32)
    block = (
        a.ctypes.data.to_bytes(8, "little") + b.ctypes.data.to_bytes(8, "little") + n.to_bytes(8, "little")
    )
    queue = devices()[0].new_queue()
    queue.ndrange(
        function.address, Launch((SIZE,), (local,)), block, 0, function.context_bytes((local, 1, 1))
    )
    queue.finish()
    i = np.arange(SIZE, dtype=np.int32)
    expected = np.full(SIZE, local, np.int32)
    for k in range(n + 7):
        expected = np.where(k < n + (i & 7), expected * 3 + a[(i + k) & 4095], expected)
    np.testing.assert_array_equal(b, expected)


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    """Waits for what must happen soon."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
