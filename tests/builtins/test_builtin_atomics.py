"""Atomic functions of OpenCL 1.x and of OpenCL C 2.0 and later, in global and in local memory."""

from collections.abc import Callable

import numpy as np
import pytest
from builtin_harness import Case, compile_cases, resolve
from builtin_values import arguments

from weft.codegen.host import host_target
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options

Change = Callable[[np.ndarray, np.ndarray], np.ndarray]

ATOMICS: dict[str, Change] = {
    "atomic_add(P, b)": lambda old, b: old + b,
    "atomic_sub(P, b)": lambda old, b: old - b,
    "atomic_xchg(P, b)": lambda old, b: b,
    "atomic_inc(P)": lambda old, b: old + 1,
    "atomic_dec(P)": lambda old, b: old - 1,
    "atomic_min(P, b)": np.minimum,
    "atomic_max(P, b)": np.maximum,
    "atomic_and(P, b)": lambda old, b: old & b,
    "atomic_or(P, b)": lambda old, b: old | b,
    "atomic_xor(P, b)": lambda old, b: old ^ b,
    "atomic_cmpxchg(P, b, 5)": lambda old, b: np.where(old == b, 5, old),
}
LATER: dict[str, Change] = {
    "atomic_fetch_add(P, b)": lambda old, b: old + b,
    "atomic_fetch_sub(P, b)": lambda old, b: old - b,
    "atomic_fetch_min(P, b)": np.minimum,
    "atomic_fetch_max(P, b)": np.maximum,
    "atomic_fetch_and(P, b)": lambda old, b: old & b,
    "atomic_fetch_or(P, b)": lambda old, b: old | b,
    "atomic_fetch_xor_explicit(P, b, memory_order_relaxed)": lambda old, b: old ^ b,
    "atomic_exchange(P, b)": lambda old, b: b,
    "(atomic_store_explicit(P, b, memory_order_relaxed), a)": lambda old, b: b,
    "(atomic_init(P, b), a)": lambda old, b: b,
    "atomic_load(P)": lambda old, b: old,
}
SPACES = ("global", "local")


def _values(element: str, seed: int) -> np.ndarray:
    """Integers of all kinds, or numbers whose sums are exact."""
    if element not in ("half", "float", "double"):
        return arguments(element, 96, seed)
    kind = {"half": np.float16, "float": np.float32, "double": np.float64}[element]
    return (np.random.default_rng(seed).integers(-64, 64, 96) / 8).astype(kind)


def _check(expressions: dict[str, Change], element: str, pointer: str) -> None:
    """Each call changes `out[i]`, which starts as `a`, and returns what it was."""
    cases = {}
    for expression in expressions:
        # `out` is the one place in memory at hand; this processor has one kind of addresses for all of it.
        call = expression.replace("P", f"({pointer})(ulong)&out[i]")
        changed = f"({{ out[i] = a; {element} old = {call}; old == a ? out[i] : ({element})123; }})"
        cases[expression] = Case(changed, element, (element, element))
    run = compile_cases(list(cases.values()))
    x = _values(element, 1)
    y = np.where(np.arange(96) % 3 == 0, x, _values(element, 2))
    with np.errstate(over="ignore"):
        for expression, case in cases.items():
            expected = expressions[expression](x, y).astype(x.dtype)
            assert np.array_equal(run(case, x, y), expected), expression


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("element", ["int", "uint"])
@pytest.mark.parametrize("prefix", ["atomic", "atom"])
def test_atomics_change_memory_and_return_what_was_there(element: str, prefix: str, space: str) -> None:
    named = {expression.replace("atomic", prefix): change for expression, change in ATOMICS.items()}
    _check(named, element, f"volatile {space} {element} *")


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("element", ["long", "ulong"])
def test_atomics_of_64_bits(element: str, space: str) -> None:
    named = {expression.replace("atomic", "atom"): change for expression, change in ATOMICS.items()}
    _check(named, element, f"volatile {space} {element} *")


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("element", ["int", "uint", "long", "ulong"])
def test_later_atomics_change_memory_and_return_what_was_there(element: str, space: str) -> None:
    _check(LATER, element, f"volatile {space} atomic_{element} *")


FLOATING: dict[str, Change] = {
    "atomic_fetch_add(P, b)": lambda old, b: old + b,
    "atomic_fetch_sub_explicit(P, b, memory_order_relaxed)": lambda old, b: old - b,
    "atomic_fetch_min(P, b)": np.fmin,
    "atomic_fetch_max_explicit(P, b, memory_order_acq_rel, memory_scope_device)": np.fmax,
    "atomic_exchange(P, b)": lambda old, b: b,
    "(atomic_store(P, b), a)": lambda old, b: b,
    "atomic_load_explicit(P, memory_order_acquire)": lambda old, b: old,
}


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("element", ["half", "float", "double"])
def test_numbers_of_floating_point_are_added_and_compared(element: str, space: str) -> None:
    _check(FLOATING, element, f"volatile {space} atomic_{element} *")


@pytest.mark.parametrize("space", SPACES)
def test_what_is_no_number_gives_way(space: str) -> None:
    x = np.array([np.nan, 1, np.nan, -np.inf], np.float32)
    y = np.array([2, np.nan, np.nan, 3], np.float32)
    for call, extreme in (("min", np.fmin), ("max", np.fmax)):
        change = f"atomic_fetch_{call}((volatile {space} atomic_float *)(ulong)&out[i], b)"
        case = Case(f"({{ out[i] = a; {change}; out[i]; }})", "float", ("float", "float"))
        np.testing.assert_array_equal(compile_cases([case])(case, x, y), extreme(x, y))


@pytest.mark.parametrize("space", SPACES)
def test_differences_are_added_to_numbers_that_hold_pointers(space: str) -> None:
    added: dict[str, Change] = {
        "atomic_fetch_add(P, (ptrdiff_t)b)": lambda old, b: old + b,
        "atomic_fetch_sub_explicit(P, (ptrdiff_t)b, memory_order_relaxed)": lambda old, b: old - b,
    }
    _check(added, "ulong", f"volatile {space} atomic_uintptr_t *")


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("strength", ["strong", "weak"])
def test_compare_and_exchange_tells_what_it_found(strength: str, space: str) -> None:
    call = f"atomic_compare_exchange_{strength}((volatile {space} atomic_int *)(ulong)&out[i], &found, 7)"
    body = f"int found = b; out[i] = a; int done = {call}; done * 1000 + found * 100 + out[i];"
    case = Case(f"({{ {body} }})", "int", ("int", "int"))
    x, y = np.array([1, 2, 3], np.int32), np.array([1, 5, 3], np.int32)
    assert compile_cases([case])(case, x, y).tolist() == [1107, 202, 1307]


@pytest.mark.parametrize("space", SPACES)
def test_flags_are_set_once(space: str) -> None:
    flag = f"(volatile {space} atomic_flag *)(ulong)&out[i]"
    test = f"atomic_flag_test_and_set({flag})"
    body = f"out[i] = 0; int first = {test}; int again = {test}; atomic_flag_clear({flag});"
    case = Case(f"({{ {body} first * 100 + again * 10 + out[i]; }})", "int", ("int",))
    assert compile_cases([case])(case, np.zeros(4, np.int32)).tolist() == [10] * 4


@pytest.mark.parametrize("space", SPACES)
def test_a_float_is_exchanged(space: str) -> None:
    call = f"atomic_xchg((volatile {space} float *)(ulong)&out[i], b)"
    case = Case(f"({{ out[i] = a; float old = {call}; old - out[i]; }})", "float", ("float", "float"))
    x, y = np.arange(8, dtype=np.float32), np.full(8, 0.5, np.float32)
    assert np.array_equal(compile_cases([case])(case, x, y), x - y)


def test_only_memory_that_threads_share_needs_atomic_instructions() -> None:
    source = """kernel void k(global int *g, local uint *l, global atomic_int *h, local atomic_flag *m) {
        atomic_add(g, 1); atomic_max(l, 2u); atomic_cmpxchg(g, 1, 2); atomic_xchg(l, 3u);
        atomic_fetch_or(h, 1); atomic_flag_test_and_set(m); }"""
    ir = compile_source(source, parse_options("-cl-std=CL3.0"), host_target()).ir
    found = resolve(ir, host_target())
    assert found.missing == ()
    assert len(found.modules) == 6
    for module in found.modules:
        atomic = "atomicrmw" in module or "cmpxchg" in module.partition("{")[2]
        assert atomic == ("CLglobal" in module), module


@pytest.mark.parametrize("call", ["atomic_min(g, 1)", "atomic_max(g, 1)"])
def test_a_minimum_that_changes_nothing_is_a_load(call: str) -> None:
    source = f"kernel void k(global int *g) {{ {call}; }}"
    ir = compile_source(source, parse_options(""), host_target()).ir
    (module,) = resolve(ir, host_target()).modules
    before, _, _ = module.partition("{")[2].partition("atomicrmw")
    assert "load atomic" in before
    assert "br i1" in before
