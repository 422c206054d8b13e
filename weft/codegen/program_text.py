"""A program as text, from which single functions can be extracted.

Parsing IR takes time per instruction, and a launch needs only one of possibly many kernels. So kernels are
extracted from the text before parsing, each with its dependencies; together they are not much longer than the
program.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable

from weft.ir.lexer import unquote
from weft.lazy_pattern import lazy_pattern

_NAME = lazy_pattern(r'@(?:"[^"]*"|[-\w.$]+)')
# Patterns that begin with plain text are matched many times faster. `call` starts its line, or follows `=` or
# `tail`; inline assembly is excluded.
_CALLED = lazy_pattern(r' call (?<=[ =l] call )(?![^"\n]* asm )[^@\n]*(@(?:"[^"]*"|[-\w.$]+))\(')
_ALLOCATED = lazy_pattern(r" = alloca (.*?)(?:, align \d+)?$", re.MULTILINE)
_ALLOCATED_ALIGNED = lazy_pattern(r" = alloca [^\n]*, align (\d+)")
_PHI = " = phi "
_STORED = lazy_pattern(r"^  store [^\n]*, ptr addrspace\((\d+)\) ", re.MULTILINE)
# Operations by which work-items may wait for each other.
_WAITS = lazy_pattern(
    r"xchg|exchange|test_and_set|atom(ic)?_or|fetch_or|atomicrmw (volatile )?or|@weft_yield"
)
# Operations that read memory that other work-items may write at any time.
_OBSERVES = lazy_pattern(r"atom(ic)?_|atomicrmw|cmpxchg|load (atomic|volatile)|\bfence |mem_fence")
_ALLOCATED_AS_NEEDED = lazy_pattern(r" = alloca .*, i\d+ %")
_HEAD = lazy_pattern(r'\ndefine [^\n]*?(@(?:"[^"]*"|[-\w.$]+))\([^\n]*\{\n')
_LINKAGE = lazy_pattern(r"define (?:(?:dso_local|private|internal|hidden) )*")
_END_OF_HEAD = lazy_pattern(r"(?: ![\w.]+ !\d+)* \{\n$")
# Definitions at the top level of a module, and references in any line: globals, attribute groups, metadata
# nodes; and types, which many modules do not have.
_DEFINED = lazy_pattern(r'(?:attributes |declare [^@\n]*)?([@%](?:"[^"]*"|[-\w.$]+)|[#!]\d+)(?: = |\()')
_REFERENCE = lazy_pattern(r'@(?:"[^"]*"|[-\w.$]+)|[#!]\d+')
_REFERENCE_OR_TYPE = lazy_pattern(r'[@%](?:"[^"]*"|[-\w.$]+)|[#!]\d+')


class ProgramText:
    """The text of a module, cut into functions and the rest."""

    def __init__(self, text: str) -> None:
        self._functions: dict[str, tuple[str, str]] = {}  # name -> head line, body with the closing brace
        self._parts: list[str] = []  # in the order of the text
        self._places: dict[str, int] = {}  # name that a part defines -> its index
        self._always: list[int] = []  # parts without a name: target, named metadata
        self._bodies: dict[str, int] = {}  # name of a function -> index of its part
        self._calls: dict[str, Counter[str]] = {}
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
        """Return whether the module has a body for that function."""
        return name in self._functions

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions that the module defines, in order."""
        return tuple(self._functions)

    @property
    def rest(self) -> str:
        """Everything outside of functions."""
        bodies = set(self._bodies.values())
        return "".join(part for place, part in enumerate(self._parts) if place not in bodies)

    def head(self, name: str) -> str:
        """Return the first line of a function's definition."""
        return self._functions[name][0]

    def body(self, name: str) -> str:
        """Return the rest of a function's definition."""
        return self._functions[name][1]

    def alone(self, name: str) -> str:
        """Return the module with one function and everything that it refers to, including callees."""
        wanted = self._needed({self._bodies[name], *self._always})
        return "".join(self._parts[place] for place in sorted(wanted))

    def split(self, name: str) -> tuple[str, str]:
        """Return a module with one function, in which others are declared, and a module with the others."""
        bodies = {place: other for other, place in self._bodies.items() if other != name}
        own = self._needed({self._bodies[name], *self._always}, bodies)
        kernel = "".join(
            self._declaration(bodies[place]) if place in bodies else self._parts[place]
            for place in sorted(own)
        )
        nameless = [place for place in self._always if not self._parts[place].startswith("!")]
        theirs = self._needed({*bodies, *nameless})
        return kernel, "".join(self._parts[place] for place in sorted(theirs))

    def only(self, names: Iterable[str], rewritten: Callable[[str], str] | None = None) -> str:
        """Return the module with some functions, in that order, and their callees; heads may be rewritten."""
        named = [self._bodies[name] for name in names]
        needed = self._needed({*named, *self._always})
        parts = dict(enumerate(self._parts))
        for name, place in self._bodies.items() if rewritten else ():
            assert rewritten is not None
            parts[place] = f"{rewritten(name)}{self._functions[name][1]}"
        others = sorted(needed.difference(named))
        return "".join(parts[place] for place in (*others, *named))

    def reached_from(self, names: Iterable[str]) -> dict[str, None]:
        """Return the functions with these names and all that they call, directly or indirectly."""
        reached = dict.fromkeys(names)
        work = list(reached)
        while work:
            for callee in self.calls_in(work.pop()):
                if callee in self._functions and callee not in reached:
                    reached[callee] = None
                    work.append(callee)
        return reached

    def _declaration(self, name: str) -> str:
        return _END_OF_HEAD.sub("", _LINKAGE.sub("declare ", self.head(name), count=1)) + "\n"

    def _needed(self, places: set[int], opaque: Collection[int] = ()) -> set[int]:
        """Return these parts and all that they refer to; the bodies of `opaque` parts are ignored."""
        wanted = set(places)
        pending = list(wanted)
        while pending:
            part = pending.pop()
            referred = self._named_in(self._head_of(part)) if part in opaque else self._referred(part)
            for place in referred:
                if place not in wanted:
                    wanted.add(place)
                    pending.append(place)
        return wanted

    def _head_of(self, part: int) -> str:
        return self._parts[part].partition("\n")[0].partition(" !")[0]

    def _referred(self, part: int) -> list[int]:
        """Return the parts that a part refers to."""
        referred = self._references.get(part)
        if referred is None:
            referred = self._references[part] = self._named_in(self._parts[part])
        return referred

    def _named_in(self, text: str) -> list[int]:
        references = dict.fromkeys(self._reference.findall(text))
        return [self._places[r] for r in references if r in self._places]

    def skeleton(self) -> str:
        """Return the module with empty functions, which shows parameters and variables."""
        parts = list(self._parts)
        for name, place in self._bodies.items():
            parts[place] = f"{self._functions[name][0]}  ret void\n}}\n"
        return "".join(parts)

    def names_in(self, name: str) -> set[str]:
        """Return the global names in a function."""
        return {unquote(n) for n in _NAME.findall(self._functions[name][1])}

    def called_by(self, name: str) -> set[str]:
        """Return the functions that a function calls."""
        return set(self.calls_in(name))

    def calls_in(self, name: str) -> Counter[str]:
        """Return how many times a function calls each function by name."""
        calls = self._calls.get(name)
        if calls is None:
            calls = Counter(unquote(n) for n in _CALLED.findall(self._functions[name][1]))
            self._calls[name] = calls
        return calls

    def size(self, name: str) -> int:
        """Return the number of lines of a function, which is about its number of instructions."""
        return self._functions[name][1].count("\n")

    def mentioned_in(self, name: str) -> set[str]:
        """Return the global names in a function as they are written, with quotes."""
        return set(_NAME.findall(self._functions[name][1]))

    def calls_pointers(self, name: str) -> bool:
        """Return whether a function calls through a pointer or contains inline assembly."""
        body = self._functions[name][1]
        return len(_CALLED.findall(body)) < body.count(" call ")

    def addressed(self) -> set[str]:
        """Return the functions whose addresses are used for anything but calls."""
        texts = (self.rest, *(_CALLED.sub("", body) for _, body in self._functions.values()))
        return {unquote(n) for text in texts for n in _NAME.findall(text)} & self._functions.keys()

    def allocated_by(self, name: str) -> list[str]:
        """Return the types of a function's private variables."""
        return _ALLOCATED.findall(self._functions[name][1])

    def private_alignment(self, name: str) -> int:
        """Return the largest alignment of a function's private variables."""
        return max(map(int, _ALLOCATED_ALIGNED.findall(self.body(name))), default=1)

    def allocates_unknown_sizes(self, name: str) -> bool:
        """Return whether a function has private memory whose size is only known at run time."""
        return _ALLOCATED_AS_NEEDED.search(self._functions[name][1]) is not None

    def dimensions_of(self, name: str, callee: str) -> list[int | None]:
        """Return the dimension argument of each call of a work-item function; None if it is not constant."""
        body = self._functions[name][1]
        arguments = re.findall(rf" call [^@\n]*@{re.escape(callee)}\([^)\n]*?([^ )\n]*)\)", body)
        return [int(word) if word.isdecimal() else None for word in arguments]

    def has_phis(self, name: str) -> bool:
        """Return whether a function has phis, as all functions with loops have."""
        return _PHI in self._functions[name][1]

    def stores_to(self, name: str, space: int) -> bool:
        """Return whether a function stores to memory of an address space."""
        return any(int(number) == space for number in _STORED.findall(self._functions[name][1]))

    def may_wait(self, name: str) -> bool:
        """Return whether work-items may wait for each other in a function, for example for locks."""
        return _WAITS.search(self._functions[name][1]) is not None

    def observes(self, name: str) -> bool:
        """Return whether a function may observe what other work-items write at the same time."""
        return _OBSERVES.search(self._functions[name][1]) is not None
