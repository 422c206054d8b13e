"""Shared virtual memory: allocation, commands on it, and kernels that are given addresses."""

import struct
import threading
from typing import Any

import pytest
from api_support import (
    ENTRIES,
    NULL,
    World,
    address,
    call,
    check,
    create,
    ffi,
    handles,
    number,
    refused,
    sizes,
)

from weft.api import constants as c

FINE = c.CL_MEM_SVM_FINE_GRAIN_BUFFER
SOURCE = """
typedef struct node { global struct node *next; int value; } node;
kernel void sum(global node *list, global int *out) {
    int total = 0;
    for (; list; list = list->next) total += list->value;
    *out = total;
}
kernel void count(global int *p) { atomic_inc(p); }
kernel void plain(int x, local int *l) { l[0] = x; }
"""


def alloc(world: World, size: int, flags: int = 0, alignment: int = 0) -> int:
    return ENTRIES["clSVMAlloc"](world.context, flags, size, alignment)


def free(world: World, pointer: int) -> None:
    ENTRIES["clSVMFree"](world.context, pointer)


def contents(pointer: int, size: int) -> bytes:
    return bytes(ffi.buffer(ffi.cast("char *", pointer), size))


def kernel_of(world: World, name: str) -> int:
    text = ffi.new("char[]", SOURCE.encode())
    program = create("clCreateProgramWithSource", world.context, 1, ffi.new("char *[]", [text]), NULL)
    check("clBuildProgram", program, 0, NULL, NULL, 0, 0)
    return create("clCreateKernel", program, ffi.new("char[]", name.encode()))


def launch(world: World, kernel: int, items: int = 1) -> None:
    check("clEnqueueNDRangeKernel", world.queue, kernel, 1, NULL, sizes(items), NULL, 0, NULL, NULL)


def test_capabilities_are_those_of_shared_memory(world: World) -> None:
    found = number("clGetDeviceInfo", world.device, c.CL_DEVICE_SVM_CAPABILITIES)
    assert found == 0b1111


def test_memory_is_aligned_and_can_be_used_at_once(world: World) -> None:
    for alignment in (0, 1, 64, 128):
        pointer = alloc(world, 100, FINE | c.CL_MEM_SVM_ATOMICS, alignment)
        assert pointer and pointer % 128 == 0
        ffi.memmove(ffi.cast("char *", pointer), b"x" * 100, 100)
        free(world, pointer)


@pytest.mark.parametrize(
    ("flags", "size", "alignment"),
    [
        (0, 0, 0),
        (0, 1 << 62, 0),
        (0, 16, 3),
        (0, 16, 256),
        (c.CL_MEM_SVM_ATOMICS, 16, 0),
        (1 << 20, 16, 0),
        (c.CL_MEM_READ_ONLY | c.CL_MEM_WRITE_ONLY, 16, 0),
        (c.CL_MEM_USE_HOST_PTR, 16, 0),
    ],
)
def test_what_cannot_be_allocated_is_null(world: World, flags: int, size: int, alignment: int) -> None:
    assert alloc(world, size, flags, alignment) == 0
    assert ENTRIES["clSVMAlloc"](7, 0, 16, 0) == 0


def test_freeing_anything_else_does_nothing(world: World) -> None:
    pointer = alloc(world, 64)
    for wrong in (0, pointer + 8, 12345):
        free(world, wrong)
    ENTRIES["clSVMFree"](7, pointer)
    free(world, pointer)
    free(world, pointer)


def test_memory_outlives_the_clients_reference_to_the_context() -> None:
    world = World()
    pointer = alloc(world, 64)
    world.close()
    ffi.memmove(ffi.cast("char *", pointer), b"y" * 64, 64)
    assert number("clGetContextInfo", world.context, c.CL_CONTEXT_NUM_DEVICES) == 1
    free(world, pointer)
    assert (
        call("clGetContextInfo", world.context, c.CL_CONTEXT_NUM_DEVICES, 0, 0, NULL) == c.CL_INVALID_CONTEXT
    )


def test_copies_and_fills(world: World) -> None:
    a, b = alloc(world, 64), alloc(world, 64)
    pattern = ffi.new("char[]", b"abcd")
    check("clEnqueueSVMMemFill", world.queue, a, address(pattern), 4, 64, 0, NULL, NULL)
    event = handles(0)
    check("clEnqueueSVMMemcpy", world.queue, 1, b, a, 64, 0, NULL, event)
    assert contents(b, 64) == b"abcd" * 16
    assert number("clGetEventInfo", event[0], c.CL_EVENT_COMMAND_TYPE) == c.CL_COMMAND_SVM_MEMCPY
    check("clEnqueueSVMMemcpy", world.queue, 1, b, address(pattern), 4, 0, NULL, NULL)
    for arguments, code in (
        ((0, a, 4), c.CL_INVALID_VALUE),
        ((a, 0, 4), c.CL_INVALID_VALUE),
        ((a, a + 4, 8), c.CL_MEM_COPY_OVERLAP),
    ):
        assert call("clEnqueueSVMMemcpy", world.queue, 1, *arguments, 0, NULL, NULL) == code
    for pointer, size, length in (
        (0, 4, 64),
        (a + 1, 4, 60),
        (a, 3, 63),
        (a, 4, 63),
        (a, 0, 64),
        (a, 256, 256),
    ):
        arguments = (pointer, address(pattern), size, length)
        assert call("clEnqueueSVMMemFill", world.queue, *arguments, 0, NULL, NULL) == c.CL_INVALID_VALUE
    check("clFinish", world.queue)
    free(world, a)
    free(world, b)


def test_mapping_and_migrating_are_commands_in_order(world: World) -> None:
    pointer = alloc(world, 64)
    events = [handles(0) for _ in range(3)]
    check("clEnqueueSVMMap", world.queue, 0, c.CL_MAP_WRITE, pointer, 64, 0, NULL, events[0])
    check("clEnqueueSVMUnmap", world.queue, pointer, 0, NULL, events[1])
    one = ffi.new("uintptr_t[]", [pointer + 8])
    check("clEnqueueSVMMigrateMem", world.queue, 1, one, sizes(56), 0, 0, NULL, events[2])
    kinds = [number("clGetEventInfo", event[0], c.CL_EVENT_COMMAND_TYPE) for event in events]
    assert kinds == [c.CL_COMMAND_SVM_MAP, c.CL_COMMAND_SVM_UNMAP, c.CL_COMMAND_SVM_MIGRATE_MEM]
    for flags, start, size in ((1 << 9, pointer, 64), (c.CL_MAP_READ, 0, 64), (c.CL_MAP_READ, pointer, 0)):
        assert (
            call("clEnqueueSVMMap", world.queue, 1, flags, start, size, 0, NULL, NULL) == c.CL_INVALID_VALUE
        )
    assert call("clEnqueueSVMUnmap", world.queue, 0, 0, NULL, NULL) == c.CL_INVALID_VALUE
    for count, pointers, lengths, flags in (
        (0, one, NULL, 0),
        (1, NULL, NULL, 0),
        (1, one, sizes(57), 0),
        (1, one, NULL, 1 << 7),
        (1, ffi.new("uintptr_t[]", [pointer + 64]), NULL, 0),
    ):
        arguments = (count, pointers, lengths, flags, 0, NULL, NULL)
        assert call("clEnqueueSVMMigrateMem", world.queue, *arguments) == c.CL_INVALID_VALUE
    free(world, pointer)


def test_kernels_follow_pointers(world: World) -> None:
    nodes = alloc(world, 16 * 4, FINE)
    out = alloc(world, 4)
    for index in range(4):
        following = nodes + 16 * (index + 1) if index < 3 else 0
        data = struct.pack("=Qixxxx", following, 10**index)
        ffi.memmove(ffi.cast("char *", nodes + 16 * index), data, 16)
    kernel = kernel_of(world, "sum")
    check("clSetKernelArgSVMPointer", kernel, 0, nodes)
    check("clSetKernelArgSVMPointer", kernel, 1, out)
    pointers = ffi.new("uintptr_t[]", [nodes])
    check("clSetKernelExecInfo", kernel, c.CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, address(pointers))
    for start, total in ((nodes, 1111), (nodes + 32, 1100)):
        check("clSetKernelArgSVMPointer", kernel, 0, start)
        launch(world, kernel)
        check("clFinish", world.queue)
        assert struct.unpack("i", contents(out, 4)) == (total,)


def test_any_memory_of_the_process_is_shared(world: World) -> None:
    memory = ffi.new("int[1]", [5])
    kernel = kernel_of(world, "count")
    check("clSetKernelArgSVMPointer", kernel, 0, address(memory))
    launch(world, kernel, items=1000)
    check("clFinish", world.queue)
    assert memory[0] == 1005
    buffer = world.filled(struct.pack("i", 7))
    check("clSetKernelArg", kernel, 0, 8, address(handles(buffer)))
    launch(world, kernel, items=3)
    assert struct.unpack("i", world.contents(buffer)) == (10,)
    assert memory[0] == 1005


def test_arguments_that_are_no_pointers_take_none(world: World) -> None:
    kernel = kernel_of(world, "plain")
    pointer = alloc(world, 4)
    for index, code in (
        (0, c.CL_INVALID_ARG_VALUE),
        (1, c.CL_INVALID_ARG_VALUE),
        (2, c.CL_INVALID_ARG_INDEX),
    ):
        assert call("clSetKernelArgSVMPointer", kernel, index, pointer) == code
    assert call("clSetKernelArgSVMPointer", 7, 0, pointer) == c.CL_INVALID_KERNEL
    free(world, pointer)


def test_exec_info_is_checked(world: World) -> None:
    kernel = kernel_of(world, "plain")
    value = address(ffi.new("uint64_t[2]"))
    pointers, system = c.CL_KERNEL_EXEC_INFO_SVM_PTRS, c.CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM
    check("clSetKernelExecInfo", kernel, pointers, 0, 0)
    check("clSetKernelExecInfo", kernel, system, 4, value)
    for param, size, place in ((pointers, 7, value), (pointers, 8, 0), (system, 8, value), (1, 4, value)):
        assert call("clSetKernelExecInfo", kernel, param, size, place) == c.CL_INVALID_VALUE


def test_buffers_can_be_made_of_it(world: World) -> None:
    pointer = alloc(world, 64)
    buffer = world.buffer(64, c.CL_MEM_USE_HOST_PTR, pointer)
    assert number("clGetMemObjectInfo", buffer, c.CL_MEM_USES_SVM_POINTER) == 1
    assert number("clGetMemObjectInfo", world.buffer(8), c.CL_MEM_USES_SVM_POINTER) == 0
    code = refused("clCreateBuffer", world.context, c.CL_MEM_USE_HOST_PTR, 65, pointer)
    assert code == c.CL_INVALID_BUFFER_SIZE
    check("clReleaseMemObject", buffer)
    free(world, pointer)


def test_memory_is_freed_when_the_commands_turn_comes(world: World) -> None:
    gate = world.user_event()
    freed = threading.Event()
    seen: list[Any] = []
    owned = [alloc(world, 64) for _ in range(2)]

    @ffi.callback("void(uintptr_t, uint32_t, uintptr_t *, uintptr_t)")
    def callback(queue: int, count: int, pointers: Any, data: int) -> None:
        seen.append((queue, [pointers[index] for index in range(count)], data))
        for index in range(count):
            free(world, pointers[index])
        freed.set()

    array = ffi.new("uintptr_t[]", owned)
    arguments = (world.queue, 2, array, address(callback), 99, 1, handles(gate), NULL)
    check("clEnqueueSVMFree", *arguments)
    assert not freed.is_set()
    check("clSetUserEventStatus", gate, c.CL_COMPLETE)
    check("clFinish", world.queue)
    assert freed.is_set()
    assert seen == [(world.queue, owned, 99)]
    event = handles(0)
    more = ffi.new("uintptr_t[]", [alloc(world, 64), 0])
    check("clEnqueueSVMFree", world.queue, 2, more, 0, 0, 0, NULL, event)
    assert number("clGetEventInfo", event[0], c.CL_EVENT_COMMAND_TYPE) == c.CL_COMMAND_SVM_FREE
    for count, pointers in ((0, array), (1, NULL)):
        code = call("clEnqueueSVMFree", world.queue, count, pointers, 0, 0, 0, NULL, NULL)
        assert code == c.CL_INVALID_VALUE
