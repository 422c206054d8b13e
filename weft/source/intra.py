"""iV, intra-vectorization: run VF iterations of a loop at once (CLVectorizer, section 2.3.2).

    for (int i = 0; i < n; i++)
        sum += a[i];

becomes, for VF = 4,

    {
        int i = 0;
        int4 sum_v4 = (int4)(0);
        for (; i < n && n - i > 3; i += 4)
            sum_v4 += vload4(0, &a[i]);
        sum += sum_v4.s0 + sum_v4.s1 + sum_v4.s2 + sum_v4.s3;
        for (; i < n; i++)
            sum += a[i];
    }

Innermost loops with a constant increment and a loop-invariant bound are rewritten. A lane is an iteration.
Outer variables that the loop assigns must be reductions; float sums and products are reassociated only with
`fast_math`. Each iteration must store to a different element, and no other access may alias it: it must
access the same element of the same pointer, or a pointer that cannot alias because of `restrict` or its
address space.
"""

from weft.dataclasses import dataclass
from weft.source.builtin_calls import BARRIERS, GROUP_COPIES, reads_memory
from weft.source.edits import Edit, apply, indented
from weft.source.effects import changes, has_effects, target_of
from weft.source.kernel_facts import (
    check_names,
    check_pointers,
    functions_with_effects,
    names_in,
    variables_in_arrays,
)
from weft.source.lane_loops import LaneLoops, MakeVarying
from weft.source.model import Function, Node, Source
from weft.source.own_functions import OwnFunctions
from weft.source.refusal import Refused
from weft.source.shapes import LOOPS, SHARED, Shape, Shapes, arguments, literal, variable_of, without_casts
from weft.source.statements import Statements
from weft.source.types import FLOATS, INTEGERS
from weft.source.vectors import Lanes, Vectors

_COUNTERS = frozenset(("int", "uint", "long", "ulong"))
_EXTREMES = {"min": "min", "max": "max", "fmin": "fmin", "fmax": "fmax"}
# Reductions in which the initial value may take part several times.
_IDEMPOTENT = frozenset(("&", "|", *_EXTREMES))
# Operator of a variable that iterations only set to one constant, as in "any" and "all".
_SET = "= "


@dataclass(frozen=True)
class Unrolled:
    """A loop that runs several iterations at once; `reductions` are its reduction variables."""

    kernel: str
    line: int
    factor: int
    reductions: tuple[str, ...]
    serial: tuple[tuple[int, str], ...] = ()


@dataclass(eq=False)
class _Counted:
    """A loop `for (i = first; i < bound; i += step)`."""

    loop: Node
    counter: Node
    key: str
    declared: Node | None
    first: Node | None
    bound: Node
    inclusive: bool
    step: int
    body: Node
    type: str


@dataclass(frozen=True)
class _Reduction:
    """A reduction variable of a loop. `type` is its scalar type; `spelling` names its vector type, if it has
    one."""

    name: str
    key: str
    op: str
    type: str
    node: Node
    spelling: str = ""


def unroll_loops(
    source: Source, kernel: Function, own: OwnFunctions, *, fast_math: bool
) -> tuple[list[Edit], list[Unrolled], list[Refused]]:
    """Return the edits that vectorize loops, and why others are refused; raise Refused if all are."""
    check_names(source, kernel)
    check_pointers(source, kernel)
    edits: list[Edit] = []
    unrolled: list[Unrolled] = []
    refused: list[Refused] = []
    for loop in _innermost(kernel.body):
        try:
            edit, report = _unrolled(source, kernel, loop, own, fast_math)
        except Refused as why:
            refused.append(why)
            continue
        edits.append(edit)
        unrolled.append(report)
    if not unrolled:
        if refused:
            raise refused[0]
        raise source.refused(kernel.node, f"{kernel.name} has no loop")
    factor = own.factor
    line = f"/* weft vectorize --intra {factor}: {factor} iterations at once in its loops */\n"
    edits.append(Edit(kernel.node.start, kernel.node.start, line))
    return edits, unrolled, refused


def _innermost(body: Node) -> list[Node]:
    loops = []
    for node in body.walk():
        if node.kind in LOOPS and not any(n.kind in LOOPS for n in node.walk() if n is not node):
            loops.append(node)
    return loops


def _unrolled(
    source: Source, kernel: Function, loop: Node, own: OwnFunctions, fast_math: bool
) -> tuple[Edit, Unrolled]:
    counted = _counted(source, loop)
    _check_body(source, counted)
    reductions = _reductions(source, counted, fast_math)
    if any(r.spelling for r in reductions):
        return _copies(source, kernel, counted, reductions, own.factor)
    forced: frozenset[str] = frozenset()
    while True:
        try:
            return _write(source, kernel, counted, reductions, own, forced)
        except MakeVarying as found:
            if not any(n.key == found.key for n in counted.body.walk() if n.kind == "VAR_DECL"):
                raise source.refused(loop, f"iterations assign {found.key.split('@')[0]}") from None
            forced |= {found.key}


# The form of the loop


def _counted(source: Source, loop: Node) -> _Counted:
    if loop.kind != "FOR_STMT" or loop.macro:
        raise source.refused(loop, "only counted for loops are vectorized")
    first, condition, step, body = loop.parts
    if condition is None or step is None or body is None:
        raise source.refused(loop, "this loop has no condition or no increment")
    inner = without_casts(condition)
    if inner.kind != "BINARY_OPERATOR" or inner.op not in ("<", "<=") or inner.macro:
        raise source.refused(condition, "the condition is not of the form i < bound")
    counter = without_casts(inner.children[0])
    bound = inner.children[1]
    if counter.kind != "DECL_REF_EXPR" or counter.type.lane not in _COUNTERS or counter.macro:
        raise source.refused(condition, "the condition does not compare an integer variable with a bound")
    compared = inner.children[0].type.lane
    if compared not in _COUNTERS or inner.op not in source.text[counter.end : bound.start]:
        raise source.refused(condition, "the counter is not compared as an integer")
    by = _step(step, counter.key)
    if by is None:
        raise source.refused(step, f"{counter.name} is not incremented by a constant")
    declared = value = None
    if first is not None and first.kind == "DECL_STMT":
        variables = [n for n in first.children if n.kind == "VAR_DECL"]
        if len(variables) != 1 or variables[0].key != counter.key:
            raise source.refused(first, f"this loop declares other variables than {counter.name}")
        declared = variables[0]
        value = declared.children[-1] if declared.children else None
    elif first is not None:
        assigns = first.kind == "BINARY_OPERATOR" and first.op == "="
        if not assigns or variable_of(first.children[0]) != counter.key:
            raise source.refused(first, f"this does not initialize only {counter.name}")
        value = first.children[1]
    return _Counted(loop, counter, counter.key, declared, value, bound, inner.op == "<=", by, body, compared)


def _step(node: Node, key: str) -> int | None:
    inner = without_casts(node)
    target = target_of(inner)
    if target is None or variable_of(target) != key or inner.macro:
        return None
    if inner.op in ("pre++", "post++"):
        return 1
    by = literal(inner.children[1]) if inner.op == "+=" else None
    return by if by is not None and 0 < by <= 1024 else None


def _check_body(source: Source, counted: _Counted) -> None:
    body, bound = counted.body, counted.bound
    declared = {n.key for n in body.walk() if n.kind == "VAR_DECL"}
    assigned = {key for _, key in changes(body)} - declared
    if counted.key in assigned:
        raise source.refused(counted.loop, f"the loop assigns its counter {counted.counter.name}")
    for node in body.walk():
        if node.kind in ("BREAK_STMT", "RETURN_STMT", "GOTO_STMT", "LABEL_STMT"):
            raise source.refused(node, "the loop has an early exit here")
        if node.kind == "CALL_EXPR" and node.name in BARRIERS | GROUP_COPIES:
            raise source.refused(node, f"{node.name} in the loop")
        if node.kind == "VAR_DECL" and node.macro:
            raise source.refused(node, f"the macro {node.macro} hides a declaration; expand it")
    for node in bound.walk():
        if node.kind == "DECL_REF_EXPR" and (node.key in assigned or node.key == counted.key):
            raise source.refused(bound, f"the bound depends on {node.name}, which the loop changes")
        if target_of(node) is not None or (node.kind == "CALL_EXPR" and node.name in source.functions):
            raise source.refused(bound, "the bound is computed by a call or assignment in each iteration")
        reads = _is_access(node) or (node.kind == "CALL_EXPR" and reads_memory(node.name))
        if reads and any(_stored(n) is not None for n in body.walk()):
            raise source.refused(bound, "the bound is loaded from memory that the loop writes")


# Reductions


def _reductions(source: Source, counted: _Counted, fast_math: bool) -> list[_Reduction]:
    body = counted.body
    declared = {n.key for n in body.walk() if n.kind == "VAR_DECL"}
    by_key: dict[str, _Reduction] = {}
    uses: dict[str, int] = {}
    for key in sorted({key for _, key in changes(body)} - declared):
        for node in body.walk():
            target = target_of(node)
            if target is None or variable_of(target) != key:
                continue
            one = _reduction(source, node, key)
            before = by_key.setdefault(key, one)
            if before.op != one.op:
                raise source.refused(node, f"{one.name} is reduced in two ways: {before.op} and {one.op}")
            reads = node.op == "=" and not one.op.startswith(_SET)
            uses[key] = uses.get(key, 0) + (2 if reads else 1)
        total = sum(n.kind == "DECL_REF_EXPR" and n.key == key for n in body.walk())
        if key not in by_key:
            raise source.refused(counted.loop, f"a call in the loop changes {key.split('@')[0]}")
        if total != uses[key]:
            reason = f"an iteration uses {by_key[key].name}, which the previous iteration assigned"
            raise source.refused(by_key[key].node, reason)
        one = by_key[key]
        if one.type in FLOATS and one.op not in _EXTREMES and not fast_math:
            reason = f"the float reduction {one.name} would be reassociated; allow that with --fast-math"
            raise source.refused(one.node, reason)
    return list(by_key.values())


def _reduction(source: Source, node: Node, key: str) -> _Reduction:
    """Return the reduction that an assignment to an outer variable performs."""
    target = without_casts(node.children[0])
    name, type = source.of(target), target.type
    carried = source.refused(node, f"{name} carries a value from one iteration to the next")
    sets = node.op == "=" and _is_number(node.children[1]) and not node.macro
    if sets and type.lane in INTEGERS and target.kind == "DECL_REF_EXPR":
        return _Reduction(name, key, f"{_SET}{source.of(node.children[1])}", type.lane, node)
    if target.kind != "DECL_REF_EXPR" or type.kind not in ("scalar", "vector", "bool") or node.macro:
        raise carried
    scalar = type.lane if type.kind == "bool" else type.element
    spelling = type.spelling if type.kind == "vector" else ""
    if node.kind == "UNARY_OPERATOR":
        if type.kind == "bool":
            raise carried
        return _Reduction(name, key, "+", scalar, node, spelling)
    value = node.children[1]
    if node.op != "=":
        op = node.op[:-1]
        computed = value.type.lane or value.type.element
    else:
        inner = without_casts(value)
        operands = inner.children
        if inner.kind == "CALL_EXPR" and inner.name in _EXTREMES and len(arguments(inner)) == 2:
            operands = arguments(inner)
            if inner.type.element != scalar:
                raise carried
            op = inner.name
        elif inner.kind == "BINARY_OPERATOR" and inner.op in ("&&", "||"):
            reason = f"{inner.op} leaves out what decides nothing more about {name}"
            raise source.refused(node, f"{reason}; {name} {inner.op[0]}= ... would become vectors")
        elif inner.kind == "BINARY_OPERATOR":
            op = inner.op
        else:
            raise carried
        mine = [without_casts(n).key == key for n in operands]
        if sum(mine) != 1 or (op == "-" and not mine[0]):
            raise carried
        computed = inner.type.element
    op = "+" if op == "-" else op
    if op not in (("&", "|") if type.kind == "bool" else ("+", "*", "&", "|", "^", *_EXTREMES)):
        raise carried
    if (scalar in INTEGERS) != (computed in INTEGERS):
        raise carried
    return _Reduction(name, key, op, scalar, node, spelling)


def _is_number(node: Node) -> bool:
    return literal(node) is not None or without_casts(node).kind == "CXX_BOOL_LITERAL_EXPR"


# Memory


def _check_memory(source: Source, counted: _Counted, shapes: Shapes) -> None:
    """Refuse accesses that may depend on other iterations."""
    accesses = [n for n in counted.body.walk() if _is_access(n)]
    stores = [t for n in counted.body.walk() if (t := _stored(n)) is not None]
    for store in stores:
        stride = shapes.address(store) if _is_access(store) else None
        if not stride:
            reason = (
                "iterations may write to the same location"
                if stride is None
                else "iterations write to one location"
            )
            raise source.refused(store, reason)
        for other in accesses:
            if other is not store and not _apart(source, store, other, shapes):
                places = f"{source.of(store)} and {source.of(other)}"
                reason = f"iterations may depend on each other by {places}"
                raise source.refused(other, f"{reason}; `restrict` on the pointers would rule out aliasing")
    if stores:
        for node in counted.body.walk():
            if node.kind == "CALL_EXPR" and any(n.type.kind == "pointer" for n in arguments(node)):
                raise source.refused(node, f"{node.name} may access what the loop writes")
    for node in counted.body.walk():
        if node.kind == "CALL_EXPR" and shapes.has_effects(node.name):
            raise source.refused(node, f"iterations call {node.name}, whose side effects are ordered")
        own = node.kind == "CALL_EXPR" and node.name in source.functions
        if own and any(n.type.kind == "pointer" for n in arguments(node)):
            raise source.refused(node, f"{node.name} may write through a pointer")
        if node.kind == "CALL_EXPR" and node.name.startswith(("vstore", "async_")):
            raise source.refused(node, f"{node.name} writes to memory")


def _is_access(node: Node) -> bool:
    if node.kind == "ARRAY_SUBSCRIPT_EXPR":
        return node.type.kind != "array"
    return node.kind == "UNARY_OPERATOR" and node.op == "*"


def _stored(node: Node) -> Node | None:
    target = target_of(node)
    return without_casts(target) if target is not None and variable_of(target) is None else None


def _root(node: Node) -> Node:
    """Return the pointer or array that an access is based on."""
    while node.children and node.kind != "DECL_REF_EXPR":
        node = without_casts(node.children[0])
    return node


def _apart(source: Source, store: Node, other: Node, shapes: Shapes) -> bool:
    """Return whether an access cannot alias a store of another iteration."""
    one, two = _root(store), _root(other)
    if one.key == two.key and one.key:
        same = _words(source, store) == _words(source, other)
        return same and shapes.address(store) == shapes.address(other)
    if one.kind != "DECL_REF_EXPR" or two.kind != "DECL_REF_EXPR":
        return False
    if one.type.space != two.type.space:
        return True
    if "array" in (one.type.kind, two.type.kind):
        return True
    return one.type.is_restrict or two.type.is_restrict


def _words(source: Source, node: Node) -> str:
    return "".join(source.of(node).split())


# Output


def _write(
    source: Source,
    kernel: Function,
    counted: _Counted,
    reductions: list[_Reduction],
    own: OwnFunctions,
    forced: frozenset[str],
) -> tuple[Edit, Unrolled]:
    loop, body, factor = counted.loop, counted.body, own.factor
    seeds: dict[str, Shape] = {counted.key: counted.step, **{r.key: None for r in reductions}}
    shapes = Shapes(source, body, False, seeds, forced, functions_with_effects(source))
    _check_outside(source, counted, shapes, reductions)
    _check_memory(source, counted, shapes)
    vectors = Vectors(source, shapes, Lanes(factor, False), names_in(source) | own.names, own.call)
    vectors.in_arrays = variables_in_arrays(Function(kernel.name, True, body, [], body, 0, []), shapes)
    step = _indent_step(source, loop, body)
    loops = LaneLoops(source, shapes, vectors.lanes, vectors, body, step)
    writer = Statements(source, shapes, vectors.lanes, vectors, loops, step)
    inner = writer.nested(body)
    if not writer.vectorized:
        where, reason = writer.report[0] if writer.report else (body, "all iterations do the same")
        raise source.refused(where, f"nothing in this loop becomes a vector: {reason}")
    end = loops.end(body)
    start = min([body.start, *(e.start for e in inner)])
    vector_body = apply(source.text, inner, start, end).lstrip()
    first = [_initial(r, vectors) for r in reductions]
    last = [_combined(r, vectors) for r in reductions]
    edit = _framed(source, counted, vectors, factor, first, vector_body, last)
    serial = tuple((source.line(n.start), reason) for n, reason in (*writer.report, *vectors.notes))
    names = tuple(r.name for r in reductions)
    return edit, Unrolled(kernel.name, source.line(loop.start), factor, names, serial)


def _framed(
    source: Source,
    counted: _Counted,
    vectors: Vectors,
    factor: int,
    first: list[str],
    body: str,
    last: list[str],
) -> Edit:
    """Write the vectorized loop with the code before and after it, and the remainder loop."""
    loop, name = counted.loop, counted.counter.name
    step, indent = _indent_step(source, loop, counted.body), source.indent(loop.start)
    end = LaneLoops(source, vectors.shapes, vectors.lanes, vectors, counted.body, step).end(counted.body)
    lines: list[str] = []
    if counted.declared is not None:
        lines.append(
            f"{counted.declared.type.spelling} {source.text[_name(counted.declared) : counted.declared.end]};"
        )
    elif counted.first is not None:
        assert loop.parts[0] is not None
        lines.append(f"{source.of(loop.parts[0])};")
    lines += first
    bound = source.of(counted.bound)
    if any(n.kind == "CALL_EXPR" or _is_access(n) for n in counted.bound.walk()):
        end_name = vectors.fresh(f"{name}_end")
        lines.append(f"const {counted.type} {end_name} = {bound};")
        bound = end_name
    lines.append(f"for (; {_condition(counted, bound, factor)}; {name} += {factor * counted.step}) {body}")
    lines += last
    condition, advance = loop.parts[1], loop.parts[2]
    assert condition is not None and advance is not None
    rest = source.text[counted.body.start : end]
    lines.append(f"for (; {source.of(condition)}; {source.of(advance)}) {rest}")
    text = "{\n" + "\n".join(f"{indent}{step}{indented(line, step)}" for line in lines) + f"\n{indent}}}"
    return Edit(loop.start, end, text)


def _copies(
    source: Source, kernel: Function, counted: _Counted, reductions: list[_Reduction], factor: int
) -> tuple[Edit, Unrolled]:
    """Write the loop with a copy of its body, and of its partial results, for each of several iterations.

    A vector of vectors does not exist, so iterations that reduce into a vector stay separate: this is the
    first step of the paper's iV. The copies run in iteration order, so the order of accesses is unchanged.
    """
    body, loop = counted.body, counted.loop
    shapes = Shapes(source, body, False, {counted.key: counted.step})
    vectors = Vectors(source, shapes, Lanes(factor, False), names_in(source))
    for node in body.walk():
        if node.kind == "CONTINUE_STMT":
            raise source.refused(node, "an iteration ends early here, and the loop reduces into a vector")
    first, last, copies = [], [], []
    partial = {r.key: [vectors.fresh(f"{r.name}_{k}") for k in range(factor)] for r in reductions}
    for r in reductions:
        type = r.spelling or r.type
        first += [f"{type} {name} = {_identity(r, type)};" for name in partial[r.key]]
        last.append(_combination(r, partial[r.key]))
    end = LaneLoops(source, shapes, vectors.lanes, vectors, body, "").end(body)
    for k in range(factor):
        edits = []
        for node in body.walk():
            if node.kind == "DECL_REF_EXPR" and (node.key in partial or (k and node.key == counted.key)):
                vectors.check_macro(node)
                at = f"({node.name} + {k * counted.step})"
                edits.append(vectors.replaced(node, partial[node.key][k] if node.key in partial else at))
        copies.append(apply(source.text, edits, body.start, end))
    step = _indent_step(source, loop, body)
    indent = source.indent(loop.start)
    text = "{\n" + "\n".join(f"{indent}{step}{indented(copy, step)}" for copy in copies) + f"\n{indent}}}"
    edit = _framed(source, counted, vectors, factor, first, text, last)
    names = tuple(r.name for r in reductions)
    return edit, Unrolled(kernel.name, source.line(loop.start), factor, names)


def _check_outside(source: Source, counted: _Counted, shapes: Shapes, reductions: list[_Reduction]) -> None:
    """Require that outer variables other than reductions are uniform across iterations."""
    known = {counted.key, *(r.key for r in reductions)}
    declared = {n.key for n in counted.body.walk() if n.kind == "VAR_DECL"}
    for node in counted.body.walk():
        outer = node.kind == "DECL_REF_EXPR" and node.key not in known | declared
        if outer and shapes.variables.get(node.key, 0) != 0:
            raise source.refused(node, f"{node.name} carries a value from one iteration to the next")
        if node.kind == "VAR_DECL" and node.type.kind != "pointer" and node.type.space in SHARED:
            raise source.refused(node, f"{node.name} is shared memory declared in the loop")
    for node in counted.body.walk():
        if target_of(node) is not None and has_effects(counted.bound, shapes):
            raise source.refused(counted.bound, "the bound has side effects")


def _name(node: Node) -> int:
    return int(node.key.rpartition("@")[2])


def _indent_step(source: Source, loop: Node, body: Node) -> str:
    first = body.children[0] if body.kind == "COMPOUND_STMT" and body.children else body
    outer, inner = source.indent(loop.start), source.indent(first.start)
    if inner.startswith(outer) and len(inner) > len(outer):
        return inner[len(outer) :]
    return "\t" if outer.startswith("\t") else "    "


def _condition(counted: _Counted, bound: str, factor: int) -> str:
    """Return the condition that all of the next iterations run; it must not wrap around."""
    name = counted.counter.name
    simple = bound.isidentifier() or bound.isdigit()
    bound = bound if simple else f"({bound})"
    last = (factor - 1) * counted.step
    op = "<=" if counted.inclusive else "<"
    start = literal(counted.first) if counted.first is not None else None
    if counted.type in ("uint", "ulong") or (start is not None and start >= 0):
        distance = f"{bound} - {name}"
    else:
        unsigned = f"u{counted.type}"
        distance = f"({unsigned}){bound} - ({unsigned}){name}"
    enough = f"{distance} >= {last}" if counted.inclusive else f"{distance} > {last}"
    return f"{name} {op} {bound} && {enough}"


def _initial(reduction: _Reduction, vectors: Vectors) -> str:
    home = vectors.home(without_casts(reduction.node.children[0]))
    type = vectors.of(reduction.type)
    return f"{type} {home} = {_identity(reduction, type)};"


def _identity(reduction: _Reduction, type: str) -> str:
    """Return the initial value of partial results."""
    if reduction.op in _IDEMPOTENT or reduction.op.startswith(_SET):
        # A vector of a bool would hold -1.
        value = f"(int){reduction.name}" if reduction.node.children[0].type.kind == "bool" else reduction.name
    else:
        value = "1" if reduction.op == "*" else "0"
        value += {"float": ".0f", "double": ".0"}.get(reduction.type, "")
    return value if type == reduction.type else f"({type})({value})"


def _combined(reduction: _Reduction, vectors: Vectors) -> str:
    home = vectors.home(without_casts(reduction.node.children[0]))
    return _combination(reduction, [f"{home}{vectors.component(k)}" for k in range(vectors.lanes.factor)])


def _combination(reduction: _Reduction, parts: list[str]) -> str:
    name, op = reduction.name, reduction.op
    if op.startswith(_SET):
        return f"if ({' || '.join(f'{part} != {name}' for part in parts)}) {name} {op};"
    if op in _EXTREMES:
        text = parts[0]
        for part in parts[1:]:
            text = f"{op}({text}, {part})"
        return f"{name} = {op}({name}, {text});"
    return f"{name} {op}= {f' {op} '.join(parts)};"
