"""Rewrite a program: parse, edit, parse again. The core of `weft vectorize`."""

from weft.dataclasses import dataclass
from weft.frontend.options import BuildOptions
from weft.source.edits import Edit, apply
from weft.source.inter import Merged, merge_work_items
from weft.source.intra import Unrolled, unroll_loops
from weft.source.model import parse
from weft.source.own_functions import OwnFunctions
from weft.source.refusal import Refused, SourceError

INTER, INTRA = "inter", "intra"


@dataclass(frozen=True)
class Rewritten:
    """The new text, its rewritten kernels and loops, and the reasons for loops that were not rewritten."""

    text: str
    merged: tuple[Merged, ...] = ()
    unrolled: tuple[Unrolled, ...] = ()
    not_rewritten: tuple[Refused, ...] = ()


@dataclass(frozen=True)
class Request:
    """The rewrite: factors (0: none), the kernels (empty: all), and assumptions about the program.

    `exact`: the global size is a multiple of the factor. `fast_math`: sums of floats may be reassociated.
    `order`: which of both methods is applied first.
    """

    inter: int = 0
    intra: int = 0
    kernels: tuple[str, ...] = ()
    exact: bool = False
    fast_math: bool = False
    order: tuple[str, str] = (INTRA, INTER)


class Broken(SourceError):
    """The rewriter wrote a program that does not compile, which is a bug in the rewriter."""


def vectorize(text: str, options: BuildOptions, file: str, request: Request) -> Rewritten:
    """Rewrite the kernels of a program; raise Refused with the location of code that cannot be rewritten."""
    rewritten = Rewritten(text)
    for step in request.order:
        if step == INTER and request.inter:
            rewritten = _merge(rewritten, options, file, request)
        elif step == INTRA and request.intra:
            rewritten = _unroll(rewritten, options, file, request)
        else:
            continue
        check(rewritten.text, options, file)
    return rewritten


def _merge(rewritten: Rewritten, options: BuildOptions, file: str, request: Request) -> Rewritten:
    source = parse(rewritten.text, options, file)
    edits: list[Edit] = []
    merged: list[Merged] = []
    own = OwnFunctions(source, request.inter, ids=True)
    for kernel in source.kernels(list(request.kernels)):
        more, kernel_result = merge_work_items(source, kernel, own, exact=request.exact)
        edits += more
        merged.append(kernel_result)
    edits += own.edits(edits)
    return Rewritten(apply(source.text, edits), tuple(merged), rewritten.unrolled, rewritten.not_rewritten)


def _unroll(rewritten: Rewritten, options: BuildOptions, file: str, request: Request) -> Rewritten:
    source = parse(rewritten.text, options, file)
    edits: list[Edit] = []
    unrolled: list[Unrolled] = []
    not_rewritten: list[Refused] = []
    own = OwnFunctions(source, request.intra, ids=False)
    for kernel in source.kernels(list(request.kernels)):
        more, loops, refused = unroll_loops(source, kernel, own, fast_math=request.fast_math)
        edits += more
        unrolled += loops
        not_rewritten += refused
    edits += own.edits(edits)
    return Rewritten(apply(source.text, edits), rewritten.merged, tuple(unrolled), tuple(not_rewritten))


def check(text: str, options: BuildOptions, file: str) -> None:
    """Verify that a rewritten program parses."""
    try:
        parse(text, options, f"{file}, rewritten")
    except SourceError as error:
        raise Broken(f"the rewritten program is invalid; this is a bug in weft vectorize: {error}") from None
