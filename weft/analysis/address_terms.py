"""The address of a load or store as a term over the lane's number, uniform inputs and constants.

    %at = add nsw i32 %row, %x          row + (block + t)
    %wide = sext i32 %at to i64         sext64(row + (block + t))
    %p = getelementptr float, ptr %a, i64 %wide     a + sext64(…) * 4

`t` counts the lanes of a block from 0, and `block` is where the block starts. Values that all lanes of a
block share and that are not computed from integers (loads, counters of inner loops, arguments) are inputs. If
an address cannot be expressed, the exception holds the reason in words.

`Terms` translates; its callers define lanes and inputs: `loop_terms` for the iterations of a work-item loop,
`kernel_terms` for the work-items of a kernel along x.
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
# Longer terms are not worth a proof.
MOST_NODES = 200
MOST_DEEP = 64
MOST_PARTS = 4096
_FLAGS = frozenset(("nsw", "nuw", "nneg", "exact", "disjoint"))
NARROW_IDS = (1 << 31) - 1


class NotExpressible(Exception):
    """No term describes the value; the message says why."""


_Result = TypeVar("_Result")
TermFrom = Generator[Value, Term | NotExpressible, _Result]
TermOf = TermFrom[Term | NotExpressible]


def _known(result: Term | NotExpressible) -> Term:
    if isinstance(result, NotExpressible):
        raise NotExpressible(*result.args)
    return result


@dataclass(frozen=True)
class AddressTerm:
    """The address of an access in bytes, the size of its elements, and the facts known about its inputs.

    `values` maps uniform subterms, including inputs, to their IR values; `outside` has the keys of the inputs
    that do not change while the lanes run.
    """

    term: Term
    element: int
    facts: Facts
    values: dict[Term, Value]
    outside: set[str]


class Terms:
    """Translates the integers and pointers of a function into terms.

    `uniform` tells whether all lanes of a block share a value; `leaf` returns the terms of values that the
    caller defines; `inside` are the blocks that the lanes run.
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
        """Return the term of an integer or pointer, or raise NotExpressible."""
        result = self._found(value)
        if isinstance(result, NotExpressible):
            raise NotExpressible(*result.args)
        return result

    def _term_of(self, value: Value) -> TermOf:
        self._budget -= 1
        if self._budget < 0:
            return NotExpressible("its computation is too long")
        try:
            term = yield from self._translated(value)
        except NotExpressible as reason:
            return reason.with_traceback(None)
        if not term.varies and not isinstance(value, ConstantInt):
            self.values.setdefault(term, value)
        return term

    def input(self, value: Value, name: str | None = None) -> Term:
        """Return an input term for a value that all lanes share."""
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
        leaf = self.leaf(self, value)
        if leaf is not None:
            return leaf
        shared = self.uniform(value)
        if isinstance(value, Instruction):
            try:
                term = yield from self._operation(value, width)
                if term is not None and (term.depth > MOST_DEEP or term.size > MOST_PARTS):
                    raise NotExpressible("its computation is too long")
            except NotExpressible:
                if not shared:
                    raise
                term = None
            if term is not None:
                return term
        if not shared:
            raise NotExpressible(_why(value))
        return self.input(value)

    def _operation(self, i: Instruction, width: int) -> TermFrom[Term | None]:
        """Translate an instruction whose result is a function of integers; None for others."""
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
        """Record the facts that the IR states about an input."""
        if isinstance(value, Argument):
            low, end = value_range(value.attributes) or (0, 0)
            if 0 <= low < end:
                self.facts = self.facts.with_range(term, low, end - 1)
            if value.type.is_pointer and (aligned := alignment(value.attributes)) is not None:
                self.facts = self.facts.with_residue(term, aligned)
        elif isinstance(value, Instruction) and value.opcode == "phi":
            self._learn_counter(term, value)

    def _learn_counter(self, term: Term, phi: Instruction) -> None:
        """Record the residue of a counter that starts at a constant and advances by constants."""
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
        """Return the facts, extended by the conditions of the uniform branches that lead to a block."""
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
        """Return the address of a load or store, or raise NotExpressible.

        With `tree`, the facts include dominating conditions. `masked`: some lanes may not run the access, so
        flags that hold only for active lanes must not be used.
        """
        result = self.address(i.operands[-1], i.accessed_type, masked)
        if tree is None or i.block is None:
            return result
        return replace(result, facts=replace(self.guarded(i.block, tree), flags=not masked))

    def address(self, pointer: Value, type: Type, masked: bool = False) -> AddressTerm:
        """Return the address of an access to a value of `type`, without facts from dominating conditions."""
        self._budget = MOST_NODES
        term = self.of(pointer)
        facts = self.facts if self.facts.flags != masked else replace(self.facts, flags=not masked)
        return AddressTerm(term, store_size_of(type), facts, self.values, self.outside)


def learnt(facts: Facts, predicate: str, term: Term, number: int, truth: bool) -> Facts:
    """Add the fact that the comparison of a term with a constant is `truth`."""
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
    """Return the width of an integer or pointer in bits; raise NotExpressible for other types."""
    if isinstance(value.type, IntType):
        return value.type.bits
    if value.type.is_pointer:
        return 64
    raise NotExpressible("a value that is no integer")


def loop_terms(loop: Loop, counter: Instruction, shape: Lanes, width: int) -> Terms:
    """Return terms for the lanes of a work-item loop, `width` iterations per block.

    Blocks start at multiples of `width` from the loop's first iteration and are complete: no lane is past the
    last iteration.
    """
    start = counter.incoming_from(loop.known_preheader)

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
    result = Terms(shape.is_uniform, leaf, facts, loop.blocks)
    term = result.of(counter)
    result.facts = result.facts.with_range(term, 0, NARROW_IDS)
    return result


def kernel_terms(
    shapes: Shapes, width: int, name: Callable[[Value], str | None] = lambda value: value.name
) -> Terms:
    """Return terms for consecutive work-items along x, before the kernel becomes a work-group function.

    Blocks start at multiples of `width`, in global and in local ids. `name` returns the names of inputs.
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
    """Return the term without flags: a result that violates them is a number here, not poison."""
    done: dict[Term, Term] = {}
    for at in walk(term):
        unknown_shift = at.op in SHIFTS and at.args[1].constant is None
        if unknown_shift or at.op in DIVISIONS:
            raise NotExpressible("poison may become any number")
        new = rebuilt(at, tuple(done[a] for a in at.args))
        if new.flags:
            new = Term(new.op, new.width, new.args, new.data)
        done[at] = new
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
