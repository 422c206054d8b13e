"""A program rewritten: parse, edit, parse again. What `weft vectorize` does with files."""

from dataclasses import dataclass

from weft.frontend.options import BuildOptions
from weft.source.edits import Edit, apply
from weft.source.inter import Merged, merge_work_items
from weft.source.model import parse
from weft.source.refusal import SourceError


@dataclass(frozen=True)
class Rewritten:
    """The new text, and what became of its kernels."""

    text: str
    merged: tuple[Merged, ...] = ()


class Broken(SourceError):
    """The rewriter wrote a program that does not compile: a fault of the rewriter."""


def vectorize(
    text: str,
    options: BuildOptions,
    file: str,
    *,
    inter: int = 0,
    kernels: tuple[str, ...] = (),
    exact: bool = False,
) -> Rewritten:
    """Rewrite the kernels of a program; raises Refused with the place of what cannot be rewritten."""
    source = parse(text, options, file)
    edits: list[Edit] = []
    merged: list[Merged] = []
    for kernel in source.kernels(list(kernels)):
        made, found = merge_work_items(source, kernel, inter, exact=exact)
        edits += made
        merged.append(found)
    new = apply(text, edits)
    check(new, options, file)
    return Rewritten(new, tuple(merged))


def check(text: str, options: BuildOptions, file: str) -> None:
    """Make sure that what was written parses."""
    try:
        parse(text, options, f"{file}, rewritten")
    except SourceError as error:
        raise Broken(f"the rewritten program is wrong, which is a fault of weft vectorize: {error}") from None
