"""The option string of clLinkProgram."""

from typing import Any

from weft.dataclasses import dataclass, fields
from weft.errors import InvalidBuildOptions
from weft.frontend.options import BuildOptions, shown, split

# Option -> the field of BuildOptions that it enables in the linked program (None: no effect).
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
    """Options of a link; `flags` names fields of BuildOptions."""

    create_library: bool = False
    enable_link_options: bool = False
    flags: frozenset[str] = frozenset()


def parse_link_options(text: str) -> LinkOptions:
    """Parse an option string; raise InvalidBuildOptions with a message that names the invalid option."""
    words = split(text)
    known = {"-create-library", "-enable-link-options", *_PROGRAM_OPTIONS}
    for word in words:
        if word not in known:
            raise InvalidBuildOptions(f"unknown link option '{shown(word)}'")
    library, enable = "-create-library" in words, "-enable-link-options" in words
    if enable and not library:
        raise InvalidBuildOptions("link option '-enable-link-options' requires '-create-library'")
    flags = {_PROGRAM_OPTIONS.get(word) for word in words} - {None}
    if flags and library and not enable:
        raise InvalidBuildOptions("program options for a library require '-enable-link-options'")
    return LinkOptions(library, enable, frozenset(flag for flag in flags if flag))


def joined_options(parts: list[BuildOptions], link: LinkOptions) -> BuildOptions:
    """Return the options of a linked program: options of all parts, or of the link."""
    flags: dict[str, Any] = {
        field.name: field.name in link.flags or all(getattr(part, field.name) for part in parts)
        for field in fields(BuildOptions)
        if field.type is bool
    }
    # The linked program is not optimized if one part must not be.
    flags["opt_disable"] = any(part.opt_disable for part in parts)
    return BuildOptions(**flags)
