"""Tokens of LLVM's textual IR.

A token is a plain string that starts with what tells its kind: % @ ! # $ for references, a quote for
strings (c" for byte strings), a digit or sign for numbers, a letter for words, else punctuation.
"""

import re

_TOKEN = re.compile(
    r"""
    [%@!$]"[^"]*" | c?"[^"]*"            # quoted references, strings
  | ;.*                                  # comment, dropped
  | [%@$][-\w.$]+ | ![-\w.$\\]* | \#\w+  # references
  | [A-Za-z_][\w.]*                      # words
  | [-+]?\d[\w.]*(?:(?<=[eE])[-+]\d+)?   # numbers, also hexadecimal ones
  | \.\.\. | [()\[\]{}<>,=*|:]
    """,
    re.VERBOSE,
)


class ParseError(ValueError):
    """The text is not IR that Weft understands; the message quotes the line."""


def tokenize(line: str) -> list[str]:
    """The tokens of a line, without comments."""
    tokens = _TOKEN.findall(line)
    if ";" in line:
        tokens = [t for t in tokens if t[0] != ";"]
    return tokens


def unquote(reference: str) -> str:
    """The name behind a reference's sigil, quotes and escapes resolved."""
    name = reference[1:]
    if name.startswith('"'):
        name = name[1:-1]
        if "\\" in name:
            name = re.sub(r"\\([0-9A-Fa-f]{2})", lambda m: chr(int(m.group(1), 16)), name)
    return name


def string_bytes(token: str) -> bytes:
    """The bytes of a string token."""
    body = token[token.index('"') + 1 : -1]
    if "\\" not in body:
        return body.encode("utf-8")
    out = bytearray()
    i = 0
    raw = body.encode("utf-8")
    while i < len(raw):
        if raw[i] == 0x5C:
            if raw[i + 1] == 0x5C:
                out.append(0x5C)
                i += 2
            else:
                out.append(int(raw[i + 1 : i + 3], 16))
                i += 3
        else:
            out.append(raw[i])
            i += 1
    return bytes(out)


class Cursor:
    """A position in a list of tokens."""

    __slots__ = ("index", "line", "tokens")

    def __init__(self, tokens: list[str], line: str) -> None:
        self.tokens = tokens
        self.index = 0
        self.line = line

    def peek(self) -> str:
        """The next token, or an empty string at the end."""
        return self.tokens[self.index] if self.index < len(self.tokens) else ""

    def next(self) -> str:
        """Takes the next token."""
        index = self.index
        if index >= len(self.tokens):
            raise self.error("unexpected end of line")
        self.index = index + 1
        return self.tokens[index]

    def accept(self, token: str) -> bool:
        """Takes the next token if it is this one."""
        if self.index < len(self.tokens) and self.tokens[self.index] == token:
            self.index += 1
            return True
        return False

    def expect(self, token: str) -> None:
        """Takes the next token, which must be this one."""
        if not self.accept(token):
            raise self.error(f"expected {token!r}, found {self.peek()!r}")

    def balanced(self) -> str:
        """Takes a bracketed group, with everything in it, and returns its text."""
        closing = {"(": ")", "[": "]", "{": "}", "<": ">"}
        stack = [closing[self.next()]]
        start = self.index - 1
        while stack:
            token = self.next()
            if token in closing:
                stack.append(closing[token])
            elif token == stack[-1]:
                stack.pop()
        return joined(self.tokens[start : self.index])

    def error(self, message: str) -> ParseError:
        """An error that quotes the line."""
        return ParseError(f"{message} in: {self.line.strip()}")


def joined(tokens: list[str]) -> str:
    """Tokens as text again, spaced as LLVM does."""
    text = ""
    for token in tokens:
        glue = not text or text[-1] in "([{<" or token in (")", "]", "}", ">", ",", "(", ":")
        if token == "(" and text and text[-1] in ",:|":
            glue = False
        text += token if glue else " " + token
    return text
