"""Runs a random kernel in several ways and compares every byte of its buffers."""

import copy
import faulthandler
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from fuzz_budget import within_budget
from fuzz_kernel import RandomCase
from fuzz_spirv import NOTES, NotWritten, run_by_spirv
from kernel_ways import PROGRAMS, WAYS, CompiledWay, Runner, interpret, link, the_kernel

from weft import ir
from weft.builtins.library import link_in
from weft.codegen.host import host_target
from weft.compiler.build_program import link_program
from weft.compiler.builtin_flags import builtin_flags
from weft.frontend.compile import compile_source
from weft.frontend.options import parse_options
from weft.garbage import rare_collections
from weft.program import Program

# Without LLVM's optimizer what Weft made runs as it is; there the passes are verified, which takes time.
PLAIN_WAYS: dict[str, Runner] = {
    "specialized-loops-O0": CompiledWay(method="loops", level=0).run,
    "specialized-8-lanes-O0": CompiledWay(method="simd", lanes=8, level=0).run,
    "any-size-4-lanes-O0": CompiledWay(any_size=True, method="simd", lanes=4, level=0).run,
    "any-size-horizontal-O0": CompiledWay(any_size=True, method="horizontal", level=0).run,
    "specialized-8-lanes-serial-O0": CompiledWay(method="simd", lanes=8, level=0, divergent="serial").run,
    "any-size-4-lanes-dvec-O0": CompiledWay(
        any_size=True, method="simd", lanes=4, level=0, divergent="dvec"
    ).run,
    "specialized-4-lanes-dvec-s-O0": CompiledWay(method="simd", lanes=4, level=0, divergent="dvec-s").run,
    "specialized-8-lanes-calls-O0": CompiledWay(calls=True, method="simd", lanes=8, level=0).run,
}
OPTIMIZED_WAYS: dict[str, Runner] = {
    "specialized": CompiledWay(verify=False).run,
    "specialized-horizontal-wide": CompiledWay(method="horizontal", wide=True, verify=False).run,
    "specialized-4-lanes": CompiledWay(method="simd", lanes=4, level=2, verify=False).run,
    "any-size": CompiledWay(any_size=True, verify=False).run,
    "any-size-16-lanes-wide": CompiledWay(
        any_size=True, method="simd", lanes=16, wide=True, verify=False
    ).run,
    "any-size-loops-wide": CompiledWay(any_size=True, method="loops", wide=True, verify=False).run,
    "specialized-serial": CompiledWay(divergent="serial", verify=False).run,
    "any-size-dvec": CompiledWay(any_size=True, divergent="dvec", verify=False).run,
    "specialized-8-lanes-dvec-s": CompiledWay(lanes=8, level=2, divergent="dvec-s", verify=False).run,
    "any-size-4-lanes-calls": CompiledWay(calls=True, any_size=True, lanes=4, level=2, verify=False).run,
}
# Sub-groups are lanes only in code for one local size, and only if no other number of lanes is forced.
IN_LANES: dict[str, Runner] = {"specialized-O0": CompiledWay(level=0).run}
FUZZ_WAYS = PLAIN_WAYS | OPTIMIZED_WAYS | IN_LANES | {"spirv": run_by_spirv}
# What a random kernel is run by: one of each.
PAIRS = [(plain, optimized) for optimized in OPTIMIZED_WAYS for plain in PLAIN_WAYS]
# What a random kernel with functions of sub-groups is run by.
SUB_GROUP_PAIRS = [
    *(("specialized-O0", way) for way in ("specialized", "first", "any-size", "specialized-horizontal-wide")),
    *((way, "specialized") for way in ("specialized-loops-O0", "any-size-4-lanes-O0")),
]

HANG_SECONDS = 300.0

_DECLARED = re.compile(r"^declare [^@\n]*@(_Z[\w.$]+)\(", re.MULTILINE)


@rare_collections()
def check(case: RandomCase, ways: Sequence[str]) -> None:
    """Asserts that compiled code does what the interpreter does with the front end's module."""
    (launch,) = case.launches
    arguments = case.make_arguments(launch)
    try:
        module = ir.parse(front_end_module(case))
        expected = interpret(module, case, launch, copy.deepcopy(arguments))
        for way in ways:
            run = FUZZ_WAYS.get(way) or WAYS[way]
            try:
                with _watched(case, way), within_budget(case.source, way):
                    found = run(case, launch, copy.deepcopy(arguments))
            except NotWritten as reason:
                NOTES.append(f"not run: {reason}")
                continue
            difference = different(expected, found)
            assert difference is None, f"{way}: {difference}\n\n{case}"
    finally:  # thousands of programs are not worth remembering
        PROGRAMS.clear()


@contextmanager
def _watched(case: RandomCase, way: str) -> Iterator[None]:
    """Leaves the case in a file, in case machine code ends the process; a hang is ended after a while."""
    path = last_kernel(os.getpid())
    with open(path, "w") as file:
        file.write(f"// {way}\n{case}\n")
        file.flush()
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True, file=file)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
            path.unlink()


def last_kernel(process: int) -> Path:
    """The file that holds the random kernel that a process runs, or ran when it ended."""
    return Path(tempfile.gettempdir()) / f"weft-random-kernel-{process}.cl"


def front_end_module(case: RandomCase) -> str:
    """What the front end makes of a case, with all built-ins it names, needed in the end or not.

    The program for the other ways is made of the same, so that clang runs once.
    """
    options = parse_options(case.options)
    text = compile_source(case.source, options, host_target()).ir
    PROGRAMS[case.source, case.options] = Program(
        link_program([text], options, host_target()).kernels, "", case.options
    )
    flags = builtin_flags(the_kernel(case).options)
    return link([text, *link_in(_DECLARED.findall(text), host_target(), flags).modules])


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
