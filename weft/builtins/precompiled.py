"""Built-ins that `weft prepare` has compiled ahead for the processor of this machine, with the installation.

The archive has every function whose parameters are scalars and vectors of numbers, as compiled without build
options that would change it. Its identity covers the library, the front end, clang and the processor's
properties.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path

from weft.archive import Archive, ArchiveWriter, Place, open_archive
from weft.lazy_pattern import lazy_pattern

from .catalogue import WIDTHS, Catalogue, named_element
from .demangle import Signature, Type, demangle
from .images import read_tags
from .widen import CODES, mangle

PATH = str(Path(__file__).parent / "__pycache__" / "builtins.archive")

# Symbol -> where its module is, the build options that change it, and whether it is inlined before analysis.
Index = Mapping[str, tuple[Place, tuple[str, ...], bool]]
# Names of functions that are found by other means than templates' signatures.
_OTHER_NAMES = lazy_pattern("convert_|.*image")


class Precompiled:
    """The built-ins in an archive, or none."""

    def __init__(self, archive: Archive | None) -> None:
        self._archive = archive
        self._index: Index
        self._names: frozenset[str]
        self._index, self._names = archive.index if archive is not None else ({}, frozenset())

    def __contains__(self, symbol: str) -> bool:
        return symbol in self._index

    def shows_absence(self, symbol: str) -> bool:
        """Whether the library certainly lacks a function; False if only the catalogue knows."""
        if self._archive is None or symbol in self._index:
            return False
        signature = demangle(read_tags(symbol).symbol)
        if signature is None:
            return True
        return signature.name not in self._names and not _OTHER_NAMES.match(signature.name)

    def is_open(self, symbol: str) -> bool:
        """Whether a built-in that it contains is inlined before kernels are analysed."""
        return self._index[symbol][2]

    def find(self, symbol: str, options: Iterable[str]) -> str | None:
        """Return the module of a built-in for build options; None if there is none."""
        entry = self._index.get(symbol)
        if entry is None or self._archive is None or not set(entry[1]).isdisjoint(options):
            return None
        data = self._archive.read(entry[0])
        return None if data is None else data.decode()


@cache
def precompiled(identity: str) -> Precompiled:
    """Return the built-ins of this installation, if they have that identity."""
    return Precompiled(open_archive(PATH, identity))


def write(
    identity: str, modules: Mapping[str, tuple[str, tuple[str, ...], bool]], names: Iterable[str]
) -> None:
    """Write the archive: for each symbol its module and the rest of its entry in the index.

    `names` are all names of functions in the signatures of templates.
    """
    writer = ArchiveWriter()
    index = {symbol: (writer.add(text.encode()), *more) for symbol, (text, *more) in modules.items()}
    writer.write(PATH, identity, (index, frozenset(names)))
    precompiled.cache_clear()


def common_symbols(library: Catalogue) -> list[str]:
    """Return the symbols of the library's functions whose parameters are scalars and vectors.

    Also those of the most common functions that take pointers.
    """
    signatures = dict.fromkeys([*_signatures(library), *_conversions()])
    symbols = [*map(mangle, signatures), *_of_pointers()]
    return [symbol for symbol in symbols if library.find_symbol(symbol) is not None]


def _signatures(library: Catalogue) -> Iterator[Signature]:
    for name, patterns in library.patterns.items():
        for pattern in patterns:
            if any(parameter.pointer or parameter.width == "M" for parameter in pattern.parameters):
                continue
            for element in pattern.types or ("",):
                elements = [named_element(parameter.element, element) for parameter in pattern.parameters]
                for width in pattern.widths if pattern.width is None else (pattern.width,):
                    sizes = [width if parameter.width == "N" else 1 for parameter in pattern.parameters]
                    if all(found in CODES for found in elements):
                        yield Signature(name, tuple(map(Type, elements, sizes)))


def _conversions() -> Iterator[Signature]:
    for source, result, width in product(CODES, CODES, WIDTHS):
        for mode in ("", "_sat"):
            size = width if width > 1 else ""
            yield Signature(f"convert_{result}{size}{mode}", (Type(source, width),))


def _of_pointers() -> Iterator[str]:
    for space, code in product(("CLglobal", "CLlocal"), map(CODES.__getitem__, CODES)):
        for n in WIDTHS[1:]:
            loaded, stored = f"vload{n}", f"vstore{n}"
            yield f"_Z{len(loaded)}{loaded}mPU{len(space)}{space}K{code}"
            yield f"_Z{len(stored)}{stored}Dv{n}_{code}mPU{len(space)}{space}{code}"
        for name in ("add", "sub", "min", "max", "and", "or", "xor", "xchg"):
            yield f"_Z{len(name) + 7}atomic_{name}PU{len(space)}{space}V{code}{code}"
        for name in ("inc", "dec"):
            yield f"_Z{len(name) + 7}atomic_{name}PU{len(space)}{space}V{code}"
        yield f"_Z14atomic_cmpxchgPU{len(space)}{space}V{code}{code}{code}"
