"""Private variables whose accesses are all known, for the shape analysis.

Each work-item has its own copy of an alloca. Its address is varying, but its contents are uniform as long as
work-items store uniform values at uniform offsets at the same times.
"""

from weft.ir import Function, Instruction, Value

from .memory_effects import derived_from, is_lifetime_marker, only_reads

COPIES = ("llvm.memcpy.", "llvm.memmove.")


class PrivateMemory:
    """The allocas of a function, and the instructions that access each."""

    def __init__(self, function: Function) -> None:
        self.hidden: set[Instruction] = set()  # allocas that may be written by untracked instructions
        self.readers: dict[Instruction, dict[Instruction, None]] = {}
        self._allocas: dict[Value, list[Instruction]] = {}
        for alloca in function.instructions():
            if alloca.opcode == "alloca":
                self.readers[alloca] = {}
                self._follow(alloca)

        self.inside = self._at_offsets()

    def allocas_of(self, pointer: Value) -> list[Instruction]:
        """Return the allocas that a pointer may point into; none if it is not computed from one."""
        return self._allocas.get(pointer, [])

    def _at_offsets(self) -> dict[Value, Instruction]:
        """Map each pointer that can only point into one alloca to that alloca."""
        by_pointer = {
            p: allocas[0] for p, allocas in self._allocas.items() if len(allocas) == 1 and _is_offset(p)
        }
        work = [p for p in by_pointer if any(o not in by_pointer for o in _pointers(p))]
        while work:
            pointer = work.pop()
            if by_pointer.pop(pointer, None) is not None:
                work += [u for u in pointer.users if u in by_pointer and pointer in _pointers(u)]
        return by_pointer

    def _follow(self, alloca: Instruction) -> None:
        pointers = derived_from(alloca)
        for pointer in pointers:
            self._allocas.setdefault(pointer, []).append(alloca)
            for user in pointer.users:
                if user in pointers or user.opcode == "icmp" or is_lifetime_marker(user):
                    continue
                if user.opcode == "load":
                    self.readers[alloca][user] = None
                    visible = not user.is_ordered
                elif user.opcode == "store":
                    visible = user.operands[0] is not pointer and not user.is_ordered
                elif is_copy(user) or is_fill(user):
                    if is_copy(user) and user.arguments[1] is pointer:
                        self.readers[alloca][user] = None
                    visible = True
                else:
                    visible = user.opcode == "call" and only_reads(user)
                if not visible:
                    self.hidden.add(alloca)


def _is_offset(pointer: Value) -> bool:
    return isinstance(pointer, Instruction) and pointer.type.is_pointer and pointer.opcode != "freeze"


def _pointers(pointer: Value) -> list[Value]:
    """Return the pointers that a pointer is computed from."""
    assert isinstance(pointer, Instruction)
    return [o for o in pointer.operands if o.type.is_pointer] if pointer.opcode != "alloca" else []


def is_copy(instruction: Instruction) -> bool:
    """Whether an instruction calls memcpy or memmove."""
    return instruction.callee_name.startswith(COPIES)


def is_fill(instruction: Instruction) -> bool:
    """Whether an instruction calls memset."""
    return instruction.callee_name.startswith("llvm.memset.")
