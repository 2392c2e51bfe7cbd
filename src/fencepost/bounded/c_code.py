"""A translated program as C for CBMC: one `main`, integer variables, gotos; no pointer, no array, no loop.

Compiled by an ordinary compiler it makes its guesses at random and aborts where it finds a violation. With REPLAY
defined it asks for each guess by its number: who supplies `replay_guess` decides which run is taken.
"""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.bounded.ranges import ZERO, Range, apply, enclosing, join, of
from fencepost.bounded.translate import Translated
from fencepost.errors import UnsupportedError
from fencepost.program import instructions as ins
from fencepost.program.instructions import Instruction, Op
from fencepost.program.operands import Const, Operand, Reg, to_unsigned
from fencepost.program.passes.rewrite import used
from fencepost.program.printer import jump_targets

HEAD = """\
/* {title}
   {bounds}
   Made by fencepost. A run that violates no assumption and reaches `violation` is a violation under POWER.
   cbmc FILE.c decides whether there is one. */
#include <stdlib.h>

typedef unsigned long long u64;
typedef long long i64;

#if defined(__CPROVER) || defined(__CPROVER__) || defined(CBMC)
u64 nondet_u64(void);
#define guess(number) nondet_u64()
#define assume(condition) __CPROVER_assume(condition)
#define violation() __CPROVER_assert(0, "violation")
#elif defined(REPLAY)
u64 replay_guess(int number);
#define guess(number) replay_guess(number)
#define assume(condition) do {{ if (!(condition)) exit(3); }} while (0)
#define violation() exit(1)
#else
static u64 nondet_u64(void)
{{
  u64 bits = (u64)rand();
  return (bits << 42) ^ (bits << 21) ^ (u64)rand();
}}
#define guess(number) nondet_u64()
#define assume(condition) do {{ if (!(condition)) exit(0); }} while (0)
#define violation() abort()
#endif
"""

_BINARY = {
    Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.AND: "&", Op.OR: "|", Op.XOR: "^", Op.UDIV: "/", Op.UREM: "%",
    Op.EQ: "==", Op.NE: "!=", Op.ULT: "<", Op.ULE: "<=", Op.UGT: ">", Op.UGE: ">=",
}  # fmt: skip
_SIGNED = {Op.SDIV: "/", Op.SREM: "%", Op.SLT: "<", Op.SLE: "<=", Op.SGT: ">", Op.SGE: ">="}
_TRUTHS = frozenset({Op.EQ, Op.NE, Op.ULT, Op.ULE, Op.UGT, Op.UGE, Op.SLT, Op.SLE, Op.SGT, Op.SGE})


def c_code(translated: Translated, title: str, bounds: str) -> str:
    """The text of the C program. The guess of the Choose number n is in the variable guess_n."""
    return _Writer(translated, title, bounds).text()


class _Writer:
    def __init__(self, translated: Translated, title: str, bounds: str) -> None:
        self.function = translated.program.functions[0]
        self.head = HEAD.format(title=title.replace("*/", "* /"), bounds=bounds)
        self.read: set[int] = set()

    def text(self) -> str:
        body = list(self._body())
        types = _types(self.function.code)
        names = [f"static {types.get(n, 'u64')} v{n}; /* {self._name(n)} */" for n in sorted(self.read)]
        guesses = [f"static u64 guess_{pc};" for pc, i in enumerate(self.function.code) if isinstance(i, ins.Choose)]
        return "\n".join([self.head, *names, *guesses, "", "int main(void)", "{", *body, "  return 0;", "}"]) + "\n"

    def _name(self, n: int) -> str:
        return self.function.registers[n].replace("*/", "* /")

    def _body(self) -> Iterator[str]:
        code = self.function.code
        targets = {t for i in code for t in jump_targets(i)}
        self.read = _read(code)
        for pc, i in enumerate(code):
            if pc in targets:
                yield f"L{pc}:"
            for line in self._lines(pc, i):
                yield f"  {line}"

    def _lines(self, pc: int, i: Instruction) -> Iterator[str]:
        match i:
            case ins.Compute(dst=dst) if dst.index in self.read:
                yield f"v{dst.index} = {computed(i, [_operand(a) for a in i.args])};"
            case ins.Compute():
                yield ";"
            case ins.Choose():
                yield from self._choose(pc, i)
            case ins.Assume():
                yield f"assume({_operand(i.condition)} != 0);"
            case ins.Jump():
                yield f"goto L{i.target};"
            case ins.Branch():
                yield f"if ({_operand(i.condition)} != 0) goto L{i.then}; else goto L{i.otherwise};"
            case ins.Fail():
                yield "violation();"
                yield "return 0;"
            case ins.Return():
                yield "return 0;"
            case _:
                raise UnsupportedError(f"{i.mnemonic} does not belong into a translated program")

    def _choose(self, pc: int, i: ins.Choose) -> Iterator[str]:
        assert isinstance(i.low, Const) and isinstance(i.high, Const), "the bounds of a guess should be constant"
        yield f"guess_{pc} = guess({pc});"
        width = to_unsigned(i.high.value - i.low.value)
        if width != to_unsigned(-1):
            less = f" - {_operand(i.low)}" if i.low.value else ""
            yield f"assume(guess_{pc}{less} <= {width}ull);"
        if i.dst.index in self.read:
            yield f"v{i.dst.index} = guess_{pc};"


def computed(i: ins.Compute, args: list[str]) -> str:
    """What a computation gives, as an expression of C; `args` are its operands as such."""
    if i.op is Op.SELECT:
        return _cut(f"({args[0]} != 0 ? {args[1]} : {args[2]})", i.width)
    args = [_cut(a, i.width) for a in args]
    if i.op is Op.MOV:
        return args[0]
    if i.op is Op.SEXT:
        return f"(u64){_signed(args[0], i.width)}"
    if i.op in (Op.SHL, Op.LSHR, Op.ASHR):
        return _shift(i, args)
    if i.op in _SIGNED:
        a, b = (_signed(x, i.width) for x in args)
        whole = f"(u64)({a} {_SIGNED[i.op]} {b})"
    elif i.op in _BINARY:
        wide = "" if i.op in _TRUTHS else "(u64)"  # small types would be computed as int
        whole = f"({wide}{args[0]} {_BINARY[i.op]} {args[1]})"
    else:
        raise UnsupportedError(f"the operation {i.op.value} at {i.at} cannot be written for CBMC")
    return whole if i.op in _TRUTHS else _cut(whole, i.width)


def _shift(i: ins.Compute, args: list[str]) -> str:
    a, b = args
    if i.op is Op.ASHR:
        a, last = _signed(a, i.width), i.width - 1
        return _cut(f"(u64)({a} >> ({b} > {last}ull ? {last}ull : {b}))", i.width)
    sign, a = "<<" if i.op is Op.SHL else ">>", f"(u64){a}"
    if i.args[1] == Const(0):
        return a
    if isinstance(i.args[1], Const):
        return _cut(f"({a} {sign} {b})", i.width) if 0 <= i.args[1].value < i.width else "0ull"
    return _cut(f"({b} > {i.width - 1}ull ? 0ull : {a} {sign} {b})", i.width)


def _operand(operand: Operand) -> str:
    if isinstance(operand, Reg):
        return f"v{operand.index}"
    return f"{to_unsigned(_constant(operand))}ull"


def _cut(text: str, width: int) -> str:
    return text if width == 64 else f"({text} & {(1 << width) - 1}ull)"


def _signed(text: str, width: int) -> str:
    return f"(i64){text}" if width == 64 else f"((i64)({text} << {64 - width}) >> {64 - width})"


def _types(code: tuple[Instruction, ...]) -> dict[int, str]:
    """The smallest type that holds whatever a variable is ever given: it is what CBMC reasons about. Jumps go forward,
    so what stands before an instruction is all that can reach it."""
    ranges: dict[int, Range] = {}

    def of_operand(operand: Operand) -> Range:
        return ranges.get(operand.index, ZERO) if isinstance(operand, Reg) else of(_constant(operand))

    for i in code:
        if isinstance(i, ins.Compute):
            given = apply(i.op, i.width, tuple(of_operand(a) for a in i.args))
        elif isinstance(i, ins.Choose):
            given = enclosing(_constant(i.low), _constant(i.high))
        else:
            continue
        ranges[i.dst.index] = join(ranges.get(i.dst.index, ZERO), given)
    return {n: _type(r) for n, r in ranges.items()}


def _type(r: Range) -> str:
    for bits, name in ((8, "unsigned char"), (16, "unsigned short"), (32, "unsigned int")):
        if r.low >= 0 and r.high < 1 << bits:
            return name
    return "u64"


def _constant(operand: Operand) -> int:
    assert isinstance(operand, Const), "a translated program should have registers and constants only"
    return operand.value


def _read(code: tuple[Instruction, ...]) -> set[int]:
    """The registers whose values matter in the end; the others are left out, since compilers complain about them."""
    found = {o.index for i in code if not isinstance(i, ins.Compute) for o in used(i) if isinstance(o, Reg)}
    while True:
        more = {o.index for i in code if isinstance(i, ins.Compute) and i.dst.index in found
                for o in used(i) if isinstance(o, Reg)} - found  # fmt: skip
        if not more:
            return found
        found |= more
