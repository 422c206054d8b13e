"""Kernels that break OpenCL's rule for barriers. Run as a program: compiles and runs all of them in all ways.

What they compute is undefined; they must not crash, hang or write outside of their buffers, which the ways
of the kernel tests put between guards.
"""

import sys
from pathlib import Path

import numpy as np

ITEMS = 8

_HEAD = """
__kernel void k(__global int *a, __local int *t, int n) {
    int l = get_local_id(0), g = get_global_id(0), x = a[g];
    t[l] = x;
"""
_TAIL = """
    a[g] = x + t[(l + 1) % 8];
}
"""

KERNELS = {
    name: f"{_HEAD}    {body}{_TAIL}"
    for name, body in {
        "barrier for one work-item": "if (l == 0) barrier(1);",
        "barrier for some work-items": "if (l & 1) { x += t[0]; barrier(1); x *= 3; } else x--;",
        "other barriers for others": "if (l < 3) barrier(1); else { barrier(1); x = t[2]; barrier(1); }",
        "as many barriers as the id": "for (int i = 0; i < l; i++) { x += i; barrier(1); }",
        "fewer barriers for higher ids": "for (int i = l; i < 8; i++) { x += t[i]; barrier(1); }",
        "barriers until a counter meets the id": "for (int i = 7; i != l; i--) { x += t[i]; barrier(1); }",
        "barriers by what is loaded": "while (x > 0) { x -= 1 + l; t[l] = x; barrier(1); }",
        "a barrier in some cases": """switch (l & 3) {
        case 0: barrier(1); x++; break;
        case 1: x--;
        case 2: barrier(1); x += t[0]; break;
    }""",
        "an index from in front of the barrier": """if (l & 2) {
        int index = x & 7;
        if (l & 1) { barrier(1); x = t[index]; }
        barrier(1);
        x += t[index];
    }""",
        "a pointer from in front of the barrier": """__local int *p = 0;
    if (l > 4) { p = t + l; if (x > 100) x = 3; else barrier(1); }
    if (p) x += *p;
    barrier(1);
    if (l & 1) { barrier(1); p = t; }
    x += p ? *p : 1;""",
        "a return of some": "if (l >= n) return; barrier(1); x += t[n - 1]; barrier(1);",
        "a return in a loop": "for (int i = 0; i < 8; i++) { if (i == l) return; barrier(1); x += t[i]; }",
        "a return of all but the last": "if (l < 7) return; barrier(1); x += t[l]; barrier(1);",
        "breaks of some": "for (int i = 0; ; i++) { if (i > l) break; barrier(1); x += t[i & 7]; }",
    }.items()
}


def main(emulated: bool) -> None:
    """Runs all, on devices in qemu or on the others; prints what it is about to do."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "kernels"))
    from kernel_case import FOLDER, KernelCase, Range
    from kernel_ways import WAYS

    from weft.device.emulators import EMULATORS

    launch = Range("16 / 8", (2 * ITEMS,), (ITEMS,), (0,))
    for name, source in KERNELS.items():
        case = KernelCase(FOLDER / "broken_rules.cl", source)
        for way, run in WAYS.items():
            if way != "interpreter" and (way in EMULATORS) == emulated:
                print(f"{name}: {way}", flush=True)
                run(case, launch, {"a": np.arange(2 * ITEMS, dtype=np.int32), "t": 4 * ITEMS, "n": 5})
    print("done")


if __name__ == "__main__":
    main("emulated" in sys.argv[1:])
