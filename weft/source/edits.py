"""Edits: replacements of text ranges, applied once."""

from collections.abc import Iterable

from weft.dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Edit:
    """Replace text[start:end]; an insertion has start == end."""

    start: int
    end: int
    text: str


def apply(text: str, edits: Iterable[Edit], start: int = 0, end: int | None = None) -> str:
    """text[start:end] with the edits that lie in it; edits must not overlap."""
    end = len(text) if end is None else end
    made: list[str] = []
    at = start
    for edit in sorted(set(edits)):
        assert at <= edit.start <= edit.end <= end, "edits overlap"
        made += [text[at : edit.start], edit.text]
        at = edit.end
    made.append(text[at:end])
    return "".join(made)


def indented(text: str, by: str) -> str:
    """Each line but the first further to the right; directives of the preprocessor and empty lines stay."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(line if not line or line.startswith("#") else by + line for line in rest)])


def wrapped(line: str, indent: str) -> str:
    """A long line, broken after commas."""
    limit = 110 - len(indent)
    if len(line) <= limit or "\n" in line:
        return line
    lines: list[str] = []
    rest, start = line, ""
    while len(start + rest) > limit:
        cut = rest.rfind(", ", 0, limit - len(start))
        if cut <= 0:
            break
        lines.append(start + rest[: cut + 1])
        rest, start = rest[cut + 2 :], indent + "        "
    return "\n".join([*lines, start + rest])
