"""`dataclass`, made in a tenth of the time, and `field`, `fields` and `replace` for what it makes.

The standard library compiles six functions per class when a module is imported, and loads `inspect` for it, which was
a third of the start-up of a short command. Here a method is compiled when it is first called, and most classes of a
short run are never used. What `dataclasses` offers on such classes (`fields`, `replace`, `asdict`, `is_dataclass`,
matching by position) works. To a type checker these are the names of the standard library, which is loaded only where
somebody asks it about one of our classes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

_FROZEN, _OPEN = (
    SimpleNamespace(init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=f) for f in (True, False)
)


#: A class that is made here, a field or a value of it: for all of them the standard library has the types.
It: TypeAlias = Any


class _Missing:
    """The default of a field without one."""


_MISSING: It = _Missing()


class _Field:
    """What `dataclasses.Field` says about a field."""

    __slots__ = ("compare", "default", "default_factory", "hash", "init", "kw_only", "metadata", "name", "repr", "type")

    def __init__(
        self, *, default: It = _MISSING, default_factory: It = _MISSING, init: bool = True, repr: bool = True,
        hash: bool | None = None, compare: bool = True, metadata: It = None, kw_only: It = _MISSING,
        name: str = "", type: str = "",
    ) -> None:  # fmt: skip
        self.default, self.default_factory, self.init, self.repr = default, default_factory, init, repr
        self.hash, self.compare, self.metadata, self.kw_only = (
            hash,
            compare,
            metadata if metadata is not None else {},
            kw_only,
        )
        self.name, self.type = name, type


_KEPT = ("init", "repr", "hash", "compare", "metadata")  # what is the same in both kinds of fields
_MAYBE = ("default", "default_factory", "kw_only")  # what may be missing


def _standard(field: _Field) -> It:
    """The field as the standard library has it."""
    import dataclasses

    given = {k: v for k in _MAYBE if (v := getattr(field, k)) is not _MISSING}
    made: It = dataclasses.field(**{k: getattr(field, k) for k in _KEPT}, **given)
    if field.name:
        made.name, made.type = field.name, field.type
        made._field_type = dataclasses._FIELD  # type: ignore[attr-defined] # so fields() tells it from a ClassVar
    return made


def _own(field: It) -> _Field:
    """The field that the standard library made, as ours."""
    import dataclasses

    given = {k: v for k in _MAYBE if (v := getattr(field, k)) is not dataclasses.MISSING}
    return _Field(**{k: getattr(field, k) for k in _KEPT}, **given, name=field.name or "", type=field.type or "")


def _dataclass(
    cls: It = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True, kw_only: bool = False,
    order: bool = False,
) -> It:  # fmt: skip
    def decorate(decorated: It) -> It:
        if all(map(_is_plain, decorated.__annotations__.values())):
            return _record(decorated, frozen, slots, eq, kw_only, order)
        import dataclasses

        for name, value in list(vars(decorated).items()):
            if isinstance(value, _Field):
                setattr(decorated, name, _standard(value))
        return dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq, kw_only=kw_only, order=order)(decorated)

    return decorate if cls is None else decorate(cls)


def _fields(record: It) -> It:
    """The fields of a record, or of another dataclass."""
    found = getattr(record, "__record_fields__", None)
    if found is not None:
        return tuple(found.values())
    import dataclasses

    return dataclasses.fields(record)


def _replace(record: It, /, **changes: It) -> It:
    cls = record.__class__
    names = getattr(cls, "__record_names__", None)
    if names is None:
        import dataclasses

        return dataclasses.replace(record, **changes)
    for name in names:
        if name not in changes:
            changes[name] = getattr(record, name)
    return cls(**changes)


def _is_dataclass(it: It) -> bool:
    return hasattr(it, "__record_fields__") or hasattr(it, "__dataclass_fields__")


if TYPE_CHECKING:
    from dataclasses import MISSING as MISSING
    from dataclasses import Field as Field
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import is_dataclass as is_dataclass
    from dataclasses import replace as replace
else:
    dataclass, field, fields, replace, is_dataclass = _dataclass, _Field, _fields, _replace, _is_dataclass
    Field, MISSING = _Field, _MISSING


def _is_plain(annotation: It) -> bool:
    return isinstance(annotation, str) and not annotation.startswith(("InitVar", "KW_ONLY"))


class _ForTheStandardLibrary:
    """`__dataclass_fields__` of a record, made when somebody looks."""

    def __init__(self) -> None:
        self.owner: It = None

    def __get__(self, _record: object, _cls: object) -> dict[str, It]:
        found = {name: _standard(f) for name, f in self.owner.__record_fields__.items()}
        self.owner.__dataclass_fields__ = found
        return found


def _record(cls: It, frozen: bool, slots: bool, eq: bool, kw_only: bool, order: bool) -> It:
    """The class again, with the methods of a dataclass."""
    inherited = _inherited(cls)
    own = {
        name: _field(cls, name, kind, kw_only)
        for name, kind in cls.__annotations__.items()
        if not kind.startswith("ClassVar")
    }
    found = inherited | own
    namespace = {k: v for k, v in cls.__dict__.items() if k not in own and k not in ("__dict__", "__weakref__")}
    if slots:
        namespace["__slots__"] = tuple(name for name in own if name not in inherited)
    namespace["__record_fields__"] = found
    namespace["__record_names__"] = tuple(f.name for f in found.values() if f.init)
    namespace["__dataclass_fields__"] = for_others = _ForTheStandardLibrary()
    namespace["__dataclass_params__"] = _FROZEN if frozen else _OPEN
    namespace["__match_args__"] = tuple(f.name for f in found.values() if f.init and not f.kw_only)
    if frozen:
        namespace |= {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
    if frozen and slots:
        namespace |= {"__getstate__": _state, "__setstate__": _restore}  # pickle would use the setattr that refuses
    namespace.setdefault("__repr__", _repr)
    lazy: dict[str, Callable[[It, str], It]] = {"__init__": _init}
    if eq:
        lazy["__eq__"] = _comparison
        if namespace.get("__hash__", 0) is None:  # because the class defines __eq__
            del namespace["__hash__"]
        if frozen:
            lazy["__hash__"] = _comparison
        else:
            namespace.setdefault("__hash__", None)
    if order:
        lazy |= dict.fromkeys(_ORDER, _comparison)
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    for_others.owner = made
    for name, build in lazy.items():
        if name not in namespace:
            _when_first_called(made, name, build)
    return made


def _inherited(cls: It) -> dict[str, _Field]:
    found: dict[str, _Field] = {}
    for base in reversed(cls.__mro__[1:]):
        if "__record_fields__" in base.__dict__:
            found |= base.__record_fields__
        elif "__dataclass_fields__" in base.__dict__:
            found |= {name: _own(f) for name, f in base.__dataclass_fields__.items()}
    return found


def _field(cls: It, name: str, kind: str, kw_only: bool) -> _Field:
    default = cls.__dict__.get(name, _MISSING)
    standard = sys.modules.get("dataclasses")
    if standard is not None and isinstance(default, standard.Field):
        default = _own(default)
    field = default if isinstance(default, _Field) else _Field(default=default)
    field.name, field.type = name, kind
    if field.kw_only is _MISSING:
        field.kw_only = kw_only
    return field


def _when_first_called(cls: It, name: str, build: Callable[[It, str], It]) -> None:
    """A method that replaces itself by what `build` makes, on its first call."""

    def method(*args: It, **keywords: It) -> It:
        built = build(cls, name)
        setattr(cls, name, built)
        return built(*args, **keywords)

    setattr(cls, name, method)


def _init(cls: It, _name: str) -> It:
    scope: dict[str, It] = {}
    positional: list[str] = ["self"]
    by_keyword: list[str] = []
    body: list[str] = []
    for name, field in cls.__record_fields__.items():
        scope[f"_set_{name}"] = setter = getattr(getattr(cls, name, None), "__set__", None)
        value = name
        if field.default_factory is not _MISSING:
            scope[f"_new_{name}"], scope["_MISSING"] = field.default_factory, _MISSING
            parameter, value = f"{name}=_MISSING", f"_new_{name}() if {name} is _MISSING else {name}"
        elif field.default is not _MISSING:
            scope[f"_default_{name}"] = field.default
            parameter, value = f"{name}=_default_{name}", name if field.init else f"_default_{name}"
        else:
            parameter = name
        if field.init:
            (by_keyword if field.kw_only else positional).append(parameter)
        if not cls.__dataclass_params__.frozen:
            body.append(f"    self.{name} = {value}")
        else:
            body.append(f"    _set_{name}(self, {value})" if setter else f"    self.__dict__[{name!r}] = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("    self.__post_init__()")
    parameters = ", ".join([*positional, *(["*", *by_keyword] if by_keyword else [])])
    exec(f"def __init__({parameters}):\n" + "\n".join(body or ["    pass"]), scope)
    return scope["__init__"]


_ORDER = {"__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


def _comparison(cls: It, name: str) -> It:
    """`__eq__`, `__hash__` or a comparison, all of the tuple of the values."""
    hashed = name == "__hash__"
    found = cls.__record_fields__.values()
    names = [f.name for f in found if (f.compare if f.hash is None or not hashed else f.hash)]
    mine, theirs = ("(" + "".join(f"{who}.{n}, " for n in names) + ")" for who in ("self", "other"))
    if hashed:
        code = f"def __hash__(self): return hash({mine})"
    else:
        test = f"{mine} {_ORDER.get(name, '==')} {theirs} if other.__class__ is self.__class__ else NotImplemented"
        code = f"def {name}(self, other): return {test}"
    scope: dict[str, It] = {}
    exec(code, scope)
    return scope[name]


def _repr(self: It) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in self.__record_fields__.values() if f.repr)
    return f"{type(self).__qualname__}({shown})"


def _refuse_set(self: It, name: str, value: object) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: It, name: str) -> NoReturn:
    from dataclasses import FrozenInstanceError

    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: It) -> list[It]:
    return [getattr(self, name) for name in self.__record_fields__]


def _restore(self: It, state: list[It]) -> None:
    for name, value in zip(self.__record_fields__, state, strict=True):
        object.__setattr__(self, name, value)
