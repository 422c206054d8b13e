"""Which loops of kernels may wait for other work-items."""

import pytest

from weft.program import build

_HEAD = "kernel void k(volatile global int *p, global int *q, volatile local int *t, int n, global int *r) { "
_HEAD_3 = (
    "kernel void k(global atomic_int *p, global int *q, local atomic_int *t, int n, global atomic_uint *u) { "
)
_ID = "int i = get_global_id(0); "

WAITS = {
    "volatile flag": "while (p[1] == 0); q[0] = 1;",
    "flag in local memory": "while (t[1] == 0); q[0] = 1;",
    "spin lock": "while (atomic_cmpxchg(p, 0, 1) != 0); q[0]++; atomic_xchg(p, 0);",
    "lock by a bit": "while (atomic_or(p, 4) & 4); q[0]++; atomic_and(p, ~4);",
    "lock by exchange": "while (atomic_xchg(t, 1)); q[0]++; atomic_xchg(t, 0);",
    "addition of nothing": "while (atomic_add(p, 0) != n); q[0] = 1;",
    "addition of something unknown": "while (atomic_add(p, n) != 7); q[0] = 1;",
    "semaphore": "while (atomic_dec(p) <= 0) atomic_inc(p); q[0]++; atomic_inc(p);",
    "plain loads after fences": "while (q[1] == 0) mem_fence(CLK_GLOBAL_MEM_FENCE); q[0] = 1;",
    "left by another condition": _ID + "for (;;) if (p[1]) { if (n) break; q[i]++; }",
    "a flag through a variable": "int d = 0; while (!d) { q[n]++; if (atomic_or(p, 0) == n) d = 1; }",
    "a flag through memory": _ID + "do { q[i] = atomic_or(p, 0); atomic_inc(t); } while (q[i] == 0);",
    "a flag through memory by an exchange": _ID
    + "do { atomic_xchg(q + i, atomic_or(p, 0)); atomic_inc(t); } while (q[i] == 0);",
    "a flag in memory if there is one": _ID
    + "while (q[i] == 0) { if (atomic_or(p, 0)) q[i] = 1; atomic_inc(t); } q[i + 1] = 1;",
    "a flag through memory of any kind": _ID
    + "global int *x = n ? q : q + i; do { q[i] = atomic_or(p, 0); atomic_inc(t); } while (x[n] == 0);",
    "a bit of the old value": "int o; do { o = *p & ~1; } while (atomic_cmpxchg(p, o, o | 1) != o); q[0]++;",
    "a value of another place": "int o; do { o = p[1]; } while (atomic_cmpxchg(p, o, 1) != o); q[0] = 1;",
    "sometimes without an exchange": _ID
    + "for (;;) { int o = *p; if (o & 1) continue; if (atomic_cmpxchg(p, o, o | 1) == o) break; } q[i] = 1;",
    "barriers on some ways": "while (p[1] == 0) if (n) barrier(CLK_LOCAL_MEM_FENCE); q[0] = 1;",
    "at most so many times, again and again": "int d = 0; while (!d) for (int k = 0; k < 8; k++) d |= p[1];",
}
WAITS_3 = {
    "atomic load": "while (atomic_load(p) != n); q[0] = 1;",
    "spin lock": "int e = 0; while (!atomic_compare_exchange_strong(p, &e, 1)) e = 0; atomic_store(p, 0);",
    "expected value in memory": "int e; do e = 0; while (!atomic_compare_exchange_weak(t, &e, 1)); q[0]++;",
    "flag": "while (atomic_flag_test_and_set((local atomic_flag *)t)); q[0]++;",
    "counter of others": "while (atomic_fetch_add(p, 0) < n); q[0] = 1;",
    "two counters": "while (atomic_fetch_add(p, 1) < atomic_load(p + 1)); q[0] = 1;",
}
GOES_ON = {
    "as many iterations as it has": _ID + "for (int k = 0; k < n; k++) atomic_inc(p + q[k]);",
    "as data say": _ID + "for (int k = 0; q[k] > 0; k++) atomic_add(t + k, q[k]); ",
    "its own counter": "int k; while ((k = atomic_inc(p)) < n) q[k] = k;",
    "its own counter down": "int k; while ((k = atomic_sub(p, 2)) > 0) { q[k] = k; atomic_inc(t); }",
    "lock-free addition": _ID
    + "int o, w; do { o = *p; w = as_int(as_float(o) + i); } while (atomic_cmpxchg(p, o, w) != o);",
    "lock-free, from the old value": _ID
    + "int o = *p, w; while ((w = atomic_cmpxchg(p, o, o * 3 + i)) != o) o = w;",
    "lock-free maximum": "int o = *p, w; while (o < n && (w = atomic_cmpxchg(p, o, n)) != o) o = w;",
    "as data say, and data are written": _ID
    + "for (int k = 0; q[k] > 0; k++) { q[k + 1] = k; atomic_max(p, q[k + n]); }",
    "as data say, and data are written atomically": _ID
    + "for (int k = 0; q[k] > 0; k++) { atomic_xchg(q + k + 1, r[k]); atomic_inc(p); }",
    "as other data say": "for (int k = 0; r[k] > 0; k++) q[k] = atomic_max(p, k);",
    "no loop": "if (atomic_cmpxchg(p, 0, 1) == 0) q[0] = 1;",
    "barriers": "while (p[1] < n) { barrier(1); atomic_inc(p); barrier(1); }",
    "nothing shared": _ID + "int s = 0; while (s < n) s += q[i + s] | 1; q[i] = s;",
    "private arrays": _ID
    + "int a[4] = {0}; for (int k = 0; k < n; k++) { atomic_inc(p); a[k & 3] += q[k]; if (a[1] > 9) break; } "
    + "q[i] = a[2];",
}
GOES_ON_3 = {
    "lock-free addition": "int e = atomic_load(p); while (!atomic_compare_exchange_weak(p, &e, e * 3 + n));",
    "fresh values": "int e; do e = atomic_load(p); while (!atomic_compare_exchange_strong(p, &e, n));",
    "counter": "uint k; while ((k = atomic_fetch_sub(u, 1u)) > 7) q[k] = 1;",
    "group functions": "while (work_group_any(atomic_load(p) < n)) atomic_fetch_add(p, 1);",
}


def _may_wait(source: str, options: str) -> bool:
    (kernel,) = build(source, options).kernels.values()
    assert kernel.traits.may_wait <= (kernel.sub_group_size == 16 and not kernel.traits.shares_nothing)
    return kernel.traits.may_wait


@pytest.mark.parametrize("code", WAITS.values(), ids=WAITS)
def test_loop_waits(code: str) -> None:
    assert _may_wait(_HEAD + code + "}", "")
    assert not _may_wait(_HEAD + code + "}", "-cl-no-subgroup-ifp")


@pytest.mark.parametrize("code", WAITS_3.values(), ids=WAITS_3)
def test_loop_waits_with_atomic_types(code: str) -> None:
    assert _may_wait(_HEAD_3 + code + "}", "-cl-std=CL3.0")


@pytest.mark.parametrize("code", GOES_ON.values(), ids=GOES_ON)
def test_loop_does_not_wait(code: str) -> None:
    assert not _may_wait(_HEAD + code + "}", "")


@pytest.mark.parametrize("code", GOES_ON_3.values(), ids=GOES_ON_3)
def test_loop_does_not_wait_with_atomic_types(code: str) -> None:
    assert not _may_wait(_HEAD_3 + code + "}", "-cl-std=CL3.0")
