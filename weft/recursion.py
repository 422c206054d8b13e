"""Evaluate recursive definitions of any depth without Python's stack, each value once.

Most properties of a value are defined by those of its operands. A chain of 3,000 operations exceeds Python's
recursion limit, and `v[k] = v[k-1] + v[k-2]` has exponentially many paths through its operands. So such a
definition is written as a generator: it yields the values that it depends on, receives their results, and
returns its own.

    def _height(self, value):
        if not isinstance(value, Instruction):
            return 0
        left, right = (yield value.operands[0]), (yield value.operands[1])
        return 1 + max(left, right)

    height = Recursion(self._height, 0)
    height(value)

A result is valid until the program changes: a `Recursion` belongs to one analysis or one query.
"""

from collections.abc import Callable, Generator, Hashable
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Answer = TypeVar("Answer")
Definition = Generator[Key, Answer, Answer]
Steps = Generator["Steps[Any]", Any, Answer]


class Recursion(Generic[Key, Answer]):
    """A recursive function that stores its results; linear in the number of keys.

    `define` is the definition for a key. The result for a key whose definition is still being evaluated, in a
    cycle, is `open`. `known` contains the results, and may have initial ones.
    """

    __slots__ = ("_define", "_open", "known")

    def __init__(
        self,
        define: Callable[[Key], Definition[Key, Answer]],
        open: Answer,
        known: dict[Key, Answer] | None = None,
    ) -> None:
        self._define, self._open = define, open
        self.known: dict[Key, Answer] = {} if known is None else known

    def __call__(self, key: Key) -> Answer:
        """Return the result for a key."""
        known = self.known
        if key in known:
            return known[key]
        known[key] = self._open
        define = self._define
        stack: list[tuple[Key, Definition[Key, Answer]]] = [(key, define(key))]
        answer: Any = None  # the value that is sent to the top definition: None at its start
        try:
            while True:
                at, definition = stack[-1]
                try:
                    wanted = definition.send(answer)
                    while wanted in known:
                        wanted = definition.send(known[wanted])
                except StopIteration as end:
                    answer = known[at] = end.value
                    stack.pop()
                    if not stack:
                        return end.value
                else:
                    known[wanted] = self._open
                    stack.append((wanted, define(wanted)))
                    answer = None
        except BaseException:
            for unanswered, _ in stack:
                del known[unanswered]
            raise


def run(steps: Steps[Answer]) -> Answer:
    """Run a recursive procedure: a generator that yields the calls it makes, themselves generators.

    For work that is done once for each part and stores no results, such as emitting code for nested loops.
    """
    stack: list[Steps[Any]] = [steps]
    answer: Any = None
    while True:
        try:
            called = stack[-1].send(answer)
        except StopIteration as end:
            stack.pop()
            if not stack:
                return end.value
            answer = end.value
        else:
            stack.append(called)
            answer = None
