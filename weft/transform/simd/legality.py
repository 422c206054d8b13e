"""Check that the instructions of a work-item loop have a vector form, before anything is emitted.

`InstructionLegality` raises CannotVectorize for what `Widener` could not emit: types that have no vectors,
private memory that work-items use sequentially, calls without a form for lanes. It uses the results of the
lane analysis and changes nothing.
"""

from collections.abc import Callable, Collection

from weft.analysis.cross_lane import is_cross_lane
from weft.analysis.evolution import Evolution
from weft.analysis.lanes import EVERY, Lanes
from weft.analysis.memory_effects import has_no_effects, is_own_function, only_reads
from weft.ir import Instruction, Value
from weft.ir.loops import Loop
from weft.ir.opcodes import BINARY, CASTS
from weft.ir.types import I1, VOID, FloatType, IntType, PointerType, Type
from weft.ir.values import ConstantInt
from weft.transform.workgroup.private_memory_by_lane import EACH

from .cannot_vectorize import CannotVectorize, NotVectorized
from .for_lanes import has_separate_result
from .lane_values import is_single
from .lanewise import FOLDS, LANEWISE
from .wide_calls import CONVERTING, VectorForm, builtin_form, is_dropped, is_shared
from .wide_memory import fills_bytes

_WIDENED = (*BINARY, *CASTS, "icmp", "fcmp", "fneg", "freeze", "select", "getelementptr")


def check_type(type: Type) -> None:
    """Raise CannotVectorize if a type has no vectors of lanes."""
    element = type.scalar
    number = isinstance(element, FloatType | IntType) and element.bits <= 64
    if not number and not isinstance(type, PointerType):
        raise CannotVectorize(NotVectorized.NO_VECTOR_FORM, operation=f"a value of type {type}")


def runs_sequentially(i: Instruction) -> bool:
    """Return whether work-items must access memory sequentially: volatile, or private and shared."""
    return "llvm.access.group" not in i.metadata


def check_serial(loop: Loop) -> None:
    """Raise CannotVectorize if lanes cannot run an inner loop sequentially.

    Memory that work-items use sequentially holds the last one's values, also before the loop.
    """
    if not loop.exit_edges:
        raise CannotVectorize(NotVectorized.UNSTRUCTURED)
    for block in loop.blocks:
        for i in block.instructions:
            if i.opcode in ("load", "store") and runs_sequentially(i):
                raise CannotVectorize(NotVectorized.SHARED_PRIVATE_MEMORY)
            if i.opcode == "alloca":
                raise CannotVectorize(NotVectorized.NO_VECTOR_FORM, operation="alloca")


class InstructionLegality:
    """Checks instructions that are to run in `width` lanes.

    Of instructions in `single`, only single lanes are needed. `sequential` tells which instructions
    work-items run sequentially.
    """

    def __init__(
        self,
        shape: Lanes,
        width: int,
        vector_form: VectorForm,
        single: Collection[Instruction] = (),
        sequential: Callable[[Instruction], bool] = runs_sequentially,
    ) -> None:
        self.shape, self.width, self.vector_form = shape, width, vector_form
        self._single, self._is_sequential = single, sequential

    def check(self, i: Instruction, masked: bool) -> None:
        """Raise CannotVectorize if an instruction other than a phi has no form for lanes."""
        shape = self.shape
        sequential = i.opcode in ("load", "store") and self._is_sequential(i)
        if sequential and (masked or not all(shape.is_uniform(o) for o in i.operands)):
            # Accesses to memory that work-items use sequentially must be equal in all lanes.
            raise CannotVectorize(NotVectorized.SHARED_PRIVATE_MEMORY)
        if i in self._single:
            return
        if isinstance(shape.assumed.get(i), Evolution):
            if not is_single(shape, i):
                check_type(i.type)
            return
        match i.opcode:
            case "atomicrmw" | "cmpxchg" | "fence":
                return
            case "load" | "store":
                if not i.is_ordered:
                    self._check_access(i)
            case "call":
                self._check_call(i)
            case "icmp" if EVERY in i.metadata:
                return
            case "alloca":
                raise CannotVectorize(NotVectorized.NO_VECTOR_FORM, operation=i.opcode)
            case _ if shape.is_varying(i):
                self._check_widened(i)

    def check_phi(self, phi: Instruction) -> None:
        """Raise CannotVectorize if a phi has no form for lanes."""
        if self.shape.is_varying(phi):
            check_type(phi.type)

    def _check_access(self, i: Instruction) -> None:
        """Check a load or store; elements that do not fill bytes are accessed lane by lane."""
        type = i.accessed_type
        if all(self.shape.is_uniform(o) for o in i.operands):
            return
        if type is I1 or fills_bytes(type):
            check_type(type)

    def _check_widened(self, i: Instruction) -> None:
        operands: list[Value]
        match i.opcode:
            case "shufflevector":
                operands = i.operands[:2]
            case "extractelement" | "insertelement":
                operands = i.operands[:-1] if isinstance(i.operands[-1], ConstantInt) else []
            case _:
                check_type(i.type)
                if i.opcode not in _WIDENED:
                    raise CannotVectorize(NotVectorized.NO_VECTOR_FORM, operation=i.opcode)
                # Uniform operands of addresses, and uniform conditions of selects, stay scalars.
                scalars = i.opcode in ("getelementptr", "select")
                operands = [o for o in i.operands if not (scalars and self.shape.is_uniform(o))]
        for operand in operands:
            check_type(operand.type)

    def _check_call(self, i: Instruction) -> None:
        callee, name = i.called_function, i.callee_name
        if is_dropped(i):
            return
        if is_cross_lane(i):
            check_type(i.arguments[0].type)
            return
        if callee is None:
            raise CannotVectorize(NotVectorized.NO_VECTOR_FORM, operation="a call through a pointer")
        if is_own_function(i) and self._is_sequential(i):
            raise CannotVectorize(NotVectorized.CALLEE_SHARES_PRIVATE_MEMORY, callee=name)
        if not self.shape.is_varying(i) and (has_no_effects(i) or only_reads(i) or name.startswith("llvm.")):
            return
        if name.startswith("llvm."):
            self._check_intrinsic(i, name.removeprefix("llvm."))
        elif has_no_effects(i) and builtin_form(i, self.width, self.vector_form) is not None:
            for argument in i.arguments:
                check_type(argument.type)
        elif is_own_function(i) and has_separate_result(i):
            for argument in i.arguments:
                if not self.shape.is_uniform(argument):
                    check_type(argument.type)
            if i.type is not VOID:
                check_type(i.type)
        elif any(is_shared(self.shape, i, argument) for argument in i.arguments):
            raise CannotVectorize(NotVectorized.CALLEE_SHARES_PRIVATE_MEMORY, callee=name)

    def _check_intrinsic(self, i: Instruction, name: str) -> None:
        base = name.rpartition(".")[0]
        if i.type is not VOID:
            check_type(i.type)
        if EACH in i.metadata:
            return
        lanewise = base in LANEWISE or base.rpartition(".")[0] in CONVERTING
        folds = base.startswith("vector.reduce.") and base.rpartition(".")[2] in FOLDS
        if i.type is VOID or not (lanewise or folds or has_no_effects(i)):
            raise CannotVectorize(NotVectorized.NO_VECTOR_FORM, operation=f"llvm.{name}")
        if lanewise or folds:
            immediate = LANEWISE.get(base, ())
            for number, argument in enumerate(i.arguments):
                if number not in immediate:
                    check_type(argument.type)


def may_block_progress(i: Instruction) -> bool:
    """Return whether an instruction could make work-items wait for each other, as locks do."""
    if i.opcode == "cmpxchg":
        return True
    if i.opcode == "atomicrmw":
        return i.attributes.get("operation") == "xchg" or (
            i.attributes.get("operation") == "or" and bool(i.users)
        )
    name = i.callee_name
    if not name or has_no_effects(i):
        return False
    if i.users and any(word in name for word in ("atomic_or", "atom_or", "fetch_or")):
        return True  # may take a lock by setting its bit
    return any(word in name for word in ("xchg", "exchange", "test_and_set"))
