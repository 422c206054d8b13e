"""Entries of kernels: creation, arguments, queries."""

from typing import Any

from weft.api import handles
from weft.api.constants import (
    CL_INVALID_ARG_SIZE,
    CL_INVALID_ARG_VALUE,
    CL_INVALID_DEVICE,
    CL_INVALID_KERNEL,
    CL_INVALID_MEM_OBJECT,
    CL_INVALID_OPERATION,
    CL_INVALID_SAMPLER,
    CL_INVALID_VALUE,
)
from weft.api.device import device_of
from weft.api.device_info import SUB_GROUPS
from weft.api.info import answer
from weft.api.kernel_info import (
    ARG_INFO,
    KERNEL_INFO,
    MOST_DIMENSIONS,
    SUB_GROUP_INFO,
    WORK_GROUP_INFO,
    SubGroupQuery,
)
from weft.api.memory import buffer_of
from weft.api.memory_access import ffi, read_handle, read_sizes, read_string, write_handles
from weft.api.program import program_of
from weft.api.registry import creator, entry, failed, hot_entry
from weft.runtime.errors import CLError
from weft.runtime.hot import ffi as hot_ffi
from weft.runtime.hot import lib as hot
from weft.runtime.image import Image
from weft.runtime.kernel import MEMORY_KINDS, Kernel
from weft.runtime.memory import Memory
from weft.runtime.pipe import Pipe
from weft.runtime.platform import Device
from weft.runtime.sampler import Sampler

HANDLE_BYTES = 8
SIZE_BYTES = 8

live = handles.live
_memmove = ffi.memmove
_cast = ffi.cast
_BYTES = ffi.typeof("char *")
_WORDS = ffi.typeof("uintptr_t *")


def kernel_of(handle: int) -> Kernel:
    """Return the kernel of a handle."""
    return handles.lookup(handle, Kernel, CL_INVALID_KERNEL)


def _adopt(handle: int) -> Kernel | None:
    """Adopt a kernel that C has created (`hot_programs.c`), and return its object; None if there is none.

    Raises if its program cannot be built here.
    """
    found = hot.weft_hot_find_unadopted_kernel(handle)
    if not found:
        target = live.get(handle)  # another thread may have adopted it just now
        return target if isinstance(target, Kernel) else None
    name = hot_ffi.string(found.name).decode("utf-8", "surrogateescape")
    program = found.program
    kernel = Kernel.described_by(program_of(program), name, found)
    with handles.adoption_lock:
        is_adopted = handles.claim(kernel, handle)
        if is_adopted:
            kernel.own_native()
    if not is_adopted:  # another thread has adopted it, or the client has released it
        kernel.delete()
        target = live.get(handle)
        return target if isinstance(target, Kernel) else None
    hot.weft_hot_dependent_gone(program)
    return kernel


handles.on_adoption(Kernel, _adopt)


@creator("clCreateKernel")
def create_kernel(program: int, kernel_name: Any) -> Kernel:
    """Create a kernel of a program by its name."""
    target = program_of(program)
    if not kernel_name:
        raise CLError(CL_INVALID_VALUE, "kernel_name is NULL")
    return Kernel(target, read_string(kernel_name))


@entry("clCreateKernelsInProgram")
def create_kernels_in_program(program: int, num_kernels: int, kernels: Any, num_ret: Any) -> None:
    """Create all kernels of a program."""
    target = program_of(program)
    names = list(target.executable().kernels)
    if kernels:
        if num_kernels < len(names):
            raise CLError(CL_INVALID_VALUE, f"num_kernels must be at least {len(names)}, got {num_kernels}")
        write_handles(kernels, [handles.publish(Kernel(target, name)) for name in names])
    if num_ret:
        num_ret[0] = len(names)


@creator("clCloneKernel")
def clone_kernel(source_kernel: int) -> Kernel:
    """Create a copy of a kernel with its arguments."""
    return kernel_of(source_kernel).clone()


@entry("clRetainKernel")
def retain_kernel(kernel: int) -> None:
    """Add a reference."""
    kernel_of(kernel).retain()


@entry("clReleaseKernel")
def release_kernel(kernel: int) -> None:
    """Drop a reference."""
    kernel_of(kernel).release()


@hot_entry("clSetKernelArg")
def set_kernel_arg(kernel: int, index: int, size: int, value: Any) -> int:
    """Set one argument, with a fast path for values and live memory objects."""
    try:
        target: Any = live.get(kernel)
        if target.__class__ is Kernel and value:
            slots = target.slots
            if index < len(slots):
                slot = slots[index]
                if slot is None:
                    if size == HANDLE_BYTES and target.pointers[index] is not None:
                        memory = live.get(_cast(_WORDS, value)[0])
                        if isinstance(memory, Memory) and memory.is_buffer:
                            target.set_memory(index, memory)
                            return 0
                elif len(slot) == size:
                    _memmove(slot, _cast(_BYTES, value), size)
                    target.native_arguments[index].is_set = 1
                    return 0
        set_argument(kernel_of(kernel), index, size, value)
    except BaseException as error:
        return failed("clSetKernelArg", error, kernel)
    return 0


def set_argument(kernel: Kernel, index: int, size: int, value: Any) -> None:
    """Set an argument of any kind."""
    kind = kernel.argument(index).kind
    if kind in MEMORY_KINDS:
        _set_memory(kernel, index, size, value)
    elif kind == "local":
        if value:
            raise CLError(CL_INVALID_ARG_VALUE, f"argument {index} is local memory: arg_value must be NULL")
        kernel.set_local(index, size)
    elif kind == "value":
        if not value:
            raise CLError(CL_INVALID_ARG_VALUE, f"argument {index} is passed by value: arg_value is NULL")
        _memmove(kernel.value_slot(index, size), _cast(_BYTES, value), size)
    elif kind == "sampler":
        sampler = handles.lookup(_handle(index, size, value, "sampler"), Sampler, CL_INVALID_SAMPLER)
        kernel.set_sampler(index, sampler)
    elif kind == "pipe":
        pipe = handles.lookup(_handle(index, size, value, "pipe"), Pipe, CL_INVALID_MEM_OBJECT)
        kernel.set_pipe(index, pipe)
    else:
        image = handles.lookup(_handle(index, size, value, "image"), Image, CL_INVALID_MEM_OBJECT)
        kernel.set_image(index, image)


def _handle(index: int, size: int, value: Any, what: str) -> int:
    if size != HANDLE_BYTES:
        raise CLError(
            CL_INVALID_ARG_SIZE,
            f"argument {index} is a {what}: arg_size must be the size of a handle, got {size}",
        )
    return read_handle(value) if value else 0


def _set_memory(kernel: Kernel, index: int, size: int, value: Any) -> None:
    if size != HANDLE_BYTES:
        raise CLError(
            CL_INVALID_ARG_SIZE,
            f"argument {index} is a memory object: arg_size must be the size of a handle, got {size}",
        )
    handle = read_handle(value) if value else 0
    kernel.set_memory(index, buffer_of(handle) if handle else None)


@entry("clGetKernelInfo")
def get_kernel_info(kernel: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about a kernel."""
    answer(KERNEL_INFO, kernel_of(kernel), param, size, value, size_ret)


@entry("clGetKernelArgInfo")
def get_kernel_arg_info(kernel: int, index: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about an argument of a kernel."""
    target = kernel_of(kernel)
    target.argument(index)
    answer(ARG_INFO, target.compiled.info.arguments[index], param, size, value, size_ret)


@entry("clGetKernelWorkGroupInfo")
def get_kernel_work_group_info(
    kernel: int, device: int, param: int, size: int, value: Any, size_ret: Any
) -> None:
    """Answer a query about a kernel on a device; NULL selects the program's only device."""
    target = kernel_of(kernel)
    answer(WORK_GROUP_INFO, (target, _device_for(target, device)), param, size, value, size_ret)


def _device_for(kernel: Kernel, device: int) -> Device:
    """The device that a query about a kernel is for."""
    devices = kernel.program.devices
    if device:
        chosen = device_of(device)
        if chosen not in devices:
            raise CLError(CL_INVALID_DEVICE, "the device is not one of the kernel's devices")
        return chosen
    if len(devices) != 1:
        raise CLError(CL_INVALID_DEVICE, "device is NULL, but the kernel has several devices")
    return devices[0]


@entry("clGetKernelSubGroupInfo")
def get_kernel_sub_group_info(
    kernel: int, device: int, param: int, input_size: int, input_value: Any, size: int, value: Any,
    size_ret: Any,
) -> None:  # fmt: skip
    """Answer a query about the sub-groups of a kernel on a device."""
    _answer_of_sub_groups(kernel, device, param, input_size, input_value, size, value, size_ret)


@entry("clGetKernelSubGroupInfoKHR")
def get_kernel_sub_group_info_khr(
    kernel: int, device: int, param: int, input_size: int, input_value: Any, size: int, value: Any,
    size_ret: Any,
) -> None:  # fmt: skip
    """Like clGetKernelSubGroupInfo."""
    _answer_of_sub_groups(kernel, device, param, input_size, input_value, size, value, size_ret)


def _answer_of_sub_groups(
    kernel: int, device: int, param: int, input_size: int, input_value: Any, size: int, value: Any,
    size_ret: Any,
) -> None:  # fmt: skip
    target = kernel_of(kernel)
    chosen = _device_for(target, device)
    if not chosen.info.has(SUB_GROUPS):
        raise CLError(CL_INVALID_OPERATION, "the device does not support sub-groups")
    if input_size % SIZE_BYTES:
        raise CLError(CL_INVALID_VALUE, "input_value_size is not a multiple of sizeof(size_t)")
    # One more than the maximum, so that the query sees that there are too many.
    count = min(input_size // SIZE_BYTES, MOST_DIMENSIONS + 1)
    given = read_sizes(input_value, count) if input_value else ()
    room = size // SIZE_BYTES if value else MOST_DIMENSIONS
    answer(SUB_GROUP_INFO, SubGroupQuery(target, chosen, given, room), param, size, value, size_ret)
