"""Entries of unsupported features: sharing with graphics APIs.

Each validates its object, then returns the error code of the specification for devices without the feature,
in agreement with device queries.
"""

from collections.abc import Callable
from typing import Any

from weft.api.constants import (
    CL_INVALID_CONTEXT,
    CL_INVALID_GL_OBJECT,
    CL_INVALID_OPERATION,
)
from weft.api.context import context_of
from weft.api.device import device_of
from weft.api.memory import memory_of
from weft.api.queue import queue_of
from weft.api.registry import creator, entry
from weft.runtime.errors import CLError

Check = Callable[[int], object]


def _refuse_creation(name: str, check: Check, code: int, reason: str) -> None:
    @creator(name)
    def refuse(first: int, *_rest: Any) -> int:
        check(first)
        raise CLError(code, reason)


def _refuse(name: str, check: Check, code: int, reason: str) -> None:
    @entry(name)
    def refuse(first: Any, *_rest: Any) -> None:
        check(first)
        raise CLError(code, reason)


def _anything(_first: Any) -> None:
    """Check nothing, for entries without an object to be validated."""


NO_SHARING = "sharing with graphics APIs is not supported"
for _name in (
    "clCreateFromGLBuffer",
    "clCreateFromGLTexture",
    "clCreateFromGLTexture2D",
    "clCreateFromGLTexture3D",
    "clCreateFromGLRenderbuffer",
    "clCreateEventFromGLsyncKHR",
    "clCreateFromEGLImageKHR",
    "clCreateEventFromEGLSyncKHR",
):
    # A context without CL_GL_CONTEXT_KHR is not valid for these.
    _refuse_creation(_name, context_of, CL_INVALID_CONTEXT, NO_SHARING)
for _name in ("clGetGLObjectInfo", "clGetGLTextureInfo"):
    _refuse(_name, memory_of, CL_INVALID_GL_OBJECT, NO_SHARING)
for _name in (
    "clEnqueueAcquireGLObjects",
    "clEnqueueReleaseGLObjects",
    "clEnqueueAcquireEGLObjectsKHR",
    "clEnqueueReleaseEGLObjectsKHR",
):
    _refuse(_name, queue_of, CL_INVALID_CONTEXT, NO_SHARING)
_refuse("clGetGLContextInfoKHR", _anything, CL_INVALID_OPERATION, NO_SHARING)
for _name in ("clCreateSubDevicesEXT", "clRetainDeviceEXT", "clReleaseDeviceEXT"):
    _refuse(_name, device_of, CL_INVALID_OPERATION, "cl_ext_device_fission is not supported")
