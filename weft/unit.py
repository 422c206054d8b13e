"""Compiled objects and libraries: what clCompileProgram gives and clLinkProgram takes.

A unit holds the LLVM IR that the front end wrote. Linking joins the IR of all units before anything else
happens to it, so a linked program is compiled as if it had been one source, functions inlined across units.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from weft import __version__
from weft.codegen.cache import default_cache, digest
from weft.errors import BuildError, ToolError
from weft.frontend.compile import translation_key, unchanged
from weft.frontend.link_options import LinkOptions, joined_options, parse_link_options
from weft.frontend.options import parse_options
from weft.program import Program, load_binary
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
    """A compiled object or a library: its IR, the build log, and the options it was compiled with."""

    ir: str
    log: str
    options: str
    is_library: bool = False

    def binary(self) -> bytes:
        """The unit as bytes that `load_unit` takes."""
        body = json.dumps({"weft": __version__, **asdict(self)}).encode()
        return _MAGIC + digest(body).encode() + body


def is_unit(data: bytes) -> bool:
    """Whether a binary is that of a unit rather than of an executable."""
    return data.startswith(_MAGIC)


def load_unit(data: bytes) -> Unit:
    """The unit of a binary; raises ValueError when the bytes are not one of this version's."""
    head = len(_MAGIC)
    body = data[head + 64 :]
    if not is_unit(data) or data[head : head + 64] != digest(body).encode():
        raise ValueError("not a compiled object of Weft, or a damaged one")
    fields = json.loads(body)
    if fields.pop("weft") != __version__:
        raise ValueError(f"a compiled object of another Weft; this is {__version__}: compile from source")
    return Unit(**fields)


def compile_unit(source: str, options: str, headers: Mapping[str, str]) -> Unit:
    """Takes a program through the front end; `headers` maps names it may include to their texts.

    Raises InvalidBuildOptions, or BuildError with the log.
    """
    parsed = parse_options(options)
    named = (part for header in headers.items() for part in header)
    key = digest("unit", toolchain_key(), translation_key(source, parsed, ""), *named)
    store = default_cache()
    stored = store.get(key)
    if stored is not None:
        fields = json.loads(stored)
        if unchanged(tuple((path, checksum) for path, checksum in fields["dependencies"])):
            return load_unit(fields["binary"].encode())
    # The front end asks LLVM for the processor's name, and LLVM is slow to import.
    from weft.codegen.target import host_target
    from weft.frontend.compile import compile_source

    translation = compile_source(source, parsed, host_target().cpu, headers=headers)
    unit = Unit(translation.ir, translation.log, options)
    entry = {"dependencies": translation.dependencies, "binary": unit.binary().decode()}
    store.put(key, json.dumps(entry).encode())
    return unit


def link_library(units: Sequence[Unit]) -> Unit:
    """One library of several units; raises BuildError when they do not fit together."""
    from weft.codegen.join import join  # brings LLVM

    try:
        ir = join([unit.ir for unit in units])
    except ToolError as error:
        raise BuildError(f"error: {error}\n") from None
    options = joined_options([parse_options(unit.options) for unit in units], LinkOptions())
    return Unit(ir, "", options.text(), is_library=True)


def link_executable(units: Sequence[Unit], link: LinkOptions) -> Program:
    """A program of all units, compiled up to the point where local sizes matter; raises BuildError."""
    options = joined_options([parse_options(unit.options) for unit in units], link)
    texts = [unit.ir for unit in units]
    key = digest("link", toolchain_key(), options.key(), *texts)
    store = default_cache()
    stored = store.get(key)
    if stored is not None:
        return load_binary(stored)
    from weft import compiler  # brings LLVM

    compiled = compiler.link_program(texts, options)
    program = Program(compiled.kernels, compiled.log, options.text())
    store.put(key, program.summary())
    return program
