"""Every reason that passes give is given for some kernel, or in a golden file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from weft.analysis.group_order import GroupOrder
from weft.analysis.naming import Diverges
from weft.analysis.work_items import BarrierOrigin
from weft.explain.explain import explain
from weft.remarks import Argument, Message, Reason
from weft.transform.canonical.promote_to_registers import Promotion
from weft.transform.canonical.promotion_plan import NotPromoted
from weft.transform.canonical.remove_repeated_barriers import RepeatedBarrier
from weft.transform.canonical.split_initializers import SplitInitializers
from weft.transform.cost_model.interchange import Interchange
from weft.transform.describe.accesses import AccessShape, WhyVarying
from weft.transform.describe.regions import Decision, RegionKind
from weft.transform.describe.variables import Kept, NotRecomputed, WhyKept
from weft.transform.simd.bounds_from_guards import Bounds
from weft.transform.simd.cannot_vectorize import NotVectorized
from weft.transform.simd.drop_masks import DroppedMask
from weft.transform.simd.fuse_sincos import FusedSincos
from weft.transform.simd.if_convert_stores import IfConverted
from weft.transform.simd.lane_functions import LaneFunction
from weft.transform.simd.narrow_integers import NarrowedIntegers
from weft.transform.simd.rematerialize_at_loop_exit import Rematerialized
from weft.transform.simd.split_private_vectors import PrivateVectors
from weft.transform.simd.split_vectors import SplitVectors
from weft.transform.simd.strategies import DivergentLoops
from weft.transform.simd.strided_rows import NotStripMined
from weft.transform.simd.transpose_rows import NotTransposed
from weft.transform.workgroup.block_loops import LoopBlocking
from weft.transform.workgroup.merge_barriers import MergedBarriers
from weft.transform.workgroup.merge_tails import MergedTails
from weft.transform.workgroup.private_arrays_by_lane import LaneColumns
from weft.transform.workgroup.specialize_image_formats import SpecializedImages
from weft.transform.workgroup.split_pointer_inductions import PointerInductions
from weft.transform.workgroup.sub_groups_to_lanes import InMemory, SubGroups
from weft.transform.workgroup.unroll_and_jam import RowsAtOnce

HEAD = "kernel void k(global int *a, global const int *b, global float *c, local int *t, int n) {\n"
IDS = "    int i = get_global_id(0), l = get_local_id(0);\n"
KERNELS = Path(__file__).parent.parent / "kernels"
GOLDEN = Path(__file__).parent.parent / "golden"
# `; missed: fuse-sincos: @k: DifferentFlags: …` in a golden file.
GOLDEN_REMARK = re.compile(r"^; (?:passed|missed|analysis): ([\w-]+): @\w+: (\w+): ", re.MULTILINE)
# Passes that report by golden files: their messages.
OF_PASSES: dict[str, tuple[type[Message], ...]] = {
    "remove-repeated-barriers": (RepeatedBarrier,),
    "promote-to-registers": (Promotion, NotPromoted),
    "split-initializers": (SplitInitializers,),
    "specialize-image-formats": (SpecializedImages,),
    "group-order": (GroupOrder,),
    "split-private-vectors": (PrivateVectors,),
    "split-pointer-inductions": (PointerInductions,),
    "unroll-and-jam": (RowsAtOnce,),
    "block-loops": (LoopBlocking,),
    "merge-tails": (MergedTails,),
    "merge-barriers": (MergedBarriers,),
    "drop-masks": (DroppedMask,),
    "narrow-integers": (NarrowedIntegers,),
    "rematerialize-at-loop-exit": (Rematerialized,),
    "private-arrays-by-lane": (LaneColumns,),
    "vectorize-work-items": (NotVectorized,),
    "transpose-rows": (NotTransposed,),
    "strip-mine-rows": (NotStripMined,),
    "fuse-sincos": (FusedSincos,),
    "if-convert-stores": (IfConverted,),
}
# It takes a processor that scatters (tests/transform/test_scattered_stores.py), more locations than a golden
# file has room for (tests/transform/test_promote_to_registers.py), or a test below.
ELSEWHERE = {NotVectorized.SCATTERS, NotPromoted.TOO_MANY, InMemory.UNKNOWN_SIZE}
BARRIER = "barrier(CLK_LOCAL_MEM_FENCE);"


@dataclass(frozen=True)
class Case:
    """Statements of a kernel, the reasons that are given for them, and what else there is to say."""

    body: str
    reasons: tuple[Message, ...]
    options: str = ""
    size: tuple[int, int, int] | None = None
    settings: tuple[tuple[str, str], ...] = ()
    helpers: str = ""

    @property
    def source(self) -> str:
        return f"{self.helpers}{HEAD}{IDS}    {self.body}\n}}\n"


LANES = (("WEFT_LANES", "8"),)
CALLS = (*LANES, ("WEFT_INLINE", "0"))
CALLED = "float f(float x, int n) { for (int k = 0; k < n; k++) x = x * 3 - 1 / x; return x; }\n"
LOOPS = "".join(f"for (int k{d} = 0; k{d} < n; k{d}++)" for d in range(30))
MANY = "".join(f"v{n} = v{n} * 3 + b[k * n + i + {n}]; " for n in range(8))
CASES = {
    "rows": Case(
        "int s = a[i]; for (int k = 0; k < n; k++) s = s * 3 + b[k * n + i]; a[i] = s;",
        (Interchange.INTERCHANGED, BarrierOrigin.INTERCHANGE, WhyKept.CARRIED),
        size=(128, 1, 1),
    ),
    "rows of few work-items": Case(
        f"int s = a[i]; {BARRIER} for (int k = 0; k < n; k++) s = s * 3 + b[k * n + i]; a[i] = s;",
        (Interchange.CARRIES_AT_ONCE,),
        size=(64, 1, 1),
    ),
    "rows along y": Case(
        "int x = get_global_id(0), y = get_global_id(1); a[x * n + y] = b[x * n + y] + b[y];",
        (GroupOrder.COLUMNS,),
        size=(1, 64, 1),
    ),
    "a barrier in a loop": Case(
        f"for (int k = 0; k < n; k++) {{ t[l] = a[l + k]; {BARRIER} a[l] += t[63 - l]; {BARRIER} }}",
        (Interchange.HOLDS_BARRIER, Decision.LOOP, BarrierOrigin.WRITTEN, BarrierOrigin.DECISION),
    ),
    "a barrier in a loop by data": Case(
        f"int k = 0; do {{ t[l] = a[l + k]; {BARRIER} a[l] += t[63 - l]; }} while (k++ < b[l]); "
        f"a[l] += 3; {BARRIER} a[l] += t[l];",
        (Decision.LOOP_BY_RULE,),
    ),
    "a function that stores through a private pointer": Case(
        "int q; float s = 0; for (int k = 0; k < n; k++) for (int j = 0; j < b[k + i]; j++) "
        "s += lgamma_r((float)b[k * n + i], &q) + q; a[i] = s;",
        (NotVectorized.CALLEE_SHARES_PRIVATE_MEMORY,),
    ),
    "more components than registers": Case(
        "int16 s[8]; for (int r = 0; r < 8; r++) s[r] = r; "
        "for (int k = 0; k < n; k++) for (int r = 0; r < 8; r++) "
        "s[r] = s[r] * b[i + k] + s[r].yxwzyxwzyxwzyxwz; "
        "int16 u = 0; for (int r = 0; r < 8; r++) u += s[r]; a[i] = u.x + u.y + u.z;",
        (SplitVectors.CARRIED,),
    ),
    "a loop without an end": Case("if (n > 5) for (;;) a[i]++; t[l] = 1;", (Interchange.NEVER_ENDS,)),
    "divergent trip count": Case(
        "if (a[i] > 3) for (int k = 0; k < n; k++) a[i] += b[k * n + i];",
        (Interchange.DIVERGENT_TRIP_COUNT, Diverges.READ),
    ),
    "a loop in a loop": Case(
        "for (int k = 0; k < n; k++) for (int m = 0; m < n; m++) a[i] += b[(k * n + m) * n + i];",
        (Interchange.HOLDS_LOOP,),
    ),
    "nothing read": Case(
        "int s = i; for (int k = 0; k < n; k++) s = s * s + k; a[i] = s;", (Interchange.READS_NOTHING,)
    ),
    "an atomic in a loop": Case(
        "for (int k = 0; k < n; k++) atomic_add(&a[b[k * n + i]], 1);", (Interchange.NOT_VECTORIZABLE,)
    ),
    "a private array": Case(
        "int p[16]; for (int k = 0; k < n; k++) p[b[k * n + i] & 15] += k; a[i] = p[n & 15];",
        (Interchange.LANE_COLUMNS,),
    ),
    "vectors in a loop": Case(
        "float4 s = 0; for (int k = 0; k < n; k++) s += vload4(k * n + i, c); vstore4(s, i, c);",
        (Interchange.VECTOR_TYPES, SplitVectors.KEPT),
    ),
    "sub-groups": Case("a[i] = sub_group_reduce_add(b[i]);", (SubGroups.IN_LANES,), "-cl-std=CL3.0"),
    "sub-groups in plain loops": Case(
        "a[i] = sub_group_reduce_add(b[i]);",
        (SubGroups.IN_MEMORY, InMemory.METHOD),
        "-cl-std=CL3.0",
        settings=(("WEFT_WORKGROUP", "loops"),),
    ),
    "sub-groups and other lanes": Case(
        "a[i] = sub_group_reduce_add(b[i]);",
        (InMemory.LANES,),
        "-cl-std=CL3.0",
        settings=(("WEFT_LANES", "4"),),
    ),
    "sub-groups and columns": Case(
        "a[i] = sub_group_reduce_add(b[i]);",
        (InMemory.INNERMOST,),
        "-cl-std=CL3.0",
        settings=(("WEFT_INNERMOST", "y"),),
    ),
    "sub-groups and unrolled rows": Case(
        "a[i] = sub_group_reduce_add(b[i]);",
        (InMemory.UNROLLED,),
        "-cl-std=CL3.0",
        settings=(("WEFT_UNROLL", "64"),),
    ),
    "sub-groups that do not fill rows": Case(
        "a[i] = sub_group_reduce_add(b[i]);", (InMemory.NO_ROWS,), "-cl-std=CL3.0", (24, 1, 1)
    ),
    "small sub-groups": Case(
        "a[i] = sub_group_reduce_add(b[i]);", (InMemory.TOO_SMALL,), "-cl-std=CL3.0", (2, 1, 1)
    ),
    "a barrier of one sub-group": Case(
        "if (get_sub_group_id() == n) { t[l] = i; sub_group_barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[l ^ 1]; }",
        (InMemory.BARRIER,),
        "-cl-std=CL3.0",
    ),
    "sub-groups and work-items that return": Case(
        "if (b[0] > n) return; barrier(CLK_LOCAL_MEM_FENCE); a[i] = sub_group_reduce_add(b[i]);",
        (InMemory.FINISHED,),
        "-cl-std=CL3.0",
    ),
    "clusters of any size": Case(
        "a[i] = sub_group_clustered_reduce_add(b[i], n);", (InMemory.CLUSTER,), "-cl-std=CL3.0"
    ),
    "sub-groups that wait": Case(
        "while (atomic_or(a, 0) != n); a[i] = sub_group_reduce_add(b[i]);", (InMemory.WAITS,), "-cl-std=CL3.0"
    ),
    "sub-groups and volatile memory": Case(
        "volatile global int *p = a; int s = 0; if (b[i]) s = p[i]; a[i] = sub_group_reduce_add(s);",
        (InMemory.NOT_VECTORIZED, NotVectorized.SHARED_PRIVATE_MEMORY),
        "-cl-std=CL3.0",
    ),
    "components": Case(
        "float4 v = vload4(i, c); float s = v.x; for (int k = 0; k < n; k++) s += v.y * v.z + v.w; c[i] = s;",
        (SplitVectors.SPLIT,),
    ),
    "many values in a loop": Case(
        "int v0 = 0, v1 = 0, v2 = 0, v3 = 0, v4 = 0, v5 = 0, v6 = 0, v7 = 0; for (int k = 0; k < n; k++) { "
        f"{MANY}}} a[i] = v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ v5 ^ v6 ^ v7;",
        (Interchange.CARRIES_TOO_MUCH,),
    ),
    "reading on": Case(
        "int s = 0; for (int k = 0; k < n; k++) s = s * 3 + b[i * n + k]; a[i] = s;",
        (Interchange.READS_ON, WhyVarying.STRIDE_UNKNOWN),
    ),
    "accesses by data": Case(
        "int s = 0; for (int k = 0; k < n; k++) s = s * 3 + b[b[k * n + i]] + b[b[k * n + i] + n]; a[i] = s;",
        (Interchange.FOLLOWS_DATA, WhyVarying.READ),
    ),
    "a table by consecutive data": Case(
        "int s = 0; for (int k = 0; k < n; k++) s = b[s * 16 + b[i * n + k]]; a[i] = s;",
        (Interchange.READS_ON_OR_BY_DATA,),
    ),
    "a long array in a divergent loop": Case(
        "int m[1024]; for (int k = 0; k < 1024; k++) m[k] = k * n; int k = b[i] & 1023; "
        "while (m[k & 1023] > k) k = m[k & 1023]; a[i] = k;",
        (NotVectorized.FAR_ARRAYS,),
    ),
    "divided positions": Case(
        "int s = 0; for (int k = 0; k < n; k++) s = s * 3 + b[k * n + i / 5]; a[i] = s;",
        (Interchange.DIVIDED_POSITIONS, WhyVarying.OPERATION),
    ),
    "few iterations": Case(
        "int s = a[i];\n#pragma nounroll\nfor (int k = 0; k < 4; k++) s = s * 3 + b[k * n + i];\na[i] = s;",
        (Interchange.UNROLLED,),
    ),
    "plain loops": Case(
        "for (int k = 0; k < n; k++) a[i] += b[k * n + i];",
        (Interchange.METHOD,),
        settings=(("WEFT_WORKGROUP", "loops"),),
    ),
    "no optimization": Case(
        "for (int k = 0; k < n; k++) a[i] += b[k * n + i];",
        (Interchange.NOT_OPTIMIZED,),
        options="-cl-opt-disable",
    ),
    "few work-items": Case(
        f"t[l] = 1; {BARRIER} for (int k = 0; k < n; k++) a[i] += b[k * n + i];",
        (Interchange.TOO_FEW_WORK_ITEMS,),
        size=(2, 2, 1),
    ),
    "a function that waits": Case(
        "take(&a[n]); for (int k = 0; k < n; k++) a[i] += b[k * n + i];",
        (Interchange.MAY_WAIT,),
        settings=(("WEFT_INLINE", "1"),),
        helpers="void take(volatile global int *p) { while (atomic_xchg(p, 1)) ; atomic_xchg(p, 0); }\n",
    ),
    "values across a barrier": Case(
        f"int v = b[i], w = v * n + 7; t[l] = v; {BARRIER} a[i] = w * t[63 - l] + l;",
        (Kept.CONTEXT, Kept.RECOMPUTED, WhyKept.DIFFERS, WhyKept.ON_SOURCES),
    ),
    "results across a barrier": Case(
        f"int v = atomic_inc(&a[0]); float w = sin(c[i]) + 1; t[l] = v; {BARRIER} c[i] = w + v + t[63 - l];",
        (NotRecomputed.RESULT,),
    ),
    "conditions across a barrier": Case(
        f"bool q = n / 3 > 5; t[l] = 1; if (q) {{ {BARRIER} t[l] = 2; }} {BARRIER} a[i] = t[63 - l] + q;",
        (Kept.UNIFORM, WhyKept.SAME_AND_DECIDES, Decision.BARRIER),
    ),
    "a condition by data": Case(
        f"t[l] = b[l]; if (b[l] > 0) {{ {BARRIER} t[l] = 2; }} else {{ {BARRIER} t[l] = 3; }} a[l] = t[l];",
        (Decision.BARRIER_BY_RULE,),
    ),
    "memory across a barrier": Case(
        f"int p[6]; for (int k = 0; k < 6; k++) p[k] = b[i + k]; {BARRIER} a[i] = p[(uint)b[i] % 6u];",
        (Kept.CONTEXT_MEMORY, WhyKept.ACROSS_BARRIER),
    ),
    "memory of a region": Case(
        "int p[6]; for (int k = 0; k < 6; k++) p[k] = b[i + k]; a[i] = p[(uint)b[i] % 6u];",
        (Kept.SHARED_MEMORY, WhyKept.ON_STACK),
    ),
    "much memory of a region": Case(
        "int p[5000]; for (int k = 0; k < n; k++) p[k] = b[i + k]; a[i] = p[(uint)b[i] % 5000u];",
        (WhyKept.IN_ARENA,),
    ),
    "a condition by a result": Case("if (atomic_inc(&a[0]) > 3) c[i] = 1;", (Diverges.RESULT,)),
    "a condition by a position": Case("if (l > n) c[i] = sin(c[i]);", (Diverges.POSITION,)),
    "a group function": Case(
        "a[i] = work_group_reduce_add(b[i]);",
        (BarrierOrigin.GROUP_FUNCTION, RegionKind.FIRST),
        options="-cl-std=CL3.0",
    ),
    "shapes": Case(
        "size_t g = get_global_id(0); c[g] = b[3 * g] + b[n] + b[(uint)(n + i)] + b[i & 7] + c[a[g]];",
        (AccessShape.CONSECUTIVE, AccessShape.STRIDED, AccessShape.UNIFORM, WhyVarying.INDEX_MAY_WRAP),
        size=(64, 1, 1),
    ),
    "a generic pointer": Case(
        "int own = i; int *p = n ? (int *)(a + i) : (int *)&own; *p = n; a[i] += own;",
        (WhyVarying.MAY_BE_PRIVATE,),
        options="-cl-std=CL3.0",
    ),
    "no loop in the loop": Case("a[i] = b[i];", (NotVectorized.LEFT_TO_LLVM,)),
    "a locked loop": Case(
        "for (int k = 0; k < b[i]; k++) a[i + 64 * k] = atomic_xchg(&a[0], k);",
        (NotVectorized.MAY_WAIT,),
        settings=LANES,
    ),
    "loops in loops": Case(
        f"int s = i; {LOOPS} s = s * 3 + b[s + i]; a[i] = s;",
        (NotVectorized.NESTED_TOO_DEEP,),
        settings=(*LANES, ("WEFT_WORKGROUP", "simd")),
    ),
    "an atomic that waits nowhere": Case(
        "int s = 0; for (int k = 0; k < n; k++) s += atomic_inc(&a[k]); a[i] = s;",
        (NotVectorized.COSTS_MORE,),
    ),
    "a function": Case(
        "c[i] = f(c[i], n);",
        (LaneFunction.IN_LANES,),
        settings=CALLS,
        helpers=CALLED,
    ),
    "a function for many lanes": Case(
        "float s = c[i]; for (int k = 0; k < b[i]; k++) s += f(s, n); c[i] = s;",
        (LaneFunction.SEQUENTIAL, NotVectorized.TOO_MANY_LANES),
        settings=(("WEFT_INLINE", "0"), ("WEFT_DIVERGENT", "dvec")),
        helpers=CALLED,
    ),
    "a function with much memory": Case(
        "c[i] = f(c[i], n);",
        (NotVectorized.FUNCTIONS_TOO_LARGE,),
        settings=CALLS,
        helpers="float f(float x, int n) { float p[40000]; for (int k = 0; k < n; k++) p[k] = x * k; "
        "return p[n / 2]; }\n",
    ),
    "a function that changes a structure": Case(
        "S s = {c[i], i, n}; c[i] = f(s, n);",
        (NotVectorized.COPY_MAY_CHANGE,),
        settings=CALLS,
        helpers="typedef struct { float x; int p[9]; float y; } S;\n"
        "float f(S s, int n) { for (int k = 0; k < n; k++) s.p[k & 7] += k; return s.x + s.p[n & 7]; }\n",
    ),
    "a function that never returns": Case(
        "if (n > 3) f(a, i);",
        (NotVectorized.NEVER_RETURNS,),
        settings=CALLS,
        helpers="void f(global int *a, int i) { for (;;) a[i]++; }\n",
    ),
    "a condition on data": Case("if (b[i] > 3) c[i] = sin(c[i]);", (Bounds.KEPT,)),
    "a guard": Case("if (i < n) a[i] = b[i];", (Bounds.NARROWED,)),
    "a sum in a guard": Case(
        "int j = get_global_id(0) + n; if (j < 1000) a[j] = b[j];", (Bounds.WRAPPING, Bounds.NARROWED)
    ),
    "a divergent loop": Case(
        "float s = 1; for (int k = 0; k < b[i]; k++) s = s * s + 0.5f; c[i] = s;",
        (DivergentLoops.CHEAPEST,),
    ),
    "a divergent loop with a strategy": Case(
        "float s = 1; for (int k = 0; k < b[i]; k++) s = s * s + 0.5f; c[i] = s;",
        (DivergentLoops.REQUESTED,),
        settings=(("WEFT_DIVERGENT", "masked"),),
    ),
}


# Kernels of tests/kernels, and reasons that are given for them.
FILES: dict[str, tuple[Message, ...]] = {
    "conditional/condition_from_local_memory.cl": (NotVectorized.TOO_FEW_WORK_ITEMS,),
    "conditional/many_conditions_in_divergent_loop.cl": (
        NotVectorized.UNSTRUCTURED,
        NotVectorized.LOOP_FORM,
        WhyKept.COUNT_DIFFERS,
    ),
    "functions/structure_changes_while_a_copy_is_read.cl": (NotVectorized.SHARED_PRIVATE_MEMORY,),
    "algorithms/exclusive_scan.cl": (Bounds.SPLIT,),
    "algorithms/histogram.cl": (DivergentLoops.TRIED, NotVectorized.COSTS_MORE),
    "simd/feistel_by_tables.cl": (DivergentLoops.WAYS_TRIED,),
    "barriers/conditions_across_barriers.cl": (NotRecomputed.TOO_LONG,),
    "algorithms/stream_compaction.cl": (NotRecomputed.WAY_TAKEN,),
}


IN_LANES = "private/array_carried_around_loop.cl"


def messages(argument: Argument) -> Iterator[Message]:
    match argument:
        case Message():
            yield argument
        case Reason():
            yield argument.message
            for value in argument.arguments.values():
                yield from messages(value)
        case tuple():
            for value in argument:
                yield from messages(value)


def given_for(source: str, options: str = "", size: tuple[int, int, int] | None = None) -> set[Message]:
    """The names of all remarks on a program, and of all reasons in them."""
    report = explain(source, options=options, local_size=size)
    assert not report.failed, report.error or report.kernels[0].error
    found: set[Message] = set()
    for remark in (remark for k in report.kernels for remark in k.remarks):
        found.add(remark.message)
        for value in remark.arguments.values():
            found.update(messages(value))
    return found


@pytest.mark.parametrize("name", CASES)
def test_kernel_is_given_its_reasons(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[name]
    for setting, value in case.settings:
        monkeypatch.setenv(setting, value)
    assert set(case.reasons) <= given_for(case.source, case.options, case.size)


def test_instruction_without_a_vector_form_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_LANES", "8")
    assert NotVectorized.NO_VECTOR_FORM in given_for((KERNELS / IN_LANES).read_text())


def test_sub_groups_of_any_local_size_are_no_lanes() -> None:
    source = "kernel void k(global int *a) { a[get_global_id(0)] = sub_group_reduce_add(1); }"
    (kernel,) = explain(source, options="-cl-std=CL3.0", any_local_size=True).kernels
    assert kernel.sub_groups.endswith(InMemory.UNKNOWN_SIZE.value)


@pytest.mark.parametrize("name", FILES)
def test_file_is_given_its_reasons(name: str) -> None:
    assert set(FILES[name]) <= given_for((KERNELS / name).read_text())


def in_golden_files() -> set[Message]:
    """The names of all remarks in golden files."""
    found: set[Message] = set()
    for path in GOLDEN.rglob("*.ll"):
        for name, title in GOLDEN_REMARK.findall(path.read_text()):
            messages = (message for reasons in OF_PASSES.get(name, ()) for message in reasons)
            found.update(message for message in messages if message.title == title)
    return found


OTHERS = (Interchange, SplitVectors, Decision, Bounds, DivergentLoops, LaneFunction, SubGroups, InMemory)


@pytest.mark.parametrize("reasons", [*OTHERS, *(r for found in OF_PASSES.values() for r in found)])
def test_every_reason_is_given_somewhere(reasons: type[Message]) -> None:
    given = {reason for case in CASES.values() for reason in case.reasons}
    given.update(reason for found in FILES.values() for reason in found)
    assert set(reasons) <= given | in_golden_files() | ELSEWHERE | {NotVectorized.NO_VECTOR_FORM}
