"""Kernels that break OpenCL's rule for barriers neither crash nor hang; certain cases are reported."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from broken_rules import KERNELS
from kernel_case import FOLDER, KernelCase, Range
from kernel_ways import WAYS

from weft.device.emulators import EMULATORS
from weft.program import build

# The first use of a device in qemu compiles its server.
COMPILED = [
    pytest.param(way, marks=pytest.mark.slow if way in EMULATORS else ())
    for way in WAYS
    if way != "interpreter"
]
# Far more than it takes: only a hang is stopped.
SECONDS = 600


@pytest.mark.parametrize("devices", ["here", pytest.param("emulated", marks=pytest.mark.slow)])
def test_broken_kernels_end_in_every_way(devices: str) -> None:
    worker = Path(__file__).with_name("broken_rules.py")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    child = subprocess.run(
        [sys.executable, str(worker), devices],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment,
        check=False,
    )
    lines = child.stdout.splitlines()
    assert (child.returncode, lines[-1:]) == (0, ["done"]), f"{lines[-1:]}\n{child.stderr[-2000:]}"


EARLY_RETURN = """
__kernel void k(__global int *a, __local int *t, int n) {
    int l = get_local_id(0), g = get_global_id(0);
    if (g >= n) return;
    t[l] = a[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += t[min(l + i, (n - 1) % 8)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[g] = sum;
}
"""

STRIDED = """
__kernel void k(__global int *a, __local int *t, int n) {
    int l = get_local_id(0);
    for (int i = l; i < n; i += get_local_size(0)) {
        t[l] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        a[i] = t[l] * 2;
    }
}
"""


@pytest.mark.parametrize("way", COMPILED)
@pytest.mark.parametrize("n", [16, 12, 9, 8])
def test_others_go_on_when_work_items_return_early(way: str, n: int) -> None:
    """The buffer holds n elements, and guards behind them."""
    launch = Range("16 / 8", (16,), (8,), (0,))
    before = np.arange(100, 100 + n, dtype=np.int32)
    found = WAYS[way](case_of(EARLY_RETURN), launch, {"a": before.copy(), "t": 32, "n": n})
    last = (n - 1) % 8
    expected = [
        sum(before[g - g % 8 + min(g % 8 + i, last)] for i in range(4)) if n in (16, 8) or g >= 8 else None
        for g in range(n)
    ]
    for g, value in enumerate(expected):
        assert value is None or found["a"][g] == value
    assert (found["a"] != before).all()


@pytest.mark.parametrize("way", COMPILED)
def test_others_go_on_when_work_items_leave_the_last_loop_early(way: str) -> None:
    launch = Range("8 / 8", (8,), (8,), (0,))
    found = WAYS[way](case_of(STRIDED), launch, {"a": np.arange(21, dtype=np.int32), "t": 32, "n": 21})
    assert (found["a"] == 2 * np.arange(21)).all()


def case_of(source: str) -> KernelCase:
    return KernelCase(FOLDER / "broken_rules.cl", source)


@pytest.mark.parametrize(
    ("body", "line", "items"),
    [
        ("if (l == 0)\n barrier(1);", 4, 2),
        ("if (l % 4 == 3)\n barrier(1);", 4, 4),
        ("if (l > 6 || l < 2) return;\n barrier(1);", 4, 3),
        ("a[0] = 1;\n if (get_global_id(0) < 16) barrier(1); else { a[1] = 2; barrier(1); }", 5, 17),
        ("switch (l) {\n case 2: barrier(1); a[3] = 5; }", 4, 3),
    ],
)
def test_certain_divergence_is_in_the_build_log(body: str, line: int, items: int) -> None:
    log = build(
        f"\n__kernel void k(__global int *a, int n) {{\n int l = get_local_id(0);\n {body}\n}}", ""
    ).log
    assert f"<source>:{line}:" in log
    assert "warning: kernel 'k': only some work-items of a group reach a barrier" in log
    assert f"undefined for {items} or more work-items" in log


@pytest.mark.parametrize(
    "body",
    [
        "if (l < n) barrier(1);",
        "if (get_group_id(0) == 0) barrier(1);",
        "if (l == 0) a[0] = 1; barrier(1);",
        "barrier(1); if (l == 0) return; a[1] = 2;",
        "if (l < 3) { barrier(1); } else { a[2] = 3; }".replace("l < 3", "l < 3000"),
        "if (a[l]) return; barrier(1);",
    ],
)
def test_what_may_be_legal_is_not_reported(body: str) -> None:
    assert (
        build(f"__kernel void k(__global int *a, int n) {{ int l = get_local_id(0); {body} }}", "").log == ""
    )


def test_required_size_makes_divergence_impossible() -> None:
    source = "__kernel {} void k(__global int *a) {{ if (get_local_id(0) < 4) barrier(1); }}"
    assert build(source.format("__attribute__((reqd_work_group_size(4, 1, 1)))"), "").log == ""
    assert build(source.format("__attribute__((reqd_work_group_size(5, 1, 1)))"), "").log != ""
    assert build(source.format("__attribute__((reqd_work_group_size(5, 1, 1)))"), "-w").log == ""


def test_all_broken_kernels_are_distinct() -> None:
    assert len(set(KERNELS.values())) == len(KERNELS)
