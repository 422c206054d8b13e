"""A kernel case by the way of SPIR-V, in any of the ways to run kernels."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from kernel_case import KernelCase, Range
from kernel_ways import PROGRAMS, WAYS, built

from tools.opencl_to_spirv import NotCompiled, spirv_of
from weft.errors import BuildError
from weft.frontend.spirv.binary import read
from weft.frontend.spirv.errors import InvalidModule
from weft.frontend.spirv.source import SpirvSource
from weft.program import Program, build

# Modules that are not valid: part of what Weft says of them, and what the writer did.
FAULTS = {
    "OpConstantNull": "an OpConstantNull of several words",
    "OpBitwiseAnd: operand types differ": "integers of different widths in one OpBitwiseAnd",
    "upsample: the operands differ in type": "integers of different widths in one upsample",
    "alignment must be a power of two": "an alignment that is not a power of two",
    "OpSpecConstantOp: the index is out of range": "a byte offset in an InBoundsPtrAccessChain",
    "built-in function 'convert_": "conversions to or from half as calls of functions that nothing defines",
    "OpCompositeExtract: element index 3 is out of range": "a fourth dimension of three",
}


# LLVM's back end writes them also for conversions between types that are both signed, or both unsigned.
SIGNS = ("SatConvertSToU", "SatConvertUToS")
# It writes OpUConvert for the functions that convert signed integers to others, which a wider type shows.
_SIGNED = re.compile(r"\bconvert_(?:short|int|long)\d*\(")


class WriterFault(Exception):
    """A writer makes no module of a case, or one that is not valid."""


def spirv_program(case: KernelCase, writer: str = "llvm") -> Program:
    """The program of a case, compiled to SPIR-V by a writer and from there by Weft."""
    try:
        module = spirv_of(case.source, case.options, writer=writer)
    except NotCompiled as error:
        raise WriterFault(f"no module ({error})") from None
    try:
        return build(SpirvSource(module), case.options)
    except BuildError as error:
        for said, fault in FAULTS.items():
            if said in error.log:
                raise WriterFault(fault) from None
        found = validator_says(module)
        if found:
            raise WriterFault(f"a module that is not valid ({found})") from None
        raise


def validator_says(module: bytes) -> str:
    """What spirv-val has against a module; nothing if it is valid, or spirv-val is not installed."""
    validator = shutil.which("spirv-val")
    if validator is None:
        return ""
    with tempfile.NamedTemporaryFile(suffix=".spv") as file:
        file.write(module)
        file.flush()
        done = subprocess.run([validator, file.name], capture_output=True, text=True)
    first = (done.stdout + done.stderr).partition("\n")[0] if done.returncode else ""
    return re.sub(r"error: (line \d+: )?", "", first)


def check_writer(case: KernelCase) -> None:
    """Raise WriterFault if LLVM's back end may have miscompiled a case: signs, or `any` and `all`."""
    try:
        instructions = read(spirv_of(case.source, case.options)).instructions
    except (NotCompiled, InvalidModule):  # the build tells
        return
    names = {instruction.name for instruction in instructions}
    if not names.isdisjoint(SIGNS):
        raise WriterFault("saturating conversions, some between other types than the kernel's")
    if "UConvert" in names and _SIGNED.search(case.source):
        raise WriterFault("OpUConvert for conversions of signed integers")
    # It takes their results for 32 bits: a conversion to a narrower type is lost, and the store is too wide.
    booleans = {i.result for i in instructions if i.name == "TypeBool"}
    vectors = {i.result for i in instructions if i.name == "TypeVector" and i.id(0) in booleans}
    types = {i.result: i.type for i in instructions}
    if any(types[i.id(0)] not in vectors for i in instructions if i.name in ("Any", "All")):
        raise WriterFault("OpAny or OpAll of values that are not Boolean")


def run_in_spirv(
    case: KernelCase, launch: Range, way: str, arguments: Mapping[str, Any], writer: str = "llvm"
) -> dict[str, np.ndarray]:
    """The arrays after a launch of a case that was compiled to SPIR-V."""
    made, own = spirv_program(case, writer), built(case.source, case.options)
    # Modules do not tell signed integers from others, which arguments are converted by.
    codes = [replace(kernel.code, info=own.kernels[name].info) for name, kernel in made.kernels.items()]
    key = case.source, case.options
    PROGRAMS[key] = Program(tuple(codes), "", case.options)
    try:
        return WAYS[way](case, launch, arguments)
    finally:
        PROGRAMS[key] = own
