"""Whether sub-groups are lanes is decided before anything is lowered, and no pass runs twice."""

from collections.abc import Callable
from typing import Any

import pytest

from weft import ir
from weft.compiler.build_program import compile_program
from weft.compiler.compile_work_group import compile_work_group
from weft.frontend.options import parse_options
from weft.kernel import CodeOptions
from weft.launch_form import LaunchForm
from weft.trace import Trace

OPTIONS = parse_options("-cl-std=CL3.0")
BARRIER = (
    "if (get_sub_group_id() == n) { t[l] = i; sub_group_barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[l ^ 1]; }"
)
CLUSTER = "a[i] = sub_group_clustered_reduce_add(b[i], n);"
UNIFORM = "t[l] = i; sub_group_barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[l ^ 1];"
# Regions with a sub-group function that have no vector code, and what others may have beside them.
WITHOUT_VECTOR_CODE = {
    "volatile": "volatile global int *p = a; int s = 0; if (b[i]) s = p[i]; a[i] = sub_group_reduce_add(s);",
    "volatile variable": "volatile int x = b[i]; a[i] = sub_group_reduce_add(x);",
    "bytes of numbers": "union { int h[8]; uchar c[32]; } u; for (int k = 0; k < 8; k++) u.h[k] = b[i + k];"
    " a[i] = sub_group_reduce_add((int)u.c[b[i] & 31]);",
    "large array": "int h[3000]; for (int k = 0; k < 3000; k++) h[k] = b[i + k];"
    " a[i] = sub_group_reduce_add(h[b[i] & 511]);",
    "lock": "while (atomic_xchg(&a[0], 1)); a[i] = sub_group_reduce_add(b[i]);",
    "lock in another region": "a[i] = sub_group_reduce_add(b[i]); barrier(CLK_GLOBAL_MEM_FENCE);"
    " while (atomic_xchg(&a[0], 1)); a[i]++;",
    "endless loop": "a[i] = sub_group_reduce_add(b[i]); if (b[i] == 7) while (1) a[i]++;",
    "several entries": "int k = 0; if (b[i] & 1) goto mid; top: k++; mid: k += 2; if (k < b[i]) goto top;"
    " a[i] = sub_group_reduce_add(k);",
    "copy": "struct S { int x[30]; }; ((global struct S *)a)[i] = ((global struct S *)b)[i];"
    " a[i] = sub_group_reduce_add(b[i]);",
    "generic pointer": "atomic_int *p = a[0] ? (atomic_int *)t : (atomic_int *)a; atomic_fetch_add(p, 1);"
    " a[i] = sub_group_reduce_add(b[i]);",
    "early return": "if (b[0] > n) return; barrier(CLK_LOCAL_MEM_FENCE); a[i] = sub_group_reduce_add(b[i]);",
}
WITH_VECTOR_CODE = {
    "loop around barriers": "int k = sub_group_reduce_add(b[i]); for (int j = 0; j < b[n]; j++)"
    " { barrier(CLK_LOCAL_MEM_FENCE); t[l] = k; barrier(CLK_LOCAL_MEM_FENCE); k += t[l ^ 1]; }"
    " barrier(CLK_LOCAL_MEM_FENCE); a[i] = k;",
    "array": "int h[8]; for (int k = 0; k < 8; k++) h[k] = b[i + k];"
    " a[i] = sub_group_reduce_add(h[b[i] & 7]);",
    "array of 4 KiB": "int h[1000]; for (int k = 0; k < 1000; k++) h[k] = b[i + k];"
    " a[i] = sub_group_reduce_add(h[b[i] & 511]);",
    "array of vectors": "int4 h[8]; for (int k = 0; k < 8; k++) h[k] = b[i + k];"
    " a[i] = sub_group_reduce_add(h[b[i] & 7].y);",
    "atomic loop in another region": "a[i] = sub_group_reduce_add(b[i]); barrier(CLK_GLOBAL_MEM_FENCE);"
    " for (int k = 0; k < b[i]; k++) atomic_add(&a[0], k);",
    "work-group copy": "event_t e = async_work_group_copy(t, b, 64, 0); wait_group_events(1, &e);"
    " a[i] = sub_group_reduce_add(t[i & 63]);",
    "exits from a loop": "int k = sub_group_reduce_add(b[i]); for (int j = 0; j < b[i]; j++)"
    " { if (a[j] == k) return; if (a[j] == 3) break; if (a[j] == 5) continue; k += a[j]; } a[i] = k;",
    "structure": "struct S { int x; char c; float f; } s, u; s.x = b[i]; s.c = 3; s.f = 2;"
    " u = b[i + 1] ? s : ((global struct S *)a)[i]; a[i] = sub_group_reduce_add(u.x + (int)u.f);",
}


class Steps(Trace):
    """Counts the passes that run."""

    def __init__(self) -> None:
        super().__init__("k", None, "", None)
        self.names: list[str] = []

    def run(self, name: str, module: ir.Module, change: Callable[[], Any]) -> Any:
        self.names.append(name)
        return super().run(name, module, change)


@pytest.mark.parametrize(
    ("body", "local_size", "lanes"),
    [
        pytest.param(BARRIER, (64, 1, 1), False, id="barrier"),
        pytest.param(BARRIER, (16, 1, 1), True, id="barrier of one sub-group"),
        pytest.param(UNIFORM, (64, 1, 1), True, id="uniform barrier"),
        pytest.param(CLUSTER, (64, 1, 1), False, id="cluster"),
        *(pytest.param(body, (64, 1, 1), False, id=name) for name, body in WITHOUT_VECTOR_CODE.items()),
        *(pytest.param(body, (64, 1, 1), True, id=name) for name, body in WITH_VECTOR_CODE.items()),
    ],
)
def test_pipeline_runs_once(body: str, local_size: tuple[int, int, int], lanes: bool) -> None:
    source = (
        "kernel void k(global int *a, global int *b, int n) {"
        f" local int t[64]; int i = get_global_id(0), l = get_local_id(0); {body} }}"
    )
    (kernel,) = compile_program(source, OPTIONS).kernels
    steps = Steps()
    compile_work_group(kernel, CodeOptions.of(OPTIONS), LaunchForm(local_size), trace=steps)
    assert steps.names.count("lower-printf") == 1
    assert ("lower-sub-group-functions" not in steps.names) == lanes
