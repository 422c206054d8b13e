"""A kernel case by the way of SPIR-V, in any of the ways to run kernels."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from kernel_case import KernelCase, Range
from kernel_ways import PROGRAMS, WAYS
from spirv_module import spirv_of

from weft.frontend.spirv.source import SpirvSource
from weft.program import Program, build


def spirv_program(case: KernelCase) -> Program:
    """The program of a case, compiled to SPIR-V by clang and from there by Weft."""
    return build(SpirvSource(spirv_of(case.source, case.options)), case.options)


def run_in_spirv(
    case: KernelCase, launch: Range, way: str, arguments: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """The arrays after a launch of a case that was compiled to SPIR-V."""
    made, own = spirv_program(case), build(case.source, case.options)
    # Modules do not tell signed integers from others, which arguments are converted by.
    codes = [replace(kernel.code, info=own.kernels[name].info) for name, kernel in made.kernels.items()]
    key = case.source, case.options
    kept = PROGRAMS.pop(key, None)
    PROGRAMS[key] = Program(tuple(codes), "", case.options)
    try:
        return WAYS[way](case, launch, arguments)
    finally:
        del PROGRAMS[key]
        if kept is not None:
            PROGRAMS[key] = kept
