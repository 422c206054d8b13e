"""The option string of clBuildProgram, and the clang arguments of each option.

`parse_options` parses the string strictly: an unknown option is an error that names it, as the specification
requires. The options of clLinkProgram are in `link_options.py`.
"""

import re
from collections.abc import Collection, Iterator
from typing import Any

from weft import settings
from weft.dataclasses import dataclass, fields, replace
from weft.errors import InvalidBuildOptions
from weft.lazy_pattern import lazy_pattern
from weft.versions import NEWEST, opencl_version

# Extensions and features that the device reports and programs may test for. clang defines the macros of these
# two lists and refuses the rest; the header defines macros of features that clang does not know.
# CL_DEVICE_EXTENSIONS and CL_DEVICE_OPENCL_C_FEATURES are derived from the lists.
EXTENSIONS = (
    "cl_khr_3d_image_writes",
    "cl_khr_byte_addressable_store",
    "cl_khr_depth_images",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
)
# Extensions that require OpenCL C 3.0.
NEWER_EXTENSIONS = (
    "cl_khr_kernel_clock",
    "cl_khr_srgb_image_writes",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_subgroups",
)
# A device with this extension runs sub-groups that make independent forward progress.
SUB_GROUPS = "cl_khr_subgroups"
# Extensions that clang learns only from this list, so that programs may enable them; the header of their
# functions defines their macros (weft_intel_subgroups.h).
INTEL_EXTENSIONS = (
    "cl_intel_required_subgroup_size",
    "cl_intel_subgroup_local_block_io",
    "cl_intel_subgroups",
    "cl_intel_subgroups_char",
    "cl_intel_subgroups_long",
    "cl_intel_subgroups_short",
)
# Extensions whose names clang does not know; the header defines their macros.
HOST_EXTENSIONS = (
    "cl_ext_float_atomics",
    "cl_khr_extended_bit_ops",
    "cl_khr_il_program",
    "cl_khr_image2d_from_buffer",
    "cl_khr_integer_dot_product",
    "cl_khr_subgroup_named_barrier",
)
FEATURES = (
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_ext_fp16_global_atomic_add",
    "__opencl_c_ext_fp16_global_atomic_load_store",
    "__opencl_c_ext_fp16_global_atomic_min_max",
    "__opencl_c_ext_fp16_local_atomic_add",
    "__opencl_c_ext_fp16_local_atomic_load_store",
    "__opencl_c_ext_fp16_local_atomic_min_max",
    "__opencl_c_ext_fp32_global_atomic_add",
    "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_min_max",
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_min_max",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_min_max",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_sub_group",
    "__opencl_c_kernel_clock_scope_work_group",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
)

_IMAGES = "__opencl_c_images"
CXX_STANDARD = "CLC++2021"  # C++ for OpenCL 2021: OpenCL C 3.0 in C++17
# OpenCL C 2.0 without device-side queues, and C++ based on it. Devices do not list them, because they are
# incomplete.
SECOND_STANDARDS = ("CL2.0", "CLC++1.0")
STANDARDS = ("CL1.0", "CL1.1", "CL1.2", "CL3.0", "CL3.1", CXX_STANDARD, *SECOND_STANDARDS)
# OpenCL C 3.1 is OpenCL C 3.0 with extensions that Weft supports in both; clang does not know its name.
_CLANG_STANDARDS = {"CL3.1": "CL3.0"}
_OTHER_NAMES = {"CLC++": "CLC++1.0"}
# Features that OpenCL C 2.0 includes, as far as Weft supports them, and that later versions make optional.
_OF_VERSION_2 = (
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_generic_address_space",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_work_group_collective_functions",
)
# clang has treated these as errors since 2022 or later; programs in use were written when they were warnings.
_OLD_WARNINGS = tuple(
    f"-Wno-error={name}"
    for name in ("incompatible-pointer-types", "int-conversion", "implicit-int", "return-mismatch")
)

DEFAULT_STANDARD = "CL1.2"  # the highest OpenCL C 1.x, the default without -cl-std

# Options without a value -> the field of BuildOptions that they set (None: accepted without effect).
_FLAGS: dict[str, str | None] = {
    "-cl-opt-disable": "opt_disable",
    "-cl-mad-enable": "mad_enable",
    "-cl-fast-relaxed-math": "fast_relaxed_math",
    "-cl-finite-math-only": "finite_math_only",
    "-cl-unsafe-math-optimizations": "unsafe_math",
    "-cl-no-signed-zeros": "no_signed_zeros",
    "-cl-denorms-are-zero": "denorms_are_zero",
    "-cl-single-precision-constant": "single_precision_constant",
    "-cl-fp32-correctly-rounded-divide-sqrt": "correctly_rounded_divide_sqrt",
    "-cl-kernel-arg-info": "kernel_arg_info",
    "-cl-uniform-work-group-size": "uniform_work_group_size",
    "-w": "no_warnings",
    "-Werror": "warnings_are_errors",
    "-g": "debug",
    "-fno-strict-aliasing": "no_strict_aliasing",
    # Deprecated since OpenCL 1.1: aliasing is strict with or without it.
    "-cl-strict-aliasing": None,
    "-cl-no-subgroup-ifp": "no_sub_group_progress",
}

_MACRO = lazy_pattern(r"[A-Za-z_$][\w$]*(\([\w$\s,.]*\))?", re.ASCII)
# A part of a word, a character after a backslash, a text in quotes of one kind or the other, or white space.
_PART = lazy_pattern(
    r"""([^ \t\r\n\\"']+)|\\(.)|'([^']*)'|"([^"\\]*(?:\\.[^"\\]*)*)"|[ \t\r\n]+""", re.DOTALL
)
_ESCAPED = lazy_pattern(r'\\(["\\])')

# Characters of an option that a message repeats; an option may have megabytes.
_SHOWN = 200
# The system limits an argument of a process to 128 KiB; a character has up to four bytes.
_MOST_ARGUMENT_CHARACTERS = 16 << 10


@dataclass(frozen=True)
class BuildOptions:
    """Options of a build; `defines` holds (macro, definition), the last one for each macro."""

    defines: tuple[tuple[str, str], ...] = ()
    include_dirs: tuple[str, ...] = ()
    std: str = DEFAULT_STANDARD
    opt_disable: bool = False
    mad_enable: bool = False
    fast_relaxed_math: bool = False
    finite_math_only: bool = False
    unsafe_math: bool = False
    no_signed_zeros: bool = False
    denorms_are_zero: bool = False
    single_precision_constant: bool = False
    correctly_rounded_divide_sqrt: bool = False
    kernel_arg_info: bool = False
    uniform_work_group_size: bool = False
    no_warnings: bool = False
    warnings_are_errors: bool = False
    debug: bool = False
    no_strict_aliasing: bool = False
    no_sub_group_progress: bool = False  # sub-groups need not make independent forward progress
    embedded: bool = False  # the device has OpenCL's embedded profile
    device_version: tuple[int, int] = NEWEST  # the device's version of OpenCL
    without: tuple[str, ...] = ()  # extensions and FEATURES that the device lacks

    def for_device(self, *, embedded: bool, only: Collection[str] | None) -> "BuildOptions":
        """Return the options for a device with a profile and only some extensions and features (None: all).

        Raise InvalidBuildOptions if the device does not support the language version.
        """
        version = opencl_version(only)
        if self.std == "CL3.1" and version < (3, 1):
            raise InvalidBuildOptions("build option '-cl-std=CL3.1': the device supports only OpenCL C 3.0")
        known = EXTENSIONS + NEWER_EXTENSIONS + INTEL_EXTENSIONS + FEATURES
        lacking = tuple(name for name in known if only is not None and name not in only)
        if self.std in SECOND_STANDARDS and not set(lacking).isdisjoint(_OF_VERSION_2):
            names = ", ".join(name for name in _OF_VERSION_2 if name in lacking)
            raise InvalidBuildOptions(
                f"build option '-cl-std={self.std}': the device does not support {names}"
            )
        return replace(self, embedded=embedded, device_version=version, without=lacking)

    @property
    def clang_standard(self) -> str:
        """The language version that clang compiles."""
        return _CLANG_STANDARDS.get(self.std, self.std)

    def clang_arguments(self) -> list[str]:
        """Return the arguments of clang's compiler proper (`-cc1`) for these options."""
        arguments = self.language_arguments()
        if not self.has_long_defines:
            for name, definition in self.defines:
                arguments += ["-D", f"{name}={definition}"]
        for directory in self.include_dirs:
            arguments += ["-I", directory]
        return arguments

    @property
    def has_long_defines(self) -> bool:
        """Whether the macros may be too long for arguments of a process: a file must define them."""
        return sum(len(name) + len(text) for name, text in self.defines) > _MOST_ARGUMENT_CHARACTERS

    def directives(self) -> str:
        """Return the macros as lines of a source."""
        return "".join(f"#define {name} {definition}\n" for name, definition in self.defines)

    def feature_macros(self) -> list[str]:
        """Return feature macros for OpenCL C 2.0: clang defines them only in 3.0, but its declarations depend
        on them."""
        known = FEATURES if self.std in SECOND_STANDARDS else ()
        return [f"-D{name}=1" for name in known if name not in self.without]

    def language_arguments(self) -> list[str]:
        """Return the arguments that neither define macros nor name folders."""
        known = EXTENSIONS + NEWER_EXTENSIONS + INTEL_EXTENSIONS + FEATURES
        enabled = ",".join(f"+{name}" for name in known if name not in self.without)
        arguments = [f"-cl-std={self.clang_standard}", f"-cl-ext=-all,{enabled}"]
        major, minor = self.device_version
        arguments.append(f"-D__WEFT_OPENCL_VERSION={major}{minor}0")
        if self.std != self.clang_standard:
            arguments.append(f"-D__WEFT_OPENCL_C_VERSION={self.std[2]}{self.std[4]}0")
        arguments += self.feature_macros()
        if "++" in self.std:
            # Neither is part of the language; initialization in a work-item needs no lock.
            arguments += ["-fno-rtti", "-fno-threadsafe-statics"]
        if self.embedded:
            arguments.append("-D__EMBEDDED_PROFILE__=1")
        if _IMAGES in self.without:
            arguments.append("-U__IMAGE_SUPPORT__")
        # FP_CONTRACT is ON by default: a*b+c within one expression may be fused. The relaxed modes also allow
        # it across expressions; clang's own -cl-mad-enable only sets an attribute that nothing reads.
        contract = self.mad_enable or self.unsafe_math or self.fast_relaxed_math
        arguments.append("-ffp-contract=fast" if contract else "-ffp-contract=on")
        if self.mad_enable:
            arguments.append("-cl-mad-enable")
        if self.fast_relaxed_math:
            arguments.append("-cl-fast-relaxed-math")
        if self.unsafe_math:
            arguments.append("-cl-unsafe-math-optimizations")
        if self.finite_math_only:
            # The compiler proper accepts -cl-finite-math-only but ignores it.
            arguments += ["-menable-no-nans", "-menable-no-infs"]
        if self.no_signed_zeros:
            arguments.append("-cl-no-signed-zeros")
        if self.denorms_are_zero:
            arguments.append("-fdenormal-fp-math-f32=preserve-sign,preserve-sign")
        if self.single_precision_constant:
            arguments.append("-cl-single-precision-constant")
        if self.correctly_rounded_divide_sqrt:
            arguments.append("-cl-fp32-correctly-rounded-divide-sqrt")
        if self.uniform_work_group_size:
            arguments.append("-cl-uniform-work-group-size")
        if self.no_strict_aliasing or self.opt_disable:
            # Passes of LLVM and Weft use only clang's type-based alias metadata to tell accesses apart by
            # type.
            arguments.append("-relaxed-aliasing")
        if self.no_warnings:
            arguments.append("-w")
        if self.warnings_are_errors:
            arguments.append("-Werror")
        else:
            arguments += _OLD_WARNINGS
        return arguments

    def text(self) -> str:
        """Return an option string that `parse_options` parses to these flags."""
        return " ".join(word for word, field in _FLAGS.items() if field and getattr(self, field))

    def key(self) -> str:
        """Return a text that differs whenever any option does; part of cache keys."""
        return repr([(field.name, getattr(self, field.name)) for field in fields(self)])


def parse_options(text: str) -> BuildOptions:
    """Parse an option string; raise InvalidBuildOptions with a message that names the invalid option."""
    defines: dict[str, str] = {}
    directories: list[str] = []
    standard: str | None = None
    flags: dict[str, Any] = {"no_strict_aliasing": not settings.get("WEFT_STRICT_ALIASING")}
    words = iter(split(text))
    for word in words:
        if word in _FLAGS:
            field = _FLAGS[word]
            if field is not None:
                flags[field] = True
        elif word == "-fstrict-aliasing":
            flags["no_strict_aliasing"] = False
        elif word.startswith("-D"):
            macro, definition = _definition(_value(word, words, "a macro"))
            defines.pop(macro, None)
            defines[macro] = definition
        elif word.startswith("-I"):
            directories.append(_value(word, words, "a directory"))
        elif word.startswith("-cl-std="):
            standard = _standard(word, standard)
        else:
            raise InvalidBuildOptions(f"unknown build option '{shown(word)}'")
    return BuildOptions(
        defines=tuple(defines.items()),
        include_dirs=tuple(directories),
        std=standard or DEFAULT_STANDARD,
        **flags,
    )


def split(text: str) -> list[str]:
    """Split the string at white space, with a shell's quotes and backslashes."""
    # Many hosts pass the terminator of a C string along.
    text = text.rstrip("\0")
    if "\0" in text:
        raise InvalidBuildOptions("the build options contain a NUL character")
    words: list[str] = []
    parts: list[str] = []  # of the word that has begun
    end = 0
    while end < len(text):
        found = _PART.match(text, end)
        if found is None:
            reason = "no escaped character" if text[end] == "\\" else "no closing quotation"
            raise InvalidBuildOptions(f"cannot read the build options: {reason} in '{shown(text)}'")
        end = found.end()
        if found.lastindex is None:
            words += ["".join(parts)] if parts else []
            parts = []
        else:
            part = found[found.lastindex]
            parts.append(_ESCAPED.sub(r"\1", part) if found.lastindex == 4 else part)
    return [*words, "".join(parts)] if parts else words


def shown(text: str) -> str:
    """Return the text of an option for a message, shortened if it is long."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"


def _value(word: str, words: Iterator[str], what: str) -> str:
    """Return the value of -D or -I: the rest of the word or, if empty, the next word."""
    value = word[2:] or next(words, "")
    if not value:
        raise InvalidBuildOptions(f"build option '{shown(word)}' needs {what}")
    return value


def _definition(value: str) -> tuple[str, str]:
    """Return macro and definition of -D; a macro alone is defined as 1, and a line break ends the
    definition."""
    macro, equals, definition = value.partition("=")
    if not _MACRO.fullmatch(macro):
        raise InvalidBuildOptions(
            f"build option '-D {shown(value)}' is invalid: '{shown(macro)}' is not a macro name"
        )
    lines = definition.splitlines()
    return macro, (lines[0] if lines else "") if equals else "1"


def _standard(word: str, earlier: str | None) -> str:
    """Return the language version of -cl-std=; raise InvalidBuildOptions if a second one differs."""
    standard = word.removeprefix("-cl-std=")
    standard = _OTHER_NAMES.get(standard, standard)
    if standard not in STANDARDS:
        known = ", ".join(STANDARDS)
        raise InvalidBuildOptions(f"build option '{shown(word)}': the device supports {known}")
    if earlier not in (None, standard):
        raise InvalidBuildOptions(f"build option '{word}' contradicts '-cl-std={earlier}'")
    return standard
