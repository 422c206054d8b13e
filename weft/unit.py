"""Compiled objects and libraries: the output of clCompileProgram and the input of clLinkProgram.

A unit holds the LLVM IR of the front end. Linking merges the IR of all units before any other step, so a
linked program is compiled as if it were one source, with inlining across units.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from weft import limits, settings
from weft.binary import CacheEntry, is_known, pack, remember, unpack
from weft.codegen.cache import default_cache, digest
from weft.dataclasses import dataclass
from weft.errors import BuildError, ToolError
from weft.frontend.link_options import LinkOptions, joined_options, parse_link_options
from weft.frontend.options import parse_options
from weft.frontend.program_source import Source, source_key
from weft.frontend.source_key import unchanged
from weft.program import Program, load_summary
from weft.records import from_json, parse_json, to_json
from weft.toolchain import toolchain_key

__all__ = [
    "Unit",
    "compile_unit",
    "is_unit",
    "link_executable",
    "link_library",
    "load_unit",
    "parse_link_options",
]

_MAGIC = b"WEFT-UNIT-1\n"


@dataclass(frozen=True)
class Unit:
    """A compiled object or a library: its IR, the build log, and the options of its compilation."""

    ir: str
    log: str
    options: str
    is_library: bool = False

    def binary(self) -> bytes:
        """Return the unit as bytes for `load_unit`."""
        data = pack(_MAGIC, to_json(self))
        remember(data)
        return data


def is_unit(data: bytes) -> bool:
    """Whether a binary contains a unit, not an executable."""
    return data.startswith(_MAGIC)


def load_unit(data: bytes) -> Unit:
    """Load the unit of a binary; raises ValueError unless it has the format of this version."""
    unit = from_json(Unit, unpack(_MAGIC, data))
    if not is_known(data):
        from weft.verify_binary import verify_module  # brings LLVM

        verify_module(unit.ir)
        remember(data)
    return unit


def compile_unit(
    source: Source,
    options: str,
    headers: Mapping[str, str],
    *,
    embedded: bool = False,
    only: Collection[str] | None = None,
) -> Unit:
    """Run the front end on a program; `headers` maps include names to texts.

    `embedded`, `only`: see `BuildOptions.for_device`. Raises InvalidBuildOptions, or BuildError with the
    log.
    """
    parsed = parse_options(options).for_device(embedded=embedded, only=only)
    named = (part for header in headers.items() for part in header)
    key = digest("unit", toolchain_key(), source_key(source, parsed), *named)
    store = default_cache()
    stored = store.get(key)
    if stored is not None:
        with suppress(ValueError):  # an invalid entry is ignored
            entry = from_json(CacheEntry, parse_json(stored))
            if unchanged(entry.dependencies):
                return from_json(Unit, unpack(_MAGIC, entry.binary.encode()))
    # The front end asks LLVM for the processor's name, and LLVM is slow to import.
    from weft.codegen.host import host_target
    from weft.frontend.program_source import translate_source

    with limits.build():
        translation = translate_source(source, parsed, host_target(), headers=headers)
    unit = Unit(translation.ir, translation.log, options)
    data = pack(_MAGIC, to_json(unit)).decode()
    store.put(key, CacheEntry(translation.dependencies, data).to_bytes())
    return unit


def link_library(units: Sequence[Unit]) -> Unit:
    """Link units into a library; raises BuildError if they are inconsistent."""
    from weft.codegen.join import join  # brings LLVM

    try:
        ir = join([unit.ir for unit in units])
    except ToolError as error:
        raise BuildError(f"error: {error}\n") from None
    options = joined_options([parse_options(unit.options) for unit in units], LinkOptions())
    return Unit(ir, "", options.text(), is_library=True)


def link_executable(units: Sequence[Unit], link: LinkOptions) -> Program:
    """Link units into a program, compiled up to the point where local sizes matter; raises BuildError."""
    options = joined_options([parse_options(unit.options) for unit in units], link)
    texts = [unit.ir for unit in units]
    key = digest("link", toolchain_key(), options.key(), repr(settings.get("WEFT_INLINE")), *texts)
    store = default_cache()
    stored = store.get(key)
    if stored is not None:
        with suppress(ValueError):  # an invalid entry is ignored
            return load_summary(stored)
    from weft import build_process  # brings LLVM

    with limits.build():
        compiled = build_process.link(texts, options)
    program = Program(compiled.kernels, compiled.log, options.text(), compiled.variables)
    store.put(key, program.summary())
    return program
