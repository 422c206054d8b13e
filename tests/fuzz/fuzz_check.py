"""Runs a random kernel in several ways and compares every byte of its buffers."""

import copy
import re
from collections.abc import Mapping, Sequence

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

_DECLARED = re.compile(r"^declare [^@\n]*@(_Z[\w.$]+)\(", re.MULTILINE)


def check(case: RandomCase, ways: Sequence[str]) -> None:
    """Asserts that compiled code does what the interpreter does with the front end's module."""
    (launch,) = case.launches
    arguments = case.make_arguments(launch)
    try:
        module = ir.parse(front_end_module(case))
        expected = interpret(module, case, launch, copy.deepcopy(arguments))
        for way in ways:
            compare(case, way, expected, WAYS[way](case, launch, copy.deepcopy(arguments)))
    finally:  # thousands of programs are not worth remembering
        kernel_ways.built.cache_clear()


def front_end_module(case: RandomCase) -> str:
    """What the front end makes of a case, with all built-ins it names, needed in the end or not."""
    cpu = host_target().cpu
    text = compile_source(case.source, parse_options(case.options), cpu).ir
    flags = builtin_flags(the_kernel(case).options)
    return link([text, *link_in(_DECLARED.findall(text), cpu, flags).modules])


def compare(
    case: RandomCase, way: str, expected: Mapping[str, np.ndarray], found: Mapping[str, np.ndarray]
) -> None:
    """Asserts that two runs left the same in all buffers."""
    for name, array in expected.items():
        different = np.flatnonzero(array.ravel() != found[name].ravel())
        if len(different):
            first = different[0]
            raise AssertionError(
                f"{way}: {name}[{first}] is {found[name].ravel()[first]}, not {array.ravel()[first]} "
                f"({len(different)} elements differ)\n\n{case}"
            )
