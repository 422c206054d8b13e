"""The kernels, one per pattern, and their launches. Imports only modules that a machine without Weft has."""

from dataclasses import dataclass

from weft.source.devices import MATH, RS, WIDE, Candidate
from weft.source.patterns import BS, CS, NS, RF, SS

FACTORS = (2, 4, 8, 16)
_BOTH = (2, 4)
N = 1024
"""The elements of a row of every matrix, which kernels get as `n`."""
IDS = ("int", WIDE)
"""The types of ids that kernels use: some compilers recognize consecutive accesses with only one of them."""


@dataclass(frozen=True)
class Subject:
    """A kernel with one pattern: its body, its range, the floats of its buffers, and its accesses."""

    body: str
    range: tuple[int, ...]
    read: int
    written: int
    accesses: int
    looped: bool = False

    def text(self, ids: str) -> str:
        """Return the program with a type of ids."""
        head = "__kernel void k(__global const float *a, __global float *c, int n)"
        return f"{head} {{\n{self.body.replace('ID', ids)}\n}}\n"

    def points(self) -> list[Candidate]:
        """Return the candidates."""
        candidates = [Candidate(inter=f) for f in FACTORS]
        if self.looped:
            candidates += [Candidate(intra=f) for f in FACTORS] + [Candidate(f, f) for f in _BOTH]
        return candidates


_SUM = """    ID x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f, own = 0.5f + x;
    for (int k = 0; k < n; k++)
        sum += a[{}] * own;
    c[y * n + x] = sum;"""
_BLOCK = """    ID x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 16; i++)
            sum += a[(y + j) * n + x + i];
    c[y * n + x] = sum;"""
_NEIGHBOURS = """    ID x = get_global_id(0), y = get_global_id(1);
    ID at = (y + 1) * n + x + 1;
    c[at] = 0.25f * (a[at - 1] + a[at + 1] + a[at - n] + a[at + n]);"""
_SINGLE = """    ID i = get_global_id(0);
    c[i] = a[i] + 1.0f;"""
_MATH = """    ID i = get_global_id(0);
    c[i] = exp(-a[i]) + log(a[i] + 1.0f);"""


def subjects(scale: int = 1) -> dict[str, Subject]:
    """Return the kernels by row of the table; GPUs need `scale` times as many work-items."""
    matrix, rows = N * N, 4 * scale
    x, block, around = N - 16, 32 * scale, (N - 2) * scale

    def walk(index: str) -> Subject:
        return Subject(_SUM.format(index), (N, rows), matrix, N * rows, N * rows * N, True)

    def single(body: str, count: int) -> Subject:
        return Subject(body, (count,), count, count, 2 * count)

    return {
        SS: single(_SINGLE, 2 * matrix * scale),
        RF: walk("y * n + k"),
        CS: walk("k * n + x"),
        BS: Subject(_BLOCK, (x, block), (block + 4) * N, block * N, x * block * 64, True),
        NS: Subject(_NEIGHBOURS, (x, around), (around + 2) * N, (around + 2) * N, x * around * 5),
        RS: walk("x * n + k"),
        MATH: single(_MATH, matrix // 8 * scale),
    }
