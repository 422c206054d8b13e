"""The memory that instructions read and write, and memory that no work-item can write while a kernel runs.

A pointer is *based on* an object: the argument, variable or alloca that it was computed from. All
work-items run the same code, so a buffer that no instruction of the kernel can write does not change.
"""

from weft.ir import Argument, Function, GlobalVariable, Instruction, Value
from weft.ir.address_spaces import CONSTANT, GLOBAL, LOCAL, PRIVATE, space_query
from weft.ir.graph import reachable
from weft.ir.types import PointerType, address_space
from weft.ir.values import Constant, ConstantExpression
from weft.lazy_pattern import lazy_pattern

from .cross_lane import is_cross_lane
from .work_items import is_barrier, work_item_function

# Operations that keep the object that a pointer points into.
_STEPS = frozenset(("getelementptr", "addrspacecast", "bitcast"))
_DERIVING = _STEPS | {"phi", "select", "freeze"}

# Functions that return a work-item's position or combine work-items: they are declared without effects, but
# their result depends on more than the operands.
_POSITIONAL = ("get_", "sub_group_", "work_group_", "intel_sub_group_")


# The prefix of functions that the program defines and that were not inlined.
OWN_FUNCTION = "weft.function."

# Marks loads of an image descriptor: they may be executed at any time, and always return the same value.
DESCRIPTOR = "weft.descriptor"

_MANGLING = lazy_pattern(r"^_Z\d+")


def attribute_texts(call: Instruction) -> list[str]:
    """Return the LLVM attributes of a call and its callee as text."""
    callee = call.called_function
    words = list(call.attributes.get("suffix", ()))
    groups = callee.module.attribute_groups if callee is not None and callee.module is not None else {}
    if callee is not None:
        words += callee.suffix
    return [groups.get(int(w[1:]), "") if w[:1] == "#" and w[1:].isdigit() else w for w in words]


def _name(call: Instruction) -> str:
    return _MANGLING.sub("", call.callee_name)


def is_lifetime_marker(instruction: Instruction) -> bool:
    """Whether an instruction only marks the lifetime of a private variable."""
    return instruction.opcode == "call" and _name(instruction).startswith("llvm.lifetime.")


def is_own_function(instruction: Instruction) -> bool:
    """Whether an instruction calls a function of the program, which may access any memory."""
    return instruction.callee_name.startswith(OWN_FUNCTION)


def is_image_query(call: Instruction) -> bool:
    """Whether a call queries the size or format of an image, which do not change while a kernel runs."""
    return _name(call).startswith("get_image_")


def is_image_access(call: Instruction) -> bool:
    """Whether a call reads or writes pixels of an image."""
    return _name(call).startswith(("read_image", "write_image"))


def is_atomic_function(call: Instruction) -> bool:
    """Whether a call is an atomic function: other work-items may observe its access."""
    return call.opcode == "call" and _name(call).startswith(("atomic_", "atom_"))


def has_no_effects(call: Instruction) -> bool:
    """Whether a call's result depends only on the values of its arguments."""
    if is_image_query(call) or space_query(call) is not None:
        return True
    if call.called_function is None or _name(call).startswith(_POSITIONAL):
        return False
    if any(a.type.is_pointer and not isinstance(a, Constant) for a in call.arguments):
        return False
    return any("memory(none)" in text for text in attribute_texts(call))


def only_reads(call: Instruction) -> bool:
    """Whether a call writes no memory and its result depends only on its arguments and what they point to."""
    if call.called_function is None or _name(call).startswith(_POSITIONAL):
        return False
    texts = attribute_texts(call)
    return any("memory(none)" in t or "memory(read)" in t or "memory(argmem: read)" in t for t in texts)


def base_of(pointer: Value) -> Value | None:
    """Return the argument, variable or alloca that a pointer is based on; None if there may be several."""
    while True:
        if isinstance(pointer, Instruction | ConstantExpression) and pointer.opcode in _STEPS:
            pointer = pointer.operands[0]
        elif isinstance(pointer, Argument | GlobalVariable):
            return pointer
        else:
            return pointer if isinstance(pointer, Instruction) and pointer.opcode == "alloca" else None


def derived_from(pointer: Value) -> dict[Value, None]:
    """Return a pointer and all pointers computed from it, including by phis and selects."""
    return reachable([pointer], lambda value: (user for user in value.users if user.opcode in _DERIVING))


def reads_images(function: Function) -> bool:
    """Whether a work-group function contains image functions; it then begins with loads of descriptors."""
    return any(DESCRIPTOR in i.metadata for i in function.entry.instructions)


class UnchangingMemory:
    """Tells whether the memory that a load reads can change while the kernel runs."""

    def __init__(self, function: Function) -> None:
        self._writers = [w for i in function.instructions() for w in _written(i)]
        self._known: dict[Value, bool] = {}

    def reads(self, load: Instruction) -> bool:
        """Whether a load from the same address returns the same value for all work-items at all times."""
        if load.is_ordered:
            return False
        return "invariant.load" in load.metadata or self.holds(load.operands[0])

    def is_read_by(self, call: Instruction) -> bool:
        """Whether a call with the same arguments returns the same value for all work-items at all times."""
        pointers = [a for a in call.arguments if a.type.is_pointer]
        return bool(pointers) and only_reads(call) and all(map(self.holds, pointers))

    def holds(self, pointer: Value) -> bool:
        """Whether no work-item can write to the object that a pointer points into."""
        if isinstance(pointer.type, PointerType) and pointer.type.space == CONSTANT:
            return True
        base = base_of(pointer)
        if base is None:
            return False
        unchanging = self._known.get(base)
        if unchanging is None:
            unchanging = self._known[base] = self._is_unchanging(base)
        return unchanging

    def _is_unchanging(self, base: Value) -> bool:
        assert isinstance(base.type, PointerType)
        if isinstance(base, GlobalVariable):
            return base.is_constant or base.type.space == CONSTANT
        if not isinstance(base, Argument) or _may_be_written_through(base):
            return False
        if any(a.startswith("byval") for a in base.attributes) or "noalias" in base.attributes:
            # A structure argument is the caller's original; the target of a `restrict` pointer is written
            # only through that pointer, if at all.
            return True
        if base.type.space != GLOBAL:
            return False
        return all(_is_elsewhere(pointer) for pointer in self._writers)


def _is_elsewhere(pointer: Value | None) -> bool:
    """Whether a write through a pointer cannot modify an object of another global pointer."""
    if pointer is None:
        return False
    if address_space(pointer.type) in (PRIVATE, LOCAL):
        return True
    base = base_of(pointer)
    return isinstance(base, Argument) and "noalias" in base.attributes


def _written(instruction: Instruction) -> list[Value | None]:
    """Return the pointers that an instruction writes through; None stands for any pointer."""
    match instruction.opcode:
        case "store":
            return [instruction.operands[1]]
        case "atomicrmw" | "cmpxchg":
            return [instruction.operands[0]]
        case "call":
            if is_barrier(instruction) or work_item_function(instruction) or is_lifetime_marker(instruction):
                return []
            if only_reads(instruction) or has_no_effects(instruction) or is_cross_lane(instruction):
                return []
            if not instruction.callee_name.startswith(("_Z", "llvm.mem")):
                return [None]
            # Built-ins write only through their arguments.
            return [a for a in instruction.arguments if a.type.is_pointer]
    return []


def _may_be_written_through(base: Value) -> bool:
    """Whether the kernel may write through a pointer, or through one computed from it that is not tracked."""
    pointers = derived_from(base)
    for pointer in pointers:
        for user in pointer.users:
            if user in pointers or user.opcode in ("load", "icmp"):
                continue
            if user.opcode == "call" and (
                is_lifetime_marker(user) or (only_reads(user) and not user.type.is_pointer)
            ):
                continue
            if user.opcode == "call" and _is_source_of_copy(user, pointer):
                continue
            return True
    return False


def _is_source_of_copy(call: Instruction, pointer: Value) -> bool:
    copies = _name(call).startswith(("llvm.memcpy.", "llvm.memmove."))
    return copies and call.arguments[0] is not pointer
