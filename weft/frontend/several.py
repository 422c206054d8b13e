"""Decide which sources a persistent clang process may compile, and isolate their outputs.

clang keeps the files that it has read, diagnostic pragmas and type names from one input to the next. A source
that could be affected by the first two, or leave them behind, is compiled in a separate process; types are
renumbered.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from weft.frontend.clang import SOURCE_NAME
from weft.frontend.headers import READING_WORDS, joined_lines
from weft.frontend.options import INTEL_EXTENSIONS, BuildOptions
from weft.lazy_pattern import lazy_pattern

HEADER = Path(__file__).with_name("include") / "weft_opencl.h"
# Included only if a program uses one of these words.
INTEL_HEADER = HEADER.with_name("weft_intel_subgroups.h")
_INTEL_WORDS = ("intel_sub_group_", "cl_intel_subgroup", "cl_intel_required_subgroup_size")
# In OpenCL C 1.x only Intel's extension provides these. Words such as sub_group_reduce do not count: programs
# may define functions with these names.
_SUB_GROUP_WORDS = ("get_sub_group_", "get_num_sub_groups", "get_max_sub_group_size")

# Words that make clang read files or refer to its input. Searching for the words takes a hundredth of the
# time of one pattern with alternatives, and sources may be long.
_ALONE = (*READING_WORDS, "__BASE_FILE__", "__TIMESTAMP__", "_Pragma")
# Pragmas other than those that end with the source.
_PRAGMA = lazy_pattern(r"pragma(?!\s+(?:OPENCL|(?:no)?unroll)\b)")
# Allowed only at the beginning of the input.
_BYTE_ORDER_MARK = "\ufeff"
_WORD = lazy_pattern(r"[A-Za-z_$][\w$]*", re.ASCII)
# Characters that could end a definition before the end of its line.
_UNSAFE = lazy_pattern(r"[\\\n\r]|/\*|//|\?\?/")

_TYPE = lazy_pattern(r"\n%([\w.$]+) = type ")
_TYPE_NAME = lazy_pattern(r"(?<=%)[A-Za-z_][\w.$]*")
_NUMBERED = lazy_pattern(r"(.*)\.\d+")


def may_stand(source: str, options: BuildOptions) -> bool:
    """Return whether a persistent clang process may compile a source."""
    source = joined_lines(source)
    return (
        not any(word in source for word in (*_ALONE, *_intel_words(options)))
        and not source.startswith(_BYTE_ORDER_MARK)
        and _PRAGMA.search(source) is None
        and _header_words().isdisjoint(name.partition("(")[0] for name, _ in options.defines)
        and not any(_UNSAFE.search(definition) for _, definition in options.defines)
    )


def includes(texts: Iterable[str], options: BuildOptions) -> list[str]:
    """Return the arguments that include Weft's headers in a program with these texts."""
    words = _intel_words(options)
    wanted = any(word in text for text in texts for word in words)
    wanted = wanted and INTEL_EXTENSIONS[0] not in options.without
    return [word for path in (HEADER, *[INTEL_HEADER] * wanted) for word in ("-include", str(path))]


def _intel_words(options: BuildOptions) -> tuple[str, ...]:
    """Return the words of programs that use Intel's extensions of sub-groups."""
    return _INTEL_WORDS + _SUB_GROUP_WORDS if options.std.startswith("CL1.") else _INTEL_WORDS


def with_macros(source: str, options: BuildOptions, macros: Sequence[str], arguments: Sequence[str]) -> str:
    """Prefix the source with `macros`, which are arguments of clang, and the macros of its options.

    They get the position that clang gives to those of its other `arguments`.
    """
    known = (word.removeprefix("-D").partition("=") for word in macros)
    lines = "".join(f"#define {name} {definition}\n" for name, _, definition in known) + options.directives()
    if not lines:
        return source
    others = sum(word.startswith(("-D", "-U")) for word in arguments)
    return f'#line {others + 1} "<command line>"\n{lines}#line 1 "{SOURCE_NAME}"\n{source}'


def number_types(ir: str) -> str:
    """Renumber types: two with the same name get the suffixes that LLVM uses in a new process.

    LLVM counts all types that it has seen, including those of earlier modules.
    """
    names = _TYPE.findall(f"\n{ir}")
    if not any(map(_NUMBERED.fullmatch, names)):
        return ir
    renamed: dict[str, str] = {}
    counts: dict[str, int] = {}
    for name in names:
        numbered = _NUMBERED.fullmatch(name)
        plain = numbered[1] if numbered else name
        count = counts.get(plain, 0)
        counts[plain] = count + 1
        renamed[name] = f"{plain}.{count - 1}" if count else plain
    # Strings are unchanged; quotes in strings are escaped by their code.
    parts = ir.split('"')
    parts[::2] = [_TYPE_NAME.sub(lambda name: renamed.get(name[0], name[0]), part) for part in parts[::2]]
    return '"'.join(parts)


@cache
def _header_words() -> frozenset[str]:
    return frozenset(_WORD.findall(HEADER.read_text()))
