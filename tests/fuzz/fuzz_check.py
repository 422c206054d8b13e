"""Runs a random kernel in several ways and compares every byte of its buffers."""

import copy
import faulthandler
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import kernel_ways
import numpy as np
from fuzz_kernel import RandomCase
from kernel_ways import WAYS, interpret, link, the_kernel

from weft import ir
from weft.builtins.library import link_in
from weft.codegen.target import host_target
from weft.compiler import builtin_flags
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options

LAST_KERNEL = Path(tempfile.gettempdir()) / "weft-random-kernel.cl"
HANG_SECONDS = 300.0

_DECLARED = re.compile(r"^declare [^@\n]*@(_Z[\w.$]+)\(", re.MULTILINE)


def check(case: RandomCase, ways: Sequence[str]) -> None:
    """Asserts that compiled code does what the interpreter does with the front end's module."""
    (launch,) = case.launches
    arguments = case.make_arguments(launch)
    try:
        module = ir.parse(front_end_module(case))
        expected = interpret(module, case, launch, copy.deepcopy(arguments))
        for way in ways:
            with _watched(case):
                found = WAYS[way](case, launch, copy.deepcopy(arguments))
            difference = different(expected, found)
            assert difference is None, f"{way}: {difference}\n\n{case}"
    finally:  # thousands of programs are not worth remembering
        kernel_ways.built.cache_clear()


@contextmanager
def _watched(case: RandomCase) -> Iterator[None]:
    """Leaves the case in a file, in case machine code ends the process; a hang is ended after a while."""
    with open(LAST_KERNEL, "w") as file:
        file.write(str(case))
        file.flush()
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True, file=file)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


def front_end_module(case: RandomCase) -> str:
    """What the front end makes of a case, with all built-ins it names, needed in the end or not."""
    cpu = host_target().cpu
    text = compile_source(case.source, parse_options(case.options), cpu).ir
    flags = builtin_flags(the_kernel(case).options)
    return link([text, *link_in(_DECLARED.findall(text), cpu, flags).modules])


def different(expected: Mapping[str, np.ndarray], found: Mapping[str, np.ndarray]) -> str | None:
    """Where two runs left something else in the buffers, in words; None if nowhere."""
    for name, array in expected.items():
        places = np.flatnonzero(array.ravel() != found[name].ravel())
        if len(places):
            first = places[0]
            return (
                f"{name}[{first}] is {found[name].ravel()[first]}, not {array.ravel()[first]} "
                f"({len(places)} elements differ)"
            )
    return None
