"""Kernels that gain from SIMD lanes or lose by them, and what the cost model makes of them.

Which they are was measured (docs/vectorizer.md has the figures); the tests only ask the model.
"""

from collections.abc import Callable
from typing import TypeVar

import pytest

from weft import ir
from weft.compiler.build_program import compile_program
from weft.compiler.compile_work_group import compile_work_group
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm
from weft.target import x86
from weft.trace import Trace
from weft.transform.simd.outcome import Outcome
from weft.transform.simd.strategies import DivergentLoops

T = TypeVar("T")

# A row of a sparse matrix for each work-item: everything in the loop is gathered, and little is computed.
SPARSE = """\
kernel void sparse(global const float *value, global const int *column, global const int *row,
                   global const float *x, global float *y) {
    int i = get_global_id(0);
    float sum = 0;
    for (int k = row[i]; k < row[i + 1]; k++) sum += value[k] * x[column[k]];
    y[i] = sum;
}
"""
# A block of a matrix product: 8 sums that fill registers, of which lanes would spill most.
BLOCK = """\
kernel void block(global const float *a, global const float *b, global float *c, int side) {
    int row = 8 * get_global_id(0), column = 16 * get_global_id(1);
    float16 s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    a += row * side;
    c += row * side + column;
    for (int k = 0; k < side; k++) {
        float16 line = vload16(0, b + k * side + column);
        s0 += a[k] * line, s1 += a[k + side] * line, s2 += a[k + 2 * side] * line;
        s3 += a[k + 3 * side] * line, s4 += a[k + 4 * side] * line, s5 += a[k + 5 * side] * line;
        s6 += a[k + 6 * side] * line, s7 += a[k + 7 * side] * line;
    }
    vstore16(s0, 0, c), vstore16(s1, 0, c + side), vstore16(s2, 0, c + 2 * side);
    vstore16(s3, 0, c + 3 * side), vstore16(s4, 0, c + 4 * side), vstore16(s5, 0, c + 5 * side);
    vstore16(s6, 0, c + 6 * side), vstore16(s7, 0, c + 7 * side);
}
"""
# The same for polynomials in double precision: 6 accumulators and 6 arguments.
POLYNOMIALS = """\
kernel void polynomials(global const double *x, global const double *c, global double *y, int n) {
    int i = get_global_id(0);
    double16 a[6], s[6];
    __attribute__((opencl_unroll_hint)) for (int r = 0; r < 6; r++) a[r] = vload16(6 * i + r, x), s[r] = 0;
    for (int k = 0; k < n; k++)
        __attribute__((opencl_unroll_hint)) for (int r = 0; r < 6; r++) s[r] = s[r] * a[r] + c[k + i];
    __attribute__((opencl_unroll_hint)) for (int r = 0; r < 6; r++) vstore16(s[r], 6 * i + r, y);
}
"""
# One gather for several comparisons and choices, and the loop ends at different times.
SEARCH = """\
kernel void search(global const float *sorted, global const float *wanted, global int *found, int n) {
    int i = get_global_id(0), low = 0, high = n;
    float want = wanted[i];
    while (low < high) {
        int middle = (low + high) >> 1;
        if (sorted[middle] < want) low = middle + 1; else high = middle;
    }
    found[i] = low;
}
"""
# A tile of bytes, filled by the number of the work-item: loads and stores of single bytes, much to compute.
TILE = """\
kernel void fill(global const uchar *from, int step, int first, int w, int h, global uchar *to) {
    local uchar tile[18][18];
    int id = min((int)get_local_id(0) * 16 + first, 9 * 18 - 1), row = id / 18, column = id % 18;
    int x = clamp((int)get_group_id(0) * 16 + column, 0, w - 1) * 4 + step / 2;
    tile[row][column] = from[clamp(first + row, 0, h - 1) * step + (x ^ row)];
    tile[row + 9][column] = from[clamp(first + row + 9, 0, h - 1) * step + (x ^ column)];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[get_global_id(0)] = tile[get_local_id(0)][first & 15];
}
"""
# Letters are gathered, but one of the two before the inner loop; the row is the work-item's own.
DISTANCE = """\
kernel void distance(global const uchar *a, global const uchar *b, global int *out, int n) {
    int g = get_global_id(0), row[33];
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 1; i <= n; i++) {
        int before = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int old = row[j];
            row[j] = min(min(row[j] + 1, row[j - 1] + 1), before + (a[g * n + i - 1] != b[g * n + j - 1]));
            before = old;
        }
    }
    out[g] = row[n];
}
"""
# Rows that are copied: pieces of them could be transposed there and back, for nothing.
COPIED_ROWS = """\
kernel void copied(global const uint *restrict a, global uint *restrict b, int n) {
    int i = get_global_id(0);
    for (int k = 0; k < n; k++) b[i * n + k] = a[i * n + k];
}
"""
# Three neighbours of each element of a row.
BLURRED_ROWS = """\
kernel void blurred(global const float *a, global float *b, int n) {
    int i = get_global_id(0);
    for (int k = 1; k < n - 1; k++) b[i * n + k] = a[i * n + k - 1] + a[i * n + k] * 2 + a[i * n + k + 1];
}
"""
# A matrix of bytes times a vector.
BYTE_ROWS = """\
kernel void bytes(global const char *a, global const char *b, global int *c, int n) {
    int i = get_global_id(0), sum = 0;
    for (int k = 0; k < n; k++) sum += a[i * n + k] * b[k];
    c[i] = sum;
}
"""
# Nothing but arithmetic.
ESCAPE = """\
kernel void escape(global const float *a, global int *steps) {
    int i = get_global_id(0), k = 0;
    float x = 0, y = 0, cx = a[i], cy = cx * 0.5f;
    for (; k < 64 && x * x + y * y < 4; k++) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
    }
    steps[i] = k;
}
"""
# Texts of one or two bytes a character: what is stored where differs, not how often work-items loop.
ENCODER = """\
kernel void encode(global const ushort *a, global uchar *out, int n) {
    int i = get_global_id(0), to = i * n * 2;
    for (int k = 0; k < n; k++) {
        ushort c = a[i * n + k];
        if (c < 128) out[to++] = c;
        else { out[to++] = c >> 6; out[to++] = c & 63; }
    }
}
"""
# Lengths of sequences of 64-bit numbers.
STEPS = """\
kernel void steps(global const ulong *a, global int *steps) {
    int i = get_global_id(0), k = 0;
    ulong x = a[i];
    for (; x != 1; k++)
        x = x & 1 ? 3 * x + 1 : x / 2;
    steps[i] = k;
}
"""
# A function of the library, of which there are forms for many lanes; no loop around it.
# The neighbours of a place that data decides, weighted.
BETWEEN = """\
kernel void between(global const float *a, global const float *at, global float *b, int w) {
    int i = get_global_id(0), x = (int)at[2 * i], y = (int)at[2 * i + 1], k = y * w + x;
    float u = at[2 * i] - x, v = at[2 * i + 1] - y;
    b[i] = mix(mix(a[k], a[k + 1], u), mix(a[k + w], a[k + w + 1], u), v);
}
"""
FUNCTION = """\
kernel void function(global const float *a, global float *b) {
    int i = get_global_id(0);
    b[i] = exp(a[i]) * sin(a[i]);
}
"""
# Chains of operations on vectors, which LLVM leaves as short as they are.
CHAIN = """\
kernel void chain(global float4 *a) {
    int i = get_global_id(0);
    float4 v = a[i];
    for (int k = 0; k < 64; k++) v = v * v + 0.125f;
    a[i] = v;
}
"""
# Atomic operations have to be done one by one anyway.
ATOMIC = """\
kernel void atomic(global const int *a, global int *count, int n) {
    int i = get_global_id(0);
    for (int k = 0; k < n; k++) atomic_add(&count[a[i] + k], 1);
}
"""
# A row of each work-item in a matrix: neighbours lie far apart.
ROWS = """\
kernel void rows(global const float *a, global float *b, int n) {
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[i * 1000 + k];
    b[i] = sum;
}
"""
# Straight code on neighbours: LLVM does as well.
STRAIGHT = """\
kernel void straight(global const float *a, global float *b) {
    int i = get_global_id(0);
    b[i] = a[i] * 2 + a[i + 1];
}
"""
# What one work-item stores, another loads at once.
SHARED = """\
kernel void shared(global const float *a, global float *b, local float *t) {
    int l = get_local_id(0), g = get_global_id(0);
    t[l] = a[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[g] = t[l > 0 ? l - 1 : 0] * 2;
}
"""
# An operation for each work-item, straight but for a switch of few cases.
SWITCH = """\
kernel void operations(global const uchar *op, global float *a) {
    int i = get_global_id(0);
    float x = a[i];
    switch (op[i]) {
    case 0: x = x + 1; break;
    case 1: x = x * x; break;
    case 2: x = 1 / x; break;
    case 3: x = -x; break;
    case 4: x = 3 - x * x; break;
    }
    a[i] = x;
}
"""
# Straight code on neighbours in three rows, with indices that could wrap.
GRID = """\
kernel void grid(global const float *a, global float *b, uint width, uint y) {
    uint x = get_global_id(0);
    b[y * width + x] = a[(y - 1) * width + x] + a[(y + 1) * width + x] + a[(y + 7) * width + x] + a[x - y];
}
"""
# Few work-items store, here and there.
SPARSE_STORES = """\
kernel void stores(global const int *a, global int *b) {
    int i = get_global_id(0);
    if (a[i] > 1000) b[a[i]] = i;
}
"""
# Samples in the cells around a work-item's: in each row another number of them, gathered.
NEIGHBOURHOOD = """\
struct sample { float x, y, value; };
kernel void neighbourhood(global const struct sample *p, global const int *starts, global float *b, int n) {
    int i = get_global_id(0);
    float sum = 0;
    for (int row = 0; row < n; row++)
        for (int s = starts[row * n + i]; s < starts[row * n + i + 1]; s++)
            if (p[s].x * p[s].x + p[s].y * p[s].y < 1) sum += p[s].value / p[s].x;
    b[i] = sum;
}
"""
# The samples of one cell only: lanes wait for one another once.
CELL = """\
struct sample { float x, y, value; };
kernel void cell(global const struct sample *p, global const int *starts, global float *b) {
    int i = get_global_id(0);
    float sum = 0;
    for (int s = starts[i]; s < starts[i + 1]; s++)
        if (p[s].x * p[s].x + p[s].y * p[s].y < 1) sum += p[s].value / p[s].x;
    b[i] = sum;
}
"""

# The bytes of a row by value: iterations of one work-item overlap, those of lanes wait for scatters.
COUNTS = """\
kernel void counts(global const uchar *a, global uint *counts, int n) {
    int i = get_global_id(0);
    uint own[32];
    for (int b = 0; b < 32; b++) own[b] = 0;
    for (int k = 0; k < n; k++) own[a[i * n + k]]++;
    for (int b = 0; b < 32; b++) counts[i * 32 + b] = own[b];
}
"""
# The same elements, sorted by counting.
SORTED = """\
kernel void sorted(global const uchar *a, global uchar *b, int n) {
    int i = get_global_id(0), sum = 0;
    int own[16];
    for (int v = 0; v < 16; v++) own[v] = 0;
    for (int k = 0; k < n; k++) own[a[i * n + k]]++;
    for (int v = 0; v < 16; v++) {
        int count = own[v];
        own[v] = sum;
        sum += count;
    }
    for (int k = 0; k < n; k++) {
        uchar v = a[i * n + k];
        b[i * n + own[v]++] = v;
    }
}
"""
# The most frequent number of a column, of which one work-item loads a cache line for each element.
COLUMN_MODE = """\
kernel void mode(global const int *a, global int *b, int n) {
    int i = get_global_id(0), most = 0;
    ushort own[64];
    for (int v = 0; v < 64; v++) own[v] = 0;
    for (int k = 0; k < n; k++) own[a[k * get_global_size(0) + i]]++;
    for (int v = 1; v < 64; v++) if (own[v] > own[most]) most = v;
    b[i] = most;
}
"""

# The high part of a product: a built-in of a few instructions.
PRODUCTS = """\
kernel void products(global uint *a, uint n, uint y) {
    uint i = get_global_id(0), x = a[i];
    for (uint k = 0; k < n; k++) x = mul_hi(x, y) ^ (x * y + k);
    a[i] = x;
}
"""
# Words of a cipher that come from tables: gathers in lanes; work-items one by one wait for each load.
CIPHER = """\
kernel void cipher(global uint *a, constant uint *keys, int n, global const uint *t) {
    int i = get_global_id(0);
    uint x = a[i];
    for (int k = 0; k < n; k++) {
        uint low = t[x & 255] + t[256 + (x >> 24)], high = t[512 + (x >> 16 & 255)] + t[768 + (x >> 8 & 255)];
        x = low ^ high ^ keys[k];
    }
    a[i] = x;
}
"""
# Sums of bytes, with remainders of numbers of 32, 64 and 16 bits.
CHECKSUMS = tuple(
    f"""\
kernel void checksum(global const uchar *a, global ulong *out, uint n) {{
    uint i = get_global_id(0);
    {type} low = 1, high = 0;
    for (uint k = 0; k < n; k++) {{
        low = (low + a[i * n + k]) % 251;
        high = (high + low) % 251;
    }}
    out[i] = high * 256 + low;
}}
"""
    for type in ("uint", "ulong", "ushort")
)


class _Vectorized(Exception):
    """Nothing behind the vectorizer is of interest."""


class _Watch(Trace):
    """Keeps what the vectorizer says."""

    outcomes: list[Outcome]

    def run(self, name: str, module: ir.Module, change: Callable[[], T]) -> T:
        """Runs a step, and ends the compilation behind the vectorizer."""
        result = super().run(name, module, change)
        if name == "vectorize-work-items":
            self.outcomes = list(result)  # type: ignore[call-overload]
            raise _Vectorized
        return result


def outcome(source: str, lanes: int, options: str = "", items: int = 64) -> Outcome:
    """What becomes of the only work-item loop of a kernel on a processor with so many 32-bit lanes.

    `items` is the number of work-items in a group.
    """
    found = outcomes(source, lanes, options, items)
    # Of a loop with several versions the likeliest is tried first.
    why = found[0].divergent
    if why is None or why.message not in (DivergentLoops.TRIED, DivergentLoops.WAYS_TRIED):
        return found[0]
    return next(o for o in found if o.strategy == why.arguments["strategies"][0])


def outcomes(source: str, lanes: int, options: str = "", items: int = 64) -> list[Outcome]:
    """What becomes of the work-item loops of a kernel, and of their versions."""
    build = parse_options(options)
    (kernel,) = compile_program(source, build).kernels
    watch = _Watch(kernel.info.name, None, "", None)
    target = x86.for_lanes(lanes)
    with pytest.raises(_Vectorized):
        compile_work_group(
            kernel, CodeOptions.of(build), LaunchForm((items, 1, 1)), trace=watch, target=target
        )
    return watch.outcomes
