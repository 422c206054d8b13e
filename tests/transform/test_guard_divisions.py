"""Divisions whose result OpenCL C leaves open do no harm, in lanes and one by one."""

import os
import subprocess
import sys

import pytest

# A process of its own: a division that traps ends it.
RUN = """
import sys
import numpy as np, pyopencl as cl
kind, dtype = sys.argv[1], np.dtype(sys.argv[2])
platform = next(p for p in cl.get_platforms() if p.name == "Weft")
context = cl.Context(platform.get_devices()[:1])
queue = cl.CommandQueue(context)
source = '''
kernel void divide(global const T *a, global const T *b, global T *q, global T *r) {
    size_t i = get_global_id(0);
    q[i] = a[i] / b[i];
    r[i] = a[i] % b[i];
}
kernel void loop(global const T *a, global const T *b, global T *q, global T *r) {
    size_t i = get_global_id(0);
    T sum = 0, n = b[i];
    for (T k = 0; k < (T)(i % 5); ++k) sum += a[i] / (n - k);
    q[i] = sum;
    r[i] = a[i] % b[0];
}
'''
program = cl.Program(context, source).build(f"-DT={kind}")
low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
edges = [0, 1, 2, 3, 7, high, low] + ([-1, -2, -7] if low else [])
a, b = (np.ascontiguousarray(m.ravel()) for m in np.meshgrid(np.array(edges, dtype), np.array(edges, dtype)))
a, b = (np.resize(v, 256) for v in (a, b))
buffers = [cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=v) for v in (a, b, a, a)]
for name in ("divide", "loop"):
    cl.Kernel(program, name)(queue, (256,), (16,), *buffers)
    if name == "divide":
        q, r = np.empty_like(a), np.empty_like(a)
        cl.enqueue_copy(queue, q, buffers[2])
        cl.enqueue_copy(queue, r, buffers[3])
        for x, y, quotient, remainder in zip(a.tolist(), b.tolist(), q.tolist(), r.tolist()):
            if y and not (x == low and y == -1):
                exact = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
                assert (quotient, remainder) == (exact, x - y * exact), (x, y, quotient, remainder)
queue.finish()
"""


@pytest.mark.parametrize("method", ["auto", "loops", "simd"])
@pytest.mark.parametrize(
    ("kind", "dtype"),
    [("char", "i1"), ("ushort", "u2"), ("int", "i4"), ("uint", "u4"), ("long", "i8"), ("ulong", "u8")],
)
def test_divisions_by_zero_and_of_the_least_number_do_not_stop_the_process(
    kind: str, dtype: str, method: str
) -> None:
    environment = {**os.environ, "WEFT_WORKGROUP": method}
    subprocess.run([sys.executable, "-c", RUN, kind, dtype], env=environment, check=True, timeout=120)
