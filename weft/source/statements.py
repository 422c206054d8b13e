"""Rewrite statements for all lanes.

A statement is rewritten in one of these ways:

- kept, if it is uniform: the original text, with the ids of merged work-items;
- as vectors (`vectors.py`);
- a divergent condition becomes `select` if its arms only assign to variables and are safe to execute for all
  lanes;
- other divergent conditions are tested for all lanes: if all agree, the arm runs as vectors; if not, the
  statement runs lane by lane;
- lane by lane: a loop over lanes around the original text. Variables are copied out of their vectors under
  their own names and back. Everything except barriers and jumps out of the statement can run like this.

Adjacent statements that run lane by lane share a loop.
"""

from collections.abc import Sequence

from weft.dataclasses import dataclass, field
from weft.source.builtin_calls import BARRIERS, GROUP_COPIES, is_collective
from weft.source.edits import Edit, apply, indented, wrapped
from weft.source.effects import has_effects, is_safe, target_of
from weft.source.lane_loops import LaneLoops, array_values
from weft.source.model import Node, Source
from weft.source.shapes import LOOPS, Shapes, arguments, initializer, loop_parts, variable_of, without_casts
from weft.source.vectors import Lanes, NoVector, Text, Vectors

# Limit of if-conversion: with more assignments, too many results are discarded.
_MOST_SELECTS = 12
# Each nesting level duplicates the arms of a condition.
_MOST_VERSIONS = 3


@dataclass(eq=False)
class Statements:
    """Writes the statements of one kernel or loop; `report` collects why statements run lane by lane."""

    source: Source
    shapes: Shapes
    lanes: Lanes
    vectors: Vectors
    loops: LaneLoops
    step: str = "    "
    report: list[tuple[Node, str]] = field(default_factory=list)
    vectorized: int = 0
    versions: int = 0

    # Blocks

    def block(self, statements: Sequence[Node]) -> list[Edit]:
        """Return the edits of adjacent statements."""
        edits: list[Edit] = []
        group: list[Node] = []
        for node in statements:
            try:
                own = self.statement(node)
            except NoVector as why:
                self.report.append((why.node, why.reason))
                self.vectors.before.clear()
                group.append(node)
                continue
            edits += self._by_lanes(group)
            group = []
            edits += own
        return edits + self._by_lanes(group)

    def statement(self, node: Node) -> list[Edit]:
        """Return the edits of one statement; raise NoVector if it must run lane by lane."""
        match node.kind:
            case "COMPOUND_STMT":
                return self.block(node.children)
            case "NULL_STMT" | "BREAK_STMT" | "CONTINUE_STMT":
                return []
            case "DECL_STMT":
                return self._declaration(node)
            case "IF_STMT":
                return self._if(node)
            case "SWITCH_STMT":
                return self._switch(node)
            case "CASE_STMT" | "DEFAULT_STMT":
                return self.nested(node.children[-1])
            case "RETURN_STMT" if node.children:
                return self._lines(node, [f"return {self.vectors.vector(node.children[0]).text};"])
            case "RETURN_STMT":
                return self._keep(node)
            case "GOTO_STMT" | "LABEL_STMT" | "INDIRECT_GOTO_STMT":
                raise self.source.refused(node, "goto is not supported")
        if node.kind in LOOPS:
            return self._loop(node)
        return self._expression(node)

    def nested(self, node: Node) -> list[Edit]:
        """Return the edits of a controlled statement; add braces if it becomes several statements."""
        if node.kind == "COMPOUND_STMT":
            return self.block(node.children)
        edits = self.block([node])
        end = self.loops.end(node)
        text = apply(self.source.text, edits, node.start, end)
        if edits and (text.count("\n") or text.count(";") > 1):
            start = node.start
            indent = self.source.indent(start)
            before = self.source.text[:start].rstrip()
            if before.endswith((")", "else")) and "\n" in self.source.text[len(before) : start]:
                # The statement has its own line: put the brace at the end of the preceding line.
                outer = indent.removesuffix(self.step)
                return [Edit(len(before), end, f" {{\n{indent}{text}\n{outer}}}")]
            text = f"{{\n{indent}{self.step}{indented(text, self.step)}\n{indent}}}"
            return [Edit(start, end, text)]
        return edits

    def _lines(self, node: Node, lines: list[str]) -> list[Edit]:
        """Replace a statement by lines, preceded by pending lines."""
        self.vectorized += 1
        indent = self.source.indent(node.start)
        lines = [*self.vectors.before, *lines]
        self.vectors.before.clear()
        return [
            Edit(
                node.start, self.loops.end(node), f"\n{indent}".join(wrapped(line, indent) for line in lines)
            )
        ]

    def _keep(self, node: Node) -> list[Edit]:
        """Keep a uniform statement."""
        for inner in node.walk():
            if inner.kind == "CALL_EXPR" and is_collective(inner.name):
                raise self.source.refused(
                    inner, f"{inner.name} works on the work-items of a group or sub-group"
                )
        return self.vectors.lane_edits(node, "0")

    # Simple statements

    def _declaration(self, node: Node) -> list[Edit]:
        variables = [n for n in node.children if n.kind == "VAR_DECL"]
        shapes = [self.shapes.variables.get(n.key, 0) for n in variables]
        for n in variables:
            if n.type.kind == "pointer" and n.type.space == 0 and "image" not in n.type.spelling:
                raise self.source.refused(n, f"{n.name} points to private memory")
        if all(s is not None for s in shapes):
            return self._keep(node)
        self._check_lines(node)
        lines: list[str] = []
        for n, shape in zip(variables, shapes, strict=True):
            first_line = len(lines)
            if shape is not None:
                lines.append(self.loops.alone(n, "0", None))
            elif n.key in self.vectors.in_arrays:
                lines.append(f"{self.loops.array_of(n)};")
                if initializer(n) is not None or array_values(n) is not None:
                    raise NoVector(n, f"{n.name} of type {n.type.spelling} has no vector form")
            elif n.type.kind == "array":
                lines.append(self._array(n))
            else:
                lines.append(self._variable(n))
            # Lines that a value needs must follow the variables declared before it.
            lines[first_line:first_line] = self.vectors.before
            self.vectors.before.clear()
        return self._lines(node, lines)

    def _check_lines(self, node: Node) -> None:
        if node.macro or any(n.macro for n in node.children):
            self.vectors.check_macro(next(n for n in node.walk() if n.macro))

    def _variable(self, node: Node) -> str:
        vectors = self.vectors
        value = initializer(node)
        type = vectors.of(node.type.lane)
        # Lanes that do not assign keep the previous value, so the variable must be initialized.
        text = f"({type})(0)" if value is None else vectors.vector(value).text
        return f"{type} {vectors.home(node)} = {text};"

    def _array(self, node: Node) -> str:
        vectors = self.vectors
        values = array_values(node)
        head = f"{vectors.of(node.type.element)} {vectors.home(node)}[{node.type.count}]"
        if values is None:
            return f"{head};"
        return f"{head} = {{{', '.join(vectors.vector(v).text for v in values)}}};"

    def _expression(self, node: Node) -> list[Edit]:
        if node.kind == "PAREN_EXPR":
            node_inner = without_casts(node)
            if node_inner.kind != "PAREN_EXPR" and self.shapes.of(node) != 0:
                raise NoVector(node, "an expression in parentheses as a statement")
        target = target_of(node)
        if target is None:
            return self._call(node)
        key = variable_of(target)
        inner = without_casts(target)
        if key is not None:
            shape = self.shapes.variables.get(key, 0)
            if shape is not None:
                if self._has_nested_effects(node):
                    self._check_nested(node)
                return self._keep(node)
            if self._has_nested_effects(node):
                raise NoVector(node, "an assignment within an expression")
            self.vectors.check_macro(node)
            if inner.kind == "DECL_REF_EXPR" and key not in self.vectors.in_arrays and inner.type.lane:
                return self._lines(node, [self._assign_variable(node, inner)])
            if inner.kind == "ARRAY_SUBSCRIPT_EXPR":
                return self._lines(node, [self._assign_element(node, inner)])
            raise NoVector(node, f"{self.source.of(target)} has no vector form")
        return self._store(node, inner)

    def _has_nested_effects(self, node: Node) -> bool:
        return any(has_effects(n, self.shapes) for n in node.children)

    def _check_nested(self, node: Node) -> None:
        for inner in node.walk():
            if inner.kind == "CALL_EXPR" and self.shapes.has_effects(inner.name):
                raise NoVector(inner, f"each lane calls {inner.name}")

    def _value(self, node: Node, element: str, old: str) -> str:
        """Return the new value of a variable of type `element` after an assignment; `old` is the text of its
        value."""
        vectors = self.vectors
        if node.kind == "UNARY_OPERATOR":
            one = "1.0f" if element == "float" else "1.0" if element == "double" else f"({element})1"
            one = "1" if element == "int" else one
            return f"{old} {node.op[-1]} {one}"
        value = node.children[1]
        if node.op == "=":
            return vectors.vector(value).text
        op = node.op[:-1]
        if op in ("<<", ">>"):
            wide = element if element in ("int", "uint", "long", "ulong") else "int"
            by = Text(vectors.converted(vectors.vector(value), value.type.lane, wide).text, 20)
        else:
            wide = value.type.lane
            by = Text(vectors.vector(value).text, 20)
        result = f"{vectors.converted(Text(old), element, wide).text} {op} {by.within(0)}"
        return vectors.converted(Text(result, 20), wide, element).text

    def _assign(self, node: Node, element: str, place: str) -> str:
        vectors = self.vectors
        if node.kind != "UNARY_OPERATOR" and node.op != "=":
            value = node.children[1]
            shift = node.op in ("<<=", ">>=")
            if value.type.lane == element and not shift and node.children[0].type.kind != "bool":
                return f"{place} {node.op} {vectors.operand(value, element).text};"
        if node.children[0].type.kind == "bool" and node.op != "=":
            raise NoVector(node, "arithmetic on a bool")
        return f"{place} = {self._value(node, element, place)};"

    def _assign_variable(self, node: Node, target: Node) -> str:
        return self._assign(node, target.type.lane, self.vectors.home(target))

    def _assign_element(self, node: Node, target: Node) -> str:
        """Write an assignment to an element of a private array."""
        base, index = target.children
        inner = without_casts(base)
        if inner.kind != "DECL_REF_EXPR" or inner.key in self.vectors.in_arrays or self.shapes.of(index) != 0:
            raise NoVector(node, f"lanes choose elements of {self.source.of(base)}")
        place = f"{self.vectors.home(inner)}[{self.vectors.scalar(index)}]"
        return self._assign(node, target.type.lane, place)

    def _store(self, node: Node, target: Node) -> list[Edit]:
        """Write an assignment to memory."""
        shapes, vectors, factor = self.shapes, self.vectors, self.lanes.factor
        is_element = target.kind == "ARRAY_SUBSCRIPT_EXPR" or target.op == "*"
        address = shapes.address(target) if is_element else (0 if shapes.of(target) == 0 else None)
        value = node.children[1] if len(node.children) > 1 else None
        if self._has_nested_effects(node):
            if address == 0 and (value is None or shapes.of(value) == 0):
                self._check_nested(node)
                return self._keep(node)
            raise NoVector(node, "an assignment within an expression")
        if address == 0 and (value is None or shapes.of(value) == 0):
            return self._keep(node)
        vectors.check_macro(node)
        element = target.type.lane
        if not element or (value is not None and not value.type.lane):
            raise NoVector(node, f"{self.source.of(target)} has no vector form")
        plain = target.type.kind == "scalar" and not target.type.is_volatile
        if is_element and address == 1 and plain:
            pointer = vectors.pointer(target)
            old = f"vload{factor}(0, {pointer})"
            return self._lines(node, [f"vstore{factor}({self._value(node, element, old)}, 0, {pointer});"])
        # Store the lanes sequentially.
        if value is None:
            return self._lines(node, [f"{vectors.lane(node, k)};" for k in range(factor)])
        kept = ""
        if shapes.of(value) != 0:
            written = vectors.vector(value)
            simple = written.text.isidentifier()
            kept = written.text if simple else vectors.declare(written.text, value.type.lane, "value")
        places = self._places(target)
        lines = []
        for k in range(factor):
            part = f"{kept}{vectors.component(k)}" if kept else vectors.scalar(value)
            lines.append(f"{places[k]} {node.op} {part};")
        return self._lines(node, lines)

    def _places(self, target: Node) -> list[str]:
        """Return the place in memory of each lane."""
        vectors, factor = self.vectors, self.lanes.factor
        if target.kind == "ARRAY_SUBSCRIPT_EXPR" and self.shapes.base(target.children[0]) == 0:
            base, index = target.children
            simple = without_casts(index).kind == "DECL_REF_EXPR"
            if self.shapes.of(index) is None and not simple:
                try:
                    name = vectors.index(index)
                except NoVector:
                    pass
                else:
                    return [f"{vectors.scalar(base)}[{name}{vectors.component(k)}]" for k in range(factor)]
        return [vectors.lane(target, k) for k in range(factor)]

    def _call(self, node: Node) -> list[Edit]:
        """Write an expression that is evaluated for its side effects."""
        inner = without_casts(node)
        if inner.kind == "CALL_EXPR" and inner.name in BARRIERS | GROUP_COPIES:
            if any(self.shapes.of(n) != 0 for n in arguments(inner)):
                raise self.source.refused(inner, f"{inner.name} has arguments that differ between work-items")
            return self._keep(node)
        if self.shapes.of(node) == 0:
            self._check_nested(node)
            return self._keep(node)
        name = inner.name or "an expression"
        raise NoVector(node, f"each lane calls {name}")

    # Control

    def _loop(self, node: Node) -> list[Edit]:
        if node in self.shapes.divergent_loops:
            raise NoVector(node, "this loop has a divergent trip count")
        edits: list[Edit] = []
        header, body = loop_parts(node)
        for part in header:
            for inner in part.walk():
                key = inner.key if inner.kind == "VAR_DECL" else None
                target = target_of(inner)
                if target is not None:
                    key = variable_of(target)
                if key is not None and self.shapes.variables.get(key, 0) is None:
                    raise NoVector(inner, "the header of this loop assigns a varying variable")
            if part.kind == "DECL_STMT":
                edits += self._keep(part)
            elif self.shapes.of(part) != 0 and target_of(part) is None:
                raise NoVector(part, "the header of this loop is divergent")
            else:
                edits += self._keep(part)
        return edits + self.nested(body)

    def _switch(self, node: Node) -> list[Edit]:
        condition, body = node.children[0], node.children[-1]
        if self.shapes.of(condition) != 0:
            raise NoVector(node, "this switch is divergent")
        if any(n.kind == "DECL_STMT" for n in body.children):
            raise NoVector(node, "a switch with declarations among its cases")
        edits = self._keep(condition)
        # A loop over lanes must not contain a label, so statements are rewritten separately.
        for child in body.children:
            try:
                edits += self.statement(child)
            except NoVector as why:
                raise NoVector(why.node, why.reason) from None
        return edits

    def _if(self, node: Node) -> list[Edit]:
        condition, *arms = node.children
        if self.shapes.of(condition) == 0 and not has_effects(condition, self.shapes):
            edits = self._keep(condition)
            for arm in arms:
                edits += self.nested(arm)
            return edits
        if has_effects(condition, self.shapes):
            raise NoVector(condition, "a condition with side effects")
        assigned = self._selectable(arms)
        if assigned is not None:
            return self._select(node)
        return self._versions(node)

    def _selectable(self, arms: Sequence[Node]) -> int | None:
        """Return the number of assignments that `select` would replace; None if the statements cannot be
        selected."""
        count = 0
        for node in arms:
            if node.kind == "NULL_STMT":
                continue
            if node.kind in ("COMPOUND_STMT", "IF_STMT"):
                below = node.children
                if node.kind == "IF_STMT":
                    if not is_safe(below[0], self.shapes):
                        return None
                    below = below[1:]
                inner = self._selectable(below)
                if inner is None:
                    return None
                count += inner
                continue
            if node.macro:
                return None
            target = target_of(node)
            if target is None:
                return None
            place = without_casts(target)
            if place.kind != "DECL_REF_EXPR" or place.key in self.vectors.in_arrays:
                return None
            if self.shapes.variables.get(place.key, 0) is not None or not place.type.lane:
                return None
            if place.type.kind == "bool" and node.op != "=":
                return None
            if self._has_nested_effects(node) or not all(is_safe(n, self.shapes) for n in node.children):
                return None
            if node.op in ("/=", "%=") and place.type.lane not in ("float", "double", "half"):
                return None
            count += 1
        return count if count <= _MOST_SELECTS else None

    def _select(self, node: Node) -> list[Edit]:
        lines: list[str] = []
        self._select_lines(node, "", lines)
        return self._lines(node, ["{", *(f"{self.step}{line}" for line in lines), "}"])

    def _select_lines(self, node: Node, outer: str, lines: list[str]) -> None:
        vectors = self.vectors
        if node.kind == "COMPOUND_STMT":
            for below in node.children:
                self._select_lines(below, outer, lines)
        elif node.kind == "IF_STMT":
            condition, *arms = node.children
            text = vectors.mask(condition)
            if vectors.before and outer:
                raise NoVector(condition, "an index within a condition")
            name = vectors.fresh(f"mask_v{self.lanes.factor}")
            both = f"{outer} & {text.within(0)}" if outer else text.text
            lines.append(f"{vectors.of('int')} {name} = {both};")
            self._select_lines(arms[0], name, lines)
            if len(arms) > 1:
                other = vectors.fresh(f"mask_v{self.lanes.factor}")
                complement = f"{outer} & ~{name}" if outer else f"~{name}"
                lines.append(f"{vectors.of('int')} {other} = {complement};")
                self._select_lines(arms[1], other, lines)
        elif node.kind != "NULL_STMT":
            target = target_of(node)
            assert target is not None
            place = without_casts(target)
            home, element = vectors.home(place), place.type.lane
            waiting = len(vectors.before)
            value = self._value(node, element, home)
            if len(vectors.before) > waiting:
                raise NoVector(node, "an index within a condition")
            lines.append(f"{home} = select({home}, {value}, {vectors.as_mask_of(outer, element)});")

    def _versions(self, node: Node) -> list[Edit]:
        """Write the arms of a condition as vectors if all lanes agree, and lane by lane otherwise."""
        condition, *arms = node.children
        if self.versions >= _MOST_VERSIONS:
            raise NoVector(node, "divergent conditions are nested too deeply")
        if any(n.kind in ("RETURN_STMT", "BREAK_STMT", "CONTINUE_STMT") for a in arms for n in a.walk()):
            raise NoVector(node, "a divergent condition controls a jump")
        self.vectors.check_macro(node)
        # Render the slow version first: it raises Refused for code that cannot run lane by lane.
        slow = self.loops.loop([node])
        before, count = list(self.report), self.vectorized
        self.versions += 1
        try:
            fast = [self.nested(arm) for arm in arms]
        finally:
            self.versions -= 1
        if self.vectorized == count:
            self.report[:] = before
            raise NoVector(node, "this condition is divergent")
        mask = self.vectors.mask(condition)
        name = self.vectors.declare(mask.text, "int", "mask")
        indent, step, text = self.source.indent(node.start), self.step, self.source.text

        def fast_arm(at: int) -> str:
            start = min([arms[at].start, *(e.start for e in fast[at])])
            inner = apply(text, fast[at], start, self.loops.end(arms[at])).lstrip()
            if inner.startswith("{"):
                return inner
            return f"{{\n{indent}{step}{indented(inner, step)}\n{indent}}}"

        lines = f"if (all({name})) {fast_arm(0)}"
        if len(arms) > 1:
            lines += f" else if (!any({name})) {fast_arm(1)} else {{"
        else:
            lines += f" else if (any({name})) {{"
        lines += f"\n{indent}{step}{indented(slow, step)}\n{indent}}}"
        return self._lines(node, [lines])

    # Lane by lane

    def _by_lanes(self, group: list[Node]) -> list[Edit]:
        if not group:
            return []
        return [Edit(group[0].start, self.loops.end(group[-1]), self.loops.loop(group))]
