"""Typed messages of passes and policies. Each has a name and a text, which is defined in one place.

Names are members of enumerations that derive from `Message`, declared next to the code that uses them:

    class NotSplit(Message):
        MOSTLY_MEMORY = "vectors are loaded and stored more often ({memory}) than taken apart ({mixed})"

Programs compare names and arguments, never text. Exceptions and arguments of remarks (`weft/remarks.py`)
carry a `Reason`: a name with its arguments.
"""

import string
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from weft.ir.debug import Location

Argument: TypeAlias = "bool | int | float | str | Message | Location | Reason | tuple[Argument, ...] | None"


class Message(Enum):
    """A name with its text, in which `{width}` is replaced by the argument `width`."""

    @property
    def title(self) -> str:
        """The name in LLVM's style: `TooFewWorkItems`."""
        return "".join(word.capitalize() for word in self.name.split("_"))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The arguments that the text names."""
        return tuple(name for _, name, _, _ in string.Formatter().parse(self.value) if name)

    def text(self, arguments: Mapping[str, "Argument"]) -> str:
        """Return the text with its arguments."""
        return "".join(text for _, text in self.pieces(arguments))

    def pieces(self, arguments: Mapping[str, "Argument"]) -> Iterator[tuple[str, str]]:
        """Yield the pieces of the text, each after the name of its argument, or ''."""
        for text, name, _, _ in string.Formatter().parse(self.value):
            if text:
                yield "", text
            if name:
                yield name, shown(arguments[name], arguments)


class Reason:
    """A name with its arguments: why something is as it is, or was not done."""

    def __init__(self, message: Message, **arguments: Argument) -> None:
        self.message, self.arguments = message, arguments

    def __str__(self) -> str:
        return self.message.text(self.arguments)


def shown(argument: "Argument", others: Mapping[str, "Argument"]) -> str:
    """Format an argument; a message as an argument may use the `others` in its text."""
    if isinstance(argument, Message):
        return argument.text(others)
    if isinstance(argument, tuple):
        return ", ".join(shown(item, others) for item in argument)
    return str(argument)
