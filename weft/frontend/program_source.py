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
    """Return the program in a file; SPIR-V and LLVM bitcode are recognized by their first bytes."""
    return SpirvSource(data) if is_il(data) else source_text(data)


def translate_source(
    source: Source,
    options: BuildOptions,
    target: Target,
    *,
    headers: Mapping[str, str] = NO_HEADERS,
    debug_info: bool = False,
) -> "Translation":
    """Translate a program for a processor; raise BuildError with the log. SPIR-V includes no headers."""
    if isinstance(source, SpirvSource):
        from weft.frontend.spirv.compile import compile_spirv  # not needed for OpenCL C

        return compile_spirv(source, options, target, debug_info=debug_info)
    from weft.frontend.compile import compile_source  # not needed if programs are built in another process

    return compile_source(source, options, target, headers=headers, debug_info=debug_info)


def source_key(source: Source, options: BuildOptions) -> str:
    """Return a digest of everything that determines a translation, except the contents of included files."""
    if isinstance(source, SpirvSource):
        return key_of("SPIR-V", source.key(), options.key())
    return translation_key(source, options)


def text_of(source: Source) -> str:
    """Return the source text that debug locations refer to; empty if a module does not contain it."""
    if isinstance(source, str):
        return source
    from weft.frontend.spirv.compile import embedded_source

    return embedded_source(source.data)
