"""Entries of programs."""

import struct
from collections.abc import Callable
from typing import Any

from weft.api import callbacks, handles
from weft.api.constants import (
    CL_INVALID_BINARY,
    CL_INVALID_CONTEXT,
    CL_INVALID_DEVICE,
    CL_INVALID_OPERATION,
    CL_INVALID_PROGRAM,
    CL_INVALID_VALUE,
    CL_PROGRAM_BINARIES,
    CL_PROGRAM_BINARY_SIZES,
    CL_PROGRAM_BINARY_TYPE,
    CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
    CL_PROGRAM_BUILD_LOG,
    CL_PROGRAM_BUILD_OPTIONS,
    CL_PROGRAM_BUILD_STATUS,
    CL_PROGRAM_CONTEXT,
    CL_PROGRAM_DEVICES,
    CL_PROGRAM_IL,
    CL_PROGRAM_KERNEL_NAMES,
    CL_PROGRAM_NUM_DEVICES,
    CL_PROGRAM_NUM_KERNELS,
    CL_PROGRAM_REFERENCE_COUNT,
    CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT,
    CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT,
    CL_PROGRAM_SOURCE,
)
from weft.api.context import context_of
from weft.api.device import device_of
from weft.api.info import answer, constant, obj, objs, sint, string, uint, ulong, ulongs
from weft.api.memory_access import ffi, read_bytes, read_sizes, read_string, write_bytes
from weft.api.registry import creator, entry
from weft.errors import tell
from weft.locks import new_reentrant_lock
from weft.runtime.context import Context
from weft.runtime.errors import CLError
from weft.runtime.hot import ffi as hot_ffi
from weft.runtime.hot import lib as hot
from weft.runtime.platform import Device
from weft.runtime.program import Program

PROGRAM_INFO = {
    CL_PROGRAM_REFERENCE_COUNT: uint(lambda p: p.references),
    CL_PROGRAM_CONTEXT: obj(lambda p: p.context),
    CL_PROGRAM_NUM_DEVICES: uint(lambda p: len(p.devices)),
    CL_PROGRAM_DEVICES: objs(lambda p: p.devices),
    CL_PROGRAM_SOURCE: string(lambda p: p.text),
    CL_PROGRAM_BINARY_SIZES: ulongs(lambda p: [len(p.binary(device)) for device in p.devices]),
    CL_PROGRAM_NUM_KERNELS: ulong(lambda p: len(p.executable().kernels)),
    CL_PROGRAM_KERNEL_NAMES: string(lambda p: ";".join(p.executable().kernels)),
    CL_PROGRAM_IL: lambda p: p.il,
    CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT: constant(uint, 0),
    CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT: constant(uint, 0),
}

BUILD_INFO = {
    CL_PROGRAM_BUILD_STATUS: sint(lambda b: b.status),
    CL_PROGRAM_BUILD_OPTIONS: string(lambda b: b.options),
    CL_PROGRAM_BUILD_LOG: string(lambda b: b.log),
    CL_PROGRAM_BINARY_TYPE: uint(lambda b: b.binary_type),
    CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: ulong(lambda b: b.variable_bytes),
}


_catching_up = new_reentrant_lock()  # reentrant: the client may make calls in the garbage collector


def program_of(handle: int) -> Program:
    """Return the program of a handle."""
    program = handles.lookup(handle, Program, CL_INVALID_PROGRAM)
    if hot.weft_hot_program_version(handle) != program.native_version:
        _catch_up(program)
    return program


def _adopt(handle: int) -> Program | None:
    """Adopt a program that C has created (`hot_programs.c`), and return its object; None if there is none."""
    with handles.adoption_lock:
        known = hot.weft_hot_hold_program(handle)
        if not known:
            return None
        try:
            context, data = handles.live.get(known.context), bytes(hot_ffi.buffer(known.il, known.il_bytes))
        finally:
            hot.weft_hot_let_program_go(known)
        found = handles.live.get(handle)
        if found is not None or not isinstance(context, Context):
            return found if isinstance(found, Program) else None
        program = Program.from_module(context, data)
        is_adopted = handles.claim(program, handle)
    if not is_adopted:  # the client has released it, or made a call in the garbage collector, in the meantime
        context.detach()
        found = handles.live.get(handle)
        return found if isinstance(found, Program) else None
    hot.weft_hot_dependent_gone(context.handle)
    return program


handles.on_adoption(Program, _adopt)


def _catch_up(program: Program) -> None:
    """Repeat the changes that C has made to a program: constants, and the build, which is in the cache."""
    with _catching_up:
        known = hot.weft_hot_hold_program(program.handle)
        if not known:
            return
        try:
            if known.version == program.native_version:
                return
            for constant in known.constants[0 : known.constant_count]:
                program.set_constant(constant.id, bytes(constant.value)[: constant.size])
            if known.state in (hot.WEFT_HOT_BUILT_HERE, hot.WEFT_HOT_FAILED_HERE):
                try:
                    program.build((), read_string(known.options))
                except CLError as error:  # the Build object records the error
                    if known.state == hot.WEFT_HOT_BUILT_HERE:
                        tell(f"a program that another process built cannot be built: {error.message}")
            program.native_version = known.version
        finally:
            hot.weft_hot_let_program_go(known)


def _tell_native(program: Program, state: int, options: str = "") -> None:
    """Tell C the build state of a SPIR-V program; raises while C is having it built."""
    if hot.weft_hot_program_is(program.handle, state, options.encode("utf-8", "surrogateescape")):
        raise CLError(CL_INVALID_OPERATION, "the program is still being built")


def _device_list(count: int, devices: Any) -> list[Device]:
    if bool(count) != bool(devices):
        raise CLError(CL_INVALID_VALUE, "device_list must be NULL if and only if num_devices is 0")
    return handles.lookup_list(devices, count, Device, CL_INVALID_DEVICE) if count else []


@creator("clCreateProgramWithSource")
def create_program_with_source(context: int, count: int, strings: Any, lengths: Any) -> Program:
    """Create a program from strings; a length of 0 means that the string is zero-terminated."""
    owner = context_of(context)
    if not count or not strings:
        raise CLError(CL_INVALID_VALUE, "count is 0 or strings is NULL")
    pieces = []
    for index in range(count):
        text = strings[index]
        if not text:
            raise CLError(CL_INVALID_VALUE, f"string {index} is NULL")
        length = lengths[index] if lengths else 0
        if length:
            pieces.append(read_bytes(text, length).decode("utf-8", "surrogateescape"))
        else:
            pieces.append(read_string(text))
    return Program.from_source(owner, pieces)


@creator("clCreateProgramWithBinary")
def create_program_with_binary(
    context: int, num_devices: int, devices: Any, lengths: Any, binaries: Any, binary_status: Any
) -> Program:
    """Create a program from one binary for each device."""
    owner = context_of(context)
    if not num_devices or not devices or not lengths or not binaries:
        raise CLError(CL_INVALID_VALUE, "num_devices is 0, or device_list, lengths or binaries is NULL")
    chosen = _device_list(num_devices, devices)
    for device in chosen:
        if device not in owner.devices:
            raise CLError(CL_INVALID_DEVICE, "a device is not one of the context's devices")
    sizes = read_sizes(lengths, num_devices)
    data = [
        read_bytes(binaries[index], size) if size and binaries[index] else b""
        for index, size in enumerate(sizes)
    ]
    program, statuses, reason = Program.from_binaries(owner, chosen, data)
    if binary_status:
        for index, status in enumerate(statuses):
            binary_status[index] = status
    if program is None:
        code = CL_INVALID_VALUE if CL_INVALID_VALUE in statuses else CL_INVALID_BINARY
        raise CLError(code, f"a binary cannot be loaded: {reason}")
    return program


@creator("clCreateProgramWithBuiltInKernels")
def create_program_with_built_in_kernels(
    context: int, num_devices: int, devices: Any, kernel_names: Any
) -> Program:
    """Fail: the devices have no built-in kernels, so every name is unknown."""
    context_of(context)
    if not num_devices or not devices or not kernel_names:
        raise CLError(CL_INVALID_VALUE, "num_devices is 0, or device_list or kernel_names is NULL")
    _device_list(num_devices, devices)
    raise CLError(CL_INVALID_VALUE, f"no built-in kernels {read_string(kernel_names)!r}")


@creator("clCreateProgramWithIL")
def create_program_with_il(context: int, il: Any, length: int) -> Program:
    """Create a SPIR-V program; the build reports errors in its instructions."""
    owner = context_of(context)
    if not il or not length:
        raise CLError(CL_INVALID_VALUE, "il is NULL or length is 0")
    return Program.from_il(owner, read_bytes(il, length))


def _build_notifier(pfn_notify: Any, user_data: Any) -> Callable[[Program], None]:
    """Wrap the client's build callback, which is called before the function that got it returns."""
    call = callbacks.function("void(*)(uintptr_t, void *)", pfn_notify, user_data)
    return lambda program: call(handles.publish(program)) if call is not None else None


def _nothing_waits() -> None:
    """Do nothing: kernels are deleted when the client releases them."""


_before_rebuild: Callable[[], None] = _nothing_waits


def on_rebuild(hook: Callable[[], None]) -> None:
    """Call `hook` before a program with kernels is built, because the client may have released them."""
    global _before_rebuild
    _before_rebuild = hook


def _without_released_kernels(program: Program) -> Program:
    if program.kernel_count:
        _before_rebuild()
    if hot.weft_hot_dependents(program.handle):
        raise CLError(CL_INVALID_OPERATION, "the program has kernel objects")
    return program


@entry("clBuildProgram")
def build_program(
    program: int, num_devices: int, devices: Any, options: Any, pfn_notify: Any, user_data: Any
) -> None:
    """Compile and link a program; the callback is called before this returns."""
    target = _without_released_kernels(program_of(program))
    chosen = _device_list(num_devices, devices)
    notify = _build_notifier(pfn_notify, user_data)
    text = read_string(options) if options else ""
    _tell_native(target, hot.WEFT_HOT_PYTHONS)
    try:
        target.build(chosen, text, notify)
        if not chosen or set(chosen) == set(target.devices):
            _tell_native(target, hot.WEFT_HOT_BUILT_BY_PYTHON, text)
    finally:
        handles.changed(target)


@entry("clCompileProgram")
def compile_program(
    program: int, num_devices: int, devices: Any, options: Any, num_headers: int, headers: Any, names: Any,
    pfn_notify: Any, user_data: Any,
) -> None:  # fmt: skip
    """Compile a program into an object for clLinkProgram; headers are program objects."""
    target = _without_released_kernels(program_of(program))
    chosen = _device_list(num_devices, devices)
    notify = _build_notifier(pfn_notify, user_data)
    if not bool(num_headers) == bool(headers) == bool(names):
        raise CLError(
            CL_INVALID_VALUE, "num_input_headers, input_headers and header_include_names are inconsistent"
        )
    texts = {}
    for index in range(num_headers):
        if not names[index]:
            raise CLError(CL_INVALID_VALUE, f"the include name of header {index} is NULL")
        header = program_of(headers[index])
        if header.context is not target.context:
            raise CLError(CL_INVALID_CONTEXT, f"header {index} belongs to another context")
        texts[read_string(names[index])] = header.text
    _tell_native(target, hot.WEFT_HOT_PYTHONS)
    try:
        target.compile(chosen, read_string(options) if options else "", texts, notify)
    finally:
        handles.changed(target)


@creator("clLinkProgram")
def link_program(
    context: int, num_devices: int, devices: Any, options: Any, num_programs: int, programs: Any,
    pfn_notify: Any, user_data: Any,
) -> Program:  # fmt: skip
    """Link compiled programs and libraries into a program or, with -create-library, into a library."""
    owner = context_of(context)
    chosen = _device_list(num_devices, devices)
    if not num_programs or not programs:
        raise CLError(CL_INVALID_VALUE, "num_input_programs is 0 or input_programs is NULL")
    parts = handles.lookup_list(programs, num_programs, Program, CL_INVALID_PROGRAM)
    if any(part.context is not owner for part in parts):
        raise CLError(CL_INVALID_CONTEXT, "a program belongs to another context")
    notify = _build_notifier(pfn_notify, user_data)
    return Program.linked(owner, chosen, parts, read_string(options) if options else "", notify)


@entry("clRetainProgram")
def retain_program(program: int) -> None:
    """Add a reference."""
    program_of(program).retain()


@entry("clReleaseProgram")
def release_program(program: int) -> None:
    """Drop a reference."""
    program_of(program).release()


@entry("clGetProgramInfo")
def get_program_info(program: int, param: int, size: int, value: Any, size_ret: Any) -> None:
    """Answer a query about a program."""
    target = program_of(program)
    if param == CL_PROGRAM_BINARIES:
        _give_binaries(target, size, value, size_ret)
    else:
        answer(PROGRAM_INFO, target, param, size, value, size_ret)


def _give_binaries(program: Program, size: int, value: Any, size_ret: Any) -> None:
    """Answer the one query whose value is an array of pointers to memory of the client, which is filled."""
    needed = struct.calcsize("P") * len(program.devices)
    if value:
        if size < needed:
            raise CLError(CL_INVALID_VALUE, f"param_value_size must be at least {needed}, got {size}")
        places = ffi.cast("uintptr_t *", value)
        for index, device in enumerate(program.devices):
            if places[index]:
                write_bytes(places[index], program.binary(device))
    if size_ret:
        size_ret[0] = needed


@entry("clGetProgramBuildInfo")
def get_program_build_info(
    program: int, device: int, param: int, size: int, value: Any, size_ret: Any
) -> None:
    """Answer a query about the latest build for a device."""
    target, owner = program_of(program), device_of(device)
    if owner not in target.builds:
        raise CLError(CL_INVALID_DEVICE, "the device is not one of the program's devices")
    answer(BUILD_INFO, target.builds[owner], param, size, value, size_ret)


@entry("clSetProgramReleaseCallback")
def set_program_release_callback(program: int, pfn_notify: Any, user_data: Any) -> None:
    """Fail: the callback is for programs with destructors of program-scope variables, which Weft lacks."""
    program_of(program)
    raise CLError(CL_INVALID_OPERATION, "program release callbacks are not supported")


@entry("clSetProgramSpecializationConstant")
def set_program_specialization_constant(program: int, spec_id: int, spec_size: int, spec_value: Any) -> None:
    """Set the value of a specialization constant of a program in SPIR-V."""
    target = program_of(program)
    if not target.il:
        raise CLError(CL_INVALID_PROGRAM, "the program was not created from an intermediate language")
    if not spec_value or not spec_size:
        raise CLError(CL_INVALID_VALUE, "spec_value is NULL")
    # No constant is larger than 16 bytes; more are not read.
    value = read_bytes(spec_value, min(spec_size, 16))
    target.specialize(spec_id, value)
    constant = hot_ffi.new("weft_hot_constant *", (spec_id, len(value), value.ljust(16, b"\0")))
    if hot.weft_hot_program_constant(program, constant):
        raise MemoryError("no memory for a specialization constant")
