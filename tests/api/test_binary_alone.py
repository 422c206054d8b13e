"""A program's binary runs where nothing is cached and no OpenCL C can be compiled."""

import os
import subprocess
import sys
from pathlib import Path

SOURCE = """
kernel void k(global float *p, global float4 *q) {
    int i = get_global_id(0);
    for (int n = 0; n < i % 5; n++)
        p[i] = sin(p[i]) + pow(fabs(p[i]), 0.5f);
    q[i] = normalize(mix(q[i], q[i].wzyx, 0.25f)) + fma(q[i], q[i], q[i]);
}
"""

COMMON = f"""
import sys
import numpy as np, pyopencl as cl
platform = next(p for p in cl.get_platforms() if p.name == "Weft")
context = cl.Context(platform.get_devices()[:1])
queue = cl.CommandQueue(context)
source = {SOURCE!r}

def run(program):
    p, q = np.linspace(0.1, 2, 64, dtype=np.float32), np.linspace(1, 3, 256, dtype=np.float32)
    a, b = (cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=x) for x in (p, q))
    cl.Kernel(program, "k")(queue, (64,), (16,), a, b)
    cl.enqueue_copy(queue, p, a)
    cl.enqueue_copy(queue, q, b)
    return p.tobytes() + q.tobytes()
"""

WRITE = """
program = cl.Program(context, source).build()
open(sys.argv[1], "wb").write(program.get_info(cl.program_info.BINARIES)[0])
open(sys.argv[2], "wb").write(run(program))
"""

READ = """
import weft.builtins.library, weft.frontend.compile

def refuse(*arguments):
    raise AssertionError("clang was called")

weft.builtins.library.run_clang = weft.frontend.compile.run_clang = refuse
data = open(sys.argv[1], "rb").read()
program = cl.Program(context, context.devices, [data]).build()
assert run(program) == open(sys.argv[2], "rb").read()
print("same")
"""


def test_binary_needs_no_compiler(tmp_path: Path) -> None:
    printed = ""
    for number, text in enumerate((WRITE, READ)):
        variables = {**os.environ, "WEFT_CACHE_DIR": str(tmp_path / str(number)), "PYOPENCL_NO_CACHE": "1"}
        done = subprocess.run(
            [
                sys.executable,
                "-W",
                "ignore",
                "-c",
                COMMON + text,
                str(tmp_path / "binary"),
                str(tmp_path / "out"),
            ],
            env=variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        printed = done.stdout
    assert printed == "same\n"
