"""A canonical program as text, from which each kernel can be taken alone.

Reading IR costs time per instruction; a program may hold many kernels of which a launch needs one, so
kernels are cut out of the text before it is read.
"""

import re

from weft.ir.lexer import unquote

_NAME = re.compile(r'@(?:"[^"]*"|[-\w.$]+)')
# Patterns that begin with plain text are found many times quicker.
_CALLED = re.compile(r' call [^@\n]*(@(?:"[^"]*"|[-\w.$]+))\(')
_ALLOCATED = re.compile(r" = alloca (.*?)(?:, align \d+)?$", re.MULTILINE)
_ALLOCATED_AS_NEEDED = re.compile(r" = alloca .*, i\d+ %")
_HEAD = re.compile(r'\ndefine [^\n]*?(@(?:"[^"]*"|[-\w.$]+))\([^\n]*\{\n')


class ProgramText:
    """The text of a module, cut into functions and the rest."""

    def __init__(self, text: str) -> None:
        self._functions: dict[str, tuple[str, str]] = {}  # name -> head line, body with the closing brace
        rest = []
        position = 0
        for match in _HEAD.finditer(f"\n{text}"):
            start, end = match.start(), text.index("\n}\n", match.end() - 2) + 3
            body = match.end() - 1
            self._functions[unquote(match.group(1))] = (text[start:body], text[body:end])
            rest.append(text[position:start])
            position = end
        rest.append(text[position:])
        self._rest = rest

    def defines(self, name: str) -> bool:
        """Whether the module has a body for that function."""
        return name in self._functions

    def alone(self, name: str) -> str:
        """The module with one of its functions."""
        head, body = self._functions[name]
        return "".join((self._rest[0], head, body, *self._rest[1:]))

    def skeleton(self) -> str:
        """The module with empty functions, enough to know parameters and variables."""
        functions = "".join(f"{head}  ret void\n}}\n" for head, _ in self._functions.values())
        return "".join((self._rest[0], functions, *self._rest[1:]))

    def names_in(self, name: str) -> set[str]:
        """Global names that a function mentions."""
        return {unquote(n) for n in _NAME.findall(self._functions[name][1])}

    def called_by(self, name: str) -> set[str]:
        """Functions that a function calls."""
        return {unquote(n) for n in _CALLED.findall(self._functions[name][1])}

    def allocated_by(self, name: str) -> list[str]:
        """The types of a function's private variables."""
        return _ALLOCATED.findall(self._functions[name][1])

    def allocates_unknown_sizes(self, name: str) -> bool:
        """Whether a function has private memory of which only the running kernel knows the size."""
        return _ALLOCATED_AS_NEEDED.search(self._functions[name][1]) is not None
