"""Transpose the layout of buffers: the data part of MAPer (CLVectorizer, section 5).

    for (int k = 0; k < n; k++)
        sum += b[k * n + x];

accesses a column of `b` in each work-item. With the matrix transposed, it accesses a row:

    for (int k = 0; k < n; k++)
        sum += b[x * b_rows + k];

The kernel gets one more argument, the original number of rows, and the host transposes the buffer before and,
if the kernel writes to it, after the launch (`host.py`). The alternative layout has `blocks` of W columns,
each stored by rows: `b[(x / W * b_rows + k) * W + x % W]`.

An index must be `row * pitch + column` with one pitch for all accesses of the buffer (`index_form.py`);
columns are assumed to be less than the pitch. A buffer that is used other than by `b[index]` is refused.
"""

from collections.abc import Sequence

import numpy as np

from weft.dataclasses import dataclass
from weft.errors import WeftError
from weft.frontend.options import BuildOptions
from weft.smt.studies.integers import Variable
from weft.source.edits import Edit, apply
from weft.source.effects import target_of
from weft.source.index_form import Indices, Place, operand
from weft.source.inter import names_in
from weft.source.model import Function, Node, Source, parse
from weft.source.rewrite import check
from weft.source.shapes import without_casts
from weft.source.types import SIZES

_GLOBAL_SPACES = (1, 2)


@dataclass(frozen=True)
class Layout:
    """A buffer with another layout. `argument` and `rows`: the added parameter with the original number of
    rows.

    `pitch` is the number of columns, an expression of the kernel: `factor` times the variables `names`.
    """

    kernel: str
    buffer: str
    position: int
    argument: int
    rows: str
    rows_type: str
    pitch: str
    names: tuple[str, ...]
    factor: int
    element: str
    written: bool
    blocks: int

    @property
    def note(self) -> str:
        """The change in one sentence."""
        how = f"in blocks of {self.blocks} columns" if self.blocks else "transposed"
        back = " and back after it" if self.written else ""
        return (
            f"{self.kernel}: {self.buffer} is {how}: convert it before the launch{back}, and set argument "
            f"{self.argument} ({self.rows}: {self.rows_type}) to its number of rows; its columns are 0 to "
            f"{self.pitch} - 1"
        )

    def converted(self, array: np.ndarray, columns: int) -> np.ndarray:
        """Convert a buffer to the new layout."""
        matrix = array.reshape(-1, columns)
        if not self.blocks:
            return np.ascontiguousarray(matrix.T).ravel()
        matrix = np.pad(matrix, ((0, 0), (0, -columns % self.blocks)))
        blocks = matrix.reshape(len(matrix), -1, self.blocks).transpose(1, 0, 2)
        return np.ascontiguousarray(blocks).ravel()

    def restored(self, array: np.ndarray, columns: int, rows: int) -> np.ndarray:
        """Convert a buffer back to its original layout."""
        if not self.blocks:
            return np.ascontiguousarray(array.reshape(columns, rows).T).ravel()
        matrix = array.reshape(-1, rows, self.blocks).transpose(1, 0, 2).reshape(rows, -1)
        return np.ascontiguousarray(matrix[:, :columns]).ravel()


def lay_out(
    text: str, options: BuildOptions, file: str, kernel: str, buffers: Sequence[str], blocks: int = 0
) -> tuple[str, tuple[Layout, ...]]:
    """Rewrite a program for other layouts of buffers of a kernel; raise Refused."""
    source = parse(text, options, file)
    function = source.kernels([kernel])[0]
    _check_calls(source, function)
    used_names = names_in(source)
    edits: list[Edit] = []
    layouts: list[Layout] = []
    for name in buffers:
        more, layout = _laid_out(source, function, name, blocks, len(layouts), used_names)
        edits += more
        layouts.append(layout)
    added = ", ".join(f"const {one.rows_type} {one.rows}" for one in layouts)
    end = function.parameters_end
    edits.append(Edit(end, end, f", {added}"))
    what = ", ".join(
        f"{one.buffer} {f'in blocks of {blocks} columns' if blocks else 'transposed'}, {one.rows}: its rows"
        for one in layouts
    )
    start = function.node.start
    edits.append(Edit(start, start, f"/* weft vectorize --layout: {what} */\n"))
    new = apply(source.text, edits)
    check(new, options, file)
    return new, tuple(layouts)


def _laid_out(
    source: Source, kernel: Function, name: str, blocks: int, before: int, used_names: set[str]
) -> tuple[list[Edit], Layout]:
    position, parameter = _parameter(source, kernel, name)
    nodes = _accesses(source, kernel, parameter)
    indices = Indices(source, kernel)
    polys = [indices.read(node.children[1]) for node in nodes]
    pitch = indices.pitch(polys, nodes, name)
    rows = f"{name}_rows"
    while rows in used_names:
        rows += "_"
    used_names.add(rows)
    types = {without_casts(node.children[1]).type.lane for node in nodes}
    edits = []
    for node, poly in zip(nodes, polys, strict=True):
        index = node.children[1]
        new = _index(indices, indices.place(poly, pitch, node), rows, blocks)
        edits.append(Edit(index.start, index.end, new))
    written = any(_is_target(node, kernel) for node in nodes)
    ((atoms, factor),) = pitch.parts
    names = [atom.name for atom in atoms if isinstance(atom, Variable)]
    for macro in [n for n in names if n in indices.values]:
        names.remove(macro)
        factor *= indices.values[macro]
    return edits, Layout(
        kernel.name,
        name,
        position,
        len(kernel.parameters) + before,
        rows,
        types.pop() if len(types) == 1 and types <= {"int", "uint", "long"} else "ulong",
        indices.text(pitch),
        tuple(indices.texts[n] for n in names),
        factor,
        parameter.type.element,
        written,
        blocks,
    )


def _index(indices: Indices, place: Place, rows: str, blocks: int) -> str:
    row, column = indices.text(place.row), indices.text(place.column)
    if blocks:
        strip = f"{operand(column)} / {blocks} * {rows}"
        return f"({_sum(strip, row)}) * {blocks} + {operand(column)} % {blocks}"
    if not place.column.parts:
        return row
    return _sum(rows if column == "1" else f"{operand(column)} * {rows}", row)


def _sum(first: str, second: str) -> str:
    if second == "0":
        return first
    return f"{first} - {second[1:]}" if second.startswith("-") else f"{first} + {second}"


# Requirements on the buffer


def _parameter(source: Source, kernel: Function, name: str) -> tuple[int, Node]:
    for position, parameter in enumerate(kernel.parameters):
        if parameter.name == name:
            type = parameter.type
            if type.kind != "pointer" or type.space not in _GLOBAL_SPACES or type.element not in SIZES:
                raise source.refused(parameter, f"{name} is not a buffer of scalars")
            return position, parameter
    names = ", ".join(p.name for p in kernel.parameters if p.type.kind == "pointer") or "none"
    raise WeftError(f"{source.file}: {kernel.name} has no buffer {name!r}; there are: {names}")


def _accesses(source: Source, kernel: Function, parameter: Node) -> list[Node]:
    """Return the subscripts of a buffer; refuse every other use of it."""
    name = parameter.name
    subscripts: list[Node] = []
    elements: set[Node] = set()
    for node in kernel.body.walk():
        if node.kind == "ARRAY_SUBSCRIPT_EXPR":
            base = without_casts(node.children[0])
            if base.kind == "DECL_REF_EXPR" and base.key == parameter.key:
                if node.macro or node.children[1].start <= node.start:
                    macro = node.macro or "of the index"
                    raise source.refused(node, f"the macro {macro} hides an access to {name}; expand it")
                subscripts.append(node)
                elements.add(base)
        elif node.kind == "UNARY_OPERATOR" and node.op == "&":
            for below in node.walk():
                if below.kind == "DECL_REF_EXPR" and below.key == parameter.key:
                    raise source.refused(node, f"the address of an element of {name} is taken")
    for node in kernel.body.walk():
        if node.kind == "CALL_EXPR":
            for below in node.children[1:]:
                used = without_casts(below)
                if used.key == parameter.key and used.kind == "DECL_REF_EXPR":
                    raise source.refused(node, f"{name} is passed to the function {node.name}")
        if node.kind == "DECL_REF_EXPR" and node.key == parameter.key and node not in elements:
            if node.macro:
                raise source.refused(node, f"the macro {node.macro} hides an access to {name}; expand it")
            raise source.refused(node, f"{name} is used as a pointer, not by {name}[index]")
    if not subscripts:
        raise source.refused(parameter, f"{name} is not used")
    return subscripts


def _is_target(node: Node, kernel: Function) -> bool:
    for other in kernel.body.walk():
        target = target_of(other)
        if target is not None and without_casts(target) is node:
            return True
    return False


def _check_calls(source: Source, kernel: Function) -> None:
    for other in source.functions.values():
        for node in other.body.walk():
            if node.kind == "CALL_EXPR" and node.name == kernel.name:
                raise source.refused(node, f"the kernel {kernel.name} is called as a function")
