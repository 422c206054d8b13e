"""A canonical program as text, from which each kernel can be taken alone.

Reading IR costs time per instruction; a program may hold many kernels of which a launch needs one, so
kernels are cut out of the text before it is read, each with what it refers to: all of them together are not
much longer than the program.
"""

import re

from weft.ir.lexer import unquote

_NAME = re.compile(r'@(?:"[^"]*"|[-\w.$]+)')
# Patterns that begin with plain text are found many times quicker.
_CALLED = re.compile(r' call [^@\n]*(@(?:"[^"]*"|[-\w.$]+))\(')
_ALLOCATED = re.compile(r" = alloca (.*?)(?:, align \d+)?$", re.MULTILINE)
_ALLOCATED_AS_NEEDED = re.compile(r" = alloca .*, i\d+ %")
_HEAD = re.compile(r'\ndefine [^\n]*?(@(?:"[^"]*"|[-\w.$]+))\([^\n]*\{\n')
# What a line at the top of a module defines, and what any line may refer to: globals, attribute groups,
# metadata nodes; and types, which many modules do not have.
_DEFINED = re.compile(r'(?:attributes |declare [^@\n]*)?([@%](?:"[^"]*"|[-\w.$]+)|[#!]\d+)(?: = |\()')
_REFERENCE = re.compile(r'@(?:"[^"]*"|[-\w.$]+)|[#!]\d+')
_REFERENCE_OR_TYPE = re.compile(r'[@%](?:"[^"]*"|[-\w.$]+)|[#!]\d+')


class ProgramText:
    """The text of a module, cut into functions and the rest."""

    def __init__(self, text: str) -> None:
        self._functions: dict[str, tuple[str, str]] = {}  # name -> head line, body with the closing brace
        self._parts: list[str] = []  # in the order of the text
        self._places: dict[str, int] = {}  # reference to what a part defines -> the part
        self._always: list[int] = []  # parts without a name: target, named metadata
        self._bodies: dict[str, int] = {}  # name of a function -> its part
        position = 0
        for match in _HEAD.finditer(f"\n{text}"):
            start, end = match.start(), text.index("\n}\n", match.end() - 2) + 3
            body = match.end() - 1
            self._add_lines(text[position:start])
            name = unquote(match.group(1))
            self._functions[name] = (text[start:body], text[body:end])
            self._places[match.group(1)] = len(self._parts)
            self._bodies[name] = len(self._parts)
            self._parts.append(text[start:end])
            position = end
        self._add_lines(text[position:])
        self._reference = _REFERENCE_OR_TYPE if any(p[0] == "%" for p in self._places) else _REFERENCE
        self._references: dict[int, list[int]] = {}

    def _add_lines(self, text: str) -> None:
        for line in text.split("\n"):
            if not line or line.startswith(";"):
                continue
            defined = _DEFINED.match(line)
            if defined is None:
                self._always.append(len(self._parts))
            else:
                self._places[defined[1]] = len(self._parts)
            self._parts.append(f"{line}\n")

    def defines(self, name: str) -> bool:
        """Whether the module has a body for that function."""
        return name in self._functions

    def alone(self, name: str) -> str:
        """The module with one of its functions and what that refers to."""
        wanted = {self._bodies[name], *self._always}
        pending = list(wanted)
        while pending:
            for place in self._referred(pending.pop()):
                if place not in wanted:
                    wanted.add(place)
                    pending.append(place)
        return "".join(self._parts[place] for place in sorted(wanted))

    def _referred(self, part: int) -> list[int]:
        """The parts that a part refers to."""
        found = self._references.get(part)
        if found is None:
            references = dict.fromkeys(self._reference.findall(self._parts[part]))
            found = [self._places[r] for r in references if r in self._places]
            self._references[part] = found
        return found

    def skeleton(self) -> str:
        """The module with empty functions, enough to know parameters and variables."""
        parts = list(self._parts)
        for name, place in self._bodies.items():
            parts[place] = f"{self._functions[name][0]}  ret void\n}}\n"
        return "".join(parts)

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
