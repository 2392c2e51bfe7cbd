"""`dataclass`, made in a tenth of the time for what nearly all of our classes are: frozen, with slots.

The standard library compiles six functions per class when a module is imported, which was a third of the start-up of a
short command. Here a method is compiled when it is first called, and most classes of a short run are never used. What
`dataclasses` offers on such classes (`fields`, `replace`, `asdict`, `is_dataclass`, matching by position) works; every
other kind of dataclass is left to the standard library. To a type checker this is the standard library's `dataclass`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn

_FIELD = dataclasses._FIELD  # type: ignore[attr-defined] # how dataclasses.fields() tells a field from a ClassVar
_PARAMETERS = SimpleNamespace(init=True, repr=True, eq=True, order=False, unsafe_hash=False, frozen=True)


def _dataclass(
    cls: Any = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True, kw_only: bool = False,
    order: bool = False,
) -> Any:  # fmt: skip
    def decorate(decorated: Any) -> Any:
        if frozen and slots and not order and all(map(_is_plain, decorated.__annotations__.values())):
            return _record(decorated, eq, kw_only)
        return dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq, kw_only=kw_only, order=order)(decorated)

    return decorate if cls is None else decorate(cls)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _dataclass


def _is_plain(annotation: Any) -> bool:
    return isinstance(annotation, str) and not annotation.startswith(("InitVar", "KW_ONLY"))


def _record(cls: Any, eq: bool, kw_only: bool) -> Any:
    """The class again, with slots and with the methods of a frozen dataclass."""
    inherited: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited |= getattr(base, "__dataclass_fields__", {})
    own = {
        name: _field(cls, name, kind, kw_only)
        for name, kind in cls.__annotations__.items()
        if not kind.startswith("ClassVar")
    }
    found = inherited | own
    namespace = {k: v for k, v in cls.__dict__.items() if k not in own and k not in ("__dict__", "__weakref__")}
    namespace["__slots__"] = tuple(name for name in own if name not in inherited)
    namespace["__dataclass_fields__"] = found
    namespace["__dataclass_params__"] = _PARAMETERS
    namespace["__match_args__"] = tuple(f.name for f in found.values() if f.init and not f.kw_only)
    namespace |= {"__setattr__": _refuse_set, "__delattr__": _refuse_delete}
    namespace |= {"__getstate__": _state, "__setstate__": _restore}  # pickle would use the setattr that refuses
    namespace.setdefault("__repr__", _repr)
    lazy: dict[str, Callable[[Any, str], Any]] = {"__init__": _init}
    if eq:
        lazy |= {"__eq__": _comparison, "__hash__": _comparison}
        if namespace.get("__hash__", 0) is None:  # because the class defines __eq__
            del namespace["__hash__"]
    made = type(cls)(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    for name, build in lazy.items():
        if name not in namespace:
            _when_first_called(made, name, build)
    return made


def _field(cls: Any, name: str, kind: str, kw_only: bool) -> Any:
    default = cls.__dict__.get(name, dataclasses.MISSING)
    field: Any = default if isinstance(default, dataclasses.Field) else dataclasses.field(default=default)
    field.name, field.type, field._field_type = name, kind, _FIELD
    if field.kw_only is dataclasses.MISSING:
        field.kw_only = kw_only
    return field


def _when_first_called(cls: Any, name: str, build: Callable[[Any, str], Any]) -> None:
    """A method that replaces itself by what `build` makes, on its first call."""

    def method(*args: Any, **keywords: Any) -> Any:
        built = build(cls, name)
        setattr(cls, name, built)
        return built(*args, **keywords)

    setattr(cls, name, method)


def _init(cls: Any, _name: str) -> Any:
    scope: dict[str, Any] = {}
    positional: list[str] = ["self"]
    by_keyword: list[str] = []
    body: list[str] = []
    for name, field in cls.__dataclass_fields__.items():
        scope[f"_set_{name}"] = getattr(cls, name).__set__
        value = name
        if field.default_factory is not dataclasses.MISSING:
            scope[f"_new_{name}"], scope["_MISSING"] = field.default_factory, dataclasses.MISSING
            parameter, value = f"{name}=_MISSING", f"_new_{name}() if {name} is _MISSING else {name}"
        elif field.default is not dataclasses.MISSING:
            scope[f"_default_{name}"] = field.default
            parameter, value = f"{name}=_default_{name}", name if field.init else f"_default_{name}"
        else:
            parameter = name
        if field.init:
            (by_keyword if field.kw_only else positional).append(parameter)
        body.append(f"    _set_{name}(self, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("    self.__post_init__()")
    parameters = ", ".join([*positional, *(["*", *by_keyword] if by_keyword else [])])
    exec(f"def __init__({parameters}):\n" + "\n".join(body or ["    pass"]), scope)
    return scope["__init__"]


def _comparison(cls: Any, name: str) -> Any:
    """`__eq__` or `__hash__`, both of the tuple of the values."""
    names = [f.name for f in dataclasses.fields(cls) if f.compare]
    mine, theirs = ("(" + "".join(f"{who}.{n}, " for n in names) + ")" for who in ("self", "other"))
    if name == "__hash__":
        code = f"def __hash__(self): return hash({mine})"
    else:
        test = f"{mine} == {theirs} if other.__class__ is self.__class__ else NotImplemented"
        code = f"def __eq__(self, other): return {test}"
    scope: dict[str, Any] = {}
    exec(code, scope)
    return scope[name]


def _repr(self: Any) -> str:
    shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({shown})"


def _refuse_set(self: Any, name: str, value: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: Any, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
