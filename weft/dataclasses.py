"""Python's dataclasses, with methods that are compiled when they are first called.

Python's decorator compiles up to six functions for each class, which takes half a millisecond, and importing
its module takes 10 ms. Weft has 300 such classes, and a process uses few of their methods: a third of the
import time of the compiler was spent there. Here a method is a stub until it is called. The stub compiles the
function (`weft prepare` does so ahead: `module_archive.py`) and replaces itself; further calls are as fast as
with Python's decorator.

Type checkers see Python's functions. Only the features that Weft uses are supported; others raise. Python's
`fields`, `replace` and `asdict` accept these classes too.
"""

from collections.abc import Callable, Iterable
from functools import partial
from reprlib import recursive_repr
from types import CodeType, MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from weft.module_archive import method_code

if TYPE_CHECKING:
    from dataclasses import KW_ONLY as KW_ONLY
    from dataclasses import asdict as asdict
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import is_dataclass as is_dataclass
    from dataclasses import replace as replace

_Text = tuple[str, dict[str, Any]]
"""Python that defines a function `made`, and its globals."""
_Maker = Callable[[type], _Text]
_MISSING: Any = object()
_FIELDS = "__weft_fields__"
_ORDER = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
_NO_METADATA: MappingProxyType[Any, Any] = MappingProxyType({})


class _KeywordsOnly:
    """The type of a pseudo-field: the parameters that follow are keyword-only."""


class _Field:
    """A field. The decorator sets the name and type of those that `field` returns."""

    __slots__ = ("default", "default_factory", "kw_only", "metadata", "name", "type")

    def __init__(self, default: Any, default_factory: Any, metadata: Any) -> None:
        self.default = default
        self.default_factory = default_factory
        self.metadata = _NO_METADATA if metadata is None else metadata
        self.name = ""
        self.type: Any = None
        self.kw_only = False


class _PythonsFields:
    """The attribute by which Python's functions recognize a dataclass, computed at its first use."""

    def __get__(self, _instance: object, cls: type) -> dict[str, Any]:
        import dataclasses  # not needed otherwise

        found = {}
        for known in cls.__dict__.get(_FIELDS) or _inherited(cls):
            given = {
                name: value
                for name in ("default", "default_factory")
                if (value := getattr(known, name)) is not _MISSING
            }
            python_field: Any = dataclasses.field(metadata=known.metadata, kw_only=known.kw_only, **given)
            python_field.name, python_field.type = known.name, known.type
            python_field._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
            found[known.name] = python_field
        return found


class _Parameters:
    """The parameters that Python's decorator reads from a base class."""

    def __init__(self, frozen: bool) -> None:
        self.frozen = frozen


def _dataclass(
    cls: type | None = None,
    /,
    *,
    eq: bool = True,
    order: bool = False,
    frozen: bool = False,
    kw_only: bool = False,
    slots: bool = False,
) -> Any:
    """Make a class a dataclass."""
    if order and not eq:
        raise ValueError("eq must be true if order is true")

    def decorate(cls: type) -> type:
        _check_bases(cls, frozen)
        known = _collect(cls, kw_only)
        _check_order(cls, known)
        if slots:
            cls = _with_slots(cls, known)
        namespace = cls.__dict__
        setattr(cls, _FIELDS, known)
        for name, value in (
            ("__dataclass_fields__", _PythonsFields()),
            ("__dataclass_params__", _Parameters(frozen)),
        ):
            setattr(cls, name, value)
        makers: dict[str, _Maker] = {"__init__": _init_text, "__repr__": _repr_text}
        if "__match_args__" not in namespace:
            setattr(cls, "__match_args__", tuple(f.name for f in known if not f.kw_only))  # noqa: B010
        if eq:
            # As in Python, `__hash__` of a class that defines `__eq__` but not `__hash__` is None.
            own_hash = namespace.get("__hash__", _MISSING)
            if own_hash is _MISSING or (own_hash is None and "__eq__" in namespace):
                if frozen:
                    cls.__hash__ = _stub(cls, "__hash__", _hash_text)  # type: ignore[method-assign]
                else:
                    cls.__hash__ = None  # type: ignore[assignment,method-assign]
            makers["__eq__"] = partial(_comparison_text, operator="==")
        if order:
            makers |= {
                name: partial(_comparison_text, operator=operator) for name, operator in _ORDER.items()
            }
        for name, make in makers.items():
            if name not in namespace:
                setattr(cls, name, _stub(cls, name, make))
            elif name in _ORDER:
                raise TypeError(f"cannot overwrite attribute {name} in class {cls.__name__}")
        if frozen:
            _freeze(cls)
        return cls

    return decorate if cls is None else decorate(cls)


def _check_bases(cls: type, frozen: bool) -> None:
    """Raise unless all bases that are dataclasses were made by this module, and are frozen like the class."""
    for base in cls.__mro__[1:]:
        namespace = base.__dict__
        if _FIELDS not in namespace:
            if "__dataclass_fields__" in namespace:
                raise TypeError(f"{base.__name__} is a dataclass of another module")
        elif namespace["__dataclass_params__"].frozen != frozen:
            words = "frozen dataclass from a non-frozen" if frozen else "non-frozen dataclass from a frozen"
            raise TypeError(f"cannot inherit {words} one")


def _check_order(cls: type, known: tuple[_Field, ...]) -> None:
    """Raise if a parameter without a default follows one with a default."""
    has_default = False
    for f in known:
        if f.kw_only:
            continue
        if f.default is not _MISSING or f.default_factory is not _MISSING:
            has_default = True
        elif has_default:
            raise TypeError(f"non-default argument {f.name!r} follows default argument in {cls.__name__}")


def _collect(cls: type, kw_only: bool) -> tuple[_Field, ...]:
    """Return the fields of a class and its bases; remove class attributes of fields without a default."""
    found = {known.name: known for known in _inherited(cls)}
    for name, kind in _annotations(cls).items():
        if kind is _KeywordsOnly or kind == "KW_ONLY":
            kw_only = True
            continue
        if _is_class_variable(kind):
            continue
        if _is_parameter_only(kind):
            raise TypeError(f"field {name}: InitVar is not supported")
        given = cls.__dict__.get(name, _MISSING)
        if isinstance(given, _Field):
            if given.default is _MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, given.default)
        else:
            given = _Field(given, _MISSING, None)
        if given.default.__class__.__hash__ is None:
            kind = given.default.__class__
            raise ValueError(f"mutable default {kind} for field {name} is not allowed: use default_factory")
        given.name, given.type, given.kw_only = name, kind, kw_only
        found[name] = given
    for name, given in cls.__dict__.items():
        if isinstance(given, _Field) and name not in found:
            raise TypeError(f"{name!r} is a field but has no type annotation")
    return tuple(found.values())


def _inherited(cls: type) -> Iterable[_Field]:
    found = {}
    for base in cls.__mro__[:0:-1]:
        for known in base.__dict__.get(_FIELDS, ()):
            found[known.name] = known
    return found.values()


def _annotations(cls: type) -> dict[str, Any]:
    own: dict[str, Any] | None = cls.__dict__.get("__annotations__")  # noqa: RUF063
    if own is None and "__annotate_func__" in cls.__dict__:  # since Python 3.14
        import annotationlib  # type: ignore[import-not-found]

        own = annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return own or {}


def _is_class_variable(kind: Any) -> bool:
    if isinstance(kind, str):
        return kind.startswith(("ClassVar", "typing.ClassVar"))
    return kind is ClassVar or getattr(kind, "__origin__", None) is ClassVar


def _is_parameter_only(kind: Any) -> bool:
    if isinstance(kind, str):
        return kind.startswith(("InitVar", "dataclasses.InitVar"))
    return getattr(kind, "__name__", type(kind).__name__) == "InitVar"


def _with_slots(cls: type, known: tuple[_Field, ...]) -> type:
    """Return a copy of the class with a slot for each of its fields."""
    own = _annotations(cls)
    namespace = {n: v for n, v in cls.__dict__.items() if n not in (*own, "__dict__", "__weakref__")}
    namespace["__slots__"] = tuple(f.name for f in known if f.name in own)
    namespace["__qualname__"] = cls.__qualname__
    names = tuple(f.name for f in known)

    def __getstate__(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def __setstate__(self: Any, state: list[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    namespace |= {"__getstate__": __getstate__, "__setstate__": __setstate__}
    return type(cls)(cls.__name__, cls.__bases__, namespace)


def _freeze(cls: Any) -> None:
    """Make assignments to fields fail, and to any attribute of instances of exactly this class."""
    names = frozenset(f.name for f in cls.__dict__[_FIELDS])

    def refuse(action: str, name: str) -> None:
        from dataclasses import FrozenInstanceError  # not needed otherwise

        raise FrozenInstanceError(f"cannot {action} field {name!r}")

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            refuse("assign to", name)
        super(cls, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            refuse("delete", name)
        super(cls, self).__delattr__(name)

    for method in (__setattr__, __delattr__):
        if method.__name__ in cls.__dict__:
            raise TypeError(f"cannot overwrite attribute {method.__name__} in class {cls.__name__}")
        setattr(cls, method.__name__, method)


def _stub(cls: type, name: str, make: _Maker) -> Any:
    """Return a stub that compiles the method when called. If two threads do so, the results are equal."""

    def stub(self: Any, *arguments: Any, **named: Any) -> Any:
        method = _define(*make(cls))
        if make is _repr_text:
            method = recursive_repr()(method)
        method.__name__, method.__qualname__, method.__module__ = (
            name,
            f"{cls.__qualname__}.{name}",
            cls.__module__,
        )
        setattr(cls, name, method)
        return method(self, *arguments, **named)

    return stub


def method_texts(cls: type) -> list[str]:
    """Return the texts of the methods of a dataclass, some of which it may define or inherit itself."""
    if _FIELDS not in cls.__dict__:
        return []
    makers = (_init_text, _repr_text, _hash_text, partial(_comparison_text, operator="=="))
    return [make(cls)[0] for make in makers]


def compile_method(text: str) -> CodeType:
    """Compile the text of a method."""
    return compile(text, "<method of a dataclass>", "exec")


def _define(text: str, names: dict[str, Any]) -> Any:
    """Execute a text with the globals `names`, and return the function `made` that it defines."""
    # Compiled first, because Python loses a KeyboardInterrupt at its end when it executes text.
    exec(method_code(text) or compile_method(text), names)
    return names["made"]


def _init_text(cls: type) -> _Text:
    known: tuple[_Field, ...] = cls.__dict__[_FIELDS]
    names: dict[str, Any] = {"_set": object.__setattr__, "_missing": _MISSING}
    body: list[str] = []
    by_name: list[str] = []
    positional = ["self"]
    frozen = cls.__dict__["__dataclass_params__"].frozen
    for f in known:
        parameter, value = f.name, f.name
        if f.default_factory is not _MISSING:
            names[f"_factory_{f.name}"] = f.default_factory
            parameter += "=_missing"
            value = f"_factory_{f.name}() if {f.name} is _missing else {f.name}"
        elif f.default is not _MISSING:
            names[f"_default_{f.name}"] = f.default
            parameter += f"=_default_{f.name}"
        (by_name if f.kw_only else positional).append(parameter)
        body.append(f" _set(self, {f.name!r}, {value})" if frozen else f" self.{f.name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    parameters = ", ".join([*positional, *(["*", *by_name] if by_name else ())])
    return "\n".join([f"def made({parameters}):", *(body or [" pass"])]), names


def _repr_text(cls: type) -> _Text:
    parts = ", ".join(f"{f.name}={{self.{f.name}!r}}" for f in cls.__dict__[_FIELDS])
    return f'def made(self):\n return f"{{self.__class__.__qualname__}}({parts})"', {}


def _hash_text(cls: type) -> _Text:
    return f"def made(self):\n return hash({_values(cls, 'self')})", {}


def _comparison_text(cls: type, operator: str) -> _Text:
    lines = [
        "def made(self, other):",
        " if other.__class__ is self.__class__:",
        f"  return {_values(cls, 'self')} {operator} {_values(cls, 'other')}",
        " return NotImplemented",
    ]
    return "\n".join(lines), {}


def _values(cls: type, name: str) -> str:
    return "(" + "".join(f"{name}.{f.name}, " for f in cls.__dict__[_FIELDS]) + ")"


def _field(*, default: Any = _MISSING, default_factory: Any = _MISSING, metadata: Any = None) -> Any:
    """Return a field with a default, a factory for one, or metadata."""
    if default is not _MISSING and default_factory is not _MISSING:
        raise ValueError("cannot specify both default and default_factory")
    return _Field(default, default_factory, metadata)


def _is_dataclass(value: Any) -> bool:
    """Whether a class, or the class of an instance, is a dataclass."""
    return hasattr(value if isinstance(value, type) else type(value), _FIELDS)


def _fields(value: Any) -> tuple[_Field, ...]:
    """Return the fields of a dataclass or of an instance."""
    found: tuple[_Field, ...] | None = getattr(value, _FIELDS, None)
    if found is None:
        raise TypeError("must be called with a dataclass type or instance")
    return found


def _replace(value: Any, /, **changes: Any) -> Any:
    """Return a copy of a record with changed fields."""
    if isinstance(value, type):
        raise TypeError("replace() should be called on dataclass instances")
    for known in _fields(value):
        if known.name not in changes:
            changes[known.name] = getattr(value, known.name)
    return value.__class__(**changes)


def _asdict(value: Any) -> dict[str, Any]:
    """Convert a record to a dictionary, including records in its fields, lists, tuples and dictionaries.

    Unlike Python's `asdict`, it does not copy other values.
    """
    if isinstance(value, type):
        raise TypeError("asdict() should be called on dataclass instances")
    return {known.name: _plain(getattr(value, known.name)) for known in _fields(value)}


def _plain(value: Any) -> Any:
    if _is_dataclass(value) and not isinstance(value, type):
        return _asdict(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):  # a named tuple
        return type(value)(*map(_plain, value))
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value))
    if isinstance(value, dict):
        return {_plain(name): _plain(item) for name, item in value.items()}
    return value


if not TYPE_CHECKING:
    KW_ONLY, dataclass, field, fields = _KeywordsOnly, _dataclass, _field, _fields
    is_dataclass, replace, asdict = _is_dataclass, _replace, _asdict
