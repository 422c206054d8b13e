"""The builder: a process that builds programs and prepares launches for the process that has started it.

The other process (the client) has a thread that must not wait for the GIL (`hot_elsewhere.c`). It sends a
`weft_hot_request` to standard input and receives a reply from standard output. That is a `weft_hot_built`,
the result of clBuildProgram with everything that C needs of the program and its kernels, or a
`weft_hot_prepared`, everything that C needs to start a launch. Programs and code are also stored in the cache
as usual, where Python in the client finds them.

Objects have the same handles as in the client, because results of queries contain them. Machine code is
written to memory that both processes share, from which the client executes it (`hot_builders.c`).
"""

import os
import select
import sys
from collections import OrderedDict
from typing import Any

from weft.api.snapshot import native_results
from weft.dataclasses import dataclass, field
from weft.errors import tell
from weft.faults import Fault, report
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.hot import SharedLoader, ffi
from weft.runtime.hot import lib as hot
from weft.runtime.kernel import Kernel
from weft.runtime.launch import Deferred, prepare
from weft.runtime.platform import the_platform
from weft.runtime.program import Program
from weft.runtime.queue import CommandQueue
from weft.settings import InvalidSetting

_WORD = 8
_FIRST_OTHER = 4  # the first descriptor after the standard ones and that of shared memory
_IDLE_SECONDS = 60.0  # an idle builder occupies 60 MB
_MOST_PROGRAMS = 256


class _Ended(Exception):
    """The client sends no more requests."""


class _Request:
    """Reads structures and bytes from a socket; raises _Ended if the request is truncated."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def bytes(self, size: int) -> bytes:
        """Read the next bytes."""
        parts = []
        while size:
            part = os.read(self._descriptor, size)
            if not part:
                raise _Ended
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def array(self, kind: str, count: int) -> Any:
        """Read the next structures of a kind."""
        structures = ffi.new(f"{kind}[]", count)
        ffi.memmove(structures, self.bytes(ffi.sizeof(structures)), ffi.sizeof(structures))
        return structures


@dataclass
class _Built:
    """A program, the error code of its last build, and the objects for launches of its kernels."""

    program: Program
    code: int
    kernels: dict[str, Kernel] = field(default_factory=dict)
    queue: CommandQueue | None = None


class _Builder:
    """Builds programs, and keeps the most recent ones for launches."""

    def __init__(self) -> None:
        self._built: OrderedDict[tuple[object, ...], _Built] = OrderedDict()
        self.can_launch = False

    def share(self, region: Any) -> None:
        """Make the loader write code to the memory shared with the client, if possible."""
        if not SharedLoader.is_usable or hot.weft_hot_map_region(region):
            return
        loader = SharedLoader(region[0])
        for device in the_platform().devices:
            if device.native.memory.is_host:
                device.native.memory.loader = loader
        self.can_launch = True

    def reply(self, request: _Request) -> bytes:
        """Handle a request and return the reply."""
        heads = request.array("weft_hot_request", 1)
        head = heads[0]
        if head.magic != hot.WEFT_HOT_MAGIC:
            raise ValueError("the request is of another version")
        devices = []
        for limit in request.array("weft_hot_device_limit", head.device_count):
            devices.append(the_platform().devices[limit.number])
            devices[-1].handle = limit.device
        constants = tuple(
            (constant.id, bytes(constant.value)[: constant.size])
            for constant in request.array("weft_hot_constant", head.constant_count)
        )
        options = request.bytes(head.option_bytes).decode("utf-8", "surrogateescape")
        key = (head.program, head.context, constants, options, request.bytes(head.il_bytes))
        if not head.is_launch:
            self._built.pop(key, None)  # build again, because results of queries must be those of a new build
        built = self._find(key, devices)
        return self._launch(built, request) if head.is_launch else _reply(built.program, built.code)

    def _find(self, key: tuple[Any, ...], devices: list[Any]) -> _Built:
        if key in self._built:
            self._built.move_to_end(key)
            return self._built[key]
        handle, context_handle, constants, options, il = key
        context = Context(devices)
        context.handle = context_handle
        program = Program.from_module(context, il)
        program.handle = handle
        for id, value in constants:
            program.set_constant(id, value)
        code = 0
        try:
            program.build((), options)
        except CLError as error:
            code = error.code
        built = self._built[key] = _Built(program, code)
        if len(self._built) > _MOST_PROGRAMS:
            self._built.popitem(last=False)
        return built

    def _launch(self, built: _Built, request: _Request) -> bytes:
        launches = request.array("weft_hot_launch", 1)
        launch = launches[0]
        name = request.bytes(launch.name_bytes).decode("utf-8", "surrogateescape")
        block = request.bytes(launch.block_bytes)
        prepared = ffi.new("weft_hot_prepared *", {"magic": hot.WEFT_HOT_MAGIC, "code": hot.WEFT_HOT_ASK})
        has_variables = not built.code and built.program.executable().variables.nbytes
        if self.can_launch and not built.code and not has_variables:
            try:
                self._prepare(built, launch, name, block, prepared)
                prepared.code = 0
            except CLError as error:
                prepared.code = error.code
        return bytes(ffi.buffer(prepared))

    def _prepare(self, built: _Built, launch: Any, name: str, block: bytes, prepared: Any) -> None:
        program, key = built.program, launch.key
        if built.queue is None:
            built.queue = CommandQueue(program.context, program.devices[0])
        if name not in built.kernels:
            built.kernels[name] = Kernel(program, name)
        kernel = built.kernels[name]
        kernel.block[:] = block  # arguments determine trip counts of loops
        dimensions = key.work_dim
        extents = tuple(key.global_size)[:dimensions]
        local = tuple(key.local_size)[:dimensions] if key.given & hot.WEFT_HOT_LOCAL_SIZE else None
        start = tuple(key.offset)[:dimensions] if key.given & hot.WEFT_HOT_OFFSET else None
        deferred = Deferred(launch.local_bytes, launch.layout, bool(launch.are_disjoint), launch.waits)
        result = prepare(built.queue, kernel, dimensions, start, extents, local, deferred)
        assert result is not None  # there are work-items
        result.describe(prepared)


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
    """Pad bytes to a multiple of the word size."""
    return data + bytes(-len(data) % _WORD)


def main() -> None:
    """Serve requests until the client ends, or has sent none for a while."""
    # Printed text must not get into the reply, so standard output becomes standard error.
    reply = os.dup(1)
    os.dup2(2, 1)
    os.closerange(reply + 1, os.sysconf("SC_OPEN_MAX"))  # descriptors inherited from the client
    os.closerange(_FIRST_OTHER, reply)
    request, builder = _Request(0), _Builder()
    try:
        builder.share(request.array("weft_hot_region", 1))
        with os.fdopen(reply, "wb", closefd=False) as file:
            while select.select([0], [], [], _IDLE_SECONDS)[0]:
                file.write(builder.reply(request))
                file.flush()
    except (_Ended, BrokenPipeError, ConnectionResetError):
        pass  # the client has ended
    except BaseException as error:  # without a reply, the client waits for its own Python
        if isinstance(error, InvalidSetting):
            tell(str(error))
        else:
            report("a program cannot be built in another process", Fault.of(error))
        sys.stderr.flush()
        os._exit(1)
    os._exit(0)  # even if threads are still running
