"""Vector variants of the program's functions.

    float half_of(float x) { return 0.5f * x; }

called as `half_of(a[i])` gets a vector variant,

    static float4 half_of_v4(float4 x_v4) { return 0.5f * x_v4; }

and the call becomes `half_of_v4(vload4(0, &a[i]))`. A variant depends on the shapes of the arguments: uniform
and strided ones stay scalars with the value of lane 0.

A function has a vector variant if it returns a scalar, modifies only its own variables, and all lanes return
at one place; a chain of `if (...) return ...;` at its end becomes `select`. Other functions are called once
per lane, with the reason in the report.
"""

import re
from collections.abc import Iterable, Sequence

from weft.dataclasses import dataclass, field
from weft.source.edits import Edit, apply
from weft.source.effects import is_safe, writes_memory
from weft.source.kernel_facts import functions_with_effects, names_in, step_of, variables_in_arrays
from weft.source.lane_loops import LaneLoops, MakeVarying
from weft.source.model import Function, Node, Source
from weft.source.refusal import Refused
from weft.source.shapes import Shape, Shapes, arguments
from weft.source.statements import Statements
from weft.source.vectors import Lanes, NoVector, Text, Vectors

# Each nested call costs a few dozen Python frames.
_DEPTH = 8
_Key = tuple[str, tuple[Shape, ...]]


@dataclass(frozen=True)
class _Form:
    """A vector variant: its name, which parameters are vectors, its text, and the offset where it is
    inserted."""

    name: str
    vectors: tuple[bool, ...]
    text: str
    after: int
    serial: tuple[tuple[Node, str], ...] = ()


@dataclass(eq=False)
class OwnFunctions:
    """The vector variants of a program's functions, created on demand.

    All kernels that are rewritten together share one instance. `ids`: lanes are work-items.
    """

    source: Source
    factor: int
    ids: bool
    names: set[str] = field(default_factory=set)
    _forms: dict[_Key, _Form | NoVector] = field(default_factory=dict)
    # The functions whose variants are being created, outermost first.
    _open: list[str] = field(default_factory=list)

    def call(self, node: Node, vectors: Vectors) -> Text:
        """Return a call for all lanes; raise NoVector with the reason if the function has no vector
        variant."""
        function, values = self.source.functions[node.name], arguments(node)
        shapes = tuple(vectors.shapes.of(n) for n in values)
        key = (node.name, shapes)
        if key not in self._forms:
            self._open.append(node.name)
            try:
                variant = self._forms[key] = self._made(function, node, shapes, vectors)
                vectors.notes += variant.serial
            except NoVector as why:
                self._forms[key] = why
            except Refused as why:
                self._forms[key] = NoVector(node, f"{node.name} has no vector variant: {why.reason}")
            finally:
                self._open.pop()
        form = self._forms[key]
        if isinstance(form, NoVector):
            raise NoVector(node, form.reason)
        vectors.used_names.add(form.name)
        parts = zip(values, form.vectors, strict=True)
        texts = [vectors.vector(n).text if wide else vectors.scalar(n) for n, wide in parts]
        return Text(f"{form.name}({', '.join(texts)})")

    def edits(self, others: Iterable[Edit]) -> list[Edit]:
        """Return the definitions of the variants that other edits call."""
        forms = {form.name: form for form in self._forms.values() if isinstance(form, _Form)}
        texts, used = [edit.text for edit in others], {}
        while texts:
            for word in re.findall(r"\w+", texts.pop()):
                if word in forms and word not in used:
                    used[word] = forms[word]
                    texts.append(forms[word].text)
        return [Edit(form.after, form.after, f"\n\n{form.text}") for form in used.values()]

    def _made(self, function: Function, call: Node, shapes: Sequence[Shape], outer: Vectors) -> _Form:
        self._check(function, call, shapes)
        seeds = dict(zip([p.key for p in function.parameters], shapes, strict=True))
        forced: frozenset[str] = frozenset()
        while True:
            inner = Shapes(
                self.source, function.body, self.ids, dict(seeds), forced, functions_with_effects(self.source)
            )
            changed = [key for key, shape in seeds.items() if inner.variables.get(key, 0) != shape]
            seeds |= dict.fromkeys(changed)
            if changed:
                continue
            try:
                return self._written(function, call.type.lane, inner, outer)
            except MakeVarying as why:
                forced |= {why.key}
                seeds |= {why.key: None} if why.key in seeds else {}

    def _check(self, function: Function, call: Node, shapes: Sequence[Shape]) -> None:
        """Raise NoVector for functions without a vector variant."""

        def none(reason: str) -> NoVector:
            return NoVector(call, f"{function.name} {reason}")

        if function.name in self._open[:-1]:
            raise none("calls itself")
        if len(self._open) > _DEPTH:
            raise none(f"is nested in more than {_DEPTH} calls")
        if function.node.end > call.start:
            raise none("is defined after it is called")
        if not call.type.lane or call.macro or function.is_kernel or len(function.parameters) != len(shapes):
            raise none("returns no scalar")
        for parameter, shape in zip(function.parameters, shapes, strict=True):
            if parameter.type.kind == "pointer" and parameter.type.space == 0:
                raise none(f"has a parameter {parameter.name} that points to private memory")
            if shape is None and not parameter.type.lane:
                raise none(f"has a varying parameter of type {parameter.type.spelling}")
            if parameter.macro:
                raise none("has a parameter that a macro hides")

    def _written(self, function: Function, result: str, shapes: Shapes, outer: Vectors) -> _Form:
        source = self.source
        if writes_memory(function.body, shapes):
            raise NoVector(function.body, f"{function.name} writes to memory")
        lanes = Lanes(self.factor, self.ids)
        vectors = Vectors(source, shapes, lanes, names_in(source) | self.names, own=self.call)
        vectors.in_arrays = variables_in_arrays(function, shapes)
        wide = tuple(shapes.variables.get(p.key, 0) is None for p in function.parameters)
        parameters = [
            f"{vectors.of(p.type.lane)} {vectors.home(p)}" if vector else source.of(p)
            for p, vector in zip(function.parameters, wide, strict=True)
        ]
        step = step_of(source, function.body)
        loops = LaneLoops(source, shapes, lanes, vectors, function.body, step)
        writer = Statements(source, shapes, lanes, vectors, loops, step)
        statements, chain = _returns_at_the_end(function.body, shapes)
        edits = writer.block(statements)
        if chain:
            edits += _selected(chain, writer)
        name = f"{function.name}_v{self.factor}"
        number = 2
        while name in outer.used_names | names_in(source) | self.names:
            name, number = f"{function.name}_v{self.factor}_{number}", number + 1
        self.names.add(name)
        body = apply(source.text, edits, function.body.start, function.body.end)
        head = f"/* weft vectorize: {function.name} for {self.factor} lanes */"
        text = f"{head}\nstatic {vectors.of(result)} {name}({', '.join(parameters)})"
        between = source.text[function.parameters_end + 1 : function.body.start]
        text += ("\n" if "\n" in between else " ") + body
        return _Form(name, wide, text, function.node.end, (*writer.report, *vectors.notes))


def _returned(node: Node) -> Node | None:
    """Return the value of a statement that only returns it, or None."""
    while node.kind == "COMPOUND_STMT" and len(node.children) == 1:
        node = node.children[0]
    return node.children[0] if node.kind == "RETURN_STMT" and node.children else None


def _returns_at_the_end(body: Node, shapes: Shapes) -> tuple[list[Node], list[Node]]:
    """Split the statements of a function into a body and a chain of conditional returns at its end."""
    for at, node in enumerate(body.children):
        if node.kind != "IF_STMT" or shapes.of(node.children[0]) == 0:
            continue
        chain = body.children[at:]
        if all(_is_link(n, n is chain[-1], shapes) for n in chain):
            return body.children[:at], chain
    return body.children, []


def _is_link(node: Node, last: bool, shapes: Shapes) -> bool:
    value = _returned(node)
    if value is not None:
        return last and is_safe(value, shapes)
    if node.kind != "IF_STMT" or node.macro or not is_safe(node.children[0], shapes):
        return False
    _, *arms = node.children
    values = [_returned(arm) for arm in arms]
    safe = all(v is not None and is_safe(v, shapes) for v in values)
    return safe and len(arms) == (2 if last else 1)


def _selected(chain: Sequence[Node], writer: Statements) -> list[Edit]:
    """Return the chain as a single return of nested selects."""
    vectors, last = writer.vectors, chain[-1]
    value = _returned(last)
    links = list(chain[:-1]) if value is not None else list(chain)
    if value is None:
        value = _returned(last.children[2])
    assert value is not None
    element, text = value.type.lane, vectors.vector(value).text
    for node in reversed(links):
        chosen = _returned(node.children[1])
        assert chosen is not None
        mask = vectors.as_mask_of(vectors.mask(node.children[0]).text, element)
        text = f"select({text}, {vectors.vector(chosen).text}, {mask})"
    if vectors.before:
        raise NoVector(chain[0], "an index within a condition")
    return [Edit(chain[0].start, writer.loops.end(last), f"return {text};")]
