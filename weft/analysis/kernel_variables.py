"""Choose the storage of each value that is live across parallel regions (pocl, section 4.7).

A work-item loop computes a value for every work-item, so a value that a later region uses must be stored for
every work-item, in a *context array*, unless something cheaper suffices:

- *recomputed*: ids and short arithmetic on ids, arguments and constants are recomputed; uniform arithmetic
  may be longer;
- *uniform*: a value that is the same for all work-items that compute it, in a block that all work-items which
  have not returned reach together, is stored once: every reader computed the same value in the same
  iteration. So is the condition of a deciding branch, on which work-items must agree, unless a region needs
  it too: where the branch is not reached, or for a switch, work-items may have different values;
- *context*: everything else gets an array with an element per work-item.

Private memory (allocas) is treated alike: memory that only one region accesses, and that does not carry data
from one run of that region to the next, is *shared*: all work-items use the same stack slot. Other
private memory becomes a context array; so does memory whose address space the kernel queries through a
generic pointer.

Requires the form that `barrier_cfg` requires. Complexity: liveness per region, linear in practice.
"""

from typing import TypeGuard

from weft.dataclasses import dataclass
from weft.ir import Argument, Block, Function, Instruction, Value
from weft.ir.address_spaces import space_query
from weft.ir.dominators import DominatorTree, dominators_within
from weft.ir.graph import post_order, reachable
from weft.ir.loops import loop_forest
from weft.ir.symbols import extremum
from weft.ir.types import PTR
from weft.ir.values import Constant, GlobalValue
from weft.recursion import Definition, Recursion

from .barrier_cfg import BarrierCFG, ParallelRegion
from .convergence import convergence
from .divergence import Divergence
from .memory_effects import base_of, derived_from, is_lifetime_marker, is_own_function
from .work_items import work_item_function

# The most instructions of a recomputed value; beyond that a load is cheaper. Uniform instructions are
# computed once, before the loop, and count less; so do ids, which are the loop's counters. An instruction
# that is linear in the ids is one scalar for all SIMD lanes, whereas an address read from memory needs a
# gather.
RECOMPUTE_LIMIT = 8
UNIFORM_COST = 1 / 8
LINEAR_COST = 1 / 4

_CHEAP = frozenset(
    ("add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "trunc", "zext", "sext", "icmp",
     "getelementptr", "addrspacecast", "select")
)  # fmt: skip
_PRODUCTS = frozenset(("mul", "shl"))
_LINEAR = _PRODUCTS | {"add", "sub", "trunc", "zext", "sext", "getelementptr", "addrspacecast"}


@dataclass(frozen=True)
class KernelVariables:
    """The storage of each value that is needed outside the region that computes it."""

    recomputed: frozenset[Instruction]
    uniform: tuple[Instruction, ...]
    context: tuple[Instruction, ...]
    shared_memory: tuple[Instruction, ...]
    context_memory: tuple[Instruction, ...]
    live_in: dict[ParallelRegion, tuple[Instruction, ...]]


def kernel_variables(function: Function, cfg: BarrierCFG, shape: Divergence) -> KernelVariables:
    """Classify the variables of a kernel."""
    live_in = {region: _live_in(region) for region in cfg.regions}
    across = dict.fromkeys(v for values in live_in.values() for v in values)
    decided = dict.fromkeys(v for b in cfg.barriers for v in b.terminator.operands[:1] if _tracked(v))
    recomputation = _Recomputation(shape)
    recomputed = frozenset(v for v in across if v not in decided and recomputation.is_short(v))
    uniform: dict[Instruction, None] = {}
    context: dict[Instruction, None] = {}
    together = _Together(function, shape)
    for value in (*decided, *across):
        if value in recomputed:
            continue
        assert value.block is not None
        same = shape.is_uniform(value) and (shape.runs_uniformly(value.block) or value.block in together)
        if same or value not in across:
            uniform[value] = None
        else:
            context[value] = None
    shared, private = _private_memory(function, cfg)
    return KernelVariables(recomputed, tuple(uniform), tuple(context), shared, private, live_in)


class _Together:
    """The blocks that all work-items which have not returned run in the same iterations.

    Divergence analysis cannot prove this for code after `if (get_global_id(0) >= n) return;`, or after a
    barrier under a loaded condition; OpenCL's rule for barriers implies it (`convergence`).
    """

    def __init__(self, function: Function, shape: Divergence) -> None:
        self._divergent = convergence(function, shape).blocks
        self._forest = loop_forest(function)
        self._cyclic = {block for cycle in self._forest.irreducible for block in cycle}

    def __contains__(self, block: Block) -> bool:
        loop = self._forest.loop_of(block)
        while loop is not None:
            if loop.header in self._divergent:
                return False
            loop = loop.parent
        return block not in self._divergent and block not in self._cyclic


def is_position(instruction: Instruction) -> bool:
    """Whether an instruction queries an id or size in a dimension known at compile time."""
    query = work_item_function(instruction)
    return query is not None and all(isinstance(a, Constant) for a in instruction.arguments)


def _tracked(value: Value) -> TypeGuard[Instruction]:
    """Whether liveness matters: ids and private addresses are recomputed in every region."""
    return isinstance(value, Instruction) and value.opcode != "alloca" and not is_position(value)


def _live_in(region: ParallelRegion) -> tuple[Instruction, ...]:
    """Return the values that some path through the region uses without computing them first.

    These are values computed outside the region, or not on every path to a use.
    """
    inside = set(region.blocks)
    tree: DominatorTree | None = None
    live: dict[Instruction, None] = {}
    for block in region.blocks:
        seen: set[Value] = set()
        for instruction in block.instructions:
            if instruction.opcode == "phi":
                uses = [(v, source) for v, source in instruction.incoming() if source in inside]
            else:
                uses = [(o, block) for o in instruction.operands if o not in seen]
            for value, place in uses:
                if value in live or not _tracked(value):
                    continue
                home = value.block
                if home in inside and (home is not block or instruction.opcode == "phi"):
                    tree = tree or _dominators_within(region, inside)
                    if tree.dominates(home, place):
                        continue
                live[value] = None
            seen.add(instruction)
    return tuple(live)


def _dominators_within(region: ParallelRegion, inside: set[Block]) -> DominatorTree:
    """Return the dominators of blocks within the region."""
    order = post_order([region.entry], lambda block: [s for s in block.successors() if s in inside])
    return dominators_within(order[::-1])


class _Recomputation:
    """The cost of recomputing values from ids, arguments and constants."""

    def __init__(self, shape: Divergence) -> None:
        self._shape = shape
        # The instructions that compute a value; None if it cannot be recomputed or takes too many.
        self._parts = Recursion(self._gathered, None)
        self._is_linear = Recursion(self._linear, False)

    def is_short(self, value: Instruction) -> bool:
        """Whether a value can be recomputed by few instructions."""
        parts = self._parts(value)
        if parts is None:
            return False
        return sum(map(self._cost, parts)) <= RECOMPUTE_LIMIT

    def _cost(self, i: Instruction) -> float:
        if self._shape.is_uniform(i) or is_position(i):
            return UNIFORM_COST
        return LINEAR_COST if self._is_linear(i) else 1

    def _linear(self, value: Value) -> Definition[Value, bool]:
        """Whether a value is a sum of multiples of ids, assuming no wrap-around."""
        if not isinstance(value, Instruction) or self._shape.is_uniform(value) or is_position(value):
            return True
        if value.opcode in _PRODUCTS and not any(map(self._shape.is_uniform, value.operands)):
            return False
        if value.opcode not in _LINEAR:
            return False
        for operand in value.operands:
            if not (yield operand):
                return False
        return True

    def _gathered(self, value: Value) -> Definition[Value, frozenset[Instruction] | None]:
        if not isinstance(value, Instruction):
            constant = isinstance(value, Argument | Constant | GlobalValue)
            return frozenset() if constant else None
        if is_position(value) or value.opcode == "alloca":
            return frozenset((value,))
        if not _is_cheap(value):
            return None
        parts = frozenset((value,))
        for operand in value.operands:
            more = yield operand
            if more is None:
                return None
            parts |= more
        return parts if len(parts) * UNIFORM_COST <= RECOMPUTE_LIMIT else None


def _is_cheap(value: Instruction) -> bool:
    if value.type.is_vector:
        return False
    if name := value.callee_name:
        return bool(extremum(name)) or name.startswith("llvm.abs.")
    return value.opcode in _CHEAP or _is_argument_load(value)


def _is_argument_load(value: Instruction) -> bool:
    """Whether a value is loaded from a structure argument: the caller's original, which does not change.

    A kernel that modifies the structure has a private copy.
    """
    base = base_of(value.operands[0]) if value.opcode == "load" and value.operands[0].type is PTR else None
    return isinstance(base, Argument) and any(a.startswith("byval") for a in base.attributes)


def _private_memory(
    function: Function, cfg: BarrierCFG
) -> tuple[tuple[Instruction, ...], tuple[Instruction, ...]]:
    """Return the allocas that all work-items may share, and those that need an element each."""
    membership: dict[Block, list[ParallelRegion]] = {}
    for region in cfg.regions:
        for block in region.blocks:
            membership.setdefault(block, []).append(region)
    queried = any(space_query(i) is not None for i in function.instructions())
    shared, private = [], []
    for alloca in function.instructions():
        if alloca.opcode != "alloca":
            continue
        derived, escapes = derived_pointers(alloca)
        touched: dict[ParallelRegion, None] = {}
        starts: set[ParallelRegion] = set()
        for value in derived:
            for user in value.users:
                assert user.block is not None
                if not is_lifetime_marker(user):
                    touched.update((r, None) for r in membership.get(user.block, ()))
                elif user.callee_name.startswith("llvm.lifetime.start"):
                    starts.update(membership.get(user.block, ()))
        single = len(touched) <= 1 and not escapes
        if (len(cfg.regions) > 1 or queried) and any(
            is_own_function(user) for value in derived for user in value.users
        ):
            single = False  # a function of the program may keep the address and use it in another region
        if queried and any(space_query(user) is not None for value in derived for user in value.users):
            single = False  # the space query recognizes private memory by its address in the context arena
        if single and all(region in starts or not _repeats(region, cfg) for region in touched):
            shared.append(alloca)
        else:
            private.append(alloca)
    return tuple(shared), tuple(private)


def derived_pointers(alloca: Instruction) -> tuple[dict[Instruction, None], bool]:
    """Return all pointers computed from an alloca, and whether one is stored or converted to an integer."""
    pointers = {p: None for p in derived_from(alloca) if isinstance(p, Instruction)}
    escapes = any(
        user.opcode in ("ptrtoint", "ptrtoaddr", "insertvalue", "insertelement")
        or (user.opcode in ("store", "atomicrmw", "cmpxchg") and pointer in _stored(user))
        for pointer in pointers
        for user in pointer.users
    )
    return pointers, escapes


def _stored(instruction: Instruction) -> list[Value]:
    return instruction.operands[:1] if instruction.opcode == "store" else instruction.operands[1:]


def _repeats(region: ParallelRegion, cfg: BarrierCFG) -> bool:
    """Whether a region can run more than once per work-group."""
    return region.barrier in reachable(region.successors, cfg.after)
