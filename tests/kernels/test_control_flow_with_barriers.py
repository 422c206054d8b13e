"""Barriers in every shape of control flow, behind conditions that the compiler cannot prove uniform.

Each kernel exchanges values through local memory at each barrier, and is compared with the interpreter for
several sets of flags, which all work-items read from memory.
"""

from pathlib import Path

import numpy as np
import pytest
from kernel_case import KernelCase, parse_launch
from kernel_ways import CompiledWay, InterpreterWay

_HEAD = """
#define X(c) { t[l] = v * (c); barrier(1); uint o = t[(l + (c)) % size]; barrier(1); v = v * 3 + o; }
__kernel void k(__global uint *a, __global uint *f, __local uint *t, uint n) {
    uint l = get_local_id(0) + get_local_size(0) * get_local_id(1);
    uint size = get_local_size(0) * get_local_size(1);
    uint g = (get_group_id(0) + get_num_groups(0) * get_group_id(1)) * size + l, v = a[g];
"""

BODIES = {
    "nested conditions": """
        if (f[0]) { X(1) if (f[1]) { uint q=v^7; X(2) if (f[2]) { X(3) v+=q; } else { X(4) v-=q; }
        X(5) } X(6) } X(7)""",
    "both arms": """
        uint r; if (f[1]) { r=v*2; X(1) v+=r; } else { X(2) r=5; X(3) } v^=r; if (n) X(4) else { X(5)
        }""",
    "switch in a loop": """
        for (uint i=0;i<6;i++) { uint w=v+i; switch (f[i%3]+i) { case 0: X(1) break; case 1: v+=w;
        case 2: X(2) v^=w; break; case 3: { X(3) X(4) } case 7: v++; break; case 4: X(5) continue;
        default: v-=w; } if (i==4) X(6) v+=w; }""",
    "early returns": """
        if (f[2]==99) return; X(1) if (n>1000) return; X(2) if (f[0]>7) { a[g]=1; return; } X(3)""",
    "break and continue": """
        for (uint i=0;i<f[3];i++) { uint k=v*i; if (f[0]==i) continue; X(1) if (f[1]+3==i) break;
        v+=k; if (i&1) { X(2) if (i==5) break; } } X(9)""",
    "several exits": """
        uint i=0; while (1) { v+=i; X(1) if (f[3]<=i) goto done; if (f[2]+5==i) goto other; i++; X(2)
        } other: v*=5; X(3) done: v+=i; X(4)""",
    "nested b-loops": """
        for (uint i=0;i<f[0]+2;i++) { uint w=v; for (uint j=0;j<f[1]+i;j++) { X(1) uint u=w+j; for
        (uint k=i;k>0;k--) { X(2) v+=u*k; } w^=v; } v+=w; }""",
    "inner trip count varies": """
        for (uint i=0;i<4;i++) for (uint j=i;j<n-i;j++) { uint w=j*v; X(1) v+=w; }""",
    "guard in a loop of an argument": """
        for (uint i=0;i<n;i++) { if (i&1) { X(1) } else v+=i; if (f[i%4]>1) X(2) }""",
    "guard among divergent code": """
        for (uint i=0;i<n;i++) { if (l&1) v+=i; else v^=i; if (i==f[1]) X(1) if (l>2) v*=3; }""",
    "guard in a loop of a loaded count": """
        for (uint i=0;i<f[3];i++) { if (f[i%4]>0) { uint w=v; X(1) v+=w; } } t[l]=v; barrier(1);
        v-=t[(l+1)%size];""",
    "divergent loops around": """
        for (uint i=0;i<(l&3);i++) v+=i*v; if (f[0]) X(1) for (uint i=0;i<(g&7);i++) { v^=i; if (v&16)
        break; } X(2)""",
    "do while": """
        uint i=0; do { X(1) uint w=v; do { v+=w; X(2) } while (i++<f[1]); } while (i<n);""",
    "collectives": """
        if (f[0]) { v+=work_group_reduce_add(v); for (uint i=0;i<f[3];i++) { if (f[i%3])
        v^=work_group_scan_inclusive_max(v+i); else v+=work_group_broadcast(v,0); } } if
        (work_group_any(v>1000)) X(1) else { X(2) v+=work_group_scan_exclusive_add(v); } switch (f[2])
        { case 1: v+=work_group_reduce_max(v); break; case 2: v-=work_group_reduce_min(v); break;
        default: v++; }""",
    "copies in a loop": """
        for (uint i=0;i<f[1]+2;i++) { event_t e=async_work_group_copy(t,a+(g-l),size,0);
        wait_group_events(1,&e); v+=t[(l+i)%size]; barrier(3); a[g]=v; barrier(3); if (f[2]) {
        e=async_work_group_copy(a+(g-l),t,size,0); wait_group_events(1,&e); } barrier(3); }""",
    "private array": """
        uint p[6]; for (uint i=0;i<6;i++) p[i]=v*i; if (f[0]) { X(1) p[v&3]+=l; } X(2) for (uint
        i=0;i<f[1]+1;i++) { p[(i+l)%6]^=v; X(3) } for (uint i=0;i<6;i++) v=v*7+p[i];""",
    "short circuits": """
        if (f[0] && n>2 && f[1]) X(1) if (f[2] || (n==f[3] && f[0])) { X(2) } else if (f[1] && f[0])
        X(3)""",
    "jump into a loop": """
        uint i=0; if (f[0]) goto mid; top: X(1) mid: v+=3; X(2) if (++i<f[3]) goto top;""",
    "breaks in both arms": """
        for (uint i=0;;i++) { if (f[i&3]>1) { X(1) if (i>4) break; } else { X(2) if (i>6) { v+=9;
        break; } v+=i; } } X(3)""",
    "return in a loop": """
        for (uint i=0;i<n;i++) { X(1) if (f[3]==i+1) { a[g]=v*11; return; } v+=i; X(2) }""",
    "uniform values behind a return": """
        if (f[0]>50) return; uint u=n*7; for (uint i=0;i<f[3];i++) { u+=i; X(1) if (f[i&3]) { u*=3;
        X(2) v+=u; } v^=u; } v+=u;""",
}
BODIES["many in sequence"] = " ".join(
    f"if (f[{i % 4}] > {i % 3}) {{ uint w{i} = v; X({i + 1}) v ^= w{i}; }}" for i in range(20)
)
BODIES["many in a loop"] = (
    "for (uint r = 0; r < f[3]; r++) {"
    + " ".join(
        f"if (f[{i % 4}] > {i % 3} + r) {{ uint w{i} = v; X({i + 1}) v ^= w{i}; "
        f"if (f[{i % 3}] == r) continue; }}"
        f"else if (f[0] == 77) break;"
        for i in range(12)
    )
    + "v += r; } X(1) X(2)"
)

FLAGS = ([0, 1, 2, 3], [2, 0, 1, 5], [3, 2, 0, 0])
LAUNCHES = ("16 / 8", "(8, 6) / (4, 3)")
WAYS = {
    "specialized": CompiledWay(level=0),
    "any size": CompiledWay(level=0, any_size=True),
    "lanes": CompiledWay(level=0, method="simd", lanes=4, verify=False),
}


@pytest.mark.parametrize("launch_text", LAUNCHES)
@pytest.mark.parametrize("name", BODIES)
def test_control_flow_with_barriers(name: str, launch_text: str) -> None:
    source = f"{_HEAD}{BODIES[name]} a[g] = v; }}"
    case = KernelCase(Path(__file__).with_suffix(".cl"), source, "-cl-std=CL3.0")
    launch = parse_launch(launch_text)
    items = int(np.prod(launch.local_size))
    for flags in FLAGS:

        def arguments(flags: list[int] = flags) -> dict[str, object]:
            a = np.arange(np.prod(launch.global_size), dtype=np.uint32) * 37 % 101
            return {"a": a, "f": np.array(flags, np.uint32), "t": 4 * items, "n": 5}

        expected = InterpreterWay().run(case, launch, arguments())
        for way, compiled in WAYS.items():
            found = compiled.run(case, launch, arguments())
            np.testing.assert_array_equal(found["a"], expected["a"], err_msg=f"{way}, flags {flags}")
