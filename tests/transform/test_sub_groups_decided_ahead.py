"""Whether sub-groups are lanes is decided before anything is lowered, unless a region has no vector code."""

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
VOLATILE = "volatile global int *p = a; int s = 0; if (b[i]) s = p[i]; a[i] = sub_group_reduce_add(s);"


class Steps(Trace):
    """Counts the passes that run."""

    def __init__(self) -> None:
        super().__init__("k", None, "", None)
        self.names: list[str] = []

    def run(self, name: str, module: ir.Module, change: Callable[[], Any]) -> Any:
        self.names.append(name)
        return super().run(name, module, change)


@pytest.mark.parametrize(
    ("body", "local_size", "lanes", "restarts"),
    [
        (BARRIER, (64, 1, 1), False, 0),
        (BARRIER, (16, 1, 1), True, 0),  # the only sub-group of the group
        (UNIFORM, (64, 1, 1), True, 0),
        (CLUSTER, (64, 1, 1), False, 0),
        (VOLATILE, (64, 1, 1), False, 1),
    ],
    ids=["barrier", "barrier of one sub-group", "uniform barrier", "cluster", "no vector code"],
)
def test_pipeline_runs_once(body: str, local_size: tuple[int, int, int], lanes: bool, restarts: int) -> None:
    source = (
        "kernel void k(global int *a, global int *b, int n) {"
        f" local int t[64]; int i = get_global_id(0), l = get_local_id(0); {body} }}"
    )
    (kernel,) = compile_program(source, OPTIONS).kernels
    steps = Steps()
    compile_work_group(kernel, CodeOptions.of(OPTIONS), LaunchForm(local_size), trace=steps)
    assert steps.names.count("lower-printf") == 1 + restarts
    assert ("lower-sub-group-functions" not in steps.names) == lanes
