"""A program's binary runs where nothing is cached and no OpenCL C can be compiled."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
import weft.builtins.library, weft.errors, weft.frontend.compile

def refuse(*arguments, **more):
    raise weft.errors.ToolError("there is no clang")

weft.builtins.library.run_clang = weft.frontend.compile.run_clang = refuse
data = open(sys.argv[1], "rb").read()
program = cl.Program(context, context.devices, [data]).build()
assert run(program) == open(sys.argv[2], "rb").read()
print("same")
"""

IMAGES = """
source = '''
constant sampler_t look = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
kernel void k(read_only image2d_t from, write_only image2d_t to) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, look, convert_float2(at) / 7) + get_image_width(from) * 0.001f);
}
'''

def run(program):
    pixels = np.arange(16 * 8 * 4, dtype=np.uint8).reshape(8, 16, 4)
    format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
    source = cl.image_from_array(context, pixels, 4, norm_int=True)
    target = cl.create_image(context, cl.mem_flags.WRITE_ONLY, format, (16, 8))
    cl.Kernel(program, "k")(queue, (16, 8), None, source, target)
    cl.enqueue_copy(queue, pixels, target, origin=(0, 0), region=(16, 8))
    return pixels.tobytes()
"""


@pytest.mark.parametrize("more", ["", IMAGES], ids=["buffers", "images"])
def test_binary_needs_no_compiler(tmp_path: Path, more: str) -> None:
    printed = ""
    for number, text in enumerate((WRITE, READ)):
        variables = {**os.environ, "WEFT_CACHE_DIR": str(tmp_path / str(number)), "PYOPENCL_NO_CACHE": "1"}
        done = subprocess.run(
            [
                sys.executable,
                "-W",
                "ignore",
                "-c",
                COMMON + more + text,
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
