"""A canonical program as text, from which each kernel can be taken alone.

Reading IR costs time per instruction; a program may hold many kernels of which a launch needs one, so
kernels are cut out of the text before it is read.
"""

import re

_NAME = re.compile(r'@("[^"]*"|[-\w.$]+)')
_CALLED = re.compile(r'\bcall [^@\n]*@("[^"]*"|[-\w.$]+)\(')
_ALLOCATED = re.compile(r"^  %\S+ = alloca (.*?)(?:, align \d+)?$", re.MULTILINE)
_HEAD = re.compile(r'^define [^\n]*?@("[^"]*"|[-\w.$]+)\([^\n]*\{\n', re.MULTILINE)


class ProgramText:
    """The text of a module, cut into functions and the rest."""

    def __init__(self, text: str) -> None:
        self._functions: dict[str, tuple[str, str]] = {}  # name -> head line, body with the closing brace
        rest = []
        position = 0
        for match in _HEAD.finditer(text):
            end = text.index("\n}\n", match.end() - 1) + 3
            self._functions[match.group(1).strip('"')] = (match.group(0), text[match.end() : end])
            rest.append(text[position : match.start()])
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
        return {n.strip('"') for n in _NAME.findall(self._functions[name][1])}

    def called_by(self, name: str) -> set[str]:
        """Functions that a function calls."""
        return {n.strip('"') for n in _CALLED.findall(self._functions[name][1])}

    def allocated_by(self, name: str) -> list[str]:
        """The types of a function's private variables."""
        return _ALLOCATED.findall(self._functions[name][1])
