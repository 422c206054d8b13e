"""Tokens of LLVM's textual IR.

The first character of a token determines its kind: % @ ! # $ for references, a quote for strings (c" for byte
strings), a digit or sign for numbers, a letter for words, else punctuation.
"""

import re
from collections.abc import Container

from weft.lazy_pattern import lazy_pattern

from .types import quoted

_TOKEN = lazy_pattern(
    r"""
    [%@$][-\w.$]+ | ,                    # references; what is most frequent comes first
  | ptr\ addrspace\(\d+\)                # the most frequent types are one token
  | c?"[^"]*" | [A-Za-z_][\w.]*          # strings, words
  | [%@!$]"[^"]*" | <\d+\ x\ \w+>
  | [-+]?\d[\w.]*(?:(?<=[eE])[-+]\d+)?   # numbers, also hexadecimal ones
  | ![-\w.$\\]* | \#\w+
  | ;.*                                  # comment, dropped
  | \.\.\. | [^\s]                       # punctuation; what is none is found out by the parser
    """,
    re.VERBOSE,
)


_ESCAPE = lazy_pattern(rb"\\([0-9A-Fa-f]{2})")


class ParseError(ValueError):
    """The text is not IR that Weft supports; the message quotes the line."""


def tokenize(line: str) -> list[str]:
    """Split a line into tokens, without comments."""
    tokens = _TOKEN.findall(line)
    if ";" in line:
        tokens = [t for t in tokens if t[0] != ";"]
    return tokens


def unquote(reference: str) -> str:
    """Return the name after a reference's sigil, with quotes and escapes resolved."""
    name = reference[1:]
    if name.startswith('"'):
        name = name[1:-1]
        if "\\" in name:
            name = string_bytes(reference).decode("utf-8", "surrogateescape")
    return name


def local_key(token: str) -> str:
    """Normalize a local reference or label: remove unnecessary quotes."""
    if token[1:2] == '"':
        name = unquote(token)
        return "%" + (quoted(name) if not name.isdigit() else f'"{name}"')
    return token


def local_name(key: str) -> str | None:
    """Return the name of a local reference; None for a number, which denotes an unnamed value."""
    return None if key[1:].isdigit() else unquote(key)


def string_bytes(token: str) -> bytes:
    """Return the bytes of a string token."""
    body = token[token.index('"') + 1 : -1]
    if "\\" not in body:
        return body.encode("utf-8", "surrogateescape")
    out = bytearray()
    i = 0
    raw = body.encode("utf-8", "surrogateescape")
    while i < len(raw):
        if raw[i] == 0x5C:
            escape = _ESCAPE.match(raw, i)
            if escape is None:  # LLVM keeps a backslash without two digits
                out.append(0x5C)
                i += 2 if raw[i + 1 : i + 2] == b"\\" else 1
            else:
                out.append(int(escape.group(1), 16))
                i += 3
        else:
            out.append(raw[i])
            i += 1
    return bytes(out)


class Cursor:
    """A position in a list of tokens; two empty strings at the end make lookahead safe."""

    __slots__ = ("index", "line", "tokens")

    def __init__(self, tokens: list[str], line: str) -> None:
        tokens += ("", "")
        self.tokens = tokens
        self.index = 0
        self.line = line

    def peek(self) -> str:
        """Return the next token, or an empty string at the end."""
        return self.tokens[self.index]

    def next(self) -> str:
        """Consume the next token."""
        token = self.tokens[self.index]
        if not token:
            raise self.error("unexpected end of line")
        self.index += 1
        return token

    def accept(self, token: str) -> bool:
        """Consume the next token if it equals `token`."""
        if self.tokens[self.index] == token:
            self.index += 1
            return True
        return False

    def expect(self, token: str) -> None:
        """Consume the next token, which must equal `token`."""
        if self.tokens[self.index] != token:
            raise self.error(f"expected {token!r}, found {self.found}")
        self.index += 1

    @property
    def found(self) -> str:
        """The next token, for messages."""
        token = self.tokens[self.index]
        return repr(token) if token else "the end of line"

    def integer(self) -> int:
        """Consume an unsigned number."""
        token = self.tokens[self.index]
        if not token.isdigit():
            raise self.error(f"expected a number, found {self.found}")
        self.index += 1
        return int(token)

    def bracketed_integer(self) -> int:
        """Consume an unsigned number in parentheses."""
        self.expect("(")
        number = self.integer()
        self.expect(")")
        return number

    def one_of(self, words: Container[str], what: str) -> str:
        """Consume one of `words`."""
        token = self.tokens[self.index]
        if token not in words or not token:
            raise self.error(f"expected {what}, found {self.found}")
        self.index += 1
        return token

    def balanced(self) -> str:
        """Consume a bracketed group with its contents, and return its text."""
        closing = _CLOSING
        start = self.index
        if self.tokens[start] not in closing:
            raise self.error(f"expected a bracket, found {self.found}")
        stack = [closing[self.next()]]
        while stack:
            token = self.next()
            if token in closing:
                stack.append(closing[token])
            elif token == stack[-1]:
                stack.pop()
        return joined(self.tokens[start : self.index])

    def error(self, message: str) -> ParseError:
        """Create an error that quotes the line."""
        return ParseError(f"{message} in: {self.line.strip()}")


_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


def joined(tokens: list[str]) -> str:
    """Convert tokens back to text, spaced as by LLVM."""
    text = ""
    for token in tokens:
        glue = not text or text[-1] in "([{<" or token in (")", "]", "}", ">", ",", "(", ":")
        if token == "(" and text and text[-1] in ",:|":
            glue = False
        text += token if glue else " " + token
    return text
