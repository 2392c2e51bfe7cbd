"""Expressions of the C dialect: typed values, C's conversions, dereferences. Atomics are in `c_atomics`."""

from __future__ import annotations

from typing import Self

from fencepost.frontends.assembly.code import Code, constant
from fencepost.frontends.litmus.state import INT, CType, read_type
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.datatypes import Scalar
from fencepost.program.instructions import Mode, Op
from fencepost.program.operands import Const, GlobalAddress, Operand, Reg, to_signed, to_unsigned
from fencepost.records import dataclass

C_INT = CType(INT)
C_LONG = CType(Scalar("i", 8))
_MAX_DEPTH = 63  # what C asks of a compiler

_BINARY: tuple[dict[str, tuple[Op, Op]], ...] = (  # loosest first; signed, unsigned
    {"|": (Op.OR, Op.OR)},
    {"^": (Op.XOR, Op.XOR)},
    {"&": (Op.AND, Op.AND)},
    {"==": (Op.EQ, Op.EQ), "!=": (Op.NE, Op.NE)},
    {"<": (Op.SLT, Op.ULT), "<=": (Op.SLE, Op.ULE), ">": (Op.SGT, Op.UGT), ">=": (Op.SGE, Op.UGE)},
    {"<<": (Op.SHL, Op.SHL), ">>": (Op.ASHR, Op.LSHR)},
    {"+": (Op.ADD, Op.ADD), "-": (Op.SUB, Op.SUB)},
    {"*": (Op.MUL, Op.MUL), "/": (Op.SDIV, Op.UDIV), "%": (Op.SREM, Op.UREM)},
)
_LEVEL = {symbol: level for level, table in enumerate(_BINARY) for symbol in table}
_COMPARING = {"==", "!=", "<", "<=", ">", ">="}
ASSIGNING = {f"{symbol}=": symbol for symbol in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")}


@dataclass(frozen=True, slots=True)
class Value:
    """An operand with its C type. In a register the value is zero-extended from the width of its type."""

    operand: Operand
    type: CType

    @property
    def width(self) -> int:
        return 8 * self.type.value.size


class Expressions:
    """Reads expressions and adds their code. `locals` maps names in scope to registers and types."""

    def __init__(self, tokens: Tokens, code: Code, parameters: dict[str, CType]) -> None:
        self.t, self.code, self.parameters = tokens, code, parameters
        self.scopes: list[dict[str, tuple[Reg, CType]]] = [{}]
        self.depth = 0
        self.kernel = False  # whether the test is one of the Linux kernel's, whose variables have no types in herd

    # --- names

    def local(self, name: str) -> tuple[Reg, CType] | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def _name(self, token: Token) -> Value:
        found = self.local(token.text)
        if found is not None:
            return Value(*found)
        type_ = self.parameters.get(token.text)
        if type_ is not None:
            return Value(GlobalAddress(token.text), type_)
        if token.text in self.code.state.locations:
            scalar = self.code.state.locations[token.text].scalar or INT
            return Value(GlobalAddress(token.text), self.typed(CType(scalar, 1)))
        if self.kernel:
            return Value(*self.undeclared(token))
        self.t.fail("a local variable, a parameter or a location", token=token)

    def undeclared(self, token: Token) -> tuple[Reg, CType]:
        """Tests of the kernel need not declare their variables."""
        self.scopes[0][token.text] = (self.code.register(token.text), C_LONG)
        return self.scopes[0][token.text]

    # --- conversions

    def convert(self, value: Value, to: CType) -> Value:
        """C's conversion to another type, at the width of the target."""
        source, target = value.type.value, to.value
        if isinstance(value.operand, Const):
            read = to_signed if target.kind == "i" else to_unsigned
            return Value(constant(read(value.operand.value, 8 * target.size)), to)
        if isinstance(value.operand, GlobalAddress) or target.size == source.size:
            return Value(value.operand, to)
        operand = value.operand
        if target.size < source.size:
            operand = self.code.compute(Op.MOV, operand, width=8 * target.size)
        elif source.kind == "i":
            operand = self.code.compute(Op.SEXT, operand, width=8 * source.size)
            if target.size < 8:
                self.code.move(operand, operand, 8 * target.size)
        return Value(operand, to)

    def common(self, a: Value, b: Value) -> CType:
        """The usual arithmetic conversions."""
        for v in (a, b):
            if v.type.stars:
                return v.type
        size = max(a.type.value.size, b.type.value.size, 4)
        unsigned = any(v.type.value.kind == "u" and v.type.value.size == size for v in (a, b))
        return CType(Scalar("u" if unsigned else "i", size))

    def truth(self, value: Value) -> Operand:
        """A register or constant that is 0 exactly where the value is false."""
        if isinstance(value.operand, Reg):
            return value.operand
        return self.code.compute(Op.NE, value.operand, Const(0), width=value.width)

    def assign(self, register: Reg, type_: CType, value: Value) -> None:
        converted = self.convert(value, type_)
        self.code.move(register, converted.operand, 8 * type_.value.size)

    # --- memory

    def load(self, pointer: Value, mode: Mode = Mode.NA) -> Value:
        type_ = self.pointed(pointer)
        dst = self.code.scratch()
        self.code.load(dst, pointer.operand, type_.value.size, mode=mode)
        return Value(dst, type_)

    def store(self, pointer: Value, value: Value, mode: Mode = Mode.NA) -> None:
        type_ = self.pointed(pointer)
        self.code.store(pointer.operand, self.convert(value, type_).operand, type_.value.size, mode)

    def pointer(self) -> Value:
        """An argument that is a pointer."""
        start = self.t.token
        found = self.expression()
        if not found.type.stars and not self.kernel:
            self.t.fail("a pointer to an atomic object", token=start)
        return found

    def lvalue(self) -> Value | tuple[Reg, CType]:
        """What can stand left of `=`: a variable, or the pointer of a dereference."""
        t = self.t
        if t.accept("*"):
            return self._unary()
        if t.accept("("):
            with self.deeper():
                inner = self.lvalue()
            t.expect(")")
            return inner
        token = t.name("a statement")
        found = self.local(token.text)
        if found is None and self.kernel and token.text not in self.parameters and not self.points(token.text):
            found = self.undeclared(token)
        if t.accept("["):
            index = self.expression()
            t.expect("]")
            return self._pointer_arithmetic("+", Value(*found) if found else self._name(token), index)
        if found is not None:
            return found
        value = self._name(token)
        if token.text in self.parameters:
            t.fail("a local variable, or a dereference such as *x", token=token)
        return value

    def points(self, name: str) -> bool:
        """Whether a name is a local pointer or a location."""
        found = self.local(name)
        return bool(found[1].stars) if found is not None else name in self.code.state.locations

    def uses(self, token: Token, *, kernel: bool) -> None:
        """A test speaks either the language of C11 or that of the kernel."""
        if self.kernel and not kernel and token.text.startswith("atomic_"):
            message = f"found '{token.text}' in a test with the Linux kernel's primitives"
            self.code.source.fail(token.offset, message, "a primitive of the kernel that Fencepost knows")

    def typed(self, type_: CType) -> CType:
        """In a test of the kernel every value is a word."""
        return CType(C_LONG.scalar, type_.stars) if self.kernel else type_

    def pointed(self, pointer: Value) -> CType:
        if not pointer.type.stars and not self.kernel:
            self.t.fail("a pointer", token=self.t.list[max(self.t.index - 1, 0)])
        return pointer.type.pointed()

    # --- expressions, loosest first

    def expression(self) -> Value:
        with self.deeper():
            value = self._logical("||")
            return self._conditional(value) if self.t.accept("?") else value

    def deeper(self) -> Self:
        """Counts what nests: parentheses, prefix operators, statements in statements."""
        return self

    def __enter__(self) -> None:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            self.t.fail(f"an expression or a statement nested at most {_MAX_DEPTH} deep")

    def __exit__(self, *_: object) -> None:
        self.depth -= 1

    def _conditional(self, test: Value) -> Value:
        result, otherwise, end = self.code.scratch(), self.code.fresh_label(), self.code.fresh_label()
        self.code.branch_unless(self.truth(test), otherwise)
        first = self.expression()
        self.code.move(result, first.operand)
        self.code.jump(end)
        self.t.expect(":")
        self.code.label(otherwise)
        second = self.expression()
        self.code.move(result, second.operand)
        self.code.label(end)
        return Value(result, self.common(first, second))

    def _logical(self, symbol: str) -> Value:
        """`&&` and `||` evaluate their right side only where it matters."""
        left = self._logical("&&") if symbol == "||" else self._binary(0)
        if not self.t.at(symbol):
            return left
        result, end = self.code.scratch(), self.code.fresh_label()
        self.code.compute(Op.NE, left.operand, Const(0), width=left.width, dst=result)
        while self.t.accept(symbol):
            (self.code.branch if symbol == "||" else self.code.branch_unless)(result, end)
            right = self._logical("&&") if symbol == "||" else self._binary(0)
            self.code.compute(Op.NE, right.operand, Const(0), width=right.width, dst=result)
        self.code.label(end)
        return Value(result, C_INT)

    def _binary(self, loosest: int) -> Value:
        """Operators that bind at least as tightly as the level `loosest`."""
        left = self._unary()
        while self.t.token.kind == "symbol" and (level := _LEVEL.get(self.t.token.text, -1)) >= loosest:
            symbol = self.t.next().text
            left = self.operate(symbol, left, self._binary(level + 1))
        return left

    def operate(self, symbol: str, a: Value, b: Value) -> Value:
        signed, unsigned = next(table[symbol] for table in _BINARY if symbol in table)
        if symbol in "+-" and bool(a.type.stars) != bool(b.type.stars):
            return self._pointer_arithmetic(symbol, a, b)
        type_ = self.common(a, b) if symbol not in ("<<", ">>") else self.common(a, Value(Const(0), C_INT))
        left, right = self.convert(a, type_), self.convert(b, type_)
        op = signed if type_.value.kind == "i" else unsigned
        result = self.code.compute(op, left.operand, right.operand, width=8 * type_.value.size)
        return Value(result, C_INT if symbol in _COMPARING else type_)

    def _pointer_arithmetic(self, symbol: str, a: Value, b: Value) -> Value:
        """Steps are elements; the dependency on the index stays even where the index is always 0."""
        pointer, index = (a, b) if a.type.stars else (b, a)
        size = pointer.type.pointed().value.size
        steps = self.convert(index, C_LONG).operand
        if isinstance(steps, Const) and isinstance(pointer.operand, GlobalAddress):
            moved = steps.value * size * (1 if symbol == "+" else -1)
            return Value(GlobalAddress(pointer.operand.name, pointer.operand.offset + moved), pointer.type)
        offset = self.code.compute(Op.MUL, steps, Const(size))
        op = Op.ADD if symbol == "+" else Op.SUB
        return Value(self.code.compute(op, pointer.operand, offset), pointer.type)

    def _unary(self) -> Value:
        with self.deeper():
            return self._prefixed()

    def _prefixed(self) -> Value:
        t = self.t
        if t.accept("*"):
            return self.load(self._unary())
        if t.accept("-"):
            value = self._unary()
            if isinstance(value.operand, Const):
                return Value(constant(-value.operand.value), value.type)
            return self.operate("-", Value(Const(0), C_INT), value)
        if t.accept("+"):
            return self._unary()
        if t.accept("~"):
            return self.operate("^", self._unary(), Value(Const(-1), C_INT))
        if t.accept("!"):
            value = self._unary()
            return Value(self.code.compute(Op.EQ, value.operand, Const(0), width=value.width), C_INT)
        if t.accept("&"):
            return self._address()
        if t.at("(") and (cast := self._cast()) is not None:
            return self.convert(self._unary(), cast)
        return self._postfix(self._primary())

    def _address(self) -> Value:
        token = self.t.name("a location")
        if self.local(token.text) is not None:
            self.t.fail("a location", "the address of a local variable is possible only in compare-exchange", token)
        return self._postfix(self._name(token), address=True)

    def _cast(self) -> CType | None:
        start = self.t.index
        self.t.next()
        type_ = read_type(self.t)
        if type_ is None:
            self.t.index = start
            return None
        self.t.expect(")")
        return self.typed(type_)

    def _postfix(self, value: Value, *, address: bool = False) -> Value:
        while self.t.accept("["):
            index = self.expression()
            self.t.expect("]")
            value = self._pointer_arithmetic("+", value, index)
            if not address:
                value = self.load(value)
        return value

    def _primary(self) -> Value:
        t = self.t
        if t.accept("("):
            value = self.expression()
            t.expect(")")
            return value
        if t.token.kind == "number":
            number = t.number()
            return Value(constant(number), C_INT if number < 1 << 31 else C_LONG)
        token = t.name("an expression")
        if token.text in ("true", "false", "NULL"):
            return Value(Const(int(token.text == "true")), C_INT)
        if t.at("("):
            return self.call(token)
        return self._name(token)

    def call(self, token: Token) -> Value:
        """The value of a call: its arguments are read and its code is added."""
        raise NotImplementedError
