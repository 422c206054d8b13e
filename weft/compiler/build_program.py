"""Build programs (clBuildProgram): compile OpenCL C or SPIR-V to the canonical IR of each kernel."""

from collections.abc import Sequence

from weft import settings
from weft.barrier_warnings import barrier_warnings
from weft.builtins.images import takes_image
from weft.builtins.library import definitions, has, inlined_before_analysis, link_in
from weft.builtins.two_results import two_result_definitions
from weft.builtins.widen import widen
from weft.codegen.host import host_target
from weft.codegen.join import join
from weft.codegen.remove_tail_calls import remove_tail_calls
from weft.compiler.builtin_flags import builtin_flags
from weft.compiler.canonical_programs import canonical_programs
from weft.compiler.check_instructions import check_instructions
from weft.compiler.describe_kernels import describe_kernels
from weft.compiler.named_barriers import define_named_barriers
from weft.compiler.separate_variables import separate_variables
from weft.errors import BuildError, ToolError
from weft.frontend.compile import Translation
from weft.frontend.metadata import KernelInfo, read_kernels
from weft.frontend.options import BuildOptions
from weft.frontend.program_source import Source, translate_source
from weft.garbage import rare_collections
from weft.ir.symbols import readable
from weft.kernel import CodeOptions, CompiledProgram, KernelCode
from weft.lazy_pattern import lazy_pattern
from weft.target import Target
from weft.transform.simd.fuse_sincos import pairs_of

# Built-in functions that clang declares and Weft lacks.
_NOT_SUPPORTED = lazy_pattern(
    r"(sub_group_|get_sub_group|get_max_sub_group|get_num_sub_groups|get_enqueued_num_sub_groups"
    r"|enqueue_|.*_pipe)"
)
_DECLARED = lazy_pattern(r"\ndeclare [^@\n]*@(_Z\w+)\(")
_CALLED = lazy_pattern(r"\bcall [^@\n]*@(_Z\w+)\(")


def compile_program(
    source: Source, options: BuildOptions, *, debug_info: bool = False, target: Target | None = None
) -> CompiledProgram:
    """Compile OpenCL C or SPIR-V to the canonical IR of each kernel, on request with source lines.

    `target` is the processor to generate code for (None: the host). Raises BuildError with the log.
    """
    target = target or host_target()
    translation = translate_source(source, options, target, debug_info=debug_info)
    return finish_program(translation, source, options, debug_info, target)


@rare_collections()
def finish_program(
    translation: Translation,
    source: Source,
    options: BuildOptions,
    debug_info: bool,
    target: Target,
) -> CompiledProgram:
    """Compile the output of the front end: the second half of `compile_program`."""
    log = translation.log
    ir, variables = separate_variables(translation.ir)
    kernels = _kernels_of(ir, translation.kernels, log, options, target)
    if not debug_info and not options.no_warnings:
        log += barrier_warnings(
            kernels, lambda: compile_program(source, options, debug_info=True, target=target).kernels
        )
    return CompiledProgram(kernels, log, translation.dependencies, variables)


@rare_collections()
def link_program(modules: Sequence[str], options: BuildOptions, target: Target) -> CompiledProgram:
    """Link the front end's output for several programs to the canonical IR of each kernel.

    Raises BuildError with the log.
    """
    try:
        ir = join(modules)
    except ToolError as error:
        raise BuildError(f"error: {error}\n") from None
    infos = read_kernels(ir)
    ir, variables = separate_variables(ir)
    return CompiledProgram(_kernels_of(ir, infos, "", options, target), "", (), variables)


def _kernels_of(
    ir: str, infos: tuple[KernelInfo, ...], log: str, options: BuildOptions, target: Target
) -> tuple[KernelCode, ...]:
    ir = remove_tail_calls(define_named_barriers(ir, [info.name for info in infos]), target)
    code = CodeOptions.of(options)
    declared = [symbol for symbol in _DECLARED.findall(ir) if not takes_image(symbol)]
    # The others are compiled at the launch, in the required variants.
    opened = link_in(inlined_before_analysis(declared, target), target, builtin_flags(code))
    parts = [*opened.modules, *two_result_definitions(ir)]
    names = [info.name for info in infos]
    programs = canonical_programs(ir, names, parts, settings.get("WEFT_INLINE"), code, target)
    for text, _ in programs:
        check_instructions(text, target)
    described = {
        kernel.info.name: kernel
        for text, names in programs
        for kernel in describe_kernels(text, tuple(i for i in infos if i.name in names), code.progress)
    }
    kernels = tuple(described[info.name] for info in infos)
    _check_symbols(kernels, log, target)
    return kernels


def builtin_definitions(
    kernels: Sequence[KernelCode], options: CodeOptions, target: Target
) -> dict[str, str]:
    """Return all library definitions that the kernels may need later; image functions for any format."""
    symbols = dict.fromkeys(s for kernel in kernels for s in kernel.builtins)
    # The vectorizer may choose fewer lanes than a register has, or split vectors.
    lanes = [n for n in (1, 4, 8, 16) if n <= target.lanes(32)]
    forms = (widen(symbol, n) for symbol in symbols for n in lanes)
    needed = [*symbols, *(form for form in forms if form is not None)]
    needed += pairs_of(frozenset(needed))
    brought = {key: module for kernel in kernels for key, module in kernel.brought}
    return definitions(needed, target, builtin_flags(options), brought)


def _check_symbols(kernels: tuple[KernelCode, ...], log: str, target: Target) -> None:
    """Raise BuildError if a kernel calls a function that neither the program nor Weft defines."""
    caller_of: dict[str, str] = {}
    for kernel in kernels:
        for symbol in kernel.builtins:
            caller_of.setdefault(symbol, kernel.info.name)
    missing = [symbol for symbol in caller_of if not has(symbol, target)]
    if missing:
        lines = [
            f"error: kernel '{caller_of[s]}' calls '{readable(s)}', {_why_missing(readable(s))}"
            for s in missing
        ]
        raise BuildError(log + "\n".join(lines) + "\n")


def _why_missing(name: str) -> str:
    if _NOT_SUPPORTED.match(name):
        return "a built-in function that Weft does not support yet"
    return "which is not defined"
