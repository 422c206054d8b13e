"""Kernels over NDRanges give what numpy gives, straight from clang and optimized."""

import numpy as np
import pytest
from interp_support import FORMS, compile_kernel, with_built_ins

from weft import ir
from weft.interp import Local, run_ndrange

pytestmark = pytest.mark.parametrize("form", FORMS)


def test_saxpy(form: str) -> None:
    module = compile_kernel(
        """__kernel void saxpy(__global const float *x, __global float *y, float a) {
             size_t i = get_global_id(0); y[i] = a * x[i] + y[i]; }""",
        form,
        "-cl-std=CL1.2",
    )
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((2, 64)).astype(np.float32)
    expected = (np.float64(0.3125) * x + y).astype(np.float32)  # exact in double: the scale has few digits
    run_ndrange(module, "saxpy", 64, 16, [x, y, 0.3125])
    np.testing.assert_array_equal(y, expected)


REDUCTION = """
__kernel void reduce(__global const int *in, __global int *out, __local int *scratch) {
  __local int count;
  size_t l = get_local_id(0);
  if (l == 0) count = 0;
  scratch[l] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t n = get_local_size(0) / 2; n > 0; n /= 2) {
    if (l < n) scratch[l] += scratch[l + n];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == get_local_size(0) - 1) count = get_local_size(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0) { out[2 * get_group_id(0)] = scratch[0]; out[2 * get_group_id(0) + 1] = count; }
}
"""


@pytest.mark.parametrize("local", [1, 2, 8, 32])
def test_reduction_in_local_memory(form: str, local: int) -> None:
    module = compile_kernel(REDUCTION, form)
    data = np.arange(64, dtype=np.int32) ** 2
    out = np.zeros(2 * 64 // local, np.int32)
    run_ndrange(module, "reduce", 64, local, [data, out, Local(4 * local)])
    np.testing.assert_array_equal(out[::2], data.reshape(-1, local).sum(axis=1))
    assert (out[1::2] == local).all()


def test_barriers_in_called_functions(form: str) -> None:
    module = compile_kernel(
        """__attribute__((noinline)) int exchange(__local int *t, int v, int from) {
             barrier(CLK_LOCAL_MEM_FENCE); t[get_local_id(0)] = v;
             barrier(CLK_LOCAL_MEM_FENCE); return t[from]; }
           __kernel void rotate_twice(__global int *x, __local int *t) {
             int n = get_local_size(0), l = get_local_id(0);
             int v = exchange(t, x[get_global_id(0)], (l + 1) % n);
             x[get_global_id(0)] = exchange(t, v * 2, (l + 1) % n); }""",
        form,
    )
    x = np.arange(16, dtype=np.int32)
    run_ndrange(module, "rotate_twice", 16, 8, [x, Local(32)])
    np.testing.assert_array_equal(
        x, 2 * np.concatenate([np.roll(np.arange(8), -2), np.roll(np.arange(8, 16), -2)])
    )


def test_tiled_matrix_product(form: str) -> None:
    module = compile_kernel(
        """__kernel void matmul(__global const float *a, __global const float *b, __global float *c, int n) {
             __local float ta[4][4], tb[4][4];
             int x = get_global_id(0), y = get_global_id(1), i = get_local_id(0), j = get_local_id(1);
             float sum = 0;
             for (int t = 0; t < n; t += 4) {
               ta[j][i] = a[y * n + t + i]; tb[j][i] = b[(t + j) * n + x];
               barrier(CLK_LOCAL_MEM_FENCE);
               for (int k = 0; k < 4; k++) sum += ta[j][k] * tb[k][i];
               barrier(CLK_LOCAL_MEM_FENCE);
             }
             c[y * n + x] = sum; }""",
        form,
    )
    a, b = np.random.default_rng(2).integers(-8, 8, (2, 8, 8)).astype(np.float32)
    c = np.zeros((8, 8), np.float32)
    run_ndrange(module, "matmul", (8, 8), (4, 4), [a, b, c, 8])
    np.testing.assert_array_equal(c, a @ b)


IDS = """
__kernel void ids(__global uint *out, uint unknown) {
  size_t w = get_global_size(0), h = get_global_size(1);
  size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
  size_t z = get_global_id(2) - get_global_offset(2);
  __global uint *o = out + ((z * h + y) * w + x) * 16;
  for (uint d = 0; d < 3; d++) {
    o[d] = get_global_id(d); o[3 + d] = get_local_id(d);
    o[6 + d] = get_group_id(d); o[9 + d] = get_num_groups(d);
  }
  o[12] = get_work_dim(); o[13] = get_local_size(0) * 100 + get_local_size(1) * 10 + get_local_size(2);
  o[14] = get_global_size(unknown) * 10 + get_local_size(unknown) + get_num_groups(unknown) * 100;
  o[15] = get_global_id(unknown) + get_local_id(unknown) + get_group_id(unknown) + get_global_offset(unknown);
}
"""


@pytest.mark.parametrize(
    ("size", "local", "offset"),
    [((6,), (3,), (0,)), ((6,), (2,), (10,)), ((4, 6), (2, 3), (5, 7)), ((4, 2, 6), (2, 1, 3), (1, 2, 3))],
)
def test_work_item_functions(form: str, size: tuple, local: tuple, offset: tuple) -> None:
    module = compile_kernel(IDS, form)
    out = np.zeros((int(np.prod(size)), 16), np.uint32)
    run_ndrange(module, "ids", size, local, [out, 7], global_offset=offset)
    pad = 3 - len(size)
    full, part, start = (
        np.array(size + (1,) * pad),
        np.array(local + (1,) * pad),
        np.array(offset + (0,) * pad),
    )
    for row, index in zip(out, np.ndindex(*full[::-1]), strict=True):
        position = np.array(index[::-1])
        np.testing.assert_array_equal(row[0:3], position + start)
        np.testing.assert_array_equal(row[3:6], position % part)
        np.testing.assert_array_equal(row[6:9], position // part)
        np.testing.assert_array_equal(row[9:12], full // part)
    assert (out[:, 12] == len(size)).all()
    assert (out[:, 13] == part @ [100, 10, 1]).all()
    assert (out[:, 14] == 111).all()
    assert (out[:, 15] == 0).all()


def test_linear_ids(form: str) -> None:
    module = compile_kernel(
        """__kernel void linear(__global uint *out) {
             size_t g = get_global_linear_id();
             out[2 * g] = get_local_linear_id(); out[2 * g + 1] = get_enqueued_local_size(1); }""",
        form,
        "-cl-std=CL3.0",
    )
    out = np.full((4 * 6, 2), 99, np.uint32)
    run_ndrange(module, "linear", (4, 6), (2, 3), [out], global_offset=(3, 1))
    expected = [(y % 3) * 2 + x % 2 for y in range(6) for x in range(4)]
    np.testing.assert_array_equal(out[:, 0], expected)
    assert (out[:, 1] == 3).all()


def test_struct_argument(form: str) -> None:
    module = compile_kernel(
        """typedef struct { char tag; int shift; double scale; float4 bias; } S;
           __kernel void apply(__global float *x, S s) {
             s.shift += s.tag; x[get_global_id(0)] = x[get_global_id(0)] * s.scale + s.shift + s.bias.z; }""",
        form,
    )
    layout = np.dtype(
        {
            "names": ["tag", "shift", "scale", "bias"],
            "formats": ["i1", "i4", "f8", "4f4"],
            "offsets": [0, 4, 8, 16],
            "itemsize": 32,
        }
    )
    s = np.zeros((), layout)
    s["tag"], s["shift"], s["scale"], s["bias"] = -3, 10, 0.5, (1, 2, 3, 4)
    for given in (s[()], s.tobytes()):
        x = np.arange(4, dtype=np.float32)
        run_ndrange(module, "apply", 4, 2, [x, given])
        np.testing.assert_array_equal(x, np.arange(4) * 0.5 + 7 + 3)


def test_vectors_as_arguments_and_in_memory(form: str) -> None:
    module = compile_kernel(
        """__kernel void mix(__global float4 *x, float4 v, __global char3 *c, uchar2 k, __global double2 *d) {
             size_t i = get_global_id(0);
             float4 t = x[i]; x[i] = t.wzyx * v + (float4)(t.xy, 1.0f, 2.0f);
             c[i] = (c[i] + (char3)(k.x, k.y, i)).zxy; d[i] = d[i].yx - 1.0; }""",
        form,
        "-cl-std=CL1.2",
    )
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    c = np.arange(8, dtype=np.int8).reshape(2, 4)
    d = np.arange(4, dtype=np.float64).reshape(2, 2)
    v = np.array([1, 2, 3, 4], np.float32)
    x_expected = x[:, ::-1] * v + np.stack([x[:, 0], x[:, 1], [1, 1], [2, 2]], axis=1)
    c_expected = np.stack([c[:, 2] + [0, 1], c[:, 0] + 100, c[:, 1] + 27], axis=1)
    d_expected = d[:, ::-1] - 1
    run_ndrange(module, "mix", 2, 1, [x, v, c, [100, 27], d])
    np.testing.assert_array_equal(x, x_expected)
    np.testing.assert_array_equal(c[:, :3], c_expected)
    np.testing.assert_array_equal(d, d_expected)


def test_switch_and_loops_with_early_exits(form: str) -> None:
    source = """
      __kernel void steps(__global int *x) {
        int v = x[get_global_id(0)], n = 0;
        while (v != 1) {
          switch (v % 4) {
            case 0: v /= 4; break;
            case 2: v /= 2; n += 100;
            case 3: if (v > 1000) goto out; v = 3 * v + 1; break;
            default: v = 3 * v + 1;
          }
          if (++n > 50) break;
        }
      out: x[get_global_id(0)] = n * 10 + (v == 1);
      }"""

    def steps(v: int) -> int:
        n = 0
        while v != 1:
            if v % 4 == 0:
                v //= 4
            else:
                if v % 4 == 2:
                    v //= 2
                    n += 100
                    if v > 1000:
                        break
                elif v % 4 == 3 and v > 1000:
                    break
                v = 3 * v + 1
            n += 1
            if n > 50:
                break
        return n * 10 + (v == 1)

    x = np.arange(1, 33, dtype=np.int32)
    expected = [steps(int(v)) for v in x]
    run_ndrange(compile_kernel(source, form), "steps", 32, 8, [x])
    np.testing.assert_array_equal(x, expected)


def test_private_arrays_unions_and_constant_tables(form: str) -> None:
    module = compile_kernel(
        """__constant int primes[5] = {2, 3, 5, 7, 11};
           __constant char text[] = "weft";
           typedef union { float f; uint u; uchar b[4]; } U;
           __kernel void bits(__global uint *out, __global const float *in, int n) {
             size_t i = get_global_id(0);
             uint history[8];
             for (int k = 0; k < 8; k++) history[k] = k * primes[k % 5];
             U u; u.f = in[i]; u.b[3] ^= 0x80;
             out[3 * i] = u.u; out[3 * i + 1] = history[(n + i) % 8]; out[3 * i + 2] = text[i % 5]; }""",
        form,
    )
    values = np.array([1.0, -2.5, np.nan, np.inf, 1e-40, 0.0], np.float32)
    out = np.zeros((6, 3), np.uint32)
    run_ndrange(module, "bits", 6, 3, [out, values, 4])
    np.testing.assert_array_equal(out[:, 0], values.view(np.uint32) ^ 0x80000000)
    history = [k * [2, 3, 5, 7, 11][k % 5] for k in range(8)]
    np.testing.assert_array_equal(out[:, 1], [history[(4 + i) % 8] for i in range(6)])
    assert bytes(out[:, 2].astype(np.uint8)) == b"weft\0w"


def test_integer_types_wrap_as_in_c(form: str) -> None:
    module = compile_kernel(
        """__kernel void wrap(__global uchar *c, __global short *s, __global ulong *l, __global int *q) {
             size_t i = get_global_id(0);
             c[i] = c[i] * 7 + 250; s[i] = (short)(s[i] << 3) >> 1; l[i] = l[i] * 0x9E3779B97F4A7C15UL;
             q[i] = q[i] / 3 + q[i] % 5; }""",
        form,
    )
    rng = np.random.default_rng(5)
    c = rng.integers(0, 256, 16).astype(np.uint8)
    s = rng.integers(-30000, 30000, 16).astype(np.int16)
    long = rng.integers(0, 2**63, 16).astype(np.uint64)
    q = rng.integers(-(2**31), 2**31, 16).astype(np.int32)
    expected = (
        c * np.uint8(7) + np.uint8(250),
        (s << np.int16(3)) >> np.int16(1),
        long * np.uint64(0x9E3779B97F4A7C15),
        (np.fix(q / 3) + np.fmod(q, 5)).astype(np.int32),
    )
    run_ndrange(module, "wrap", 16, 4, [c, s, long, q])
    for found, wanted in zip((c, s, long, q), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_null_pointer_argument(form: str) -> None:
    module = compile_kernel(
        """__kernel void choose(__global int *x, __global const int *maybe) {
             size_t i = get_global_id(0); x[i] = (maybe ? *maybe : 1) + i; }""",
        form,
    )
    for maybe, part in ((None, 1), (np.array([100], np.int32), 100)):
        x = np.zeros(4, np.int32)
        run_ndrange(module, "choose", 4, 1, [x, maybe])
        np.testing.assert_array_equal(x, part + np.arange(4))


def test_built_ins_from_the_library(form: str) -> None:
    source = """
      __kernel void use(__global const float *x, __global float *y, __global int *count) {
        size_t i = get_global_id(0);
        float4 v = vload4(i, x);
        y[i] = sin(v.x) + max(v.y, v.z) + clamp(v.w, -1.0f, 1.0f);
        atomic_add(count, convert_int_sat_rte(fabs(v.x))); }"""
    module = ir.parse(with_built_ins(source, form))
    x = np.random.default_rng(9).standard_normal((16, 4)).astype(np.float32) * 2
    y, count = np.zeros(16, np.float32), np.zeros(1, np.int32)
    run_ndrange(module, "use", 16, 4, [x, y, count])
    expected = np.sin(x[:, 0]) + np.maximum(x[:, 1], x[:, 2]) + np.clip(x[:, 3], -1, 1)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
    assert count[0] == np.rint(np.abs(x[:, 0])).sum()
