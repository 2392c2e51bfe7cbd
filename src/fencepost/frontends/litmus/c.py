"""C litmus tests: `P0 (atomic_int* x) { int r0 = atomic_load_explicit(x, memory_order_acquire); }`."""

from __future__ import annotations

import re

from fencepost.frontends.assembly.code import Code
from fencepost.frontends.assembly.dialect import RegisterName
from fencepost.frontends.litmus.beyond import refuse_type
from fencepost.frontends.litmus.build import build
from fencepost.frontends.litmus.c_atomics import call as atomic_call
from fencepost.frontends.litmus.c_expressions import ASSIGNING, C_INT, C_LONG, Expressions, Value
from fencepost.frontends.litmus.c_kernel import is_kernels
from fencepost.frontends.litmus.frame import Frame
from fencepost.frontends.litmus.question import read_question
from fencepost.frontends.litmus.state import KERNEL_TYPES, CType, State, read_state, read_type
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.datatypes import Scalar
from fencepost.program.instructions import Return
from fencepost.program.operands import Const, ConstantOperand, Reg
from fencepost.program.program import Arch, Function, Program

_THREAD = re.compile(r"P(\d+)\Z")
_RESULT = re.compile(r"^[ \t]*\*?[ \t]*Result:[ \t]*(?:Never|Sometimes|Always|DEADLOCK)\b", re.MULTILINE)
_MAX_BLOCKS = 60


def read_c(frame: Frame) -> Program:
    """The Program of a C test."""
    source = frame.source
    state = read_state(Tokens(source, *frame.init))
    tokens = Tokens(source, *frame.code)
    readers: dict[int, _Function] = {}
    kernel = _speaks_kernel(tokens) or _answers_kernel(source.written, tokens)
    if kernel:
        for location in state.locations.values():
            location.scalar = C_LONG.scalar
    while not tokens.done:
        reader = _Function(tokens, state, kernel)
        if reader.thread in readers:
            tokens.fail("each thread once", token=reader.name)
        reader.body()
        readers[reader.thread] = reader
    if not readers:
        source.fail(frame.code[0], "found no thread", "a thread such as 'P0 (atomic_int* x) {'")
    question = read_question(Tokens(source, *frame.question), state)
    functions: list[Function] = [r.code.finish() for r in readers.values()]
    types = {(r.thread, name): t.value for r in readers.values() for name, t in r.declared.items()}

    def naming(thread: int, token: Token) -> RegisterName | None:
        reader = readers.get(thread)
        known = reader is not None and (kernel or token.text in reader.declared)
        return RegisterName(token.text) if known else None

    arguments: dict[str, dict[str, ConstantOperand]] = {r.code.name: r.code.initial for r in readers.values()}
    scalars: dict[tuple[int, str], Scalar] = types
    return build(frame, Arch.LKMM if kernel else Arch.C11, state, question, functions, arguments, naming, scalars)


def _speaks_kernel(tokens: Tokens) -> bool:
    """Whether the code uses what only the Linux kernel has."""
    after = [*tokens.list[1:], tokens.list[-1]]
    return any(
        t.kind == "name" and (t.text in KERNEL_TYPES or (n.text == "(" and is_kernels(t.text)))
        for t, n in zip(tokens.list, after, strict=True)
    )


def _answers_kernel(text: str, tokens: Tokens) -> bool:
    """Whether a test of plain accesses has the comment by which the Linux kernel's tests tell their result."""
    return _RESULT.search(text) is not None and not any(
        t.kind == "name" and t.text.startswith(("atomic_", "memory_order")) for t in tokens.list
    )


class _Function(Expressions):
    """One thread: its header is read on construction, its body by `body`."""

    def __init__(self, tokens: Tokens, state: State, kernel: bool) -> None:
        if tokens.at("static"):
            tokens.next()
        if not _THREAD.match(tokens.token.text):
            read_type(tokens)
        self.name = tokens.name("a thread such as P0")
        match = _THREAD.match(self.name.text)
        if match is None:
            tokens.fail("a thread such as P0", token=self.name)
        self.thread = int(match[1])
        initial = {token.text: value for thread, token, value, _ in state.registers
                   if thread == self.thread and value is not None}  # fmt: skip
        super().__init__(tokens, Code(tokens.source, self.name.text, initial, state), {})
        self.kernel = kernel
        self.code.at = tokens.source.at(self.name.offset)
        self.declared: dict[str, CType] = {}
        self.given: set[str] = set()
        for thread, token, _, scalar in state.registers:
            if thread == self.thread:
                self._declare(token, self.typed(CType(scalar) if scalar else C_INT))
        self.given |= set(self.declared)
        self.loops: list[tuple[Token, Token]] = []  # where continue and break go
        self._parameters(state)

    def call(self, token: Token) -> Value:
        return atomic_call(self, token)

    def _parameters(self, state: State) -> None:
        t = self.t
        t.expect("(")
        while not t.at(")"):
            refuse_type(t)
            type_ = read_type(t)
            if type_ is None:
                t.fail("the type of a parameter")
            if type_.stars == 0 and t.at(")"):
                break  # void
            token = t.name("the name of a parameter")
            if t.accept("["):
                t.expect("]")
                type_ = CType(type_.scalar, type_.stars + 1, type_.atomic)
            if type_.stars == 0:
                if self.local(token.text) is None:
                    t.fail(
                        "a pointer", f"{token.text} has no initial value, such as {self.thread}:{token.text}=1", token
                    )
            else:
                type_ = self.typed(type_)
                location = state.location(token.text, token.offset)
                location.scalar = location.scalar or type_.pointed().value
                self.parameters[token.text] = type_
            if not t.accept(",") and not t.at(")"):
                t.fail("',' or ')'")
        t.expect(")")

    def body(self) -> None:
        self._block()

    # --- statements

    def _block(self) -> None:
        self.t.expect("{")
        if len(self.scopes) > _MAX_BLOCKS:
            self.t.fail(f"blocks nested at most {_MAX_BLOCKS} deep")
        self.scopes.append({})
        while not self.t.accept("}"):
            if self.t.done:
                self.t.fail("'}'")
            self._statement()
        self.scopes.pop()

    def _statement(self) -> None:
        t = self.t
        self.code.at = t.source.at(t.token.offset)
        if t.at("{"):
            self._block()
        elif t.accept(";"):
            pass
        elif t.accept("if"):
            self._if()
        elif t.accept("while"):
            self._while()
        elif t.accept("do"):
            self._do()
        elif t.accept("for"):
            self._for()
        elif t.at("break", "continue"):
            self._leave(t.next())
        elif t.accept("return"):
            if not t.at(";"):
                self.expression()
            t.expect(";")
            self.code.add(Return())
        else:
            self._simple()
            t.expect(";")

    def _simple(self) -> None:
        """A declaration, an assignment or a call."""
        type_ = read_type(self.t)
        if type_ is None:
            self._assignment()
            return
        while True:
            token = self.t.name("the name of a variable")
            type_ = self.typed(type_)
            register = self._declare(token, type_)
            if self.t.accept("="):
                self.assign(register, type_, self.expression())
            if not self.t.accept(","):
                return
            self.t.accept("*")

    def _declare(self, token: Token, type_: CType) -> Reg:
        """Blocks beside each other share the register of a name; a block inside hides it, and gets its own. What the
        initial state declares is the variable that the code declares first."""
        if token.text in self.scopes[-1]:
            self.t.fail("each variable once in its block", token=token)
        hidden = self.local(token.text) is not None and token.text not in self.given
        self.given.discard(token.text)
        register = self.code.scratch() if hidden else self.code.register(token.text)
        self.scopes[-1][token.text] = (register, type_)
        if not hidden:
            self.declared[token.text] = type_
        return register

    def _assignment(self) -> None:
        t = self.t
        if t.token.kind == "name" and t.peek().text == "(":
            self.expression()
            return
        if t.at("(") and self._cast() is not None:
            self.expression()  # (void) atomic_...
            return
        if t.at("++", "--"):
            symbol = t.next().text[0]
            self._update(self.lvalue(), symbol, Value(Const(1), C_INT))
            return
        target = self.lvalue()
        if t.at("++", "--"):
            self._update(target, t.next().text[0], Value(Const(1), C_INT))
        elif t.token.text in ASSIGNING:
            symbol = ASSIGNING[t.next().text]
            self._update(target, symbol, self.expression())
        else:
            t.expect("=", "an assignment or a call")
            self._set(target, self.expression())

    def _set(self, target: Value | tuple[Reg, CType], value: Value) -> None:
        if isinstance(target, Value):
            self.store(target, value)
        else:
            self.assign(*target, value)

    def _update(self, target: Value | tuple[Reg, CType], symbol: str, value: Value) -> None:
        old = self.load(target) if isinstance(target, Value) else Value(*target)
        self._set(target, self.operate(symbol, old, value))

    # --- control

    def _test(self) -> Value:
        self.t.expect("(")
        value = self.expression()
        self.t.expect(")")
        return value

    def _if(self) -> None:
        otherwise = self.code.fresh_label()
        self.code.branch_unless(self.truth(self._test()), otherwise)
        self._scoped()
        if self.t.accept("else"):
            end = self.code.fresh_label()
            self.code.jump(end)
            self.code.label(otherwise)
            self._scoped()
            self.code.label(end)
        else:
            self.code.label(otherwise)

    def _scoped(self) -> None:
        self.scopes.append({})
        with self.deeper():
            self._statement()
        self.scopes.pop()

    def _while(self) -> None:
        head, end = self.code.fresh_label(), self.code.fresh_label()
        self.code.label(head)
        self.code.branch_unless(self.truth(self._test()), end)
        self._loop(head, end)
        self.code.jump(head)
        self.code.label(end)

    def _loop(self, again: Token, end: Token) -> None:
        self.loops.append((again, end))
        self._scoped()
        self.loops.pop()

    def _do(self) -> None:
        head, test, end = (self.code.fresh_label() for _ in range(3))
        self.code.label(head)
        self._loop(test, end)
        self.t.expect("while")
        self.code.label(test)
        self.code.branch(self.truth(self._test()), head)
        self.code.label(end)
        self.t.expect(";")

    def _for(self) -> None:
        """The step stands before the body in the text and after it in the code."""
        t = self.t
        head, body, step, end = (self.code.fresh_label() for _ in range(4))
        t.expect("(")
        self.scopes.append({})
        if not t.at(";"):
            self._simple()
        t.expect(";")
        self.code.label(head)
        if not t.at(";"):
            self.code.branch_unless(self.truth(self.expression()), end)
        t.expect(";")
        self.code.jump(body)
        self.code.label(step)
        if not t.at(")"):
            self._simple()
        t.expect(")")
        self.code.jump(head)
        self.code.label(body)
        self._loop(step, end)
        self.code.jump(step)
        self.code.label(end)
        self.scopes.pop()

    def _leave(self, token: Token) -> None:
        if not self.loops:
            self.t.fail(f"'{token.text}' inside a loop", token=token)
        self.code.jump(self.loops[-1][token.text == "break"])
        self.t.expect(";")
