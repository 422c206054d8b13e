"""Snapshots of query results on live objects.

They are collected when Python shuts down, because C serves queries from then on. While Python runs, results
are stored in C for threads that must not wait for the GIL.

Queries that would have to compute something first, such as a program binary that was never requested, are
omitted; the client gets CL_OUT_OF_RESOURCES.
"""

import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from weft.api import constants as cl
from weft.api import handles
from weft.api.command_buffer import COMMAND_BUFFER_INFO, MUTABLE_COMMAND_INFO
from weft.api.context import CONTEXT_INFO
from weft.api.device_info import DEVICE_INFO, SUB_GROUPS
from weft.api.event import EVENT_INFO, PROFILING_INFO
from weft.api.image import FORMATS, IMAGE_INFO
from weft.api.info import Query
from weft.api.kernel_info import ARG_INFO, KERNEL_INFO, SUB_GROUP_INFO, WORK_GROUP_INFO, SubGroupQuery
from weft.api.memory import MEM_INFO
from weft.api.program import BUILD_INFO, PROGRAM_INFO
from weft.api.queue import QUEUE_INFO
from weft.api.sampler import SAMPLER_INFO
from weft.dataclasses import dataclass
from weft.runtime.command_buffer import CommandBuffer, MutableCommand
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.event import Event
from weft.runtime.hot import ffi as hot_ffi
from weft.runtime.hot import lib as hot
from weft.runtime.image import Image
from weft.runtime.kernel import Kernel
from weft.runtime.memory import Memory
from weft.runtime.objects import CLObject
from weft.runtime.platform import Device, Platform, stop_commands
from weft.runtime.program import Program
from weft.runtime.queue import CommandQueue
from weft.runtime.sampler import Sampler
from weft.runtime.sub_device import SubDevice

REFERENCE_COUNT = 1  # instead of an error code: the value is the current reference count
_REFERENCE_COUNTS = {
    cl.CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR,
    cl.CL_CONTEXT_REFERENCE_COUNT,
    cl.CL_DEVICE_REFERENCE_COUNT,
    cl.CL_EVENT_REFERENCE_COUNT,
    cl.CL_KERNEL_REFERENCE_COUNT,
    cl.CL_MEM_REFERENCE_COUNT,
    cl.CL_PROGRAM_REFERENCE_COUNT,
    cl.CL_QUEUE_REFERENCE_COUNT,
    cl.CL_SAMPLER_REFERENCE_COUNT,
}
_OBJECT = struct.Struct("=QII")  # weft_ended_object in weft/icd/native/ended.h
_STATUS = struct.Struct("=i")
_ANSWER = struct.Struct("=QQIIiIQ")  # weft_ended_answer

Question = tuple[str, int, Mapping[int, Query], Any]


@dataclass(frozen=True)
class Snapshot:
    """Objects and answers as `weft/icd/native/ended.h` describes them, and the bytes of the values."""

    objects: bytes
    answers: bytes
    values: bytes

    @property
    def object_count(self) -> int:
        """The number of objects."""
        return len(self.objects) // _OBJECT.size

    @property
    def answer_count(self) -> int:
        """The number of answers."""
        return len(self.answers) // _ANSWER.size


def take(families: Mapping[str, int]) -> Snapshot:
    """Stop all commands, then collect the results of all queries about all live objects.

    `families` maps the names of queries to their indices in the dispatch table.
    """
    stop_commands()
    _adopt_all()
    objects: list[tuple[int, int, int]] = []
    answers: list[tuple[int, int, int, int, int, int, int]] = []
    values = bytearray()
    seen: set[int] = set()
    while left := [(handle, target) for handle, target in list(handles.live.items()) if handle not in seen]:
        for handle, target in left:
            seen.add(handle)
            if not target.attach_if_there():
                continue  # the client has released it in the meantime, in the garbage collector
            counted = not isinstance(target, Platform) and (
                not isinstance(target, Device) or isinstance(target, SubDevice)
            )
            objects.append((handle, target.references, counted))
            for name, about, table, subject in _questions(target):
                for param, query in table.items():
                    code, data = _ask(param, query, subject)
                    answers.append((handle, families[name], about, param, code, len(data), len(values)))
                    values += data
            target.detach()
    objects.sort()
    answers.sort()
    return Snapshot(
        b"".join(_OBJECT.pack(*one) for one in objects),
        b"".join(
            _ANSWER.pack(handle, about, family, param, code, size, offset)
            for handle, family, about, param, code, size, offset in answers
        ),
        bytes(values),
    )


_NATIVE_KINDS = {
    "clGetProgramBuildInfo": hot.WEFT_HOT_BUILD_INFO,
    "clGetKernelWorkGroupInfo": hot.WEFT_HOT_WORK_GROUP_INFO,
    "clGetKernelSubGroupInfo": hot.WEFT_HOT_SUB_GROUP_INFO,
}
_NATIVE_CODES = {
    **dict.fromkeys(_REFERENCE_COUNTS, hot.WEFT_HOT_REFERENCES),
    **dict.fromkeys((cl.CL_PROGRAM_SOURCE, cl.CL_PROGRAM_IL, cl.CL_PROGRAM_BINARIES), hot.WEFT_HOT_ASK),
    cl.CL_KERNEL_LOCAL_MEM_SIZE: hot.WEFT_HOT_LOCAL_BYTES,
    cl.CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE: hot.WEFT_HOT_COMPUTE,
    cl.CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE: hot.WEFT_HOT_COMPUTE,
    cl.CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT: hot.WEFT_HOT_COMPUTE,
}


_MADE_LATER = (cl.CL_DRIVER_VERSION, cl.CL_DEVICE_SPIRV_CAPABILITIES_KHR)
_NOT_KEPT = ("clGetSupportedImageFormats", "clGetKernelArgInfo")
# For each device: which of _MADE_LATER were available when its results were stored.
_at_hand: WeakKeyDictionary[Device, list[bool]] = WeakKeyDictionary()


def keep_results(target: CLObject) -> None:
    """Store the results of queries about an object in C, for threads that must not wait for the GIL.

    Results of devices, of which there are many, are stored when a context is created, and again when a kernel
    is created if more results are available then.
    """
    devices: Sequence[Device] = ()
    if isinstance(target, Context):
        devices = target.devices
    elif isinstance(target, Kernel):
        devices = target.program.devices
    elif not isinstance(target, (CommandQueue, Program)):
        return
    _keep(target)
    now = [_is_at_hand(param, None) for param in _MADE_LATER]
    for device in devices:
        if _at_hand.get(device) != now:
            _keep(device)
            _at_hand[device] = now


def _keep(target: CLObject) -> None:
    found, values, only = native_results(target)
    results = hot_ffi.new("weft_hot_result[]", found)
    if hot.weft_hot_keep_results(target.handle, results, len(found), values, len(values), only):
        raise MemoryError("no memory for results of queries")


def native_results(target: CLObject) -> tuple[list[tuple[int, ...]], bytes, int]:
    """Return the results of queries for C, the bytes of their values, and the only device of a kernel."""
    questions = [question for question in _questions(target) if question[0] not in _NOT_KEPT]
    only = 0
    if isinstance(target, Kernel):
        devices = target.program.devices
        only = devices[0].handle if len(devices) == 1 else 0
        questions = [q for q in questions if q[1] or q[0] == "clGetKernelInfo"]
        questions += [
            ("clGetKernelSubGroupInfo", d.handle, SUB_GROUP_INFO, SubGroupQuery(target, d)) for d in devices
        ]
    found: list[tuple[int, ...]] = []
    values = bytearray()
    for name, about, table, subject in questions:
        for param, query in table.items():
            code, data = _native_result(param, query, subject)
            kind = _NATIVE_KINDS.get(name, hot.WEFT_HOT_INFO)
            found.append((about, kind, param, code, len(data), len(values)))
            values += data
    return found, bytes(values), only


def _native_result(param: int, query: Query, subject: Any) -> tuple[int, bytes]:
    if isinstance(subject, SubGroupQuery) and not subject.device.info.has(SUB_GROUPS):
        return cl.CL_INVALID_OPERATION, b""
    if param in _NATIVE_CODES:
        return _NATIVE_CODES[param], b""
    if not _is_at_hand(param, subject):
        return hot.WEFT_HOT_ASK, b""
    return _ask(param, query, subject)


def _adopt_all() -> None:
    """Adopt all objects that C owns."""
    for handle in handles.unadopted():
        handles.create_object(handle)


def _questions(target: CLObject) -> Iterator[Question]:
    """Yield the queries about an object: function, second parameter, table, and argument of its functions."""
    match target:
        case Context():
            yield "clGetContextInfo", 0, CONTEXT_INFO, target
            yield "clGetSupportedImageFormats", 0, FORMATS, target
        case Device():
            yield "clGetDeviceInfo", 0, DEVICE_INFO, target
        case CommandQueue():
            yield "clGetCommandQueueInfo", 0, QUEUE_INFO, target
        case Memory():
            yield "clGetMemObjectInfo", 0, MEM_INFO, target
            if isinstance(target, Image):
                yield "clGetImageInfo", 0, IMAGE_INFO, target
        case Sampler():
            yield "clGetSamplerInfo", 0, SAMPLER_INFO, target
        case Program():
            yield "clGetProgramInfo", 0, PROGRAM_INFO | {cl.CL_PROGRAM_BINARIES: _nothing}, target
            for device, build in target.builds.items():
                yield "clGetProgramBuildInfo", device.handle, BUILD_INFO, build
        case Kernel():
            yield "clGetKernelInfo", 0, KERNEL_INFO, target
            for index, argument in enumerate(target.compiled.info.arguments):
                yield "clGetKernelArgInfo", index, ARG_INFO, argument
            for device in target.program.devices:
                yield "clGetKernelWorkGroupInfo", device.handle, WORK_GROUP_INFO, (target, device)
            if len(target.program.devices) == 1:
                yield "clGetKernelWorkGroupInfo", 0, WORK_GROUP_INFO, (target, target.program.devices[0])
        case CommandBuffer():
            yield "clGetCommandBufferInfoKHR", 0, COMMAND_BUFFER_INFO, target
        case MutableCommand():
            yield "clGetMutableCommandInfoKHR", 0, MUTABLE_COMMAND_INFO, target
        case Event():
            yield "clGetEventInfo", 0, EVENT_INFO, target
            yield "clGetEventProfilingInfo", 0, PROFILING_INFO, target


def _nothing(_program: Program) -> bytes:
    """Return an empty result: this query writes through pointers of the client, which are not known yet."""
    raise CLError(cl.CL_OUT_OF_RESOURCES, "Python has shut down")


def _ask(param: int, query: Query, subject: Any) -> tuple[int, bytes]:
    """Return the error code and the value of a query."""
    if param in _REFERENCE_COUNTS:
        return REFERENCE_COUNT, b""
    if not _is_at_hand(param, subject):
        return cl.CL_OUT_OF_RESOURCES, b""
    try:
        data = query(subject)
    except CLError as error:
        return error.code, b""
    if param == cl.CL_EVENT_COMMAND_EXECUTION_STATUS and subject.status > cl.CL_COMPLETE:
        data = _STATUS.pack(cl.CL_OUT_OF_RESOURCES)  # it will never end
    return cl.CL_SUCCESS, data


def _is_at_hand(param: int, subject: Any) -> bool:
    """Whether the result of a query is available without computing something first."""
    if param == cl.CL_DRIVER_VERSION:
        return "weft.program" in sys.modules
    if param == cl.CL_DEVICE_SPIRV_CAPABILITIES_KHR:
        return "weft.frontend.spirv.grammar" in sys.modules
    if param == cl.CL_PROGRAM_BINARY_SIZES:
        return all(build.binary or not (build.executable or build.unit) for build in subject.builds.values())
    return True
