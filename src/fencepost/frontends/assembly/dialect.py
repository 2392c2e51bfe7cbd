"""What instruction sets have in common: names of registers, operands, and comparisons kept for a later branch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NoReturn

from fencepost.frontends.assembly.code import Code
from fencepost.frontends.scan import Token, Tokens
from fencepost.program.instructions import Op
from fencepost.program.operands import Const, Operand, Reg
from fencepost.program.program import Arch
from fencepost.records import dataclass

_LOWEST = Const(-(1 << 63))


@dataclass(frozen=True, slots=True)
class RegisterName:
    """A register under the name that the Program gives it, and how many bits this name means. `shown` is how reports
    name it, where that is not as the test wrote it."""

    name: str
    width: int = 64
    shown: str = ""


class Dialect(ABC):
    """One instruction set. `instruction` translates one instruction; the mnemonic has been read already."""

    arch: ClassVar[Arch]
    bytes: ClassVar[int] = 4  # of an instruction; 0 where they differ in length

    def __init__(self, code: Code) -> None:
        self.code = code

    @classmethod
    @abstractmethod
    def naming(cls, name: str) -> RegisterName | None:
        """The register that a name means, in the spelling of conditions too; None where it means none."""

    @abstractmethod
    def instruction(self, mnemonic: Token, t: Tokens) -> None:
        """Adds the meaning of one instruction to the code."""

    def statement(self, t: Tokens) -> None:
        """Reads one instruction, from its mnemonic on."""
        self.instruction(t.name("an instruction"), t)

    # --- what instruction sets have in common

    def unknown(self, mnemonic: Token, t: Tokens) -> NoReturn:
        known = f"an instruction of {self.arch.name} that Fencepost knows"
        t.source.fail(mnemonic.offset, f"unsupported instruction '{mnemonic.text}'", known)

    def named(self, t: Tokens, expected: str = "a register") -> RegisterName:
        symbolic = t.accept("%")
        token = t.name(expected)
        if symbolic and token.text in self.code.state.symbols:
            return RegisterName(f"%{token.text}")
        found = self.naming(token.text)
        if found is None and symbolic:  # one that the code itself sets, and herd chooses
            return RegisterName(f"%{token.text}")
        if found is None:
            t.fail(expected, token=token)
        return found

    def reg(self, t: Tokens) -> Reg:
        return self.code.register(self.named(t).name)

    def label(self, t: Tokens) -> Token:
        """A label, such as those of compilers (`.L3`), or `.+8`: so many bytes from the instruction it stands in."""
        if not t.accept("."):
            return t.name("a label")
        token = t.token
        if token.kind == "name":
            return dotted(t.next())
        if not self.bytes:
            t.fail("a label")
        distance = t.number("a distance in bytes such as .+8")
        if distance % self.bytes:
            t.fail(f"a multiple of {self.bytes} bytes", token=token)
        return self.code.relative(distance // self.bytes, token)

    def comma(self, t: Tokens) -> None:
        t.expect(",")


def dotted(token: Token) -> Token:
    """The label whose name begins with a dot, of the token behind it."""
    return Token("name", f".{token.text}", token.offset - 1)


def compare(code: Code, name: str, width: int, left: Operand, right: Operand, *, signed: bool = True) -> None:
    """Keeps the operands of a comparison in two registers `name.a` and `name.b`, brought to 64 bits so that one signed
    comparison of 64 bits decides whatever branch comes. Both keep the dependencies of what is compared."""
    for operand, part in ((left, "a"), (right, "b")):
        dst = code.register(f"{name}.{part}")
        if signed:
            code.compute(Op.SEXT, operand, width=width, dst=dst)
        elif width < 64:
            code.move(dst, operand, width)
        else:
            code.compute(Op.XOR, operand, _LOWEST, dst=dst)


def decide(code: Code, name: str, op: Op) -> Reg:
    """The outcome of a comparison kept by `compare`."""
    return code.compute(op, code.register(f"{name}.a"), code.register(f"{name}.b"))
