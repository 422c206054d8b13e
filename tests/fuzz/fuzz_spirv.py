"""The way `spirv` of random kernels: OpenCL C to SPIR-V, and from there by Weft.

Where LLVM's back end writes no module, or one that is not valid, Khronos's translator does it instead. That
is noted, and so are kernels that neither of them takes: `fuzz_run.py` prints the reasons with the kernels.
"""

import copy
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from kernel_case import KernelCase, Range

sys.path += [str(Path(__file__).parent.parent / "spirv"), str(Path(__file__).parents[2])]

from spirv_way import WriterFault, check_writer, run_in_spirv

NOTES: list[str] = []
"""What there is to say of the kernels that ran; who reads it clears it."""


class NotWritten(Exception):
    """No writer makes a valid module of a kernel."""


def run_by_spirv(case: KernelCase, launch: Range, arguments: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The arrays after a launch by the way of SPIR-V."""
    try:
        check_writer(case)
        return run_in_spirv(case, launch, "specialized", copy.deepcopy(arguments))
    except WriterFault as fault:
        first = fault
    try:
        found = run_in_spirv(case, launch, "specialized", arguments, "khronos")
    except WriterFault as second:
        raise NotWritten(f"LLVM's back end writes {first}, llvm-spirv {second}") from None
    NOTES.append(f"LLVM's back end writes {first}; llvm-spirv's module was taken")
    return found
