"""What two processes say of code that one compiles for the other: pickles behind a mark and their length."""

import pickle
import struct
from dataclasses import dataclass
from typing import IO, Any

from weft.faults import Fault
from weft.kernel import CodeOptions, KernelCode
from weft.launch_form import LaunchForm

# A mark, since whatever runs in the other process could write to the same file, and a length.
_HEAD = struct.Struct("<8sQ")
_MARK = b"weft.msg"
_LONGEST = 1 << 32


@dataclass(frozen=True)
class Ready:
    """The first that the process which compiles says."""


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


def send(stream: IO[bytes], message: Any) -> None:
    """Writes a message to a stream, buffered or not."""
    data = pickle.dumps(message)
    rest = memoryview(_HEAD.pack(_MARK, len(data)) + data)
    while rest:
        rest = rest[stream.write(rest) :]
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Reads a message; raises EOFError if there is none, ValueError if it is something else."""
    mark, length = _HEAD.unpack(_read(stream, _HEAD.size))
    if mark != _MARK or length > _LONGEST:
        raise ValueError("what was read is no message")
    data = _read(stream, length)
    try:
        return pickle.loads(data)
    except MemoryError:
        raise
    except Exception as error:  # whatever the bytes made pickle do
        raise ValueError("what was read is no message") from error


def _read(stream: IO[bytes], length: int) -> bytes:
    pieces = []
    while length:
        piece = stream.read(length)
        if not piece:
            raise EOFError
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)
