"""Variables with unusable values: one line on standard error names them, and nothing else is printed."""

import subprocess
import sys
from collections.abc import Mapping

import pytest

TEXT = """
import sys
import numpy as np
import pyopencl as cl

try:
    context = cl.Context(cl.get_platforms()[0].get_devices())
    queue = cl.CommandQueue(context)
    made = cl.Program(context, "kernel void k(global int *o) { o[get_global_id(0)] = 7; }").build()
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64)
    made.k(queue, (16,), None, buffer)
    values = np.zeros(16, np.int32)
    cl.enqueue_copy(queue, values, buffer)
    print(values[0])
except cl.Error:
    print("refused")
"""


def run(environment: Mapping[str, str], **variables: str) -> tuple[str, list[str]]:
    """Return what the program prints, and what the driver says, without repetitions."""
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", TEXT],
        env={**environment, "PYOPENCL_NO_CACHE": "1", **variables},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip(), list(dict.fromkeys(ended.stderr.splitlines()))


@pytest.mark.parametrize(
    "variable",
    [
        "WEFT_CACHE=maybe",
        "WEFT_CACHE_SIZE=-1",
        "WEFT_OPT_LEVEL=9",
        f"WEFT_THREADS={10**20}",
        "WEFT_THREADS=-1",
    ],
)
def test_call_fails_and_names_the_variable(environment: Mapping[str, str], variable: str) -> None:
    name, value = variable.split("=")
    printed, (message,) = run(environment, **{name: value})
    assert printed == "refused"
    assert message.startswith(f"weft: {name}={value!r}: expected ")


@pytest.mark.parametrize("tiers", ["0", "1", "baseline"])
def test_kernel_runs_without_the_folder_for_its_code(environment: Mapping[str, str], tiers: str) -> None:
    printed, messages = run(environment, WEFT_DUMP="/dev/null", WEFT_TIERS=tiers)
    assert printed == "7"
    assert messages and all(
        m.startswith("weft: WEFT_DUMP: cannot write /dev/null/k/") and m.endswith(": Not a directory")
        for m in messages
    )
