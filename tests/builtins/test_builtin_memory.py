"""Vector loads and stores, fences and shuffles."""

import numpy as np
import pytest
from builtin_harness import INTEGERS, NUMPY, Case, compile_cases, resolve
from builtin_values import arguments

from weft.codegen.host import host_target
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options


@pytest.mark.parametrize("element", NUMPY)
@pytest.mark.parametrize("width", (2, 3, 4, 8, 16))
def test_vector_loads_and_stores_need_element_alignment_only(element: str, width: int) -> None:
    # Through an odd element offset in private memory, which may be aligned to one element only.
    expression = (
        f"({{ {element} m[40]; for (int k = 0; k < 40; ++k) m[k] = 7; vstore{width}(a, 1, m + 1);"
        f" {element} edge = m[{width}] + m[{2 * width + 1}];"
        f" edge == 14 ? vload{width}(1, m + 1) : (({element}{width})(0)); }})"
    )
    case = Case(expression, element, (element,), width)
    values = arguments(element, width * 8, 4)
    assert compile_cases([case])(case, values).tobytes() == values.tobytes()


def test_loads_and_stores_exist_in_every_address_space() -> None:
    source = """kernel void k(global float *g, local float *l, constant float *c) {
        float p[4]; vstore4(vload4(0, g), 0, p); vstore2(vload2(0, c), 1, l);
        vstore3(vload3(0, l), 0, g); vstore8(vload8(0, c), 0, g); prefetch(g, 4);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        read_mem_fence(CLK_LOCAL_MEM_FENCE); write_mem_fence(CLK_LOCAL_MEM_FENCE);
    }"""
    ir = compile_source(source, parse_options(""), host_target()).ir
    found = resolve(ir, host_target())
    assert found.missing == ()
    assert len(found.modules) == 12


SHUFFLES = [(e, m, n) for e in ("char", "int", "float", "double", "half") for m in (2, 4, 16) for n in (2, 8)]


@pytest.mark.parametrize("element,source,width", SHUFFLES)
def test_shuffle_takes_the_lanes_the_mask_names(element: str, source: int, width: int) -> None:
    index = {"char": "uchar", "int": "uint", "float": "uint", "double": "ulong", "half": "ushort"}[element]
    spelled = ", ".join(str(10 * k + 1) for k in range(source))
    second = ", ".join(str(5 * k + 2) for k in range(source))
    cases = [
        Case(f"shuffle(({element}{source})({spelled}), a)", element, (index,), width),
        Case(
            f"shuffle2(({element}{source})({spelled}), ({element}{source})({second}), a)",
            element,
            (index,),
            width,
        ),
    ]
    run = compile_cases(cases)
    mask = arguments(index, width * 8, 3)
    first = np.array([10 * k + 1 for k in range(source)], np.uint8).astype(NUMPY[element])
    both = np.concatenate([first, np.array([5 * k + 2 for k in range(source)], NUMPY[element])])
    assert np.array_equal(run(cases[0], mask), first[mask % source])
    assert np.array_equal(run(cases[1], mask), both[mask % (2 * source)])


@pytest.mark.parametrize("element", NUMPY)
@pytest.mark.parametrize("width", (1, 3, 8))
def test_select_and_bitselect(element: str, width: int) -> None:
    size = np.dtype(NUMPY[element]).itemsize
    signed, unsigned = (
        {1: "char", 2: "short", 4: "int", 8: "long"}[size],
        {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[size],
    )
    cases = [
        Case("select(a, b, c)", element, (element, element, signed), width),
        Case("select(a, b, c)", element, (element, element, unsigned), width),
        Case("bitselect(a, b, c)", element, (element, element, element), width),
    ]
    run = compile_cases(cases)
    x, y, mask = arguments(element, 96, 1), arguments(element, 96, 2), arguments(signed, 96, 3)
    chosen = mask != 0 if width == 1 else mask < 0
    expected = np.where(chosen, y, x)
    for case in cases[:2]:
        assert run(case, x, y, mask.view(NUMPY[case.parameters[2]])).tobytes() == expected.tobytes()
    word = NUMPY[unsigned]
    blended = (x.view(word) & ~mask.view(word)) | (y.view(word) & mask.view(word))
    assert run(cases[2], x, y, mask.view(NUMPY[element])).tobytes() == blended.tobytes()


@pytest.mark.parametrize("element", [e for e in INTEGERS if not e.startswith("u")])
def test_any_and_all_look_at_top_bits(element: str) -> None:
    cases = [
        Case(f"{name}(a)", "int1", (element,), width) for name in ("any", "all") for width in (1, 2, 3, 4, 16)
    ]
    run = compile_cases(cases)
    values = arguments(element, 480, 1)
    values[:240] |= np.array(-1, values.dtype) << (values.dtype.itemsize * 8 - 1)
    for case in cases:
        lanes = values.reshape(-1, case.width) < 0
        expected = lanes.any(1) if case.expression.startswith("any") else lanes.all(1)
        assert np.array_equal(run(case, values) != 0, expected), case
