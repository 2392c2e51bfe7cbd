"""The straight code of one process in a translation: computations, conditionals, choices and assertions become code of
the translated program, instruction by instruction. What accesses and fences become is the machine's business."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from fencepost.bounded.builder import FALSE, TRUE, Builder, Label
from fencepost.bounded.ending import Left, fails_at_the_end
from fencepost.bounded.locations import Access, Cell
from fencepost.bounded.question import Question
from fencepost.bounded.straight import Straight
from fencepost.program import instructions as ins
from fencepost.program.instructions import Instruction, Op
from fencepost.program.operands import Const, GlobalAddress, Operand, Reg, to_signed


class Shared:
    """What the processes of one translation share. `results`: which load or store an instruction leaves something in
    a register for."""

    def __init__(self, straight: Straight) -> None:
        self.straight, self.program, self.locations = straight, straight.program, straight.locations
        self.question, self.builder = Question(straight), Builder()
        self.results: dict[int, tuple[int, int]] = {}
        self.count = len(self.program.threads)
        self.errors: list[Reg] = []
        self.ended: list[Reg] = []
        self.returned: dict[int, Operand] = {}
        self.saved: dict[int, Operand] = {}  # what main read and chose while it was a process

    def open_processes(self) -> None:
        b = self.builder
        self.errors = [b.var(f"error.{p}") for p in range(self.count)]
        self.ended = [b.var(f"ended.{p}") for p in range(self.count)]

    def ask(self, register: Callable[[str, str], Operand], memory: Callable[[int], Operand], completion: bool) -> None:
        """Fails where the run is what we look for: an assertion failed, or every thread has ended and the final
        condition, or an assertion of the ending, is violated. `completion`: where every thread has ended."""
        b = self.builder
        bad: Operand = FALSE
        for error in self.errors:
            bad = b.either(bad, b.op(Op.NE, error, FALSE))
        over: Operand = TRUE
        for ended in self.ended:
            over = b.both(over, ended)
        bad = b.either(bad, b.both(over, self.question.violated(b, register, memory)))
        left = Left(memory, self.ended, self.returned, self.saved)
        bad = b.either(bad, fails_at_the_end(self.straight, b, left))
        if completion:
            bad = over
        wrong, right = Label(), Label()
        b.branch(bad, wrong, right)
        b.place(wrong)
        b.fail("the assertion or the final condition can be violated")
        b.place(right)


class Walk(ABC):
    def __init__(self, shared: Shared, p: int) -> None:
        self.shared, self.p, self.builder = shared, p, shared.builder
        self.function = shared.program.function(shared.program.threads[p].function)
        self.flowed = shared.locations.ranges.threads[p]
        self.registers = [self.builder.var(f"{p}.{name}") for name in self.function.registers]
        self.reachable = [self.function.code[pc] for pc in self.flowed.before]
        if any(isinstance(i, ins.StoreConditional) or getattr(i, "exclusive", False) for i in self.reachable):
            b = self.builder
            self.reserved_address, self.reserved_stamp = b.var(f"reserved.{p}"), b.var(f"reservedstamp.{p}")
        self.labels = {pc: Label() for pc in self.flowed.before}
        self.end = Label()

    # --- the machine

    @abstractmethod
    def _read(self, pc: int, i: ins.Load, cell: Cell) -> None: ...

    @abstractmethod
    def _write(self, pc: int, i: ins.Store | ins.StoreConditional, cell: Cell) -> None: ...

    @abstractmethod
    def _fence(self, pc: int, i: ins.Fence) -> None: ...

    @abstractmethod
    def _assigned(self, register: Reg, *operands: Operand) -> None:
        """A register has a new value, made of these."""

    @abstractmethod
    def _control(self, condition: Operand) -> None:
        """What follows depends on this."""

    # --- the code

    def run(self) -> None:
        b = self.builder
        for pc in sorted(self.flowed.before):
            b.position = self.function.code[pc].at
            b.place(self.labels[pc])
            self._instruction(pc, self.function.code[pc])
        b.position = None
        b.place(self.end)

    def _cells_at(self, pc: int) -> list[Cell]:
        locations = self.shared.locations
        return locations.of(self.p, pc) if (self.p, pc) in locations.targets else []

    def _go(self, pc: int) -> Label:
        """Where control goes for a target; what the analysis showed unreachable ends the process."""
        return self.labels.get(pc, self.end)

    def _operand(self, operand: Operand) -> Operand:
        match operand:
            case Reg(index):
                return self.registers[index]
            case GlobalAddress():
                return Const(to_signed(self.shared.locations.ranges.layout.value(operand)))
        return operand

    def _instruction(self, pc: int, i: Instruction) -> None:
        b = self.builder
        match i:
            case ins.Compute():
                b.compute_into(self.registers[i.dst.index], i.op, [self._operand(a) for a in i.args], i.width)
                self._assigned(i.dst, *i.args)
            case ins.Choose():
                self._choose(pc, i)
            case ins.Jump():
                b.jump(self._go(i.target))
                return
            case ins.Branch():
                self._control(i.condition)
                b.branch(self._operand(i.condition), self._go(i.then), self._go(i.otherwise))
                return
            case ins.Switch():
                self._switch(i)
                return
            case ins.Assume():
                self._control(i.condition)
                self._continue_if(self._operand(i.condition))
            case ins.Assert():
                self._assert(pc, i)
            case ins.Fail():
                b.set(self.shared.errors[self.p], Const(pc + 1))
                b.jump(self.end)
                return
            case ins.Return():
                self._return(i)
                b.set(self.shared.ended[self.p], TRUE)
                b.jump(self.end)
                return
            case ins.Load() | ins.Store():
                self._access(pc, i)
            case ins.StoreConditional():
                self._store_conditional(pc, i)
            case ins.Fence():
                self._fence(pc, i)
        if pc + 1 not in self.labels:
            b.jump(self.end)

    def _continue_if(self, condition: Operand) -> None:
        on = Label()
        self.builder.branch(condition, on, self.end)
        self.builder.place(on)

    def _return(self, i: ins.Return) -> None:
        if i.value is not None and self.shared.straight.ending is not None:
            returned = self.shared.returned.setdefault(self.p, self.builder.var(f"returned.{self.p}"))
            assert isinstance(returned, Reg), "what is returned should have a register"
            self.builder.set(returned, self._operand(i.value))

    def _save(self, pc: int, register: Reg) -> None:
        if self.p == self.shared.straight.processes.main:
            self.shared.saved[pc] = saved = self.builder.var(f"saved.{pc}")
            self.builder.set(saved, self.registers[register.index])

    def _may_stop(self, pc: int) -> None:
        """A process need not execute all of its code: it can stop before anything that others could notice."""
        if self.shared.question.can_stop:
            self._continue_if(self.builder.choose(0, 1, f"goes_on.{self.p}.{pc}", "goes on", self.p, pc))

    def _choose(self, pc: int, i: ins.Choose) -> None:
        low, high = self._operand(i.low), self._operand(i.high)
        assert isinstance(low, Const) and isinstance(high, Const), "the bounds of a choice should be constant"
        guess = self.builder.choose(low.value, high.value, f"choice.{self.p}.{pc}", "choice", self.p, pc)
        self.builder.set(self.registers[i.dst.index], guess)
        self._save(pc, i.dst)
        self._assigned(i.dst)

    def _switch(self, i: ins.Switch) -> None:
        self._control(i.value)
        b, value = self.builder, self._operand(i.value)
        for case, target in zip(i.cases, i.targets, strict=True):
            other = Label()
            b.branch(b.equal(value, case), self._go(target), other)
            b.place(other)
        b.jump(self._go(i.default))

    def _assert(self, pc: int, i: ins.Assert) -> None:
        b = self.builder
        self._control(i.condition)
        good, bad = Label(), Label()
        b.branch(self._operand(i.condition), good, bad)
        b.place(bad)
        b.set(self.shared.errors[self.p], Const(pc + 1))
        b.jump(self.end)
        b.place(good)

    # --- accesses

    def _store_conditional(self, pc: int, i: ins.StoreConditional) -> None:
        """It may succeed where the reservation is for its address; then its write follows what was read."""
        b, done, fails, over = self.builder, self.registers[i.dst.index], Label(), Label()
        self._may_stop(pc)
        on = Label()
        b.branch(b.choose(0 if i.may_fail else 1, 1, f"succeeds.{self.p}.{pc}", "succeeds", self.p, pc), on, fails)
        b.place(on)
        b.assume(b.equal(self.reserved_address, self._operand(i.address)))
        self._access(pc, i)
        b.set(done, TRUE)
        b.jump(over)
        b.place(fails)
        b.set(done, FALSE)
        b.place(over)
        b.set(self.reserved_address, FALSE)
        self._assigned(i.dst)

    def _access(self, pc: int, i: Access) -> None:
        b = self.builder
        if isinstance(i, ins.Store):
            self._may_stop(pc)
        cells = self._cells_at(pc)
        over = Label()
        for n, cell in enumerate(cells):
            other = Label()
            if n + 1 < len(cells):
                here = Label()
                b.branch(b.equal(self._operand(i.address), Const(to_signed(cell.address))), here, other)
                b.place(here)
            if isinstance(i, ins.Load):
                self._read(pc, i, cell)
            else:
                self._write(pc, i, cell)
            if n + 1 < len(cells):
                b.jump(over)
                b.place(other)
        b.place(over)
        if isinstance(i, ins.Load):
            self._save(pc, i.dst)

    def _reserve(self, i: ins.Load, cell: Cell, stamp: Operand) -> None:
        if i.exclusive and cell.exclusive:
            self.builder.set(self.reserved_address, Const(to_signed(cell.address)))
            self.builder.set(self.reserved_stamp, stamp)

    def _stored(self, i: ins.Store | ins.StoreConditional, cell: Cell) -> Operand:
        value = self._operand(i.value)
        return value if cell.size == 8 else self.builder.op(Op.MOV, value, width=8 * cell.size)
