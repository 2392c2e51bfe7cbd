"""The machines whose inline assembly is read: how each writes registers, memory and numbers in a template."""

from __future__ import annotations

import re

from fencepost.frontends.assembly.aarch64 import AArch64
from fencepost.frontends.assembly.dialect import Dialect
from fencepost.frontends.assembly.ppc import PPC
from fencepost.frontends.assembly.riscv import RISCV
from fencepost.frontends.assembly.x86 import X86_64
from fencepost.frontends.c.inline import LOCKED_STACK, Place
from fencepost.frontends.c.inline_machine import Machine
from fencepost.frontends.c.unsupported import Unsupported
from fencepost.program.operands import Const, Reg

_LEGACY = {"ax": "a", "bx": "b", "cx": "c", "dx": "d"}
_SIZES = {"b": 8, "w": 16, "k": 32, "q": 64}
_SUFFIX = {8: "b", 16: "w", 32: "d", 64: ""}


class X86Machine(Machine):
    """AT&T's order, as compilers write it."""

    dialect = X86_64
    registers = (*(f"r{n}" for n in range(8, 16)), "rsi", "rdi", "rbx", "rcx", "rdx", "rax")
    idle = frozenset({"nop", "pause", "rep nop", "rep pause"})
    comment = r"#.*|/\*.*?\*/"

    def asked(self, register: str) -> str:
        return f"r{register}" if len(register) == 2 and not register.startswith("r") else register

    def written(self, place: Place, name: str, modifier: str) -> str:
        if place.address is not None:
            return f"(%{name})"
        bits = _SIZES.get(modifier, place.bits)
        return f"%{_sized(name, bits)}"

    def literal(self, value: Const) -> str:
        return f"${value.value}"

    def condition(self, dialect: Dialect, name: str) -> Reg:
        assert isinstance(dialect, X86_64), "a machine has its own dialect"
        found = dialect.condition(name.upper())
        return super().condition(dialect, name) if found is None else found

    def prepared(self, line: str) -> str:
        return "mfence" if LOCKED_STACK.match(re.sub(r"\s+", " ", line)) else line

    def joined(self, text: str) -> str:
        return re.sub(r"\b(lock|rep)\s*[;\n]\s*", r"\1 ", text, flags=re.IGNORECASE)


def _sized(name: str, bits: int) -> str:
    if name[1:].isdigit():
        return name + _SUFFIX[bits]
    base = name[1:]
    if bits == 8:
        if base not in _LEGACY:
            raise Unsupported(f"8 bits of {name} in inline assembly")
        return _LEGACY[base] + "l"
    return {16: "", 32: "e", 64: "r"}[bits] + base


class Arm64Machine(Machine):
    dialect = AArch64
    registers = tuple(f"x{n}" for n in range(9, 29))
    idle = frozenset({"nop", "yield", "wfe", "sev", "sevl"})

    def asked(self, register: str) -> str:
        return f"x{register[1:]}" if register[:1] in "wx" and register[1:].isdigit() else register

    def written(self, place: Place, name: str, modifier: str) -> str:
        if place.address is not None:
            return f"[{name}]"
        return f"w{name[1:]}" if modifier == "w" else name

    def literal(self, value: Const) -> str:
        return f"#{value.value}"

    def prepared(self, line: str) -> str:
        return line.replace("##", "#")


class RiscVMachine(Machine):
    dialect = RISCV
    registers = ("a0", "a1", "a2", "a3", "a4", "a5", "t0", "t1", "t2", "t3", "t4", "t5")
    comment = r"#.*|/\*.*?\*/"
    idle = frozenset({"nop", "pause"})

    def written(self, place: Place, name: str, modifier: str) -> str:
        if place.address is not None:
            return f"0({name})"
        return name


class PowerMachine(Machine):
    dialect = PPC
    registers = tuple(f"r{n}" for n in range(3, 28))
    comment = r"#.*|/\*.*?\*/"
    idle = frozenset({"nop", "or 27,27,27", "or 1,1,1", "or 2,2,2"})

    def written(self, place: Place, name: str, modifier: str) -> str:
        if place.address is not None:
            return f"0,{name}" if modifier == "y" else "" if modifier in ("U", "X") else f"0({name})"
        return name


MACHINES: dict[str, type[Machine]] = {
    "x86_64": X86Machine, "aarch64": Arm64Machine, "arm64": Arm64Machine, "riscv64": RiscVMachine,
    "powerpc64le": PowerMachine, "powerpc64": PowerMachine,
}  # fmt: skip
