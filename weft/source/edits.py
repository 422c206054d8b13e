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
    """Return text[start:end] with the edits in that range; edits must not overlap."""
    end = len(text) if end is None else end
    pieces: list[str] = []
    at = start
    for edit in sorted(set(edits)):
        assert at <= edit.start <= edit.end <= end, "edits overlap"
        pieces += [text[at : edit.start], edit.text]
        at = edit.end
    pieces.append(text[at:end])
    return "".join(pieces)


def indented(text: str, by: str) -> str:
    """Indent all lines except the first; preprocessor directives and empty lines are unchanged."""
    first, *following = text.split("\n")
    return "\n".join(
        [first, *(line if not line or line.startswith("#") else by + line for line in following)]
    )


def wrapped(line: str, indent: str) -> str:
    """Break a long line after commas."""
    limit = 110 - len(indent)
    if len(line) <= limit or "\n" in line:
        return line
    lines: list[str] = []
    remaining, start = line, ""
    while len(start + remaining) > limit:
        cut = remaining.rfind(", ", 0, limit - len(start))
        if cut <= 0:
            break
        lines.append(start + remaining[: cut + 1])
        remaining, start = remaining[cut + 2 :], indent + "        "
    return "\n".join([*lines, start + remaining])
