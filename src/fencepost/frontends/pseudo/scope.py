"""The names of a whole file: constants, shared variables, functions; and the value of constant expressions."""

from __future__ import annotations

from fencepost.errors import InputError
from fencepost.frontends.pseudo import syntax as s
from fencepost.program.arithmetic import ArithmeticFault, compute
from fencepost.program.instructions import Mode, Op
from fencepost.program.operands import Const, ConstantOperand, GlobalAddress, Position, to_signed, to_unsigned
from fencepost.records import dataclass, field

CELL = 8  # every variable and array element, in bytes

OPERATORS = {
    "+": Op.ADD, "-": Op.SUB, "*": Op.MUL, "/": Op.SDIV, "%": Op.SREM, "&": Op.AND, "|": Op.OR, "^": Op.XOR,
    "<<": Op.SHL, ">>": Op.ASHR, "==": Op.EQ, "!=": Op.NE, "<": Op.SLT, "<=": Op.SLE, ">": Op.SGT, ">=": Op.SGE,
}  # fmt: skip


def mistake(message: str, at: Position, *, expected: str = "", hint: str = "") -> InputError:
    return InputError(message, file=at.file, line=at.line, column=at.column, expected=expected, hint=hint)


@dataclass(frozen=True, slots=True)
class Variable:
    """A shared variable. `count` is None unless it is an array. `kind`: var, na or mutex."""

    name: str
    kind: str
    count: int | None
    at: Position

    @property
    def mode(self) -> Mode:
        return Mode.NA if self.kind == "na" else Mode.RLX


@dataclass(slots=True)
class Scope:
    constants: dict[str, int] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    functions: dict[str, int] = field(default_factory=dict)  # name -> number of parameters
    declared: dict[str, Position] = field(default_factory=dict)

    def declare(self, name: str, at: Position) -> None:
        if name == "_":
            raise mistake("'_' only stands for a result that nobody wants", at, expected="a name")
        if name in self.declared:
            first = self.declared[name]
            raise mistake(f"{name} is declared twice", at, hint=f"its first declaration is at {first}")
        self.declared[name] = at

    def unknown(self, name: str, at: Position, registers: list[str]) -> InputError:
        from difflib import get_close_matches

        near = get_close_matches(name, [*registers, *self.variables, *self.constants], 1)
        hint = f"did you mean {near[0]}?" if near else f"declare it with 'var {name}' if threads share it"
        return mistake(f"{name} is neither a variable nor a register that is assigned here", at, hint=hint)

    # --- constant expressions

    def constant(self, e: s.Expression, what: str) -> int:
        """The number that `e` denotes; `what` names the expression in the message."""
        found = self.fold(e)
        if not isinstance(found, Const):
            raise mistake(f"{what} must be a constant", e.at, expected="numbers and constants only")
        return found.value

    def initial(self, e: s.Expression) -> ConstantOperand:
        found = self.fold(e)
        if found is None:
            raise mistake("an initial value must be a constant", e.at, expected="numbers, constants and addresses")
        return found

    def fold(self, e: s.Expression) -> Const | GlobalAddress | None:
        """The constant that `e` denotes, if it is built from constants alone; only such expressions are folded, so no
        dependency is ever lost."""
        match e:
            case s.Number(value=value):
                if value == 1 << 63:
                    raise mistake(f"{value} does not fit in 64 bits", e.at, expected="at most 2^63 - 1")
                return Const(value)
            case s.Access(place=s.Name(name=name), mode=None) if name in self.constants:
                return Const(self.constants[name])
            case s.AddressOf(place=place):
                return self._address(place)
            case s.Unary(op=op, inner=inner):
                return self._unary(op, inner)
            case s.Binary(op=op, left=left, right=right):
                return self._binary(op, left, right)
        return None

    def _address(self, place: s.Place) -> GlobalAddress | None:
        if isinstance(place, s.Name) and place.name in self.variables:
            return GlobalAddress(place.name)
        if isinstance(place, s.Index) and place.name in self.variables:
            index = self.fold(place.index)
            if isinstance(index, Const):
                return GlobalAddress(place.name, self.element(place, index.value))
        return None

    def element(self, place: s.Index, index: int) -> int:
        """The offset of an element whose index is known, inside its array."""
        count = self.variables[place.name].count
        if count is None:
            raise mistake(f"{place.name} is not an array", place.at)
        if not 0 <= index < count:
            raise mistake(f"{place.name} has no element {index}", place.index.at, expected=f"0 to {count - 1}")
        return CELL * index

    def _unary(self, op: str, inner: s.Expression) -> Const | None:
        if op == "-" and isinstance(inner, s.Number):
            return Const(-inner.value)
        found = self.fold(inner)
        if not isinstance(found, Const):
            return None
        value = {"-": -found.value, "+": found.value, "~": ~found.value, "!": int(not found.value)}[op]
        return Const(to_signed(value))

    def _binary(self, op: str, left: s.Expression, right: s.Expression) -> Const | GlobalAddress | None:
        a, b = self.fold(left), self.fold(right)
        if isinstance(a, GlobalAddress) and isinstance(b, Const) and op in "+-":
            return GlobalAddress(a.name, a.offset + (b.value if op == "+" else -b.value))
        if not isinstance(a, Const) or not isinstance(b, Const):
            return None
        if op == "&&":
            return Const(int(bool(a.value and b.value)))
        if op == "||":
            return Const(int(bool(a.value or b.value)))
        try:
            return Const(to_signed(compute(OPERATORS[op], 64, (to_unsigned(a.value), to_unsigned(b.value)))))
        except ArithmeticFault:
            return None  # it stays an error of the program, found when it runs
