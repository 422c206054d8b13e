"""Syntax highlighting of OpenCL C, line by line, as HTML."""

import re
from html import escape

from weft.lazy_pattern import lazy_pattern

_WORDS = (
    r"(?:__)?(?:kernel|global|local|constant|private|read_only|write_only|read_write)|__attribute__"
    r"|const|restrict|volatile|static|inline|typedef|struct|union|enum|sizeof"
    r"|if|else|for|while|do|switch|case|default|break|continue|return|goto|true|false"
    r"|void|bool|size_t|ptrdiff_t|unsigned|signed"
    r"|(?:u?char|u?short|u?int|u?long|half|float|double)(?:2|3|4|8|16)?"
)
_TOKEN = lazy_pattern(
    r"(?P<c>//[^\n]*|/\*.*?(?:\*/|\Z)|^[ \t]*#[^\n]*)"
    r'|(?P<s>"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\')'
    r"|(?P<n>\b(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)[uUlLfFhH]*\b)"
    rf"|(?P<k>\b(?:{_WORDS})\b)"
    r"|(?P<f>\b[A-Za-z_]\w*(?=\())",
    re.DOTALL | re.MULTILINE,
)


def coloured_lines(source: str) -> list[str]:
    """Return the lines of a source as HTML with spans for comments, strings, numbers, keywords and calls."""
    parts = []
    end = 0
    for match in _TOKEN.finditer(source):
        parts.append(escape(source[end : match.start()]))
        # A comment may span several lines, each of which is a separate element.
        marked = (f'<span class="{match.lastgroup}">{escape(part)}</span>' for part in match[0].split("\n"))
        parts.append("\n".join(marked))
        end = match.end()
    parts.append(escape(source[end:]))
    return "".join(parts).split("\n")
