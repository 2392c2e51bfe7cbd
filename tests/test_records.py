"""Our dataclass against the standard library's: the same class text made by both must behave alike."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
from types import ModuleType
from typing import Any

import pytest

from fencepost import records

TEXT = """
from __future__ import annotations
from functools import cached_property
from typing import ClassVar, Generic, TypeVar

T = TypeVar("T")

@dataclass(frozen=True, slots=True)
class Empty:
    pass

@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list, compare=False)
    kind: ClassVar[str] = "point"

    def norm(self) -> int:
        return self.x + self.y

@dataclass(frozen=True, slots=True)
class Solid(Point):
    z: int = field(default=3, metadata={"role": "height"})
    y: int = 5

    def __post_init__(self) -> None:
        if self.z < 0:
            raise ValueError("below ground")

@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    name: str
    size: int = 1

@dataclass(frozen=True, slots=True)
class Box(Generic[T]):
    content: T
    hidden: int = field(default=7, init=False, repr=False)

@dataclass(frozen=True, slots=True, eq=False)
class Token:
    text: str

@dataclass(frozen=True, slots=True)
class Own:
    a: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own)

    def __repr__(self) -> str:
        return "own"

@dataclass(slots=True)
class Mutable:
    a: int = 1
    b: list[int] = field(default_factory=list)

@dataclass(slots=True, eq=False)
class Same:
    a: int = 1

@dataclass(frozen=True)
class Loose:
    a: int
    b: int = 2

    @cached_property
    def twice(self) -> int:
        return 2 * self.a

@dataclass(frozen=True, slots=True)
class Apart:
    a: int
    b: dict[str, int] = field(default_factory=dict, hash=False)

@dataclass
class Open:
    a: int = 1

@dataclass(frozen=True, slots=True, order=True)
class Ordered:
    a: int
"""

EXPRESSIONS = [
    "Empty() == Empty(), repr(Empty()), hash(Empty()) == hash(())",
    "repr(Point(1)), repr(Point(x=1, y=4, tags=['a'])), Point(1).norm(), Point.kind",
    "Point(1) == Point(1, 2), Point(1) != Point(2), Point(1) == (1, 2), Point(1, tags=['a']) == Point(1)",
    "hash(Point(1)) == hash((1, 2)), len({Point(1), Point(1), Point(2)})",
    "Point(1).tags is Point(1).tags",
    "repr(Solid(1)), Solid(1) == Point(1), Solid(1, 2, [], 4).z, Solid.__match_args__, Point.__match_args__",
    "repr(Named(name='n')), Named(name='n') == Named(name='n', size=1), Named.__match_args__",
    "repr(Box(3)), Box(3).hidden, Box(3) == Box(3)",
    "Token('a') == Token('a'), repr(Token('a')), hash(Token('a')) != hash(('a',))",
    "Own(1) == Own(2), repr(Own(1)), hash(Own(1)) == hash((1,))",
    "[(f.name, f.type, f.default is not MISSING and f.default) for f in fields(Solid)]",
    "fields(Solid)[3].metadata['role']",
    "asdict(Solid(1)), astuple(Solid(1)), replace(Solid(1), x=9), is_dataclass(Solid), is_dataclass(Solid(1))",
    "copy.copy(Solid(1)), copy.deepcopy(Solid(1, tags=['a'])), pickle.loads(pickle.dumps(Solid(4)))",
    "Mutable(), Ordered(1) < Ordered(2), Solid.__qualname__, Solid.__module__, hasattr(Solid(1), '__dict__')",
    "Mutable(2) == Mutable(2), Mutable.__hash__, setattr(Mutable(), 'a', 3), hasattr(Mutable(), '__dict__')",
    "copy.copy(Mutable(2)), pickle.loads(pickle.dumps(Mutable(2, [3]))), Same() == Same(), Same.__hash__ is None",
    "Loose(1).twice, Loose(1) == Loose(1, 2), hash(Loose(1)) == hash((1, 2)), replace(Loose(1), b=4), repr(Loose(3))",
    "pickle.loads(pickle.dumps(Loose(4))), vars(Loose(4)), Open(), Open(2) == Open(2), replace(Open(), a=5)",
    "Ordered(1) <= Ordered(1), Ordered(1) > Ordered(2), Ordered(2) >= Ordered(1), sorted([Ordered(2), Ordered(1)])",
    "[(f.name, f.init, f.repr, f.compare, f.kw_only) for f in fields(Box)], [f.name for f in fields(Box(1))]",
    "hash(Apart(1)) == hash((1,)), Apart(1, {'a': 1}) == Apart(1)",
    "[p.x + p.z for p in [Solid(1)] if (lambda s: s)(p)]",
]  # fmt: skip

ERRORS = [
    "Point()", "Point(1, 2, [], 4)", "Point(1, w=1)", "Solid(1, 2, [], -1)", "Named('n')", "Box(1, hidden=2)",
    "setattr(Point(1), 'x', 2)", "delattr(Point(1), 'x')", "replace(Point(1), w=2)",
    "Point(1) < Point(2)", "Ordered(1) < 1", "setattr(Loose(1), 'a', 2)", "hash(Mutable())", "Mutable(c=1)",
    "setattr(Mutable(), 'c', 1)",
]  # fmt: skip


def _answers(**names: Any) -> list[Any]:
    module = ModuleType("record_classes")
    sys.modules[module.__name__] = module  # pickle looks the classes up there
    module.__dict__.update(vars(dataclasses), copy=copy, pickle=pickle, __name__="record_classes")
    module.__dict__.update(names)
    try:
        exec(TEXT, module.__dict__)
        return [repr(eval(e, module.__dict__)) for e in EXPRESSIONS] + [_error(e, module.__dict__) for e in ERRORS]
    finally:
        del sys.modules[module.__name__]


def _error(expression: str, scope: dict[str, Any]) -> type[BaseException]:
    with pytest.raises(Exception) as caught:  # which one is what is compared
        eval(expression, scope)
    return caught.type


OURS = ("dataclass", "field", "fields", "replace", "is_dataclass", "MISSING")


def test_behaves_as_the_standard_library() -> None:
    own = {name: getattr(records, name) for name in OURS}
    theirs = _answers()
    for names in (own, {"dataclass": records.dataclass}, own | {"field": dataclasses.field}):
        for expression, mine, expected in zip(EXPRESSIONS + ERRORS, _answers(**names), theirs, strict=True):
            assert mine == expected, expression


def test_compiles_nothing_before_the_first_use() -> None:
    scope: dict[str, Any] = {"dataclass": records.dataclass, "field": records.field, "__name__": __name__}
    exec(TEXT, scope)
    point = scope["Point"]
    assert point.__init__.__name__ == "method"
    point(1)
    assert point.__init__.__name__ == "__init__"
    assert point.__eq__.__name__ == "method"
