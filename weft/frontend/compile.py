"""Compile OpenCL C to LLVM IR: run clang, with some processing before and after."""

import re
from collections.abc import Mapping

from weft.dataclasses import dataclass, replace
from weft.errors import BuildError, LimitExceeded
from weft.frontend.clang import ClangResult, available, run_clang, start_worker
from weft.frontend.folded_divisions import (
    TELL_DIVISIONS,
    has_directives,
    read_from_variables,
    without_diagnostic_pragmas,
    zero_divisors,
)
from weft.frontend.freeze_conversions import freeze_conversions, relax_saturating
from weft.frontend.headers import FOLDER, NO_HEADERS, Snapshot, reads_files, without_folder
from weft.frontend.metadata import KernelInfo, read_kernels
from weft.frontend.options import SECOND_STANDARDS, BuildOptions
from weft.frontend.replace_poison import replace_poison
from weft.frontend.several import HEADER, INTEL_HEADER, includes, may_stand, number_types, with_macros
from weft.frontend.source_key import texts_of
from weft.frontend.target import TARGET_ARGUMENTS, fma_macros, for_target
from weft.lazy_pattern import lazy_pattern
from weft.target import Target

_EMIT = "-emit-llvm"
_LANGUAGE, _PREPROCESSED = "cl", "cl-cpp-output"
_ARGUMENTS = (
    *TARGET_ARGUMENTS,
    *("-x", _LANGUAGE, "-fdeclare-opencl-builtins"),
    *("-nostdsysteminc", "-nobuiltininc"),
    # Level 2, so that clang emits information for an optimizer (aliasing and lifetimes); its passes stay off.
    *("-O2", "-disable-llvm-passes", "-cl-kernel-arg-info", _EMIT, "-o", "-"),
    # Out-of-range conversions to integers are not poison (`freeze_conversions.py`).
    "-fno-strict-float-cast-overflow",
    *("-ferror-limit", "100"),
)

# Source lines and names of variables, in the form that `weft/ir/debug.py` reads.
_DEBUG_ARGUMENTS = ("-debug-info-kind=limited", "-dwarf-version=5")

# The virtual file with macros that are too long for the command line.
_DEFINES = f"{FOLDER}<command line>"

_INCLUDED = lazy_pattern(r"^\.+ (.*)\n", re.MULTILINE)
_SUMMARY = lazy_pattern(r"^\d+ (?:warnings?|errors?)(?: and \d+ errors?)? generated\.\n", re.MULTILINE)
_LOCATED = lazy_pattern(r"^[^\s:][^:\n]*:\d+:\d+: ")
# Types and functions of device-side queues, in a module and in diagnostics.
_QUEUE_IN_MODULE = lazy_pattern(
    r'target\("spirv\.(?:Queue|DeviceEvent)"\)|^declare [^\n@]*@__(?:enqueue_|get_kernel_)', re.MULTILINE
)
_BLOCK_IN_MODULE = lazy_pattern(
    r"^(?:define [^\n@]*@__\w*_block_invoke|@__block_literal_global)", re.MULTILINE
)
_QUEUE_IN_LOG = lazy_pattern(
    r": error: [^\n]*'(?:queue_t|clk_event_t|ndrange_\w+|enqueue_\w+|get_default_queue|get_kernel_\w+"
    r"|create_user_event|set_user_event_status|retain_event|release_event|is_valid_event"
    r"|capture_event_profiling_info|CLK_ENQUEUE_\w+|CLK_NULL_EVENT|CLK_NULL_QUEUE|kernel_enqueue_flags_t)'"
)
_CRASH = lazy_pattern(r"^(?:PLEASE submit|Stack dump:|thread \d+ panic).*", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Translation:
    """A program in LLVM IR: its text, clang's warnings, its kernels in source order, and the (path, sha256)
    of each included file."""

    ir: str
    log: str
    kernels: tuple[KernelInfo, ...]
    dependencies: tuple[tuple[str, str], ...]


def compile_source(
    source: str,
    options: BuildOptions,
    target: Target,
    *,
    headers: Mapping[str, str] = NO_HEADERS,
    debug_info: bool = False,
) -> Translation:
    """Translate OpenCL C for a processor; raise BuildError with clang's diagnostics.

    `headers` maps names that the source may include to their texts. With `debug_info`, instructions have
    source locations; the code is the same.
    """
    arguments = [*_ARGUMENTS, *(_DEBUG_ARGUMENTS if debug_info else ()), *fma_macros(target)]
    # Many hosts count the terminator of a C string as part of the source.
    source = source.rstrip("\0")
    try:
        result, dependencies = _run(arguments, source, options, headers)
    except ValueError as error:
        raise BuildError(
            f"error: the source or the build options are not valid UTF-8 text: {error}\n"
        ) from None
    log = _log(result)
    if options.std in SECOND_STANDARDS and (reason := _lacking_of_version_2(result)):
        raise BuildError(f"{log}error: {reason}\n")
    if not _is_module(result):
        raise BuildError(log)
    if _has_assembly(result):
        raise BuildError(f"{log}error: assembly outside of functions is not supported\n")
    if reason := _initialized_at_run_time(result):
        raise BuildError(f"{log}error: {reason}\n")
    ir = _total_but_poison(number_types(for_target(result.output, target)))
    total_ir = replace_poison(ir)
    if total_ir != ir:
        divided = _without_folded_divisions(arguments, source, options, headers)
        if divided is not None:
            total_ir = total(number_types(for_target(divided.output, target)))
    return Translation(total_ir, log, read_kernels(total_ir), dependencies)


def start_clang(source: str, options: BuildOptions) -> None:
    """Start clang for a source that is about to be translated by `compile_source`."""
    if available() and may_stand(source, options):
        own = includes(texts_of(source, options), options)
        start_worker([*_ARGUMENTS, *own, *options.language_arguments()])


def _run(
    arguments: list[str], source: str, options: BuildOptions, headers: Mapping[str, str]
) -> tuple[ClangResult, tuple[tuple[str, str], ...]]:
    """Run clang on a source; return the result and the digests of the files that were read."""
    texts = texts_of(source, options)
    alone = _EMIT not in arguments or not set(_DEBUG_ARGUMENTS).isdisjoint(arguments)
    if not headers and not alone and may_stand(source, options):
        macros = [word for word in arguments if word.startswith("-D")]
        words = [*(word for word in arguments if word not in macros), *includes(texts, options)]
        words += options.language_arguments()
        return run_clang(words, with_macros(source, options, macros, words), reuse=True), ()
    if headers or options.has_long_defines or reads_files(texts):
        return _run_with_files(arguments, source, options, headers)
    return run_clang([*arguments, *includes(texts, options), *options.clang_arguments()], source), ()


def _is_module(result: ClangResult) -> bool:
    return result.returncode == 0 and result.output.startswith("; ModuleID")


def _without_folded_divisions(
    arguments: list[str], source: str, options: BuildOptions, headers: Mapping[str, str]
) -> ClangResult | None:
    """Compile a source whose module contains poison again, keeping divisions by a constant zero. Return None
    if those are not the reason, or if it fails."""
    try:
        words = ["-E" if word == _EMIT else word for word in arguments]
        preprocessed, _ = _run(words, source, options, headers)
        text = preprocessed.output
        if preprocessed.returncode != 0 or has_directives(text):
            return None
        warning_options = replace(options, no_warnings=False, warnings_are_errors=False)
        arguments = [_PREPROCESSED if word == _LANGUAGE else word for word in arguments]
        with Snapshot((), NO_HEADERS).arguments(["/dev/stdin"]) as no_files:
            arguments += [*no_files, *warning_options.language_arguments()]
            diagnosis = run_clang([*arguments, *TELL_DIVISIONS], without_diagnostic_pragmas(text))
            places = zero_divisors(diagnosis.diagnostics, text)
            if not places:
                return None
            result = run_clang(arguments, read_from_variables(text, places))
    except LimitExceeded:  # the caller then uses the module with poison
        return None
    return result if _is_module(result) and not _has_assembly(result) else None


def _lacking_of_version_2(result: ClangResult) -> str:
    """Return an error for OpenCL C 2.0 features that Weft lacks (device-side queues, blocks), or an empty
    string."""
    is_module = _is_module(result)
    text, pattern = (result.output, _QUEUE_IN_MODULE) if is_module else (result.diagnostics, _QUEUE_IN_LOG)
    if pattern.search(text):
        return "device-side enqueue (queue_t, enqueue_kernel etc.) is not supported"
    if "blocks support disabled" in text or (is_module and _BLOCK_IN_MODULE.search(text)):
        return "blocks are not supported, because device-side enqueue is not supported"
    return ""


def _has_assembly(result: ClangResult) -> bool:
    """Return whether a module contains module-level assembly."""
    return "\nmodule asm " in result.output


def _initialized_at_run_time(result: ClangResult) -> str:
    """Return why a C++ module cannot run: objects are not initialized before a kernel. Empty if it can."""
    text = result.output
    if "\n@llvm.global_ctors = " in text or "\n@llvm.global_dtors = " in text:
        return (
            "an object at program scope has a constructor or destructor that runs before or after the "
            "kernels, which is not supported; a constexpr constructor is"
        )
    if "\n@_ZGVZ" in text:
        return (
            "a static object of a function is initialized when it is reached first, which is not supported; "
            "an initializer that is constant is"
        )
    return ""


def total(ir: str) -> str:
    """Return the module with a defined value for every operation that OpenCL C leaves unspecified."""
    return replace_poison(_total_but_poison(ir))


def _total_but_poison(ir: str) -> str:
    return relax_saturating(freeze_conversions(ir))


def _run_with_files(
    arguments: list[str], source: str, options: BuildOptions, headers: Mapping[str, str]
) -> tuple[ClangResult, tuple[tuple[str, str], ...]]:
    """Run clang on a source that reads files; return the result and the digests of the files."""
    snapshot = Snapshot(options.include_dirs, headers)
    if options.has_long_defines:
        snapshot.add(_DEFINES, f'#line 1 "<command line>"\n{options.directives()}')
        arguments = [*arguments, "-include", _DEFINES]  # before Weft's headers, like -D
    snapshot.scan(texts_of(source, options))
    while True:
        with snapshot.arguments([str(HEADER), str(INTEL_HEADER), "/dev/stdin"]) as seen:
            own = includes([*texts_of(source, options), *snapshot.texts()], options)
            result = run_clang([*seen, *arguments, *own, *options.clang_arguments(), "-H"], source)
        if result.returncode == 0 or not snapshot.look_for_missing(result.diagnostics):
            break
    included = _INCLUDED.findall(result.diagnostics)
    result = replace(result, diagnostics=snapshot.explain(result.diagnostics))
    return result, snapshot.dependencies(included)


def _log(result: ClangResult) -> str:
    """Return clang's diagnostics as build log, without includes and paths of Weft's own files."""
    text = _SUMMARY.sub("", _INCLUDED.sub("", result.diagnostics))
    if result.returncode not in (0, 1):
        text = _CRASH.sub("", text) + f"error: clang ended abnormally (status {result.returncode})\n"
    elif not text and not result.output:
        text = "error: clang produced neither output nor a diagnostic\n"
    return _without_own_notes(without_folder(text).replace(f"{HEADER.parent}/", ""))


def _without_own_notes(text: str) -> str:
    """Drop notes that point into Weft's headers; their errors have the user's lines."""
    kept: list[str] = []
    own = False
    for line in text.splitlines(keepends=True):
        if _LOCATED.match(line):
            own = line.startswith((f"{HEADER.name}:", f"{INTEL_HEADER.name}:")) and " note: " in line
        if not own:
            kept.append(line)
    return "".join(kept)
