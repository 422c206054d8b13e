"""printf in kernels: every conversion, order within a work-item, and every way of running work-groups."""

import os
import subprocess
import sys
from collections.abc import Callable

import pyopencl as cl
import pytest

Printed = Callable[..., str]

CONVERSIONS = [
    ('"%d %i|%5d|%-5d|%05d|%+d|% d", 1, -2, 3, 4, 5, 6, 7', "1 -2|    3|4    |00005|+6| 7"),
    ('"%u %o %x %X %#x %#o", 7u, 8u, 255u, 255u, 255u, 8u', "7 10 ff FF 0xff 010"),
    ('"%hhd %hd %hhu %hu", 258, 65537, 258u, 65537u', "2 1 2 1"),
    ('"%ld %lx %lu", -5L, 0x123456789abcL, 0xffffffffffffffffUL', "-5 123456789abc 18446744073709551615"),
    ('"%zu %zx %5zd|%td", (size_t)5, (size_t)0x123456789abcUL, (size_t)-7, (ptrdiff_t)-8',
     "5 123456789abc    -7|-8"),
    ('"%.3d|%8.3d|%.0d|", 5, 5, 0', "005|     005||"),
    ('"%f %.2f %8.1f|%-8.1f|%e %g", 1.5f, 2.375f, 3.25f, 4.25f, 1e10f, 1e-5f',
     "1.500000 2.38      3.2|4.2     |1.000000e+10 1e-05"),
    ('"%F %E %G", 1.5f, 1e10f, 1e-5f', "1.500000 1.000000E+10 1E-05"),
    ('"%a", 1.5', "0x1.8p+0"),
    ('"%f %f", (float)INFINITY, -(float)INFINITY', "inf -inf"),
    ('"%c%c|%3c|%-3c|", 72, 105, 33, 33', "Hi|  !|!  |"),
    ('"%s|%5s|%-5s|%.2s", "abc", "de", "fg", "hijk"', "abc|   de|fg   |hi"),
    ('"100%% of %s", "it"', "100% of it"),
    ('"%v2hhd %v3hd %v4hld %v2ld", (char2)(-1, 2), (short3)(3, -4, 5), (int4)(6, 7, 8, -9), (long2)(10, 11)',
     "-1,2 3,-4,5 6,7,8,-9 10,11"),
    ('"%v4hlf|%v2lf", (float4)(1, 2, 3, 4), (double2)(5, 6)',
     "1.000000,2.000000,3.000000,4.000000|5.000000,6.000000"),
    ('"%5.1v4hlf|%#v2hlx|%v16hhu", (float4)(1, 2, 3, 4), (uint2)(10, 11), (uchar16)(255)',
     "  1.0,  2.0,  3.0,  4.0|0xa,0xb|" + ",".join(["255"] * 16)),
    ('"%v8hlx", (int8)(0, 1, 2, 3, 4, 5, 6, -1)', "0,1,2,3,4,5,6,ffffffff"),
    ('"%p", (global void *)0', "0x0"),
    ('"\\t%d\\\\n\\"", 1', '\t1\\n"'),
    ('"%400d|", 7', " " * 399 + "7|"),
    ('"nothing to convert"', "nothing to convert"),
]  # fmt: skip


@pytest.fixture
def printed(capfd: pytest.CaptureFixture[str]) -> Printed:
    """Runs the kernel `k` of a source and gives what it printed by the end of clFinish."""
    platform = next(p for p in cl.get_platforms() if p.name == "Weft")
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)

    def run(source: str, items: int = 1, group: int | None = None) -> str:
        kernel = cl.Kernel(cl.Program(context, source).build("-w"), "k")
        capfd.readouterr()
        kernel(queue, (items,), None if group is None else (group,))
        queue.finish()
        return capfd.readouterr().out

    return run


@pytest.mark.parametrize(("call", "expected"), CONVERSIONS, ids=[call for call, _ in CONVERSIONS])
def test_conversion(call: str, expected: str, printed: Printed) -> None:
    assert printed(f"kernel void k() {{ printf({call}); }}") == expected


def test_values_of_the_kernel_are_printed_in_order(printed: Printed) -> None:
    source = """
    kernel void k() {
        int i = get_global_id(0);
        for (int j = 0; j < i % 4; j++)
            printf("%d:%d;", i, j);
        printf("%d end;", i);
    }"""
    lines = printed(source, items=64, group=16).split(";")[:-1]
    for i in range(64):
        mine = [line for line in lines if line.split(":")[0].split(" ")[0] == str(i)]
        assert mine == [*(f"{i}:{j}" for j in range(i % 4)), f"{i} end"]


def test_result_is_zero_or_minus_one(printed: Printed) -> None:
    source = 'kernel void k() { int a = printf(""); int b = printf("%y"); printf("%d %d", a, b); }'
    assert printed(source) == "0 -1"


def test_format_that_does_not_fit_its_arguments_reads_nothing_else(printed: Printed) -> None:
    source = 'kernel void k() { printf("%s %d %s %f|", 7, 1.5f); printf("%v4hld|", (int2)(1, 2)); }'
    assert printed(source).endswith("|1,2,0,0|")


def test_more_output_than_the_buffer_that_is_reported(printed: Printed) -> None:
    source = 'kernel void k() { printf("%01000d", (int)get_global_id(0)); }'
    assert len(printed(source, items=3000)) == 3_000_000


@pytest.mark.parametrize("method", ["auto", "loops", "horizontal", "simd"])
def test_every_way_of_running_work_groups_prints_once_per_work_item(method: str) -> None:
    program = """
import numpy as np, pyopencl as cl
platform = next(p for p in cl.get_platforms() if p.name == "Weft")
context = cl.Context(platform.get_devices()[:1])
queue = cl.CommandQueue(context)
source = '''
kernel void k(global int *p) {
    local int sum;
    int i = get_global_id(0);
    if (i % 16 == 0) sum = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < p[i]; j++) printf("same\\\\n");
    for (int j = 0; j < sum; j++) { barrier(CLK_LOCAL_MEM_FENCE); printf("uniform\\\\n"); }
    if (p[i] & 1) printf("odd %d\\\\n", p[i]);
}'''
program = cl.Program(context, source).build()
data = np.arange(64, dtype=np.int32) % 5
buffer = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=data)
program.k(queue, (64,), (16,), buffer)
queue.finish()
"""
    environment = {**os.environ, "WEFT_WORKGROUP": method, "WEFT_VERIFY": "1", "PYOPENCL_NO_CACHE": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        env=environment, capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    data = [i % 5 for i in range(64)]
    expected = ["same"] * sum(data) + ["uniform"] * 64 * 3 + [f"odd {x}" for x in data if x & 1]
    assert sorted(done.stdout.splitlines()) == sorted(expected)


def test_printf_is_not_declared_before_opencl_1_2(printed: Printed) -> None:
    platform = next(p for p in cl.get_platforms() if p.name == "Weft")
    context = cl.Context(platform.get_devices()[:1])
    program = cl.Program(context, 'kernel void k() { printf("x"); }')
    with pytest.raises(cl.RuntimeError, match="printf"):
        program.build("-cl-std=CL1.1")
