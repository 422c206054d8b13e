"""Messages between a process that compiles and its client: a marker, a length and a pickle.

Unpickling creates only numbers, strings, and Weft's own records and errors.
"""

import io
import pickle
import struct
from enum import Enum
from typing import Any, Protocol

from weft.dataclasses import dataclass, is_dataclass
from weft.errors import WeftError
from weft.faults import Fault
from weft.frontend.options import BuildOptions
from weft.frontend.program_source import Source
from weft.kernel import CodeOptions, CompiledProgram, KernelCode
from weft.launch_form import LaunchForm

# A mark, since whatever runs in the other process could write to the same file, and a length.
_HEAD = struct.Struct("<8sQ")
_MARK = b"weft.msg"
_LONGEST = 1 << 32
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Hello:
    """The first that a client of the server says: its settings, its working folder (empty if that is gone),
    the processors it may use, and whether it will have programs built."""

    environment: dict[str, str]
    folder: str
    processors: frozenset[int]
    builds: bool


@dataclass(frozen=True)
class Ready:
    """The first that the process which compiles says: its number, where the other does not know it."""

    process: int = 0


@dataclass(frozen=True)
class Request:
    """What `compile_form` takes."""

    code: KernelCode
    options: CodeOptions
    form: LaunchForm


@dataclass(frozen=True)
class Answer:
    """What `compile_form` gave, or why it gave nothing."""

    data: bytes = b""
    fault: Fault | None = None


@dataclass(frozen=True)
class BuildRequest:
    """What `build_process.build` takes."""

    source: Source
    options: BuildOptions
    debug_info: bool


@dataclass(frozen=True)
class BuildAnswer:
    """What `build_process.build` gave, or what it raised on purpose; neither of them: it failed."""

    program: CompiledProgram | None = None
    error: WeftError | None = None


class Reader(Protocol):
    """Where messages come from."""

    def read(self, length: int, /) -> bytes | None:
        """Up to so many bytes; none at the end."""


class Writer(Protocol):
    """Where messages go to."""

    def write(self, data: memoryview, /) -> int | None:
        """Take some of the bytes, and tell how many."""

    def flush(self) -> None:
        """Have them on their way."""


def send(stream: Writer, message: Any) -> None:
    """Writes a message to a stream, buffered or not."""
    data = pickle.dumps(message)
    rest = memoryview(_HEAD.pack(_MARK, len(data)) + data)
    while rest:
        rest = rest[stream.write(rest) or 0 :]
    stream.flush()


def receive(stream: Reader) -> Any:
    """Reads a message; raises EOFError if there is none, ValueError if it is something else."""
    mark, length = _HEAD.unpack(_read(stream, _HEAD.size))
    if mark != _MARK or length > _LONGEST:
        raise ValueError("the data is not a message")
    data = _read(stream, length)
    try:
        return _Unpickler(io.BytesIO(data)).load()
    except MemoryError:
        raise
    except Exception as error:  # whatever the bytes made pickle do
        raise ValueError("the data is not a message") from error


class _Unpickler(pickle.Unpickler):
    """Makes nothing but what messages are made of."""

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] != __name__.partition(".")[0]:
            raise pickle.UnpicklingError(f"{module}.{name} is not allowed in a message")
        found = super().find_class(module, name)
        is_own = isinstance(found, type) and found.__module__ == module
        if not is_own or not (is_dataclass(found) or issubclass(found, WeftError | Enum)):
            raise pickle.UnpicklingError(f"{module}.{name} is not allowed in a message")
        return found


def _read(stream: Reader, length: int) -> bytes:
    pieces = []
    while length:
        piece = stream.read(min(length, _CHUNK))
        if not piece:
            raise EOFError
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)
