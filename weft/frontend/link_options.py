"""The option string of clLinkProgram."""

from typing import Any

from weft.dataclasses import dataclass, fields
from weft.errors import InvalidBuildOptions
from weft.frontend.options import BuildOptions, split

# Option -> the field of BuildOptions that it turns on in what is linked (None: it has no meaning here).
_PROGRAM_OPTIONS: dict[str, str | None] = {
    "-cl-denorms-are-zero": "denorms_are_zero",
    "-cl-no-signed-zeros": "no_signed_zeros",
    "-cl-no-signed-zeroes": "no_signed_zeros",
    "-cl-unsafe-math-optimizations": "unsafe_math",
    "-cl-finite-math-only": "finite_math_only",
    "-cl-fast-relaxed-math": "fast_relaxed_math",
    "-cl-no-subgroup-ifp": "no_sub_group_progress",
}


@dataclass(frozen=True)
class LinkOptions:
    """What programs are linked with; `flags` names fields of BuildOptions."""

    create_library: bool = False
    enable_link_options: bool = False
    flags: frozenset[str] = frozenset()


def parse_link_options(text: str) -> LinkOptions:
    """Read an option string; raises InvalidBuildOptions with a message that names the offending option."""
    words = split(text)
    known = {"-create-library", "-enable-link-options", *_PROGRAM_OPTIONS}
    for word in words:
        if word not in known:
            raise InvalidBuildOptions(f"unknown link option '{word}'")
    library, enable = "-create-library" in words, "-enable-link-options" in words
    if enable and not library:
        raise InvalidBuildOptions("link option '-enable-link-options' requires '-create-library'")
    flags = {_PROGRAM_OPTIONS.get(word) for word in words} - {None}
    if flags and library and not enable:
        raise InvalidBuildOptions("program options for a library require '-enable-link-options'")
    return LinkOptions(library, enable, frozenset(flag for flag in flags if flag))


def joined_options(parts: list[BuildOptions], link: LinkOptions) -> BuildOptions:
    """The options of a linked program: those of all parts, or requested by the link."""
    flags: dict[str, Any] = {
        field.name: field.name in link.flags or all(getattr(part, field.name) for part in parts)
        for field in fields(BuildOptions)
        if field.type is bool
    }
    # One part that must not be optimized is reason enough.
    flags["opt_disable"] = any(part.opt_disable for part in parts)
    return BuildOptions(**flags)
