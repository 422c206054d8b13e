"""Every group function that a program can name is one that the compiler knows by its symbol."""

import re

from weft.analysis.group_functions import group_function
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options
from weft.ir.types import size_of
from weft.target import x86

TARGET = x86.describe("x86-64-v3")
SIZES = {"char": 1, "short": 2, "int": 4, "long": 8, "float": 4, "double": 8}
SIZES |= {f"u{name}": size for name, size in SIZES.items() if name not in ("float", "double")}
WIDTHS = (1, 2, 3, 4, 8, 16)
VALUES = ("int", "uint", "long", "ulong", "float", "double")


def symbols(body: str, standard: str) -> set[str]:
    source = f"kernel void k(global long16 *g, local long16 *l) {{ event_t e; {body} }}"
    text = compile_source(source, parse_options(f"-cl-std={standard}"), TARGET).ir
    found = set(re.findall(r"@(_Z[\w]+)", text))
    return {s for s in found if "work_group" in s or "group_events" in s}


def test_copies_of_every_type_and_width() -> None:
    for name, size in SIZES.items():
        for width in WIDTHS:
            type = f"{name}{width if width > 1 else ''}"
            pointers = (f"(local {type} *)l, (global {type} *)g", f"(global {type} *)g, (local {type} *)l")
            for standard in ("CL1.2", "CL3.0") if width == 3 else ("CL1.2",):
                calls = "".join(
                    f"async_work_group_copy({p}, 1, 0); async_work_group_strided_copy({p}, 1, 2, 0);"
                    for p in pointers
                )
                found = [group_function(s) for s in symbols(calls, standard)]
                assert [f.kind for f in found if f].count("copy") == 2
                assert [f.kind for f in found if f].count("strided_copy") == 2
                assert {size_of(f.type) for f in found if f} == {size * (4 if width == 3 else width)}


def test_waiting_in_every_address_space() -> None:
    for standard in ("CL1.0", "CL1.2", "CL3.0"):
        (symbol,) = symbols("wait_group_events(1, &e);", standard)
        found = group_function(symbol)
        assert found is not None and found.kind == "wait"


def test_collectives_of_every_type() -> None:
    operations = [
        f"{kind}_{op}"
        for kind in ("reduce", "scan_exclusive", "scan_inclusive")
        for op in ("add", "min", "max")
    ]
    calls = "".join(f"work_group_{operation}(({type})1);" for operation in operations for type in VALUES)
    calls += "".join(
        f"work_group_broadcast(({t})1, 1{ids});" for t in VALUES for ids in ("", ", 1", ", 1, 1")
    )
    calls += "work_group_all(1); work_group_any(1);"
    found = {s: group_function(s) for s in symbols(calls, "CL3.0")}
    assert len(found) == len(VALUES) * (len(operations) + 3) + 2
    for symbol, function in found.items():
        assert function is not None, symbol
        if function.operation.endswith(("min", "max")):
            sign = {"j": "u", "m": "u", "i": "s", "l": "s"}.get(symbol[-1], "")
            assert function.operation[:-3] == sign, symbol


def test_other_functions_are_none() -> None:
    for symbol in (
        "_Z18work_group_barrierj",
        "_Z7barrierj",
        "work_group_reduce_add",
        "_Z3sinf",
        "_Z8prefetchPU8CLglobalKim",
    ):
        assert group_function(symbol) is None
