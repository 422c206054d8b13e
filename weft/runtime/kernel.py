"""Kernel objects: a function of a program and its arguments.

The arguments are in one block, in the layout that compiled code expects. Setting an argument writes its slot;
an enqueue passes the block to the device, which copies it. So a prepared launch stays valid when the client
sets other values.
"""

import struct
from collections import deque
from typing import TYPE_CHECKING, Any

from weft.device._pool import ffi
from weft.device.argument_table import ArgumentTable, MemoryArgument
from weft.runtime.codes import (
    CL_INVALID_ARG_INDEX,
    CL_INVALID_ARG_SIZE,
    CL_INVALID_ARG_VALUE,
    CL_INVALID_CONTEXT,
    CL_INVALID_KERNEL,
    CL_INVALID_KERNEL_ARGS,
    CL_INVALID_KERNEL_NAME,
    CL_MEM_OBJECT_IMAGE1D,
    CL_MEM_OBJECT_IMAGE1D_ARRAY,
    CL_MEM_OBJECT_IMAGE1D_BUFFER,
    CL_MEM_OBJECT_IMAGE2D,
    CL_MEM_OBJECT_IMAGE2D_ARRAY,
    CL_MEM_OBJECT_IMAGE3D,
    CL_MEM_READ_ONLY,
    CL_MEM_WRITE_ONLY,
)
from weft.runtime.errors import CLError
from weft.runtime.hot import ffi as hot_ffi
from weft.runtime.hot import lib as hot
from weft.runtime.hot import pool_address
from weft.runtime.image import Image
from weft.runtime.memory import Memory
from weft.runtime.objects import CLObject, lock
from weft.runtime.pipe import Pipe
from weft.runtime.program import Program
from weft.runtime.sampler import Sampler

if TYPE_CHECKING:
    from weft import program as compiler
    from weft.kernel import ArgumentLayout

POINTER = struct.Struct("=Q")
MEMORY_KINDS = frozenset({"global", "constant"})
IMAGE_TYPES = {
    "image1d_t": CL_MEM_OBJECT_IMAGE1D,
    "image1d_array_t": CL_MEM_OBJECT_IMAGE1D_ARRAY,
    "image1d_buffer_t": CL_MEM_OBJECT_IMAGE1D_BUFFER,
    "image2d_t": CL_MEM_OBJECT_IMAGE2D,
    "image2d_array_t": CL_MEM_OBJECT_IMAGE2D_ARRAY,
    "image2d_depth_t": CL_MEM_OBJECT_IMAGE2D,
    "image2d_array_depth_t": CL_MEM_OBJECT_IMAGE2D_ARRAY,
    "image3d_t": CL_MEM_OBJECT_IMAGE3D,
}
# Access qualifier of an argument -> flags of images that cannot be set.
FORBIDDEN_ACCESS = {
    "read_only": CL_MEM_WRITE_ONLY,
    "write_only": CL_MEM_READ_ONLY,
    "read_write": CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
}


_NATIVE_KINDS = {
    "value": hot.WEFT_HOT_VALUE,
    "local": hot.WEFT_HOT_LOCAL,
    **dict.fromkeys(MEMORY_KINDS, hot.WEFT_HOT_MEMORY),
}
# Memory of deleted kernels, kept for a while: a thread of a faulty client may still be setting an argument.
_deleted: deque[Any] = deque(maxlen=64)


def _native_kind(layout: "ArgumentLayout") -> int:
    return _NATIVE_KINDS.get(layout.kind, hot.WEFT_HOT_BY_PYTHON)


def _is_of(native: Any, compiled: "compiler.Kernel") -> bool:
    """Whether a kernel created by C has the arguments of the compiled kernel."""
    if native.argument_count != len(compiled.arguments) or native.block_bytes != compiled.argument_bytes:
        return False
    return all(
        (native.arguments[i].kind, native.arguments[i].size, native.arguments[i].slot - native.block)
        == (_native_kind(layout), layout.size, layout.offset)
        for i, layout in enumerate(compiled.arguments)
    )


class Kernel(CLObject):
    """A kernel object.

    `prepared` holds validated launches (see `weft/runtime/launch.py`). `ready_epoch` is the epoch in which
    all arguments were found set and alive, or -1. An epoch ends when a memory object is deleted, so arguments
    need not be checked again within one. `known` has values that code may be specialized for, image formats
    and bits of samplers: one entry per argument, or () if there are no images and samplers.
    """

    kind = "kernel"
    invalid = CL_INVALID_KERNEL
    native_kind = hot.WEFT_HOT_KERNEL
    native: Any

    def __init__(self, program: Program, name: str) -> None:
        executable = program.executable()
        if name not in executable.kernels:
            raise CLError(CL_INVALID_KERNEL_NAME, f"the program has no kernel {name!r}")
        self._start(program, executable.kernels[name])

    @classmethod
    def described_by(cls, program: Program, name: str, native: Any) -> "Kernel":
        """Create the object of a kernel created by C, with the arguments that are set in `native`.

        Raises if the program does not have such a kernel.
        """
        kernel = cls.__new__(cls)
        compiled = program.executable().kernels.get(name)
        if compiled is None or not _is_of(native, compiled):
            raise CLError(CL_INVALID_KERNEL, f"the program was built anew without the kernel {name!r}")
        kernel._start(program, compiled, native)
        return kernel

    def own_native(self) -> None:
        """Take over the memory of a kernel created by C; it is freed with this object."""
        self.native = hot_ffi.gc(self.native, hot.weft_hot_free_kernel)

    def _start(self, program: Program, compiled: "compiler.Kernel", native: Any = None) -> None:
        self.program = program
        self.context = program.context
        self.compiled = compiled
        self.name = compiled.name
        self.arguments = compiled.arguments
        self._table = (
            None
            if self.context.residency is None
            else ArgumentTable(compiled.argument_bytes, len(compiled.arguments))
        )
        if native is not None:
            self.block: Any = hot_ffi.buffer(hot_ffi.cast("char *", native.block), native.block_bytes)
        else:
            self.block = bytearray(compiled.argument_bytes) if self._table is None else self._table.block
        self.native_block = ffi.from_buffer(self.block)
        view = memoryview(self.block)
        self.slots = [
            view[layout.offset : layout.offset + layout.size] if layout.kind == "value" else None
            for layout in self.arguments
        ]
        self.pointers: list[Any] = [
            ffi.cast("uint64_t *", self.native_block + layout.offset) if layout.kind in MEMORY_KINDS else None
            for layout in self.arguments
        ]
        if native is not None:
            array = hot_ffi.typeof(f"weft_hot_argument(*)[{len(self.arguments)}]")
            self.native_arguments = hot_ffi.cast(array, native.arguments)[0]
            self.native = native
        else:
            self.native_arguments = hot_ffi.new("weft_hot_argument[]", len(self.arguments))
            start = pool_address(self.native_block)
            for argument, layout in zip(self.native_arguments, self.arguments, strict=True):
                argument.kind, argument.size = _native_kind(layout), layout.size
                argument.slot = start + layout.offset
            self.native = hot_ffi.new("weft_hot_kernel *")
            self._describe(start)
        self.images: dict[int, Image] = {}
        self.pipes: dict[int, Pipe] = {}
        samples = any(layout.kind in ("image", "sampler") for layout in self.arguments)
        self.known: tuple[tuple[int, ...], ...] = ((),) * len(self.arguments) if samples else ()
        self.prepared: dict[Any, Any] = {}
        self._prepared_layout = 0
        self.ready_epoch = -1
        with lock:
            program.kernel_count += 1
        program.attach()

    def _describe(self, block: int) -> None:
        """Fill in the description by which the native side sets arguments and checks launches."""
        native, info = self.native, self.compiled.info
        native.block, native.block_bytes = block, len(self.block)
        native.arguments, native.argument_count = self.native_arguments, len(self.arguments)
        native.fixed_local_bytes = native.local_bytes = self.compiled.local_bytes
        native.required_size = info.reqd_work_group_size or (0, 0, 0)
        native.sub_group_size = self.compiled.sub_group_size
        native.is_uniform = info.uniform_groups or any(d.info.is_accelerator for d in self.program.devices)
        native.is_spirv = bool(self.program.il)
        self._native_name = hot_ffi.new("char[]", self.name.encode("utf-8", "surrogateescape"))
        native.name = self._native_name
        limits = {
            (d.info.max_work_item_sizes, d.info.max_work_group_size, d.info.local_memory_bytes)
            for d in self.program.devices
        }
        native.most_items, native.most_group_items, native.most_local_bytes = next(iter(limits))
        by_python = any(argument.kind == hot.WEFT_HOT_BY_PYTHON for argument in self.native_arguments)
        native.is_deferrable = len(limits) == 1 and not by_python

    def bind(self, handle: int) -> None:
        """Bind the handle of this kernel, so that the native side sets its arguments and launches it."""
        # If buffers have copies, Python sets all arguments, because it also records them for launches.
        if self.context.residency is not None:
            hot.weft_hot_bind(handle, hot.WEFT_HOT_KERNEL)
            return
        self.native.context = self.context.handle
        self.native.program = self.program.handle
        hot.weft_hot_bind_kernel(handle, self.native)

    def clone(self) -> "Kernel":
        """Return a new kernel object with the same arguments."""
        twin = Kernel.__new__(Kernel)
        twin._start(self.program, self.compiled)
        twin.block[:] = self.block
        for native, own in zip(twin.native_arguments, self.native_arguments, strict=True):
            native.memory, native.local_size, native.is_set = own.memory, own.local_size, own.is_set
        twin.native.local_bytes = self.native.local_bytes
        twin.images = dict(self.images)
        twin.pipes = dict(self.pipes)
        twin.known = self.known
        return twin

    @property
    def unset(self) -> list[int]:
        """The arguments that the client has not set yet."""
        return [index for index, argument in enumerate(self.native_arguments) if not argument.is_set]

    def argument(self, index: int) -> "ArgumentLayout":
        """Return the layout of an argument."""
        if not 0 <= index < len(self.arguments):
            known = len(self.arguments)
            raise CLError(
                CL_INVALID_ARG_INDEX, f"kernel {self.name!r} has {known} arguments, got index {index}"
            )
        return self.arguments[index]

    def value_slot(self, index: int, size: int) -> memoryview:
        """Return the slot of an argument passed by value; the caller must write `size` bytes to it."""
        slot = self.slots[index]
        if slot is None:
            raise CLError(CL_INVALID_ARG_VALUE, f"argument {index} of {self.name!r} is not passed by value")
        if len(slot) != size:
            raise CLError(
                CL_INVALID_ARG_SIZE,
                f"arg_size of argument {index} of {self.name!r} must be {len(slot)}, got {size}",
            )
        self.native_arguments[index].is_set = 1
        return slot

    def set_memory(self, index: int, memory: Memory | None) -> None:
        """Set a global or constant pointer; None is the NULL pointer."""
        if memory is not None and memory.context is not self.context:
            raise CLError(CL_INVALID_CONTEXT, "the memory object belongs to another context")
        self.native_arguments[index].memory = memory.handle if memory is not None else 0
        self.pointers[index][0] = memory.address if memory is not None else 0
        self.native_arguments[index].is_set = 1
        if self._table is not None:
            self._note_memory(self._table, index, memory)

    def set_pointer(self, index: int, address: int) -> None:
        """Set a global or constant pointer to an address outside memory objects."""
        self.native_arguments[index].memory = 0
        self.pointers[index][0] = address
        self.native_arguments[index].is_set = 1
        if self._table is not None:
            argument = MemoryArgument(self.arguments[index].offset, address, None, self._may_write(index))
            self._table.set(index, argument if address else None)

    def set_image(self, index: int, image: Image) -> None:
        """Set an image."""
        if image.context is not self.context:
            raise CLError(CL_INVALID_CONTEXT, "the image belongs to another context")
        self._check_image(index, image)
        self.images[index] = image
        if self._table is not None:
            self._note_memory(self._table, index, image)
        self._set_known(index, image.descriptor, image.known)

    def set_pipe(self, index: int, pipe: Pipe) -> None:
        """Set a pipe."""
        if pipe.context is not self.context:
            raise CLError(CL_INVALID_CONTEXT, "the pipe belongs to another context")
        self.pipes[index] = pipe
        POINTER.pack_into(self.block, self.arguments[index].offset, pipe.address)
        self.native_arguments[index].is_set = 1

    def _note_memory(self, table: ArgumentTable, index: int, memory: Memory | None) -> None:
        """Record the memory of an argument for launches, because there may be copies of it."""
        argument = None
        if memory is not None:
            writes = not memory.flags & CL_MEM_READ_ONLY and self._may_write(index)
            offset = self.arguments[index].offset if memory.is_buffer else None
            argument = MemoryArgument(offset, memory.address, memory.size, writes)
        table.set(index, argument)

    def _may_write(self, index: int) -> bool:
        """Whether the kernel may write the memory of an argument, by its declaration."""
        declared = self.compiled.info.arguments[index]
        return not (
            declared.address_space == "constant"
            or "const" in declared.qualifiers
            or declared.access == "read_only"
        )

    def _check_image(self, index: int, image: Image) -> None:
        """Raise unless the image has the type that the kernel declares, and flags that allow the access."""
        described = self.compiled.info.arguments[index]
        kind = IMAGE_TYPES.get(described.type_name, image.type)
        forbidden = FORBIDDEN_ACCESS.get(described.access, 0)
        if kind != image.type or image.format.is_depth != described.type_name.endswith("_depth_t"):
            message = (
                f"argument {index} of {self.name!r} is an {described.type_name}; the image has another type"
            )
            raise CLError(CL_INVALID_ARG_VALUE, message)
        if image.flags & forbidden:
            message = (
                f"argument {index} of {self.name!r} is {described.access}; the flags of the image forbid that"
            )
            raise CLError(CL_INVALID_ARG_VALUE, message)

    def set_sampler(self, index: int, sampler: Sampler) -> None:
        """Set a sampler. Kernels get its bits, so it may be released."""
        if sampler.context is not self.context:
            raise CLError(CL_INVALID_CONTEXT, "the sampler belongs to another context")
        self._set_known(index, sampler.bits, (sampler.bits,))

    def _set_known(self, index: int, value: int, known: tuple[int, ...]) -> None:
        POINTER.pack_into(self.block, self.arguments[index].offset, value)
        self.native_arguments[index].is_set = 1
        if self.known[index] != known:
            self.known = (*self.known[:index], known, *self.known[index + 1 :])
            self.forget_launches()

    def set_local(self, index: int, size: int) -> None:
        """Set the size of a local pointer argument, which may be zero."""
        layout = self.argument(index)
        if layout.kind != "local":
            raise CLError(CL_INVALID_ARG_VALUE, f"argument {index} of {self.name!r} is not a local pointer")
        hot.weft_hot_set_local(self.native, index, size)

    def forget_launches(self) -> None:
        """Invalidate all prepared launches."""
        self._prepared_layout = self.native.layout
        self.prepared.clear()
        hot.weft_hot_forget(self.handle)

    def forget_other_layouts(self) -> None:
        """Invalidate prepared launches if the size of a local pointer has changed."""
        if self._prepared_layout != self.native.layout:
            self.forget_launches()

    def value_of(self, index: int) -> int:
        """Return the value of an integer argument passed by value."""
        layout = self.arguments[index]
        return int.from_bytes(self.block[layout.offset : layout.offset + layout.size], "little", signed=True)

    def check_arguments(self) -> None:
        """Raise unless every argument is set to something that still exists."""
        epoch = hot.weft_hot_epoch()
        if unset := self.unset:
            names = ", ".join(map(str, unset))
            raise CLError(CL_INVALID_KERNEL_ARGS, f"arguments {names} of kernel {self.name!r} are not set")
        for index, native in enumerate(self.native_arguments):
            # The handle may have been reused for another buffer, which has a different address.
            if native.memory and hot.weft_hot_memory(native.memory) != self.pointers[index][0]:
                message = f"the memory object of argument {index} of {self.name!r} was released"
                raise CLError(CL_INVALID_KERNEL_ARGS, message)
        for index, memory in (*self.images.items(), *self.pipes.items()):
            if memory.deleted:
                message = f"the {memory.kind} of argument {index} of {self.name!r} was released"
                raise CLError(CL_INVALID_KERNEL_ARGS, message)
        self.ready_epoch = epoch
        if self.handle:
            hot.weft_hot_confirm(self.handle, epoch)

    def buffers_are_disjoint(self) -> bool:
        """Whether it is known that no two buffers among the arguments overlap."""
        return bool(hot.weft_hot_disjoint(self.native_arguments, len(self.arguments)))

    def local_bytes(self) -> int:
        """Return the size of the local variables and of the local arguments set so far."""
        return self.native.local_bytes

    def in_use(self) -> bool:
        """Whether other objects need this one, or launches wait to be prepared."""
        return self.attached > 0 or hot.weft_hot_kernel_deferred(self.handle) > 0

    def delete(self) -> None:
        """Release the program, which may be deleted or built again."""
        with lock:
            self.program.kernel_count -= 1
        self.prepared.clear()
        _deleted.append((self.native, self.native_arguments, self.block))
        self.program.detach()
