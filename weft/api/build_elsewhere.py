"""Build a program for another process: `python -m weft.api.build_elsewhere`.

That process has a thread which must not wait for its Python (`hot_elsewhere.c`). It sends a
`weft_hot_request` to standard input, and gets a `weft_hot_built` from standard output: the result of
clBuildProgram, and all that C needs of the program and its kernels. The build goes the usual way, so it is in
the cache afterwards, where the Python of that process finds it.

Objects have the handles that they have in the other process, because results of queries contain them.
"""

import os
import sys
from typing import Any

from weft.api.snapshot import native_results
from weft.errors import tell
from weft.faults import Fault, report
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.hot import ffi
from weft.runtime.hot import lib as hot
from weft.runtime.kernel import Kernel
from weft.runtime.platform import the_platform
from weft.runtime.program import Program
from weft.settings import InvalidSetting

_WORD = 8
_FIRST_OTHER = 3  # descriptor after the standard ones


class _Reader:
    """Takes structures and bytes from a request."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def bytes(self, size: int) -> bytes:
        """The next bytes."""
        taken = self._data[self._at : self._at + size]
        if len(taken) != size:
            raise ValueError("the request is truncated")
        self._at += size
        return taken

    def array(self, kind: str, count: int) -> Any:
        """The next structures of a kind."""
        made = ffi.new(f"{kind}[]", count)
        ffi.memmove(made, self.bytes(ffi.sizeof(made)), ffi.sizeof(made))
        return made


def build(request: bytes) -> bytes:
    """The reply to a request."""
    reader = _Reader(request)
    heads = reader.array("weft_hot_request", 1)
    head = heads[0]
    if head.magic != hot.WEFT_HOT_MAGIC:
        raise ValueError("the request is of another version")
    devices = []
    for told in reader.array("weft_hot_device_limit", head.device_count):
        devices.append(the_platform().devices[told.number])
        devices[-1].handle = told.device
    context = Context(devices)
    context.handle = head.context
    constants = reader.array("weft_hot_constant", head.constant_count)
    options = reader.bytes(head.option_bytes).decode("utf-8", "surrogateescape")
    program = Program.from_module(context, reader.bytes(head.il_bytes))
    program.handle = head.program
    for constant in constants:
        program.set_constant(constant.id, bytes(constant.value)[: constant.size])
    code = 0
    try:
        program.build((), options)
    except CLError as error:
        code = error.code
    return _reply(program, code)


def _reply(program: Program, code: int) -> bytes:
    names = () if code else tuple(program.executable().kernels)
    results, values, _ = native_results(program)
    body = _filled(_packed("weft_hot_result", results)) + _filled(values)
    body += b"".join(_kernel(Kernel(program, name)) for name in names)
    head = ffi.new("weft_hot_built *", {"magic": hot.WEFT_HOT_MAGIC, "code": code})
    head.bytes = ffi.sizeof("weft_hot_built") + len(body)
    head.kernel_count, head.result_count, head.value_bytes = len(names), len(results), len(values)
    return bytes(ffi.buffer(head)) + body


def _kernel(kernel: Kernel) -> bytes:
    results, values, only = native_results(kernel)
    name = kernel.name.encode("utf-8", "surrogateescape")
    arguments = ffi.new("weft_hot_argument[]", list(kernel.native_arguments))
    for argument in arguments:
        argument.slot -= kernel.native.block
    head = ffi.new("weft_hot_built_kernel *")
    head.kernel = kernel.native[0]
    head.kernel.block, head.kernel.arguments = 0, ffi.NULL
    head.name_bytes, head.value_bytes, head.only_device = len(name), len(values), only
    head.result_count = len(results)
    parts = (bytes(ffi.buffer(head)), name, bytes(ffi.buffer(arguments)), _packed("weft_hot_result", results))
    return b"".join(_filled(part) for part in (*parts, values))


def _packed(kind: str, rows: list[tuple[int, ...]]) -> bytes:
    return bytes(ffi.buffer(ffi.new(f"{kind}[]", rows)))


def _filled(data: bytes) -> bytes:
    """Bytes up to a whole word."""
    return data + bytes(-len(data) % _WORD)


def main() -> None:
    """Serve one request."""
    # What is printed must not get into the reply.
    reply = os.dup(1)
    os.dup2(2, 1)
    os.closerange(reply + 1, os.sysconf("SC_OPEN_MAX"))  # descriptors that the client lets children inherit
    os.closerange(_FIRST_OTHER, reply)
    with os.fdopen(0, "rb", closefd=False) as file:
        request = file.read()
    try:
        data = build(request)
        with os.fdopen(reply, "wb", closefd=False) as file:
            file.write(data)
    except BaseException as error:  # the other process then waits for its own Python
        if isinstance(error, InvalidSetting):
            tell(str(error))
        else:
            report("a program cannot be built in another process", Fault.of(error))
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)  # whatever threads still do


if __name__ == "__main__":
    main()
