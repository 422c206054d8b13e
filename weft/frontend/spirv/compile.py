"""Compile SPIR-V to LLVM IR: translate it, then verify the result with LLVM in a separate process."""

from weft.errors import BuildError
from weft.frontend.clang import read_ir
from weft.frontend.compile import Translation, total
from weft.frontend.generic_pointers import define_generic_functions
from weft.frontend.metadata import read_kernels
from weft.frontend.options import BuildOptions
from weft.frontend.pipes import define_pipe_functions
from weft.frontend.spirv.binary import read
from weft.frontend.spirv.constants import spec_id
from weft.frontend.spirv.errors import InvalidModule
from weft.frontend.spirv.module import take_apart
from weft.frontend.spirv.source import SpirvSource
from weft.frontend.spirv.translate import translate
from weft.lazy_pattern import lazy_pattern
from weft.target import Target

_FIRST_ERROR = lazy_pattern(r"error: (?:invalid LLVM IR input: )?(.*)")


def compile_spirv(
    source: SpirvSource, options: BuildOptions, target: Target, *, debug_info: bool = False
) -> Translation:
    """Translate a module for a target; raise BuildError if it is invalid."""
    head = f'target datalayout = "{target.data_layout}"\ntarget triple = "{target.triple}"'
    try:
        ir = translate(source.data, options, dict(source.constants), head, debug_info)
    except InvalidModule as error:
        raise BuildError(f"error: SPIR-V: {error}\n") from None
    # LLVM verifies the module, and prints it in the form that the rest of Weft expects.
    result = read_ir(ir, target.triple)
    if result.returncode != 0 or not result.output.startswith("; ModuleID"):
        error_line = _FIRST_ERROR.search(result.diagnostics)
        reason = error_line[1] if error_line else f"LLVM ended with status {result.returncode}"
        raise BuildError(f"error: SPIR-V: the module is invalid: {reason}\n")
    ir = total(define_generic_functions(define_pipe_functions(result.output)))
    return Translation(ir, "", read_kernels(ir), ())


def specialization_constants(data: bytes) -> dict[int, int]:
    """Return the sizes in bytes of a module's specialization constants, by the ids that hosts use.

    Raise InvalidModule if the bytes are not a module.
    """
    module = take_apart(read(data))
    sizes = {}
    for instruction in module.globals:
        if instruction.name not in ("SpecConstant", "SpecConstantTrue", "SpecConstantFalse"):
            continue
        id = spec_id(module, instruction)
        if id is not None:
            type = module.definitions[instruction.type]
            is_number = type.name in ("TypeInt", "TypeFloat")
            sizes[id] = type.number(0) // 8 if is_number else 1
    return sizes


def embedded_source(data: bytes) -> str:
    """Return the source text that a module contains; empty if it has none or is invalid."""
    try:
        return take_apart(read(data)).source
    except InvalidModule:
        return ""
