"""What stays in memory of a build: nothing but what the client holds."""

import os
import subprocess
import sys

PROGRAM = """
import gc
from weft.program import build

def kilobytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4

def build_some(start, count):
    for n in range(start, start + count):
        build(f"kernel void k(global float *a, int i) {{ for (; i; i--) a[i] += sin(a[i]) / {n + 1}; }}", "")
    gc.collect()
    return kilobytes()

# The first builds fill tables and caches: about 1 MB.
before = build_some(0, 200)
print(build_some(200, 200) - before)
"""


def test_builds_leave_nothing_in_memory():
    variables = {**os.environ, "WEFT_CACHE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=variables,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    # What LLVM does not give back of pass managers alone would be 3 MB.
    assert int(done.stdout) < 1000
