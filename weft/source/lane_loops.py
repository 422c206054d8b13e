"""Statements that run lane by lane: a loop over lanes around the original text."""

from collections.abc import Sequence

from weft.dataclasses import dataclass
from weft.source.builtin_calls import BARRIERS, GROUP_COPIES, is_collective
from weft.source.edits import Edit, apply, indented
from weft.source.effects import changes
from weft.source.model import Node, Source
from weft.source.shapes import LOOPS, Shapes, initializer
from weft.source.vectors import Lanes, Vectors

_CONTROL = frozenset(("IF_STMT", "SWITCH_STMT", "CASE_STMT", "DEFAULT_STMT", "FOR_STMT", "WHILE_STMT"))


class MakeVarying(Exception):
    """A variable that was assumed uniform is assigned lane by lane; restart with it as varying."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


@dataclass(eq=False)
class LaneLoops:
    """Writes loops over lanes. `body` is all code that is rewritten; variables used elsewhere in it are
    kept."""

    source: Source
    shapes: Shapes
    lanes: Lanes
    vectors: Vectors
    body: Node
    step: str

    def loop(self, group: Sequence[Node]) -> str:
        """Return a loop over lanes around the text of statements; raise Refused if they cannot run lane by
        lane."""
        vectors, source, factor = self.vectors, self.source, self.lanes.factor
        self._check_lane_by_lane(group)
        start, end = group[0].start, self.end(group[-1])
        declared = {n.key: n for s in group for n in s.walk() if n.kind == "VAR_DECL"}
        outside = {n.key for n in self._nodes_outside(start, end) if n.kind == "DECL_REF_EXPR"}
        top = {n.key for s in group if s.kind == "DECL_STMT" for n in s.children if n.kind == "VAR_DECL"}
        for key in {k for k in top if k in outside}:
            if self.shapes.variables.get(key, 0) is not None:
                raise MakeVarying(key)
        local = set(declared) - {k for k in top if k in outside and k in vectors.in_arrays}
        used: dict[str, Node] = {}
        for statement in group:
            for n in statement.walk():
                scalar = n.kind == "DECL_REF_EXPR" and n.type.lane and n.key not in vectors.in_arrays
                if scalar and n.key not in declared and self.shapes.variables.get(n.key, 0) is None:
                    used.setdefault(n.key, n)
        written = self._written(group)
        lane = vectors.fresh("lane")
        vectors.used_names.discard(lane)
        indent, step = source.indent(start), self.step
        head: list[str] = []
        first: list[str] = []
        last: list[str] = []
        tail: list[str] = []
        outer: list[str] = []
        edits: list[Edit] = []
        for key, node in used.items():
            home, element = vectors.home(node), node.type.lane
            array = vectors.fresh(f"{node.name}_lanes")
            vectors.used_names.discard(array)
            head += [f"{element} {array}[{factor}];", f"vstore{factor}({home}, 0, {array});"]
            first.append(f"{node.type.spelling.replace('volatile ', '')} {node.name} = {array}[{lane}];")
            if key in written:
                last.append(f"{array}[{lane}] = {node.name};")
                tail.append(f"{home} = vload{factor}(0, {array});")
        for key in sorted(k for k in top if k in outside):
            node = declared[key]
            if key in vectors.in_arrays:
                outer.append(f"{self.array_of(node)};")
                continue
            home, element = vectors.home(node), node.type.lane
            array = vectors.fresh(f"{node.name}_lanes")
            vectors.used_names.discard(array)
            outer.append(f"{vectors.of(element)} {home};")
            head.append(f"{element} {array}[{factor}];")
            last.append(f"{array}[{lane}] = {node.name};")
            tail.append(f"{home} = vload{factor}(0, {array});")
        for statement in group:
            keys = {
                n.key for n in statement.children if n.key in top and n.key in outside
            } & vectors.in_arrays
            if statement.kind == "DECL_STMT" and keys:
                edits.append(
                    Edit(
                        statement.start,
                        statement.end,
                        self._declared_in_arrays(statement, keys, lane, local),
                    )
                )
            else:
                edits += vectors.lane_edits(statement, lane, local)
        body = apply(source.text, edits, start, end)
        loop = [f"for (int {lane} = 0; {lane} < {factor}; {lane}++) {{"]
        loop += [step + line for line in (*first, indented(body, step), *last)]
        loop.append("}")
        lines = [*head, *loop, *tail]
        if head:
            lines = ["{", *(step + indented(line, step) for line in lines), "}"]
            lines = [*outer, *lines]
        else:
            lines = [*outer, *lines]
        return f"\n{indent}".join(lines)

    def _declared_in_arrays(self, statement: Node, keys: set[str], lane: str, local: set[str]) -> str:
        """Split a declaration of variables, some of which are in arrays: those only get their values here."""
        parts: list[str] = []
        for node in statement.children:
            if node.kind != "VAR_DECL":
                continue
            if node.key not in keys:
                parts.append(self.alone(node, lane, local))
                continue
            place = f"{self.vectors.home(node)}[{lane}]"
            value = initializer(node)
            if array_values(node) is not None:
                raise self.source.refused(node, f"the array {node.name} has initial values that differ")
            if node.type.kind == "array" or value is None:
                continue
            if value.kind == "INIT_LIST_EXPR":
                parts += [self.alone(node, lane, local), f"{place} = {node.name};"]
                continue
            edits = self.vectors.lane_edits(value, lane, local)
            parts.append(f"{place} = {apply(self.source.text, edits, value.start, value.end)};")
        return " ".join(parts)

    def _nodes_outside(self, start: int, end: int) -> list[Node]:
        return [n for n in self.body.walk() if not start <= n.start < end]

    def _written(self, group: Sequence[Node]) -> set[str]:
        """Return the variables that statements assign; each must have a value per lane."""
        declared = {n.key for s in group for n in s.walk() if n.kind == "VAR_DECL"}
        assigned = {key for statement in group for _, key in changes(statement)} - declared
        for key in sorted(assigned):
            if self.shapes.variables.get(key, 0) is not None:
                raise MakeVarying(key)
        return assigned

    def _check_lane_by_lane(self, group: Sequence[Node]) -> None:
        for statement in group:
            for node in statement.walk():
                if node.kind == "RETURN_STMT":
                    raise self.source.refused(node, "work-items return at different places here")
                if node.kind in ("GOTO_STMT", "LABEL_STMT"):
                    raise self.source.refused(node, "goto is not supported")
                if node.kind == "CALL_EXPR" and (
                    node.name in BARRIERS | GROUP_COPIES or is_collective(node.name)
                ):
                    raise self.source.refused(node, f"{node.name} is in divergent control flow")
                if node.kind == "VAR_DECL" and node.type.kind == "pointer" and node.type.space == 0:
                    raise self.source.refused(node, f"{node.name} points to private memory")
            self._check_jumps(statement)

    def _check_jumps(self, statement: Node) -> None:
        """Refuse jumps out of the statement."""
        stack = [(statement, False, False)]
        while stack:
            node, loop, switch = stack.pop()
            if (node.kind == "CONTINUE_STMT" and not loop) or (
                node.kind == "BREAK_STMT" and not (loop or switch)
            ):
                raise self.source.refused(node, "a jump out of statements that run lane by lane")
            inner_loop, inner_switch = loop or node.kind in LOOPS, switch or node.kind == "SWITCH_STMT"
            stack += [(child, inner_loop, inner_switch) for child in node.children]

    # Declarations and ends

    def alone(self, node: Node, k: str, local: set[str] | None) -> str:
        """Return the declaration of one of several variables, as a separate statement."""
        at = int(node.key.rpartition("@")[2])
        text = apply(self.source.text, self.vectors.lane_edits(node, k, local), at, node.end)
        spelling, name = node.type.spelling, node.name
        if node.type.kind == "array":
            spelling, name = spelling[: spelling.index("[")].strip(), node.name
        assert text.startswith(name)
        return f"{spelling}{'' if spelling.endswith('*') else ' '}{text};"

    def array_of(self, node: Node) -> str:
        """Return the declaration of an array that holds a variable for each lane."""
        name, factor = self.vectors.home(node), self.lanes.factor
        spelling = node.type.spelling
        if "(" in spelling:
            raise self.source.refused(node, f"the type of {node.name} has no name")
        if node.type.kind == "array":
            bracket = spelling.index("[")
            return f"{spelling[:bracket].strip()} {name}[{factor}]{spelling[bracket:]}"
        if spelling.endswith("*"):
            return f"{spelling}{name}[{factor}]"
        return f"{spelling} {name}[{factor}]"

    def end(self, node: Node) -> int:
        """Return the end of a statement, including its semicolon."""
        while node.kind in _CONTROL:
            node = (
                node.parts[3] if node.kind == "FOR_STMT" and node.parts[3] is not None else node.children[-1]
            )
        if node.kind in ("COMPOUND_STMT", "DECL_STMT", "NULL_STMT"):
            return node.end
        text, at = self.source.text, node.end
        while at < len(text) and text[at] != ";":
            if text.startswith("/*", at):
                at = text.index("*/", at) + 2
            elif text.startswith("//", at):
                at = text.index("\n", at)
            elif text[at].isspace() or text[at] == ")":
                at += 1
            else:
                break
        if at >= len(text) or text[at] != ";":
            raise self.source.refused(node, "a macro hides the end of this statement; expand it")
        return at + 1


def array_values(node: Node) -> list[Node] | None:
    """Return the initial values of an array."""
    if node.type.kind != "array":
        return None
    lists = [n for n in node.children if n.kind == "INIT_LIST_EXPR"]
    return lists[0].children if lists else None
