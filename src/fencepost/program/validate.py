"""Says what is wrong with a Program, in words. Front ends call it on what they made; analyses may rely on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fencepost.errors import FencepostError
from fencepost.program.condition import FinalMemory, FinalRegister, comparisons
from fencepost.program.instructions import (
    ARITY,
    COMPARISONS,
    Alloca,
    Await,
    Branch,
    Compute,
    Exit,
    Fail,
    Instruction,
    Jump,
    Load,
    Malloc,
    Mode,
    Return,
    Rmw,
    Role,
    Store,
    Switch,
    ThreadLocalAddress,
    roles,
)
from fencepost.program.operands import WORD, Const, FunctionAddress, GlobalAddress, Operand, Reg
from fencepost.program.printer import jump_targets
from fencepost.program.program import Arch, Function, Program

_LEAVES = (Jump, Branch, Switch, Return, Exit, Fail)
_SIZES = (1, 2, 4, 8)
LARGEST = 1 << 32  # bytes of an object, as those of one thread's memory


class InvalidProgramError(FencepostError):
    """A Program that no machine can run; `problems` says why, one sentence each."""

    def __init__(self, program: Program, problems: list[str]) -> None:
        self.problems = problems
        super().__init__(f"program {program.name!r} is not valid:\n" + "\n".join(f"  - {p}" for p in problems))


def validate(program: Program) -> Program:
    """Returns the program itself, or raises InvalidProgramError with every problem found."""
    problems = list(_problems(program))
    if problems:
        raise InvalidProgramError(program, problems)
    return program


def _problems(program: Program) -> Iterator[str]:
    for what, names in (
        ("global", [o.name for o in program.objects]),
        ("function", [f.name for f in program.functions]),
        ("thread", [t.name for t in program.threads]),
        ("observation", [o.name for o in program.observations]),
    ):
        for name, count in Counter(names).items():
            if count > 1:
                yield f"{what} {name!r} is declared {count} times"
    if not program.threads:
        yield "there is no thread to run"
    shared = {o.name for o in program.objects if not o.thread_local}
    local = {o.name for o in program.objects if o.thread_local}
    functions = {f.name: f for f in program.functions}
    for o in program.objects:
        if o.size < 0 or o.align < 1 or o.align & (o.align - 1):
            yield f"global {o.name!r} has size {o.size} and alignment {o.align}; alignment must be a power of two"
        if max(o.size, o.align) > LARGEST:
            yield f"global {o.name!r} has size {o.size} and alignment {o.align}; at most 2^32 are possible"
        for init in o.init:
            if init.size not in _SIZES or init.offset < 0 or init.offset + init.size > o.size:
                yield f"global {o.name!r}: initial value at {init.offset} of {init.size} bytes is outside the object"
            yield from _operand(init.value, f"global {o.name!r}", 0, shared, functions)
    for f in program.functions:
        yield from _function(f, shared, local, functions)
        if program.arch is not Arch.RISCV:  # where any access may have either annotation
            yield from _annotations(f)
    for t in program.threads:
        if t.function not in functions:
            yield f"thread {t.name!r} runs function {t.function!r}, which does not exist"
        elif len(t.args) != functions[t.function].parameters:
            yield f"thread {t.name!r} passes {len(t.args)} argument(s) to {t.function!r}, which takes others"
        for arg in t.args:
            yield from _operand(arg, f"thread {t.name!r}", 0, shared, functions)
    yield from _question(program, functions)


def _function(f: Function, shared: set[str], local: set[str], functions: dict[str, Function]) -> Iterator[str]:
    for name, count in Counter(f.registers).items():
        if count > 1:
            yield f"function {f.name!r} declares register {name!r} {count} times"
    if f.parameters > len(f.registers):
        yield f"function {f.name!r} has more parameters than registers"
    if not f.code or not isinstance(f.code[-1], _LEAVES):
        yield f"function {f.name!r} can run past its end; it must end in a jump, a return, an exit or a fail"
    for index, instruction in enumerate(f.code):
        problems = [
            f" jumps to {t}, outside the function" for t in jump_targets(instruction) if not 0 <= t < len(f.code)
        ]
        for operand in operands(instruction):
            problems += _operand(operand, "", len(f.registers), shared, functions)
        problems += _shape(instruction, local)
        for problem in problems:
            yield f"{_place(f, index)}{problem}"


def _place(f: Function, index: int) -> str:
    instruction = f.code[index]
    place = f"function {f.name!r}, instruction {index} ({instruction.mnemonic})"
    return place if instruction.at is None else f"{place} at {instruction.at}"


def _annotations(f: Function) -> Iterator[str]:
    for index, instruction in enumerate(f.code):
        match instruction:
            case Load(mode=Mode.REL | Mode.ACQ_REL):
                yield f"{_place(f, index)}: a load cannot be {instruction.mode.value}"
            case Store(mode=Mode.ACQ | Mode.ACQ_PC | Mode.ACQ_REL):
                yield f"{_place(f, index)}: a store cannot be {instruction.mode.value}"


def operands(instruction: Instruction, *, defined: bool = True) -> Iterator[Operand]:
    """Every operand of an instruction; with `defined`, the registers that it writes too."""
    for f in roles(type(instruction)):
        value, role = getattr(instruction, f.name), f.metadata["role"]
        if role is Role.USES:
            yield from value
        elif value is not None and (role is Role.USE or (defined and role is Role.DEFINE)):
            yield value


def _operand(
    operand: Operand, place: str, registers: int, shared: set[str], functions: dict[str, Function]
) -> Iterator[str]:
    match operand:
        case Reg(index) if not 0 <= index < registers:
            yield f"{place} uses register {index}, which is not declared"
        case Const(value) if not -(2**63) <= value < 2**63:
            yield f"{place} uses constant {value}, which is outside -2^63 .. 2^63-1"
        case GlobalAddress(name, _) if name not in shared:
            yield f"{place} takes the address of {name!r}, which is not a shared global"
        case GlobalAddress(name, offset) if not -(2**63) <= offset < 2**63:
            yield f"{place} takes the address {offset} bytes behind {name!r}"
        case FunctionAddress(name) if name not in functions:
            yield f"{place} names function {name!r}, which does not exist"


def _shape(instruction: Instruction, local: set[str]) -> Iterator[str]:
    size = getattr(instruction, "size", 8)
    if isinstance(size, int) and size not in _SIZES:
        yield f" accesses {size} bytes; 1, 2, 4 and 8 are possible"
    match instruction:
        case Compute(op=op, args=args, width=width):
            if len(args) != ARITY[op]:
                yield f": {op.value} takes {ARITY[op]} operand(s), not {len(args)}"
            if not 1 <= width <= 64:
                yield f" has width {width}; 1 to 64 are possible"
        case Alloca(align=align) | Malloc(align=align) if not 1 <= align < LARGEST:
            yield f" has alignment {align}; 1 to 2^32 - 1 are possible"
        case Rmw(mode=Mode.NA):
            yield ": a read-modify-write cannot be non-atomic"
        case Await(op=op) if op not in COMPARISONS:
            yield f" waits on {op.value}, which is not a comparison"
        case Switch(cases=cases, targets=targets):
            if len(cases) != len(targets) or not all(isinstance(c, Const) for c in cases):
                yield " must have one constant case per target"
        case ThreadLocalAddress(object=name) if name not in local:
            yield f" names {name!r}, which is not a thread-local object"


def _question(program: Program, functions: dict[str, Function]) -> Iterator[str]:
    threads = {t.name: t for t in program.threads}
    objects = {o.name: o for o in program.objects}
    for o in program.observations:
        if not 1 <= o.width <= WORD:
            yield f"observation {o.name!r} has width {o.width}; 1 to {WORD} are possible"
        match o.what:
            case FinalRegister(thread, register):
                if thread not in threads:
                    yield f"observation {o.name!r} looks at thread {thread!r}, which does not exist"
                elif register not in functions[threads[thread].function].registers:
                    yield f"observation {o.name!r} looks at {register!r}, a register that thread {thread!r} lacks"
            case FinalMemory(name, offset, size):
                if name not in objects or size not in _SIZES or offset < 0 or offset + size > objects[name].size:
                    yield f"observation {o.name!r} looks at memory that does not exist"
    if program.condition is None:
        return
    names = {o.name for o in program.observations}
    formulas = [program.condition.formula, *([program.condition.filter] if program.condition.filter else [])]
    for formula in formulas:
        for c in comparisons(formula):
            for side in (c.left, c.right):
                if isinstance(side, str) and side not in names:
                    yield f"the condition speaks of {side!r}, which is not observed"
