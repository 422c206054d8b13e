"""Weft's dataclasses do what Python's do, and compile a method when it is first called."""

import copy
import dataclasses as pythons
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import pytest

from weft import dataclasses as own


def _classes(module: Any) -> dict[str, Any]:
    """The same classes, by one implementation or the other."""
    dataclass, field = module.dataclass, module.field

    @dataclass
    class Plain:
        a: int
        b: str = "b"
        c: list[int] = field(default_factory=list)
        shared: ClassVar[int] = 7

    @dataclass(frozen=True)
    class Frozen:
        a: int
        b: tuple[int, ...] = ()

        @property
        def total(self) -> int:
            return self.a + sum(self.b)

    @dataclass(frozen=True)
    class Derived(Frozen):
        a: int = 4
        d: int = field(default=5, metadata={"kind": "derived"})

    class Subclass(Frozen):
        pass

    @dataclass(frozen=True, order=True)
    class Ordered:
        a: int
        b: int

    @dataclass(eq=False)
    class Identity:
        a: int

    @dataclass(frozen=True, slots=True)
    class Slots:
        a: int
        b: int = 2

    @dataclass(frozen=True, kw_only=True)
    class Named(Frozen):
        c: int

    @dataclass
    class Mixed:
        a: int
        _: module.KW_ONLY
        b: int = 3

    @dataclass
    class Checked:
        a: int

        def __post_init__(self) -> None:
            self.doubled = 2 * self.a

    @dataclass(frozen=True)
    class OwnMethods:
        a: int
        b: int

        def __eq__(self, other: object) -> bool:
            return isinstance(other, OwnMethods) and self.a == other.a

        def __hash__(self) -> int:
            return self.a

        def __repr__(self) -> str:
            return "own"

    @dataclass
    class Empty:
        pass

    return {name: value for name, value in locals().items() if isinstance(value, type)}


PYTHONS, OWN = _classes(pythons), _classes(own)

CALLS = {
    "Plain": [((1,), {}), ((1, "x"), {}), ((1,), {"c": [3]}), ((), {}), ((1, 2, 3, 4), {})],
    "Frozen": [((1,), {}), ((1, (2, 3)), {}), ((), {"a": 3, "b": (1,)}), ((), {"z": 3})],
    "Derived": [((), {}), ((1, (2,), 3), {})],
    "Subclass": [((1,), {})],
    "Ordered": [((1, 2), {}), ((1, 3), {}), ((0, 9), {})],
    "Identity": [((1,), {})],
    "Slots": [((1,), {}), ((1, 5), {})],
    "Named": [((1, (2,)), {"c": 3}), ((1, (2,), 3), {})],
    "Mixed": [((1,), {}), ((1,), {"b": 4}), ((1, 2), {})],
    "Checked": [((4,), {})],
    "OwnMethods": [((1, 2), {}), ((1, 3), {})],
    "Empty": [((), {})],
}


def _outcome(function: Any, *arguments: Any) -> Any:
    """What a call gives, or the kind of what it raises."""
    try:
        return function(*arguments)
    except Exception as error:
        return type(error)


def _text(value: Any) -> Any:
    return repr(value) if not isinstance(value, type) else value


@pytest.mark.parametrize("name", CALLS)
def test_instances_are_made_shown_and_compared_as_pythons(name):
    made = [
        [_outcome(lambda c=c, p=p, k=k: c(*p, **k)) for p, k in CALLS[name]]
        for c in (PYTHONS[name], OWN[name])
    ]
    theirs, ours = made
    assert list(map(_text, ours)) == list(map(_text, theirs))
    for i, first in enumerate(theirs):
        for j, second in enumerate(theirs):
            for operator in ("__eq__", "__lt__", "__le__", "__gt__", "__ge__"):
                expected = _outcome(lambda f=first, s=second, o=operator: getattr(f, o)(s))
                found = _outcome(lambda f=ours[i], s=ours[j], o=operator: getattr(f, o)(s))
                assert found == expected, (operator, first, second)
        if not isinstance(first, type):
            assert isinstance(_outcome(hash, ours[i]), int) == isinstance(_outcome(hash, first), int)
            assert _outcome(hash, ours[i]) == _outcome(hash, first) or name == "Identity"
            assert vars(ours[i]) == vars(first) if hasattr(first, "__dict__") else True


@pytest.mark.parametrize("name", CALLS)
def test_attributes_of_the_classes_are_pythons(name):
    theirs, ours = PYTHONS[name], OWN[name]
    assert ours.__match_args__ == theirs.__match_args__
    for attribute in ("a", "b", "c", "shared"):
        assert hasattr(ours, attribute) == hasattr(theirs, attribute)
    described = [
        [(f.name, f.type, dict(f.metadata), f.kw_only) for f in fields(c)]
        for c, fields in ((theirs, pythons.fields), (ours, pythons.fields), (ours, own.fields))
    ]
    assert described[0] == described[1] == described[2]
    assert own.is_dataclass(ours) and pythons.is_dataclass(ours) and not own.is_dataclass(int)


@pytest.mark.parametrize("name", ["Frozen", "Derived", "Subclass", "Slots"])
def test_frozen_instances_refuse_assignments(name):
    for cls in (PYTHONS[name], OWN[name]):
        instance = cls(1)
        for attribute in ("a", "b"):
            with pytest.raises(pythons.FrozenInstanceError, match=f"cannot assign to field '{attribute}'"):
                setattr(instance, attribute, 2)
            with pytest.raises(pythons.FrozenInstanceError):
                delattr(instance, attribute)
    if name == "Subclass":
        instance.other = 3
        assert instance.other == 3
        del instance.other


def test_functions_of_python_take_them():
    derived = OWN["Derived"](1, (2,), 3)
    assert pythons.replace(derived, d=4) == own.replace(derived, d=4) == OWN["Derived"](1, (2,), 4)
    nested = OWN["Plain"](1, "b", [derived])
    assert pythons.asdict(nested) == own.asdict(nested)
    assert own.asdict(nested) == {"a": 1, "b": "b", "c": [{"a": 1, "b": (2,), "d": 3}]}

    @pythons.dataclass(frozen=True)
    class Theirs(OWN["Derived"]):
        e: int = 6

    assert repr(Theirs(1)).endswith("Theirs(a=1, b=(), d=5, e=6)")


def test_positional_patterns_match():
    ordered = OWN["Ordered"]
    match ordered(1, 2):
        case ordered(a, b):
            assert (a, b) == (1, 2)
        case _:
            raise AssertionError


@own.dataclass(frozen=True)
class Record:
    """At module level, where pickle finds it."""

    a: int
    inner: "Record | None" = None


@own.dataclass(frozen=True, slots=True)
class SlotRecord:
    """As above."""

    a: int
    b: int = 2


@pytest.mark.parametrize("value", [Record(1, Record(2)), SlotRecord(1, 3)])
def test_copies_and_pickles_are_equal(value):
    assert pickle.loads(pickle.dumps(value)) == copy.copy(value) == copy.deepcopy(value) == value


def test_a_record_that_holds_itself_can_be_shown():
    @own.dataclass
    class Node:
        next: "Node | None" = None

    node = Node()
    node.next = node
    assert repr(node).endswith("Node(next=...)")


def test_methods_are_compiled_at_their_first_call():
    @own.dataclass(frozen=True)
    class Lazy:
        a: int

    stub = Lazy.__init__
    assert Lazy(1).a == 1
    assert Lazy.__init__ is not stub
    assert Lazy.__init__.__code__.co_varnames == ("self", "a")
    compared = Lazy.__eq__
    assert Lazy(1) == Lazy(1)
    assert Lazy.__eq__ is not compared


def test_the_driver_imports_neither_pythons_dataclasses_nor_what_they_need():
    code = (
        "import sys; import weft.icd.driver, weft.api.registry; weft.api.registry.load()\n"
        "import weft.program, weft.build_process, weft.compiler.compile_work_group\n"
        "print([name for name in ('dataclasses', 'inspect') if name in sys.modules])"
    )
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


class Pair(NamedTuple):
    first: Any
    second: Any


def test_named_tuples_and_keys_of_dictionaries_in_records() -> None:
    for classes, module in ((PYTHONS, pythons), (OWN, own)):
        frozen, plain = classes["Frozen"], classes["Plain"]
        record = plain(Pair(frozen(1), [frozen(2)]), {"k": (frozen(3),)}, frozen)
        assert module.asdict(record) == {
            "a": Pair({"a": 1, "b": ()}, [{"a": 2, "b": ()}]),
            "b": {"k": ({"a": 3, "b": ()},)},
            "c": frozen,
        }


def _refused(module: Any) -> dict[str, Callable[[], object]]:
    """What raises, by either implementation."""
    dataclass, field = module.dataclass, module.field
    plain, frozen = (_classes(module)[name] for name in ("Plain", "Frozen"))

    def made(bases: tuple[type, ...] = (), names: dict[str, Any] | None = None, **fields: Any) -> type:
        return type("Made", bases, {"__annotations__": dict.fromkeys(fields, int), **fields, **(names or {})})

    late = type("Late", (), {"__annotations__": {"a": int, "b": int}, "a": 3})
    return {
        "a list as default": lambda: dataclass(made(a=[])),
        "a dictionary as default": lambda: dataclass(made(a=field(default={}))),
        "a field after one with a default": lambda: dataclass(late),
        "an inherited default before a field": lambda: dataclass(
            type("M", (plain,), {"__annotations__": {"z": int}})
        ),
        "frozen from not frozen": lambda: dataclass(frozen=True)(made((plain,))),
        "not frozen from frozen": lambda: dataclass(made((frozen,))),
        "order without equality": lambda: dataclass(order=True, eq=False)(made()),
        "a second order": lambda: dataclass(order=True)(made(names={"__lt__": lambda a, b: True})),
        "two defaults": lambda: field(default=1, default_factory=list),
        "a field without a type": lambda: dataclass(type("M", (), {"a": field(default=1)})),
        "fields of a number": lambda: module.fields(3),
        "a number as a dictionary": lambda: module.asdict(3),
        "a class as a dictionary": lambda: module.asdict(plain),
        "a class with other fields": lambda: module.replace(plain, a=1),
        "an unknown field": lambda: module.replace(plain(1), z=1),
    }


@pytest.mark.parametrize("name", _refused(own))
def test_what_python_refuses_is_refused(name: str) -> None:
    expected = _outcome(_refused(pythons)[name])
    assert isinstance(expected, type) and issubclass(expected, Exception)
    assert _outcome(_refused(own)[name]) is expected


def test_what_is_not_supported_is_refused() -> None:
    derived = type("Derived", (PYTHONS["Plain"],), {})
    parameter = type("Parameter", (), {"__annotations__": {"a": pythons.InitVar[int]}})
    for made in (derived, parameter):
        with pytest.raises(TypeError):
            own.dataclass(made)
    for option in ("init", "repr", "unsafe_hash", "match_args", "weakref_slot"):
        with pytest.raises(TypeError):
            own.dataclass(**{option: True})
