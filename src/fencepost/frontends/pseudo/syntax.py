"""The syntax tree of a .fp file: what was written, before any name is looked up."""

from __future__ import annotations

from typing import TypeAlias

from fencepost.program.instructions import FenceKind, Mode
from fencepost.program.operands import Position
from fencepost.records import dataclass

# --- expressions


@dataclass(frozen=True, slots=True)
class Node:
    """`depth` is the height of the tree below; the parser refuses trees that are too high to walk."""

    at: Position
    depth: int


@dataclass(frozen=True, slots=True)
class Number(Node):
    value: int


@dataclass(frozen=True, slots=True)
class Text(Node):
    text: str


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A variable, a register or a constant."""

    name: str


@dataclass(frozen=True, slots=True)
class Index(Node):
    """name[index]: an element of an array, or of the memory a register points to."""

    name: str
    index: Expression


@dataclass(frozen=True, slots=True)
class Dereference(Node):
    """[address]"""

    address: Expression


@dataclass(frozen=True, slots=True)
class ThreadRegister(Node):
    """thread:register, in conditions and `observe`."""

    thread: str
    register: str


Place: TypeAlias = Name | Index | Dereference | ThreadRegister


@dataclass(frozen=True, slots=True)
class Access(Node):
    """A place with the mode it is accessed in; without one the default of the variable."""

    place: Place
    mode: Mode | None


@dataclass(frozen=True, slots=True)
class AddressOf(Node):
    place: Place


@dataclass(frozen=True, slots=True)
class Unary(Node):
    op: str
    inner: Expression


@dataclass(frozen=True, slots=True)
class Binary(Node):
    op: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Range(Node):
    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True)
class Call(Node):
    name: str
    args: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Spawn(Node):
    name: str
    args: tuple[Expression, ...]


Expression: TypeAlias = Number | Access | AddressOf | Unary | Binary | Call | Spawn
Argument: TypeAlias = Expression | Range | Text

# --- statements


@dataclass(frozen=True, slots=True)
class Label:
    at: Position
    name: str


@dataclass(frozen=True, slots=True)
class Assign:
    at: Position
    targets: tuple[Access, ...]
    value: Expression


@dataclass(frozen=True, slots=True)
class Local:
    at: Position
    name: str
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Locals:
    at: Position
    names: tuple[Local, ...]


@dataclass(frozen=True, slots=True)
class CallStatement:
    at: Position
    call: Call


@dataclass(frozen=True, slots=True)
class FenceStatement:
    at: Position
    kind: FenceKind


@dataclass(frozen=True, slots=True)
class If:
    """Each case with its condition in order, then what happens where none holds."""

    at: Position
    cases: tuple[tuple[Expression, Block], ...]
    otherwise: Block | None


@dataclass(frozen=True, slots=True)
class IfGoto:
    at: Position
    condition: Expression
    label: Label


@dataclass(frozen=True, slots=True)
class While:
    at: Position
    condition: Expression
    body: Block


@dataclass(frozen=True, slots=True)
class For:
    at: Position
    name: str
    range: Range
    body: Block


@dataclass(frozen=True, slots=True)
class Atomic:
    at: Position
    body: Block


@dataclass(frozen=True, slots=True)
class Goto:
    at: Position
    label: Label


@dataclass(frozen=True, slots=True)
class Return:
    at: Position
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Break:
    at: Position


@dataclass(frozen=True, slots=True)
class Continue:
    at: Position


@dataclass(frozen=True, slots=True)
class Skip:
    at: Position


Statement: TypeAlias = (
    Label | Assign | Locals | CallStatement | FenceStatement | If | IfGoto | While | For | Atomic | Goto | Return
    | Break | Continue | Skip
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Block:
    statements: tuple[Statement, ...]
    end: Position


# --- declarations


@dataclass(frozen=True, slots=True)
class Declarator:
    """`count` is None for a plain variable; `initial` has one value per given element."""

    at: Position
    name: str
    count: Expression | None
    initial: tuple[Expression, ...]
    listed: bool  # the initial value was written as a list


@dataclass(frozen=True, slots=True)
class Variables:
    """`kind`: var, na or mutex."""

    at: Position
    kind: str
    declarators: tuple[Declarator, ...]


@dataclass(frozen=True, slots=True)
class Constant:
    at: Position
    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class FunctionItem:
    at: Position
    name: str
    parameters: tuple[Label, ...]
    body: Block


@dataclass(frozen=True, slots=True)
class ThreadItem:
    """With `parameter` and `range` it stands for one thread per number in the range."""

    at: Position
    name: str
    parameter: Label | None
    range: Range | None
    body: Block


@dataclass(frozen=True, slots=True)
class Observe:
    at: Position
    what: tuple[Access, ...]


@dataclass(frozen=True, slots=True)
class ConditionItem:
    at: Position
    quantifier: str
    formula: Expression


@dataclass(frozen=True, slots=True)
class FilterItem:
    at: Position
    formula: Expression


Item: TypeAlias = Variables | Constant | FunctionItem | ThreadItem | Observe | ConditionItem | FilterItem
