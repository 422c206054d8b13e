"""What two processes say of code that one compiles for the other: pickles behind their length."""

import pickle
import struct
from dataclasses import dataclass
from typing import IO, Any

from weft.group_code import Form
from weft.kernel import CodeOptions, KernelCode

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True)
class Ready:
    """The first that the process which compiles says."""


@dataclass(frozen=True)
class Request:
    """What `compile_form` takes."""

    code: KernelCode
    options: CodeOptions
    form: Form


@dataclass(frozen=True)
class Answer:
    """What `compile_form` gave, or the traceback of what it raised."""

    data: bytes = b""
    error: str = ""


def send(stream: IO[bytes], message: Any) -> None:
    """Writes a message to a stream, buffered or not."""
    data = pickle.dumps(message)
    rest = memoryview(_LENGTH.pack(len(data)) + data)
    while rest:
        rest = rest[stream.write(rest) :]
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Reads a message; raises EOFError if there is none."""
    (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
    return pickle.loads(_read(stream, length))


def _read(stream: IO[bytes], length: int) -> bytes:
    pieces = []
    while length:
        piece = stream.read(length)
        if not piece:
            raise EOFError
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)
