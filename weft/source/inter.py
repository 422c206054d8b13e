"""eV, inter-vectorization: merge VF adjacent work-items along x into one (CLVectorizer, section 2.3.1).

    __kernel void add(__global const float *a, __global float *c) {
        int i = get_global_id(0);
        c[i] = a[i] + 1.0f;
    }

becomes, for VF = 4 and a global size that is a multiple of 4,

    /* weft vectorize --inter 4: 4 work-items in one; global size / 4 */
    __kernel void add(__global const float *a, __global float *c) {
        int i = (get_global_id(0) * 4);
        vstore4(vload4(0, &a[i]) + 1.0f, 0, &c[i]);
    }

Without that guarantee (`exact`) the kernel gets one more argument, the original global size, and runs the
work-items of the last block sequentially if there are fewer than VF. A kernel that uses its work-group needs
no such guard: its local size must be a multiple of VF, and so its global size is.

If a work-item returns early (`if (i >= n) return;`), its whole block runs sequentially from the start, so
nothing may have been written before.
"""

from weft.dataclasses import dataclass
from weft.source.builtin_calls import BARRIERS, GROUP_COPIES, LANE_IDS, LINEAR_IDS, SCALED, is_collective
from weft.source.edits import Edit, apply
from weft.source.effects import has_effects, writes_memory
from weft.source.kernel_facts import (
    check_names,
    check_pointers,
    functions_with_effects,
    functions_with_ids,
    knows_groups,
    names_in,
    step_of,
    variables_in_arrays,
)
from weft.source.lane_loops import LaneLoops, MakeVarying
from weft.source.model import Function, Node, Source
from weft.source.own_functions import OwnFunctions
from weft.source.shapes import SHARED, Shape, Shapes, arguments, literal
from weft.source.statements import Statements
from weft.source.vectors import Lanes, Vectors

FACTORS = (2, 4, 8, 16)


@dataclass(frozen=True)
class Merged:
    """A kernel of which `factor` work-items were merged. `items` names the argument that was added, if any.

    `serial` holds the places (line, reason) where lanes run sequentially. `of_groups`: the local size changes
    too.
    """

    kernel: str
    factor: int
    items: str
    of_groups: bool
    arguments: int
    serial: tuple[tuple[int, str], ...] = ()


def merge_work_items(
    source: Source, kernel: Function, own: OwnFunctions, *, exact: bool
) -> tuple[list[Edit], Merged]:
    """Return the edits that merge `own.factor` work-items into one; raise Refused."""
    check_kernel(source, kernel)
    forced: frozenset[str] = frozenset()
    while True:
        try:
            return _rewrite(source, kernel, own, exact, forced)
        except MakeVarying as found:
            forced |= {found.key}


def _rewrite(
    source: Source, kernel: Function, own: OwnFunctions, exact: bool, forced: frozenset[str]
) -> tuple[list[Edit], Merged]:
    body, factor = kernel.body, own.factor
    seeds: dict[str, Shape] = {p.key: 0 for p in kernel.parameters}
    shapes = Shapes(source, body, True, seeds, forced, functions_with_effects(source))
    of_groups = knows_groups(kernel)
    vectors = Vectors(source, shapes, Lanes(factor, True), names_in(source) | own.names, own.call)
    lanes = vectors.lanes
    guarded = not exact and not of_groups
    if guarded:
        lanes.items = vectors.fresh("items")
    vectors.in_arrays = variables_in_arrays(kernel, shapes)
    step = step_of(source, body)
    writer = Statements(
        source, shapes, lanes, vectors, LaneLoops(source, shapes, lanes, vectors, body, step), step
    )
    edits: list[Edit] = []
    item = _Item(source, kernel, vectors, of_groups)
    first, *_ = [*body.children, None]
    top = _parameters(source, kernel, shapes, vectors)
    if guarded:
        top = [*_guard(item, lanes.items, factor, writer.step), *top]
    # Split the statements at each early return of some work-items: those before it, the return, those after
    # it.
    run: list[Node] = []
    written = False
    for node in body.children:
        if node.kind == "IF_STMT" and _returns(node) and shapes.of(node.children[0]) != 0:
            edits += writer.block(run)
            run = []
            if written:
                reason = "some work-items return here, after others may have written to memory"
                raise source.refused(node, reason)
            edits.append(_early_return(node, writer, item))
        else:
            run.append(node)
            written = written or writes_memory(node, shapes)
    edits += writer.block(run)
    if not writer.vectorized:
        where, reason = writer.report[0] if writer.report else (body, "all work-items do the same")
        raise source.refused(where, f"nothing in {kernel.name} becomes a vector: {reason}")
    if first is not None and top:
        indent = source.indent(first.start)
        edits.append(Edit(first.start, first.start, f"\n{indent}".join([*top, ""])))
    edits += _signature(source, kernel, lanes.items)
    edits += _size_attributes(source, kernel, factor)
    head = _comment(factor, lanes.items, of_groups)
    if item.needed:
        head = f"{item.text(lanes.items)}\n\n{head}"
    edits.append(Edit(kernel.node.start, kernel.node.start, f"{head}\n"))
    serial = tuple((source.line(n.start), reason) for n, reason in (*writer.report, *vectors.notes))
    return edits, Merged(kernel.name, factor, lanes.items, of_groups, len(kernel.parameters), serial)


def _comment(factor: int, items: str, of_groups: bool) -> str:
    sizes = f"global size / {factor}"
    if of_groups:
        sizes += f", local size / {factor}"
    elif items:
        sizes += f" rounded up, {items}: the global size before"
    return f"/* weft vectorize --inter {factor}: {factor} work-items in one; {sizes} */"


def _guard(item: "_Item", items: str, factor: int, step: str) -> list[str]:
    item.needed = True
    return [
        f"if (get_global_id(0) * {factor} + {factor} > {items}) {{",
        f"{step}for (ulong item = get_global_id(0) * {factor}; item < {items}; item++)",
        f"{step}{step}{item.call('item')};",
        f"{step}return;",
        "}",
    ]


def _early_return(node: Node, writer: Statements, item: "_Item") -> Edit:
    source, vectors, step = writer.source, writer.vectors, writer.step
    item.needed = True
    factor = writer.lanes.factor
    vectors.check_macro(node)
    condition = node.children[0]
    if has_effects(condition, writer.shapes):
        raise source.refused(condition, "some work-items return here, by a condition with side effects")
    mask = vectors.mask(condition)
    indent = source.indent(node.start)
    lines = [
        *vectors.before,
        f"if (any({mask.text})) {{",
        f"{step}for (int lane = 0; lane < {factor}; lane++)",
        f"{step}{step}{item.call(*(f'get_{kind}_id(0) * {factor} + lane' for kind in ('global', 'local')))};",
        f"{step}return;",
        "}",
    ]
    vectors.before.clear()
    end = writer.loops.end(node)
    return Edit(node.start, end, f"\n{indent}".join(lines))


class _Item:
    """The function that runs one work-item: the kernel's own body, with its ids as parameters."""

    def __init__(self, source: Source, kernel: Function, vectors: Vectors, of_groups: bool) -> None:
        self.source, self.kernel, self.vectors = source, kernel, vectors
        self.name = vectors.fresh(f"{kernel.name}_item")
        self.id = vectors.fresh("item_id")
        self.local = vectors.fresh("item_local_id") if of_groups else ""
        self.needed = False

    def call(self, item: str, local: str = "") -> str:
        """Return a call for the work-item with these ids along x."""
        for node in self.kernel.body.walk():
            if node.kind == "CALL_EXPR" and node.name in BARRIERS | GROUP_COPIES:
                raise self.source.refused(node, f"{node.name} in a kernel that some work-items leave early")
            if node.kind == "VAR_DECL" and node.type.kind != "pointer" and node.type.space in SHARED:
                reason = (
                    f"{node.name} is declared in a kernel that runs some work-items one by one; declare it"
                )
                raise self.source.refused(node, f"{reason} outside, or promise full blocks (--exact)")
        values = [p.name for p in self.kernel.parameters]
        if self.vectors.lanes.items:
            values.append(self.vectors.lanes.items)
        values.append(item)
        if self.local:
            values.append(local)
        return f"{self.name}({', '.join(values)})"

    def text(self, items: str) -> str:
        """Return the definition."""
        source, kernel = self.source, self.kernel
        first = kernel.parameters[0].start if kernel.parameters else kernel.parameters_end
        parameters = source.text[first : kernel.parameters_end].strip()
        added = [f"ulong {items}"] if items else []
        added += [f"ulong {self.id}"] + ([f"ulong {self.local}"] if self.local else [])
        both = ", ".join([*([parameters] if parameters else []), *added])
        edits: list[Edit] = []
        for node in kernel.body.walk():
            if (
                node.kind != "CALL_EXPR"
                or node.name not in LANE_IDS | SCALED
                or literal(node.children[1]) != 0
            ):
                continue
            self.vectors.check_macro(node)
            if node.name in LANE_IDS:
                new = self.id if node.name == "get_global_id" else self.local
            else:
                new = self.vectors.id_call(node, "0") or ""
            edits.append(Edit(node.start, node.end, new))
        body = apply(source.text, edits, kernel.body.start, kernel.body.end)
        return f"/* one work-item of {kernel.name} */\nstatic void {self.name}({both}) {body}"


def _parameters(source: Source, kernel: Function, shapes: Shapes, vectors: Vectors) -> list[str]:
    """Return vectors for parameters that the kernel assigns differently in each lane."""
    lines = []
    for parameter in kernel.parameters:
        if shapes.variables.get(parameter.key, 0) is None:
            if parameter.key in vectors.in_arrays:
                home = vectors.home(parameter)
                lines.append(f"{parameter.type.spelling} {home}[{vectors.lanes.factor}];")
                lines.append(f"for (int lane = 0; lane < {vectors.lanes.factor}; lane++)")
                lines.append(f"    {home}[lane] = {parameter.name};")
                continue
            type = vectors.of(parameter.type.lane)
            lines.append(f"{type} {vectors.home(parameter)} = ({type})({parameter.name});")
    return lines


def _signature(source: Source, kernel: Function, items: str) -> list[Edit]:
    if not items:
        return []
    end = kernel.parameters_end
    if kernel.parameters:
        return [Edit(end, end, f", const ulong {items}")]
    start = source.text.rindex("(", 0, end) + 1
    return [Edit(start, end, f"const ulong {items}")]


def _size_attributes(source: Source, kernel: Function, factor: int) -> list[Edit]:
    edits = []
    for name, start, end, sizes in kernel.sizes:
        if not sizes:
            raise source.refused(start, f"the numbers of {name} stand in a macro")
        if sizes[0] % factor:
            raise source.refused(start, f"{name} is {sizes[0]} along x, no multiple of {factor}")
        edits.append(Edit(start, end, str(sizes[0] // factor)))
    return edits


def check_kernel(source: Source, kernel: Function) -> None:
    """Refuse kernels that cannot be merged."""
    for other in source.functions.values():
        for node in other.body.walk():
            if node.kind == "CALL_EXPR" and node.name == kernel.name:
                raise source.refused(node, f"the kernel {kernel.name} is called as a function")
    check_names(source, kernel)
    check_pointers(source, kernel)
    used_ids = functions_with_ids(source)
    for node in kernel.body.walk():
        if node.kind in ("GOTO_STMT", "LABEL_STMT", "INDIRECT_GOTO_STMT"):
            raise source.refused(node, "goto is not supported")
        if node.kind == "UNEXPOSED_STMT":
            raise source.refused(node, "an unsupported statement")
        if node.kind == "VAR_DECL" and node.macro:
            raise source.refused(node, f"the macro {node.macro} hides a declaration; expand it")
        if node.kind == "CALL_EXPR":
            _check_call(source, node, used_ids)


def _check_call(source: Source, node: Node, used_ids: frozenset[str]) -> None:
    name = node.name
    if name in LINEAR_IDS or is_collective(name):
        raise source.refused(node, f"{name} depends on the numbering of work-items")
    if name in LANE_IDS | SCALED and literal(arguments(node)[0]) is None:
        raise source.refused(node, f"the dimension of {name} is not a constant")
    if name in used_ids:
        raise source.refused(
            node, f"the function {name} calls a work-item function; pass the id as an argument"
        )
    if not name:
        raise source.refused(node, "a call through a pointer")


def _returns(node: Node) -> bool:
    return any(n.kind == "RETURN_STMT" for n in node.walk())
