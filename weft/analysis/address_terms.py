"""The address of a load or store as a term over the lane's number, uniform inputs and constants.

    %at = add nsw i32 %row, %x          row + (block + t)
    %wide = sext i32 %at to i64         sext64(row + (block + t))
    %p = getelementptr float, ptr %a, i64 %wide     a + sext64(…) * 4

`t` counts the lanes of a block from 0, and `block` is where the block starts. What all lanes of a block share
and what is not made of integers (loads, counters of inner loops, arguments) is an input. What cannot be
expressed makes the address unknown, with the reason in words.

`Terms` is the translation; where lanes and inputs come from is its caller's: `loop_terms` is for the
iterations of a work-item loop, `kernel_terms` for the work-items of a kernel along x.
"""

from collections.abc import Callable, Container, Generator
from typing import TypeVar

from weft.dataclasses import dataclass, replace
from weft.integers import INVERTED, lowest_bit
from weft.ir import Argument, Block, ConstantInt, Instruction, Value
from weft.ir.addresses import offset_terms
from weft.ir.attributes import alignment, value_range
from weft.ir.dominators import DominatorTree
from weft.ir.loops import Loop
from weft.ir.symbols import extremum
from weft.ir.types import IntType, Type, store_size_of
from weft.ir.values import ConstantZero
from weft.recursion import Recursion
from weft.smt.facts import Facts
from weft.smt.terms import (
    BINARY,
    SHIFTS,
    Term,
    binary,
    cast,
    compare,
    constant,
    input_,
    lane,
    rebuilt,
    select,
    walk,
)
from weft.smt.terms import DIVISIONS as DIVISIONS

from .induction import step_from, trip_count
from .lanes import LANE, Lanes
from .shape import X
from .shapes import Shapes
from .work_items import work_item_function

BLOCK, GLOBAL_BLOCK, LOCAL_BLOCK = "block", "global_block", "local_block"
# Longer terms than this are not worth a proof.
MOST_NODES = 200
MOST_DEEP = 64
MOST_PARTS = 4096
_FLAGS = frozenset(("nsw", "nuw", "nneg", "exact", "disjoint"))
NARROW_IDS = (1 << 31) - 1


class NotExpressible(Exception):
    """A value that no term describes; the text says why."""


_Result = TypeVar("_Result")
TermFrom = Generator[Value, Term | NotExpressible, _Result]
TermOf = TermFrom[Term | NotExpressible]


def _known(found: Term | NotExpressible) -> Term:
    if isinstance(found, NotExpressible):
        raise NotExpressible(*found.args)
    return found


@dataclass(frozen=True)
class AddressTerm:
    """The address of an access in bytes, the size of its elements, and what is known of its inputs.

    `values` has the IR value of every uniform subterm that is one, inputs among them; `outside` are the keys
    of the inputs that do not change while the lanes run.
    """

    term: Term
    element: int
    facts: Facts
    values: dict[Term, Value]
    outside: set[str]


class Terms:
    """Translates the integers and pointers of a function into terms.

    `uniform` says which values all lanes of a block share; `leaf` gives terms to values that the caller
    knows; `inside` are the blocks that lanes run.
    """

    def __init__(
        self,
        uniform: Callable[[Value], bool],
        leaf: Callable[["Terms", Value], Term | None],
        facts: Facts,
        inside: Container[Block] = (),
        name: Callable[[Value], str | None] = lambda value: value.name,
    ) -> None:
        self.name = name
        self.uniform, self.leaf, self.facts, self.inside = uniform, leaf, facts, inside
        self.outside: set[str] = set()
        self.values: dict[Term, Value] = {}
        self._found: Recursion[Value, Term | NotExpressible]
        self._found = Recursion(self._term_of, NotExpressible("by the path taken"))
        self._keys: dict[str, Value] = {}
        self._budget = MOST_NODES

    def of(self, value: Value) -> Term:
        """The term of an integer or pointer; raises NotExpressible."""
        found = self._found(value)
        if isinstance(found, NotExpressible):
            raise NotExpressible(*found.args)
        return found

    def _term_of(self, value: Value) -> TermOf:
        self._budget -= 1
        if self._budget < 0:
            return NotExpressible("its computation is too long")
        try:
            found = yield from self._translated(value)
        except NotExpressible as reason:
            return reason.with_traceback(None)
        if not found.varies and not isinstance(value, ConstantInt):
            self.values.setdefault(found, value)
        return found

    def input(self, value: Value, name: str | None = None) -> Term:
        """A value that all lanes share, as a leaf."""
        base = key = name or self.name(value) or value.name or "value"
        number = 1
        while self._keys.setdefault(key, value) is not value:
            number += 1
            key = f"{base}.{number}"
        term = input_(key, width_of(value))
        if not isinstance(value, Instruction) or value.block not in self.inside:
            self.outside.add(key)
        self._learn(term, value)
        return term

    def _translated(self, value: Value) -> TermFrom[Term]:
        width = width_of(value)
        if isinstance(value, ConstantInt):
            return constant(value.value, width)
        if isinstance(value, ConstantZero):
            return constant(0, width)
        given = self.leaf(self, value)
        if given is not None:
            return given
        shared = self.uniform(value)
        if isinstance(value, Instruction):
            try:
                made = yield from self._operation(value, width)
                if made is not None and (made.depth > MOST_DEEP or made.size > MOST_PARTS):
                    raise NotExpressible("its computation is too long")
            except NotExpressible:
                if not shared:
                    raise
                made = None
            if made is not None:
                return made
        if not shared:
            raise NotExpressible(_why(value))
        return self.input(value)

    def _operation(self, i: Instruction, width: int) -> TermFrom[Term | None]:
        """An instruction whose result is a function of integers; None for others."""
        opcode, operands = i.opcode, i.operands
        flags = _FLAGS.intersection(i.flags)
        if opcode in BINARY:
            left, right = _known((yield operands[0])), _known((yield operands[1]))
            return binary(opcode, left, right, flags)
        match opcode:
            case "zext" | "sext" | "trunc":
                source = _known((yield operands[0]))
                if opcode == "trunc" and source.op in ("zext", "sext") and source.args[0].width == width:
                    return source.args[0] if "nneg" not in source.flags else cast("trunc", source, width)
                return cast(opcode, source, width, flags)
            case "getelementptr":
                return (yield from self._address(i))
            case "icmp":
                left, right = _known((yield operands[0])), _known((yield operands[1]))
                return compare(i.attributes["predicate"], left, right)
            case "select":
                condition, yes, no = (yield operands[0]), (yield operands[1]), (yield operands[2])
                return select(_known(condition), _known(yes), _known(no))
            case "freeze":
                return _frozen(_known((yield operands[0])))
            case "addrspacecast" | "bitcast" | "ptrtoint" | "inttoptr":
                source = _known((yield operands[0]))
                return source if source.width == width else None
            case "call" if kind := extremum(i.callee_name):
                left, right = _known((yield operands[0])), _known((yield operands[1]))
                return binary(kind, left, right)
        return None

    def _address(self, i: Instruction) -> TermFrom[Term]:
        address = _known((yield i.operands[0]))
        for index, size in offset_terms(i.attributes["element_type"], i.operands[1:]):
            if index is None:
                address = _plus(address, constant(size, 64))
                continue
            term = _known((yield index))
            term = cast("sext", term, 64) if term.width < 64 else cast("trunc", term, 64)
            address = _plus(address, binary("mul", term, constant(size, 64)))
        return address

    def _learn(self, term: Term, value: Value) -> None:
        """What the IR says about an input."""
        if isinstance(value, Argument):
            low, end = value_range(value.attributes) or (0, 0)
            if 0 <= low < end:
                self.facts = self.facts.with_range(term, low, end - 1)
            if value.type.is_pointer and (aligned := alignment(value.attributes)) is not None:
                self.facts = self.facts.with_residue(term, aligned)
        elif isinstance(value, Instruction) and value.opcode == "phi":
            self._learn_counter(term, value)

    def _learn_counter(self, term: Term, phi: Instruction) -> None:
        """A counter that starts at a number and steps by numbers keeps its residue."""
        modulus, rest = 1 << term.width, None
        for value, _ in phi.incoming():
            if isinstance(value, ConstantInt):
                if rest is None:
                    rest = value.value
                else:
                    modulus = min(modulus, _lowest_bit(value.value - rest, modulus))
            elif (step := step_from(value, phi)) is not None:
                modulus = min(modulus, _lowest_bit(step, modulus))
            else:
                return
        if rest is not None and modulus > 1:
            self.facts = self.facts.with_residue(term, modulus, rest)

    def guarded(self, block: Block, tree: DominatorTree) -> Facts:
        """The facts together with what uniform branches say that lead to a block."""
        facts = self.facts
        at: Block | None = block
        while at is not None:
            above = tree.idom(at)
            if above is not None and above in tree and len(above.terminator.operands) == 3:
                condition, yes, no = above.terminator.operands
                for target, truth in ((yes, True), (no, False)):
                    entered = target is at and yes is not no and at.predecessors() == [above]
                    if entered and isinstance(condition, Instruction) and self.uniform(condition):
                        facts = self._branch(facts, condition, truth)
            at = above
        return facts

    def _branch(self, facts: Facts, condition: Instruction, truth: bool) -> Facts:
        if condition.opcode != "icmp" or not isinstance(condition.operands[1], ConstantInt):
            return facts
        if not isinstance(condition.operands[0].type, IntType):
            return facts
        try:
            term = self.of(condition.operands[0])
        except NotExpressible:
            return facts
        return learnt(facts, condition.attributes["predicate"], term, condition.operands[1].value, truth)

    def access(self, i: Instruction, tree: DominatorTree | None = None, masked: bool = False) -> AddressTerm:
        """The address of a load or store; raises NotExpressible.

        `tree` adds what guards say. `masked`: some lanes may not run the access, so that nothing follows
        from promises that hold of active lanes only.
        """
        found = self.address(i.operands[-1], i.accessed_type, masked)
        if tree is None or i.block is None:
            return found
        return replace(found, facts=replace(self.guarded(i.block, tree), flags=not masked))

    def address(self, pointer: Value, type: Type, masked: bool = False) -> AddressTerm:
        """An address that values of a type are accessed at, without what guards say."""
        self._budget = MOST_NODES
        term = self.of(pointer)
        facts = self.facts if self.facts.flags != masked else replace(self.facts, flags=not masked)
        return AddressTerm(term, store_size_of(type), facts, self.values, self.outside)


def learnt(facts: Facts, predicate: str, term: Term, number: int, truth: bool) -> Facts:
    """Facts together with a comparison of a term with a constant that is true or false."""
    predicate = predicate if truth else INVERTED[predicate]
    size, half = 1 << term.width, 1 << term.width >> 1
    if predicate == "eq":
        if number == 0 and term.op == "and" and (mask := term.args[1].constant) and mask & (mask + 1) == 0:
            return facts.with_residue(term.args[0], mask + 1)
        if number == 0 and term.op == "urem" and (divisor := term.args[1].constant):
            return facts.with_residue(term.args[0], divisor & -divisor)
        return facts.with_range(term, number, number)
    if predicate == "ne":
        return facts.with_range(term, 1, size - 1) if number == 0 else facts
    signed = predicate[0] == "s"
    if signed and number >= half:
        number -= size
    least, most = (-half, half - 1) if signed else (0, size - 1)
    match predicate[1:]:
        case "lt":
            most = number - 1
        case "le":
            most = number
        case "gt":
            least = number + 1
        case "ge":
            least = number
    return facts.with_range(term, least, most, signed) if least <= most else facts


def width_of(value: Value) -> int:
    """The bits of an integer or pointer; raises NotExpressible for other types."""
    if isinstance(value.type, IntType):
        return value.type.bits
    if value.type.is_pointer:
        return 64
    raise NotExpressible("a value that is no integer")


def loop_terms(loop: Loop, counter: Instruction, shape: Lanes, width: int) -> Terms:
    """Terms for the lanes of a work-item loop, `width` iterations each.

    Blocks start at multiples of `width` from the loop's first iteration, and are whole: no lane is past the
    last iteration.
    """
    assert loop.preheader is not None
    start = counter.incoming_from(loop.preheader)

    def leaf(terms: Terms, value: Value) -> Term | None:
        if isinstance(value, Instruction) and LANE in value.metadata:
            return lane(width_of(value))
        if value is not counter:
            return None
        bits = width_of(counter)
        block = input_(BLOCK, bits)
        first = block if isinstance(start, ConstantInt) and start.value == 0 else _sum(terms.of(start), block)
        return _sum(first, lane(bits))

    block = input_(BLOCK, width_of(counter))
    # Counters of work-item loops are below 2^31 and never wrap.
    end = trip_count(loop) or NARROW_IDS + 1
    facts = Facts().with_residue(block, width).with_range(block, 0, max(end - width, 0))
    made = Terms(shape.is_uniform, leaf, facts, loop.blocks)
    term = made.of(counter)
    made.facts = made.facts.with_range(term, 0, NARROW_IDS)
    return made


def kernel_terms(
    shapes: Shapes, width: int, name: Callable[[Value], str | None] = lambda value: value.name
) -> Terms:
    """Terms for consecutive work-items along x, before the kernel becomes a work-group function.

    Blocks start at multiples of `width`, in global and in local ids. `name` gives inputs names.
    """
    facts = Facts()
    ids = {GLOBAL_BLOCK: input_(GLOBAL_BLOCK, 64 if shapes.geometry.wide else 32)}
    ids[LOCAL_BLOCK] = input_(LOCAL_BLOCK, 32)
    size = shapes.geometry.local_size
    for key, block in ids.items():
        end = size[0] if size is not None and key == LOCAL_BLOCK else 1 << (block.width - 1)
        facts = facts.with_residue(block, width).with_range(block, 0, max(end - width, 0))

    def leaf(terms: Terms, value: Value) -> Term | None:
        query = work_item_function(value) if isinstance(value, Instruction) else None
        if query is None or not isinstance(value, Instruction):
            return None
        if not query.takes_dimension:
            return terms.input(value, query.name) if terms.uniform(value) else None
        dimension = value.arguments[0]
        number = dimension.value if isinstance(dimension, ConstantInt) else -1
        if query.name == "get_local_size" and size is not None and number in (0, 1, 2):
            return constant(size[number], width_of(value))
        if number == 0 and query.name in ("get_global_id", "get_local_id"):
            block = GLOBAL_BLOCK if query.name == "get_global_id" else LOCAL_BLOCK
            place = _sum(ids[block], lane(ids[block].width))
            return cast("zext", place, width_of(value), ("nneg",))
        return terms.input(value, f"{query.name}({number})") if terms.uniform(value) else None

    return Terms(lambda value: shapes.is_uniform(value, X), leaf, facts, name=name)


def _sum(a: Term, b: Term) -> Term:
    return binary("add", a, b, ("nuw", "nsw"))


def _plus(a: Term, b: Term) -> Term:
    return a if b.constant == 0 else binary("add", a, b)


def _frozen(term: Term) -> Term:
    """The term without promises: what breaks them is a number here, not poison."""
    done: dict[Term, Term] = {}
    for at in walk(term):
        unknown_shift = at.op in SHIFTS and at.args[1].constant is None
        if unknown_shift or at.op in DIVISIONS:
            raise NotExpressible("poison may become any number")
        made = rebuilt(at, tuple(done[a] for a in at.args))
        if made.flags:
            made = Term(made.op, made.width, made.args, made.data)
        done[at] = made
    return done[term]


def _why(value: Value) -> str:
    if isinstance(value, Instruction):
        match value.opcode:
            case "load" | "atomicrmw" | "cmpxchg":
                return "by a value read from memory"
            case "phi":
                return "by the path taken"
            case "call":
                return "through a function"
            case "alloca":
                return "private memory"
        return f"through {value.opcode}"
    return "by a value that differs between work-items"


def _lowest_bit(number: int, most: int) -> int:
    return lowest_bit(number) if number else most
