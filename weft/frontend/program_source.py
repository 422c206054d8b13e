"""Program sources, OpenCL C or SPIR-V, and their translation by the front end."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from weft.frontend.headers import NO_HEADERS
from weft.frontend.options import BuildOptions
from weft.frontend.source_key import key_of, source_text, translation_key
from weft.frontend.spirv.source import SpirvSource, is_il
from weft.target import Target

if TYPE_CHECKING:
    from weft.frontend.compile import Translation

Source = str | SpirvSource


def read_source(data: bytes) -> Source:
    """The program in a file: SPIR-V and what looks like it are known by their first bytes."""
    return SpirvSource(data) if is_il(data) else source_text(data)


def translate_source(
    source: Source,
    options: BuildOptions,
    target: Target,
    *,
    headers: Mapping[str, str] = NO_HEADERS,
    debug_info: bool = False,
) -> "Translation":
    """Translate a program for a processor; raises BuildError with the log. SPIR-V includes no headers."""
    if isinstance(source, SpirvSource):
        from weft.frontend.spirv.compile import compile_spirv  # OpenCL C does not need the translator

        return compile_spirv(source, options, target, debug_info=debug_info)
    from weft.frontend.compile import compile_source  # a process whose programs are built elsewhere does not

    return compile_source(source, options, target, headers=headers, debug_info=debug_info)


def source_key(source: Source, options: BuildOptions) -> str:
    """A digest of all that decides a translation, except the contents of included files."""
    if isinstance(source, SpirvSource):
        return key_of("SPIR-V", source.key(), options.key())
    return translation_key(source, options)


def text_of(source: Source) -> str:
    """The source text of debug locations; empty if a module does not contain it."""
    if isinstance(source, str):
        return source
    from weft.frontend.spirv.compile import embedded_source

    return embedded_source(source.data)
