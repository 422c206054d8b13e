"""LLVM's optimizer and code generator over IR as text or bitcode.

`run_passes` applies single passes by name; `emit_object` compiles a work-group function and the built-ins it
calls to machine code, through clang (`weft.codegen.backend`). LLVM's errors become ToolErrors. Some of LLVM's
back-end errors abort the process instead (invalid inline assembly, for instance); if clang is not installed,
modules that could cause one are compiled by another Python process (see `weft.codegen.isolate`).
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from weft.codegen import isolate
from weft.codegen.backend import Backend, available
from weft.codegen.binding import LlvmContext, complaints, llvm
from weft.codegen.common_flags import with_common_flags
from weft.codegen.flatten import flatten
from weft.codegen.link_text import link_text
from weft.codegen.llvm_library import PassContext
from weft.codegen.machine import machine, without_processors
from weft.codegen.masked_stores import keep_stores
from weft.codegen.partial_loads import prevent_partial_loads
from weft.codegen.saturated_halves import widen_saturated_halves
from weft.codegen.self_checks import SelfCheckFailed, run_manager
from weft.codegen.vector_scale import with_vector_scale
from weft.errors import ToolError
from weft.lazy_pattern import lazy_pattern
from weft.target import Target

Modules = str | bytes | Sequence[str | bytes]

# Pass name -> the function of llvmlite's library that adds it, without the prefix LLVMPY_.
PASSES = {
    "adce": "module_AddADCEPass",
    "aggressive-instcombine": "module_AddAggressiveInstCombinePass",
    "always-inline": "module_AddAlwaysInlinerPass",
    "argpromotion": "module_AddArgumentPromotionPass",
    "break-critical-edges": "module_AddBreakCriticalEdgesPass",
    "constmerge": "module_AddConstantMergePass",
    "dce": "module_AddDCEPass",
    "deadargelim": "module_AddDeadArgumentEliminationPass",
    "dse": "module_AddDSEPass",
    "globaldce": "module_AddGlobalDCEPass",
    "globalopt": "module_AddGlobalOptPass",
    "instcombine": "module_AddInstCombinePass",
    "instnamer": "module_AddInstructionNamerPass",
    "ipsccp": "module_AddIPSCCPPass",
    "jump-threading": "AddJumpThreadingPass_module",
    "lcssa": "module_AddLCSSAPass",
    "loop-deletion": "module_AddLoopDeletionPass",
    "loop-reduce": "module_AddLoopStrengthReducePass",
    "loop-rotate": "module_AddLoopRotatePass",
    "loop-simplify": "module_AddLoopSimplifyPass",
    "loop-unroll": "module_AddLoopUnrollPass",
    "loop-unroll-and-jam": "module_AddLoopUnrollAndJamPass",
    "lower-atomic": "module_AddLowerAtomicPass",
    "lower-switch": "module_AddLowerSwitchPass",
    "memcpyopt": "module_AddMemCpyOptPass",
    "mergefunc": "module_AddMergeFunctionsPass",
    "newgvn": "module_AddNewGVNPass",
    "reassociate": "module_AddReassociatePass",
    "reg2mem": "module_AddRegToMemPass",
    "sccp": "module_AddSCCPPass",
    "simplifycfg": "module_AddSimplifyCFGPass",
    "sink": "module_AddSinkingPass",
    "sroa": "module_AddSROAPass",
    "strip-dead-prototypes": "module_AddStripDeadPrototypesPass",
    "tailcallelim": "module_AddTailCallElimPass",
    "unify-exits": "module_AddUnifyFunctionExitNodesPass",
    "loop-full-unroll": "module_AddLoopUnrollPass",
}
# LLVM also unrolls loops partially, by processor-specific limits; for a processor without limits it unrolls
# only loops that disappear.
FULL_UNROLL = "loop-full-unroll"
# Relies on flags of other instructions (see `weft.codegen.common_flags`).
NEW_GVN = "newgvn"

# Marks the blocks of loops that LLVM versioned with a run-time test, which may be wrong (`wrap_tests.py`).
_SECOND_VERSION = ".lver."

_NOT_INLINED = lazy_pattern(r"\b(?:noinline|optnone) ?")
_ATTRIBUTE_GROUP = lazy_pattern(r"^attributes #\d+ = \{.*\}$", re.MULTILINE)


def run_passes(ir: str, passes: Sequence[str], target: Target, parts: Sequence[str] = ()) -> str:
    """Run the named LLVM passes (see PASSES) in that order; return the module without target attributes.

    `parts` are modules that are linked into it first.
    """
    for name in passes:
        if name not in PASSES:
            raise ToolError(f"unknown LLVM pass {name!r}; available: {', '.join(PASSES)}")
    with PassContext() as context:
        module = context.parse(_parsable(ir))
        for part in parts:
            context.link(module, context.parse(_parsable(part)))
        for special, names in groupby(passes, lambda name: name if name in (FULL_UNROLL, NEW_GVN) else ""):
            if special == NEW_GVN:
                text = context.text(module)
                if (common := with_common_flags(text)) != text:
                    module = context.parse(_parsable(common))
            functions = [PASSES[name] for name in names]
            context.run(functions, module, target.neutral if special == FULL_UNROLL else target)
        return context.text(module)


def verify(ir: str) -> None:
    """Raise ToolError, with LLVM's reason, unless `ir` is a well-formed module."""
    with PassContext() as context:
        context.parse(_parsable(ir))


def bitcode(ir: str, *, always_inline: bool = False) -> bytes:
    """Return the module as LLVM bitcode; `always_inline` marks every function that it defines."""
    if always_inline:
        ir = _ATTRIBUTE_GROUP.sub(lambda group: _NOT_INLINED.sub("", group[0]), ir)
    with LlvmContext() as context:
        module = _parse(ir, context)
        if always_inline:
            for function in module.functions:
                if not function.is_declaration:
                    function.add_function_attribute("alwaysinline")
        return bytes(module.as_bitcode())


def to_text(bitcode: bytes) -> str:
    """Return the text of a module given as LLVM bitcode."""
    with LlvmContext() as context:
        return str(_parse(bitcode, context))


def emit_object(
    modules: Modules,
    target: Target,
    level: int = 3,
    exported: Sequence[str] = (),
    backend: Backend | None = None,
) -> bytes:
    """Link `modules`, optimize them at O`level` and generate an object file for `target`.

    Everything but `exported` becomes internal first, so inlined and unused code disappears; if nothing is
    exported, all symbols keep their linkage. `backend` is the result of `backend.prepare`.
    """
    texts = _texts(modules, target)
    dangerous = isolate.needed(texts, target)
    if available():
        _check(level)
        text = None if dangerous else link_text(texts, target, exported)
        if text is None:
            with LlvmContext() as context:
                text = str(_linked(context, texts, target, level, exported))
        with backend or Backend(target, level) as process:
            return process.emit(text.encode(), alone=dangerous)
    return isolate.emit(texts, target, level, exported)


def emit_here(texts: Sequence[str], target: Target, level: int, exported: Sequence[str]) -> bytes:
    """Run `emit_object` in this process, even if LLVM might end it."""
    with LlvmContext() as context:
        # The output of the loop vectorizer cannot be checked here (`wrap_tests.py`).
        module = _optimised(context, texts, target, level, exported, vectorizes=False)
        with complaints("generate code"):
            return bytes(machine(target, level).emit_object(module))


def emit_assembly(modules: Modules, target: Target, level: int = 3, exported: Sequence[str] = ()) -> str:
    """Return the assembly text of the code that `emit_object` generates, for people and tests."""
    texts = _texts(modules, target)
    if isolate.needed(texts, target):
        raise ToolError("modules with inline assembly or target intrinsics cannot be printed as assembly")
    with LlvmContext() as context:
        module = _optimised(context, texts, target, level, exported)
        with complaints("generate code"):
            return str(machine(target, level).emit_assembly(module))


def optimise(modules: Modules, target: Target, level: int = 3, exported: Sequence[str] = ()) -> str:
    """Return the IR from which `emit_object` generates code: linked and optimized, as text."""
    with LlvmContext() as context:
        return str(_optimised(context, _texts(modules, target), target, level, exported))


def optimise_scalar(modules: Modules, target: Target, exported: Sequence[str]) -> str:
    """Link and optimize `modules` for size and speed, with every loop left as it is; return the IR.

    Nothing is vectorized or unrolled, no switch is left, and address spaces stay: for machines that LLVM does
    not know.
    """
    texts = _texts(modules, target)
    optimised = _optimised_scalar(texts, target, exported)
    if _SECOND_VERSION in optimised:
        return _optimised_scalar(texts, target, exported, versions=False)
    return optimised


def _optimised_scalar(
    texts: Sequence[str], target: Target, exported: Sequence[str], versions: bool = True
) -> str:
    """Return the optimized IR of modules; without `versions`, LLVM versions no loops."""
    with LlvmContext() as context:
        module = _linked(context, texts, target, 2, exported, flat=False)
        if not versions:
            for function in module.functions:
                if not function.is_declaration:
                    function.add_function_attribute("optsize")
        _optimise_scalar(module, target)
        return str(module)


def _optimise_scalar(module: Any, target: Target) -> None:
    options = llvm().create_pipeline_tuning_options(2)
    options.loop_vectorization = options.loop_interleaving = False
    options.slp_vectorization = options.loop_unrolling = False
    builder = llvm().create_pass_builder(machine(target, 2), options)
    first = llvm().create_new_module_pass_manager()
    first.add_always_inliner_pass()
    first.add_global_dead_code_eliminate_pass()
    _run(first, module, builder)
    _run(builder.getModulePassManager(), module, builder)
    last = llvm().create_new_module_pass_manager()
    last.add_lower_switch_pass()
    last.add_dead_code_elimination_pass()
    _run(last, module, builder)


def _texts(modules: Modules, target: Target) -> list[str]:
    if isinstance(modules, str | bytes):
        modules = [modules]
    if not modules:
        raise ToolError("no module to compile")
    texts = (to_text(module) if isinstance(module, bytes) else module for module in modules)
    return [_worked_around(text, target) for text in texts]


def _worked_around(text: str, target: Target) -> str:
    """Return a module in a form that LLVM's back ends compile correctly."""
    text = prevent_partial_loads(keep_stores(widen_saturated_halves(text), target), target)
    return with_vector_scale(text, target)


def _optimised(
    context: LlvmContext,
    texts: Iterable[str],
    target: Target,
    level: int,
    exported: Sequence[str],
    vectorizes: bool = True,
) -> Any:
    module = _linked(context, texts, target, level, exported)
    builder = _pass_builder(target, level, vectorizes)
    # Inlining and removing unused functions first lets the pipeline work on small modules.
    first = llvm().create_new_module_pass_manager()
    first.add_always_inliner_pass()
    first.add_global_dead_code_eliminate_pass()
    _run(first, module, builder)
    _run(builder.getModulePassManager(), module, builder)
    return module


def _run(manager: Any, module: Any, builder: Any) -> None:
    """Run the passes of a manager and free it; raise SelfCheckFailed if an assertion fails.

    llvmlite does not free it: a base class hides the method that would.
    """
    binding = llvm()
    with binding.ffi.lib._lock:
        try:
            run_manager(manager, module, builder)
        except SelfCheckFailed:
            _pass_builder.cache_clear()
            raise
    if type(manager)._dispose is binding.ffi.ObjectRef._dispose:
        binding.newpassmanagers.NewPassManager._dispose(manager)
        manager.detach()
    else:
        manager.close()


def _linked(
    context: LlvmContext,
    texts: Iterable[str],
    target: Target,
    level: int,
    exported: Sequence[str],
    flat: bool = True,
) -> Any:
    _check(level)
    module = None
    for text in texts:
        part = _parse(flatten(text) if flat else text, context)
        _retarget(part, target)
        if module is None:
            module = part
        else:
            with complaints("link the modules"):
                module.link_in(part)
    _internalise(module, exported)
    return module


def _check(level: int) -> None:
    if not 0 <= level <= 3:
        raise ToolError(f"optimization level must be 0 to 3, got {level}")


def _parse(module: str | bytes, context: LlvmContext) -> Any:
    if isinstance(module, bytes):
        with complaints("read bitcode"):
            parsed = context.parse(module)
    else:
        with complaints("parse the module"):
            parsed = context.parse(_parsable(module))
    # LLVM's passes may crash on malformed modules.
    with complaints("accept the module"):
        parsed.verify()
    return parsed


def _parsable(module: str) -> str:
    """Return the text of a module as LLVM can read it; raise ToolError if it cannot."""
    if "\0" in module:
        raise ToolError("LLVM could not parse the module: it contains a zero byte")
    # A function for a processor that LLVM does not know, or one without 64 bits, would end the process in the
    # first pass that queries costs.
    return without_processors(module)


def _retarget(module: Any, target: Target) -> None:
    layout = module.data_layout
    if layout and layout != target.data_layout:
        raise ToolError(f"the data layout of the module is {layout!r}, expected {target.data_layout!r}")
    module.data_layout = target.data_layout
    module.triple = target.triple


def _internalise(module: Any, exported: Sequence[str]) -> None:
    if not exported:
        return
    missing = set(exported)
    symbols = [*module.functions, *module.global_variables]
    for symbol in symbols:
        if symbol.is_declaration:
            continue
        if symbol.name in missing:
            missing.remove(symbol.name)
        elif not symbol.name.startswith("llvm."):
            symbol.linkage = "internal"
    if missing:
        raise ToolError(f"the modules do not define {', '.join(sorted(missing))}")


@cache
def _pass_builder(target: Target, level: int, vectorizes: bool = True) -> Any:
    """Return the pass builder for a target; it is kept, because llvmlite does not free all of it."""
    options = llvm().create_pipeline_tuning_options(level)
    options.loop_vectorization = options.loop_interleaving = vectorizes and level >= 2
    options.slp_vectorization = False
    return llvm().create_pass_builder(machine(target, level), options)
