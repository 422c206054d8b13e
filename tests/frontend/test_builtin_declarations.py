"""The built-in functions that a program can name in each language version."""

import re

import pytest

from weft.errors import BuildError
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options
from weft.target import x86

TARGET = x86.describe("x86-64-v3")
PARAMETERS = (
    "global float *f, global double *d, global int *i, local int *l, global half *h, global uint *u, "
    "global uchar *b, float4 v, float3 t, int4 n"
)

# Statement of a kernel with PARAMETERS -> symbol it has to call.
CALLS = {
    "i[0] = get_global_id(0) + get_local_id(1) + get_group_id(2);": "_Z13get_global_idj",
    "i[0] = get_global_offset(0) + get_num_groups(0) + get_work_dim();": "_Z17get_global_offsetj",
    "barrier(CLK_LOCAL_MEM_FENCE);": "_Z7barrierj",
    "mem_fence(CLK_GLOBAL_MEM_FENCE); read_mem_fence(CLK_LOCAL_MEM_FENCE);": "_Z9mem_fencej",
    "event_t e = async_work_group_copy(l, i, 4, 0); wait_group_events(1, &e);": (
        "_Z21async_work_group_copyPU7CLlocaliPU8CLglobalKim9ocl_event"
    ),
    "async_work_group_strided_copy(i, l, 4, 2, 0);": (
        "_Z29async_work_group_strided_copyPU8CLglobaliPU7CLlocalKimm9ocl_event"
    ),
    "prefetch(f, 4);": "_Z8prefetchPU8CLglobalKfm",
    "f[0] = vload_half(0, h);": "_Z10vload_halfmPU8CLglobalKDh",
    "v = vload_half4(0, h) + vloada_half4(1, h);": "_Z11vload_half4mPU8CLglobalKDh",
    "vstore_half_rte(f[0], 0, h); vstorea_half4_rtz(v, 1, h);": "_Z15vstore_half_rtefmPU8CLglobalDh",
    "vstore_half(d[0], 0, h);": "_Z11vstore_halfdmPU8CLglobalDh",
    "t = vload3(0, f); vstore3(t, 1, f);": "_Z6vload3mPU8CLglobalKf",
    "float p[4]; vstore4(v, 0, p);": "_Z7vstore4Dv4_fmPU9CLprivatef",
    "n = shuffle(n, (uint4)(3, 2, 1, 0));": "_Z7shuffleDv4_iDv4_j",
    "n = shuffle2(n, n, (uint4)(3, 2, 1, 7));": "_Z8shuffle2Dv4_iS_Dv4_j",
    "i[0] = convert_int_rte(f[0]);": "_Z15convert_int_rtef",
    "b[0] = convert_uchar_sat_rtp(d[0]);": "_Z21convert_uchar_sat_rtpd",
    "f[0] = convert_float16_rtz((double16)(d[0])).s5;": "_Z19convert_float16_rtzDv16_d",
    "atomic_add(i, 1); atomic_inc(l);": "_Z10atomic_addPU8CLglobalVii",
    "f[0] = atomic_xchg(f, 1.0f);": "_Z11atomic_xchgPU8CLglobalVff",
    "atom_add(i, 1); atom_max(l, 2);": "_Z8atom_addPU8CLglobalVii",
    "f[0] = fract(f[1], f) + modf(f[1], f) + sincos(f[1], f);": "_Z5fractfPU8CLglobalf",
    "int x; f[0] = frexp(f[1], &x) + lgamma_r(f[1], l);": "_Z5frexpfPU9CLprivatei",
    "f[0] = native_sin(f[1]) + half_exp(f[1]) + sin(f[2]);": "_Z10native_sinf",
    "d[0] = pow(d[1], d[2]) + fma(d[0], d[1], d[2]);": "_Z3powdd",
    "f[0] = dot(t, t) + length(t) + cross(t, t).x + fast_normalize(t).y;": "_Z3dotDv3_fS_",
    "f[0] = mix(f[1], f[2], f[3]) + smoothstep(f[1], f[2], f[3]);": "_Z3mixfff",
    "v = clamp(v, 0.0f, 1.0f) + fmax(v, 1.0f) + select(v, v, n);": "_Z5clampDv4_fff",
    "i[0] = popcount(i[1]) + mul_hi(i[1], i[2]) + mad24(i[1], i[2], i[3]);": "_Z8popcounti",
    "u[0] = upsample((ushort)1, (ushort)2) + rotate(u[1], u[2]) + abs_diff(i[0], i[1]);": "_Z8upsamplett",
    "i[0] = isnan(f[0]) + all(isless(v, v)) + signbit(f[0]) + any(n);": "_Z5isnanf",
    "f[0] = nan(3u) + ldexp(f[0], 2) + pown(f[0], 3) + rootn(f[0], 3);": "_Z3nanj",
    'printf("%d\\n", i[0]);': "weft.printf",
}

CALLS_3 = {
    "work_group_barrier(CLK_LOCAL_MEM_FENCE);": "_Z18work_group_barrierj",
    "work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);": (
        "_Z18work_group_barrierj12memory_scope"
    ),
    "i[0] = get_global_linear_id() + get_local_linear_id() + get_enqueued_local_size(0);": (
        "_Z20get_global_linear_idv"
    ),
    "i[0] = ctz(i[1]);": "_Z3ctzi",
    "atomic_fetch_add_explicit((global atomic_int *)i, 1, memory_order_relaxed, memory_scope_work_group);": (
        "_Z25atomic_fetch_add_explicitPU8CLglobalVU7_Atomicii12memory_order12memory_scope"
    ),
    "atomic_store_explicit((local atomic_uint *)l, 1u, memory_order_relaxed, memory_scope_work_group);": (
        "_Z21atomic_store_explicitPU7CLlocalVU7_Atomicjj12memory_order12memory_scope"
    ),
    "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);": (
        "_Z22atomic_work_item_fencej12memory_order12memory_scope"
    ),
}


def declared(calls: dict[str, str], standard: str) -> set[str]:
    body = "\n".join(f"  {{ {statement} }}" for statement in calls)
    source = f"kernel void k({PARAMETERS}) {{\n{body}\n}}\n"
    text = compile_source(source, parse_options(f"-cl-std={standard}"), TARGET).ir
    return set(re.findall(r"^declare .*@([\w.]+)\(", text, re.MULTILINE))


@pytest.mark.parametrize("standard", ["CL1.2", "CL3.0", "CL3.1"])
def test_the_functions_of_1_2_are_declared(standard: str) -> None:
    assert set(CALLS.values()) <= declared(CALLS, standard)


@pytest.mark.parametrize("standard", ["CL3.0", "CL3.1"])
def test_the_functions_of_3_0_are_declared(standard: str) -> None:
    assert set(CALLS_3.values()) <= declared(CALLS_3, standard)


@pytest.mark.parametrize("statement", list(CALLS_3))
def test_the_functions_of_3_0_are_unknown_in_1_2(statement: str) -> None:
    with pytest.raises(BuildError, match=r"undeclared|undefined"):
        declared({statement: ""}, "CL1.2")


def test_an_unknown_function_is_an_error_at_its_call() -> None:
    with pytest.raises(BuildError, match=r"<source>:2:5: error: use of undeclared identifier 'cosinus'"):
        declared({"cosinus(f[0]);": ""}, "CL1.2")
