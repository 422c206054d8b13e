"""Memory access patterns are found by the index, whatever the text looks like."""

import json
from pathlib import Path

import pytest

from weft.cli.main import main

# The applications of the paper, and what their accesses are.
PRODUCT = """
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[x + k * n];
    c[y * n + x] = sum;
"""
CONVOLUTION = """
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++)
            sum += a[(y + j) * n + i + x] * b[j * 5 + i];
    c[y * n + x] = sum;
"""
RELAXATION = """
    int at = (get_global_id(1) + 1) * n + get_global_id(0) + 1;
    c[at] = a[at - 1] + a[at + 1] + a[at - n] + a[at + n];
"""
# The neighbour in the row is at the left or at the right, by the colour of the row.
RED_BLACK = """
    int y = get_global_id(1) + 1, at = y * n + get_global_id(0) + 1;
    c[at] = a[at] + a[at + (y & 1) * 2 - 1] + a[at - n] + a[at + n];
"""
# A row by a pointer that moves; an index that grows from an id on is not expressed by the counter.
MOVING = """
    __global const float *p = a + get_global_id(1) * n;
    int at = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < n; k++, at += n)
        sum += p[k] + b[at];
    c[get_global_id(0)] = sum;
"""
OTHERS = """
    int x = get_global_id(0);
    c[x] = a[(int)b[x]] + a[2 * x] + a[0] + a[x % 7];
"""
CASES = {
    PRODUCT: ["a RF", "b CS", "c SS"],
    CONVOLUTION: ["a BS", "b none", "c SS"],
    RELAXATION: ["c SS", "a NS", "a NS", "a NS", "a NS"],
    RED_BLACK: ["c SS", "a NS", "a NS", "a NS", "a NS"],
    MOVING: ["a RF", "b none", "c SS"],
    OTHERS: ["c SS", "a none", "b SS", "a none", "a none", "a none"],
}


@pytest.mark.parametrize(
    ("body", "expected"), CASES.items(), ids=["MM", "IC", "SOR", "red-black", "moving", "others"]
)
def test_pattern_of_each_access(
    body: str, expected: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cl"
    head = "__kernel void k(__global const float *a, __global const float *b, __global float *c, int n)"
    path.write_text(f"{head} {{{body}}}")
    assert main(["patterns", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert sorted(f"{f['object']} {f['pattern']}" for f in found) == sorted(expected)
    assert all(f["line"] for f in found)
    assert all(f["reason"] for f in found if f["pattern"] == "none")
