"""Entries of memory objects: creation, sub-buffers, queries, destructor callbacks."""

from typing import Any

from weft.api import callbacks, handles
from weft.api.constants import (
    CL_BUFFER_CREATE_TYPE_REGION,
    CL_INVALID_MEM_OBJECT,
    CL_INVALID_PROPERTY,
    CL_INVALID_VALUE,
    CL_MEM_ASSOCIATED_MEMOBJECT,
    CL_MEM_CONTEXT,
    CL_MEM_FLAGS,
    CL_MEM_HOST_PTR,
    CL_MEM_MAP_COUNT,
    CL_MEM_OFFSET,
    CL_MEM_PROPERTIES,
    CL_MEM_REFERENCE_COUNT,
    CL_MEM_SIZE,
    CL_MEM_TYPE,
    CL_MEM_USES_SVM_POINTER,
)
from weft.api.context import context_of
from weft.api.info import answer, obj, uint, ulong, ulongs
from weft.api.memory_access import address, read_property_list, read_sizes
from weft.api.registry import creator, entry
from weft.runtime.errors import CLError
from weft.runtime.memory import Buffer, Memory, SubBuffer

MEM_INFO = {
    CL_MEM_TYPE: uint(lambda m: m.type),
    CL_MEM_FLAGS: ulong(lambda m: m.flags),
    CL_MEM_SIZE: ulong(lambda m: m.size),
    CL_MEM_HOST_PTR: ulong(lambda m: m.host_pointer),
    CL_MEM_MAP_COUNT: uint(lambda m: m.map_count),
    CL_MEM_REFERENCE_COUNT: uint(lambda m: m.references),
    CL_MEM_CONTEXT: obj(lambda m: m.context),
    CL_MEM_ASSOCIATED_MEMOBJECT: obj(lambda m: m.parent),
    CL_MEM_OFFSET: ulong(lambda m: m.origin),
    CL_MEM_USES_SVM_POINTER: uint(lambda m: bool(m.context.svm_room(m.host_pointer))),
    CL_MEM_PROPERTIES: ulongs(lambda m: m.properties),
}


def memory_of(handle: int) -> Memory:
    """Return the memory object of a handle."""
    return handles.lookup(handle, Memory, CL_INVALID_MEM_OBJECT)


def buffer_of(handle: int) -> Memory:
    """Return the buffer of a handle; images and pipes are not valid."""
    memory = memory_of(handle)
    if not memory.is_buffer:
        raise CLError(CL_INVALID_MEM_OBJECT, f"{handle:#x} is a {memory.kind}, not a buffer")
    return memory


@creator("clCreateBuffer")
def create_buffer(context: int, flags: int, size: int, host_ptr: Any) -> Buffer:
    """Create a buffer."""
    return Buffer(context_of(context), flags, size, address(host_ptr))


@creator("clCreateBufferWithProperties")
def create_buffer_with_properties(
    context: int, properties: Any, flags: int, size: int, host_ptr: Any
) -> Buffer:
    """Create a buffer with a property list, for which OpenCL 3.0 defines no properties."""
    owner = context_of(context)
    if read_property_list(properties):
        raise CLError(CL_INVALID_PROPERTY, "properties must be NULL or empty for buffers")
    return Buffer(owner, flags, size, address(host_ptr), [0] if properties else [])


@creator("clCreateSubBuffer")
def create_sub_buffer(buffer: int, flags: int, create_type: int, create_info: Any) -> SubBuffer:
    """Create a memory object for a region of a buffer."""
    parent = memory_of(buffer)
    if create_type != CL_BUFFER_CREATE_TYPE_REGION:
        raise CLError(CL_INVALID_VALUE, f"{create_type:#x} is not a buffer_create_type")
    if not create_info:
        raise CLError(CL_INVALID_VALUE, "buffer_create_info is NULL")
    origin, size = read_sizes(create_info, 2)
    return SubBuffer(parent, flags, origin, size)


@entry("clRetainMemObject")
def retain_mem_object(memobj: int) -> None:
    """Add a reference."""
    memory_of(memobj).retain()


@entry("clReleaseMemObject")
def release_mem_object(memobj: int) -> None:
    """Drop a reference."""
    memory_of(memobj).release()


@entry("clGetMemObjectInfo")
def get_mem_object_info(memobj: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about a memory object."""
    answer(MEM_INFO, memory_of(memobj), param, size, value, size_ret)


@entry("clSetMemObjectDestructorCallback")
def set_mem_object_destructor_callback(memobj: int, pfn_notify: Any, user_data: Any) -> None:
    """Register a function to be called when the memory is no longer used."""
    memory = memory_of(memobj)
    call = callbacks.function("void(*)(uintptr_t, void *)", pfn_notify, user_data)
    if call is None:
        raise CLError(CL_INVALID_VALUE, "the callback is NULL")
    destructor = call
    memory.destructors.append(lambda: destructor(memobj))
