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
from weft.target import Target

# A marker, because other code in that process could write to the same file, and a length.
_HEAD = struct.Struct("<8sQ")
_MARK = b"weft.msg"
_LONGEST = 1 << 32
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Hello:
    """The first message of a client of the server.

    It has its settings, its working folder (empty if that was removed), the processors that it may use, and
    whether it will build programs.
    """

    environment: dict[str, str]
    folder: str
    processors: frozenset[int]
    builds: bool


@dataclass(frozen=True)
class Ready:
    """The first message of the compiling process, with its process id if the client does not know it."""

    process: int = 0


@dataclass(frozen=True)
class Request:
    """The arguments of `compile_form`, and the host's processor if the client knows it."""

    code: KernelCode
    options: CodeOptions
    form: LaunchForm
    host: Target | None = None


@dataclass(frozen=True)
class Answer:
    """The result of `compile_form`, or why there is none."""

    data: bytes = b""
    fault: Fault | None = None


@dataclass(frozen=True)
class BuildRequest:
    """The arguments of `build_process.build`."""

    source: Source
    options: BuildOptions
    debug_info: bool


@dataclass(frozen=True)
class BuildAnswer:
    """The result of `build_process.build`, or the error that it raised on purpose; neither if it failed."""

    program: CompiledProgram | None = None
    error: WeftError | None = None


class Reader(Protocol):
    """A source of messages."""

    def read(self, length: int, /) -> bytes | None:
        """Return up to `length` bytes; none at the end."""


class Writer(Protocol):
    """A destination of messages."""

    def write(self, data: memoryview, /) -> int | None:
        """Write some of the bytes and return their number."""

    def flush(self) -> None:
        """Write buffered bytes."""


def send(stream: Writer, message: Any) -> None:
    """Write a message to a stream, buffered or not."""
    data = pickle.dumps(message)
    rest = memoryview(_HEAD.pack(_MARK, len(data)) + data)
    while rest:
        rest = rest[stream.write(rest) or 0 :]
    stream.flush()


def receive(stream: Reader) -> Any:
    """Read a message; raises EOFError if there is none, ValueError if it is malformed."""
    mark, length = _HEAD.unpack(_read(stream, _HEAD.size))
    if mark != _MARK or length > _LONGEST:
        raise ValueError("the data is not a message")
    data = _read(stream, length)
    try:
        return _Unpickler(io.BytesIO(data)).load()
    except MemoryError:
        raise
    except Exception as error:  # malformed bytes can make pickle raise anything
        raise ValueError("the data is not a message") from error


class _Unpickler(pickle.Unpickler):
    """Creates only objects that messages may contain."""

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
