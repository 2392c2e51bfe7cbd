"""Random small programs, for tests that hold two analyses against each other.

    program = random_program(seed)                  # C11: every mode, RMWs, CAS, fences, awaits, branches
    program = random_program(seed, POWER, size=5)   # plain accesses, dependencies and POWER's fences

The same seed and shape give the same program. There are no loops, so every thread ends or blocks. Everything that can
be seen at the end is observed: each register that an access wrote, and each location.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from fencepost.program.condition import FinalMemory, FinalRegister, Observation
from fencepost.program.instructions import (
    Assume,
    AtomicBegin,
    AtomicEnd,
    Await,
    BlockingCas,
    Branch,
    Cas,
    Choose,
    Compute,
    Fence,
    FenceKind,
    Instruction,
    Load,
    Mode,
    Op,
    Return,
    Rmw,
    RmwOp,
    Store,
    StoreConditional,
)
from fencepost.program.operands import Const, GlobalAddress, Operand, Reg
from fencepost.program.program import Arch, Function, Init, Object, Program, Thread
from fencepost.program.validate import validate
from fencepost.records import dataclass

WORD_SIZE = 8
_NAMES = "xyzwuv"


@dataclass(frozen=True, slots=True)
class Shape:
    """What may occur. The numbers of a kind are its weight: 0 means never."""

    arch: Arch = Arch.C11
    threads: tuple[int, int] = (2, 4)
    locations: tuple[int, int] = (1, 3)
    size: int = 6  # accesses and fences in the whole program, at most
    values: int = 2  # constants are 0 .. values
    initial: bool = True  # some locations start with a value other than 0
    load_modes: tuple[Mode, ...] = (Mode.RLX, Mode.ACQ, Mode.SC)
    store_modes: tuple[Mode, ...] = (Mode.RLX, Mode.REL, Mode.SC)
    rmw_modes: tuple[Mode, ...] = (Mode.RLX, Mode.ACQ, Mode.REL, Mode.ACQ_REL, Mode.SC)
    fences: tuple[FenceKind, ...] = (FenceKind.ACQ, FenceKind.REL, FenceKind.ACQ_REL, FenceKind.SC)
    loads: int = 8
    stores: int = 8
    fence: int = 3
    rmw: int = 2
    cas: int = 2
    exclusives: int = 0  # load-reserve and store-conditional pairs
    awaits: int = 1
    blocking_cas: int = 1
    branches: int = 2
    arithmetic: int = 1
    address_dependencies: int = 0  # the address goes through xor r,r
    assumes: int = 0
    chooses: int = 0
    blocks: int = 0  # atomic blocks around one to three visible instructions


C11 = Shape()
#: Non-atomic accesses too: programs may race.
C11_RACY = replace(C11, load_modes=(Mode.NA, *C11.load_modes), store_modes=(Mode.NA, *C11.store_modes))
RELAXED = replace(C11, load_modes=(Mode.RLX,), store_modes=(Mode.RLX,), rmw_modes=(Mode.RLX,), fence=0)
#: For RA and SC, where modes do not matter: no fences.
RELEASE_ACQUIRE = replace(
    C11, load_modes=(Mode.ACQ,), store_modes=(Mode.REL,), rmw_modes=(Mode.ACQ_REL,), fences=(FenceKind.SC,), fence=0
)
_PLAIN = replace(
    C11, load_modes=(Mode.RLX,), store_modes=(Mode.RLX,), rmw_modes=(Mode.RLX,), rmw=0, cas=0, awaits=0, blocking_cas=0,
    address_dependencies=2, branches=3, arithmetic=2,
)  # fmt: skip
X86 = replace(_PLAIN, arch=Arch.X86, fences=(FenceKind.MFENCE,), rmw=3, rmw_modes=(Mode.SC,), address_dependencies=0)
POWER = replace(
    _PLAIN, arch=Arch.PPC, fences=(FenceKind.SYNC, FenceKind.LWSYNC, FenceKind.ISYNC, FenceKind.EIEIO), fence=4
)
POWER_EXCLUSIVE = replace(POWER, exclusives=3)
ARMV8 = replace(
    _PLAIN, arch=Arch.AARCH64, fences=(FenceKind.DMB_SY, FenceKind.DMB_LD, FenceKind.DMB_ST, FenceKind.ISB),
    load_modes=(Mode.RLX, Mode.RLX, Mode.ACQ, Mode.ACQ_PC), store_modes=(Mode.RLX, Mode.RLX, Mode.REL),
    rmw_modes=(Mode.RLX, Mode.ACQ, Mode.REL, Mode.ACQ_REL), rmw=1, cas=1, exclusives=1,
)  # fmt: skip
RISCV = replace(
    _PLAIN, arch=Arch.RISCV,
    fences=(FenceKind.FENCE_RW_RW, FenceKind.FENCE_R_RW, FenceKind.FENCE_RW_W, FenceKind.FENCE_W_W, FenceKind.FENCE_R_R,
            FenceKind.FENCE_W_R, FenceKind.FENCE_TSO, FenceKind.FENCE_I),
    load_modes=(Mode.RLX, Mode.RLX, Mode.ACQ), store_modes=(Mode.RLX, Mode.RLX, Mode.REL),
    rmw_modes=(Mode.RLX, Mode.ACQ, Mode.REL, Mode.ACQ_REL), rmw=1, exclusives=1,
)  # fmt: skip
#: Atomic blocks among accesses of every mode; nothing waits.
BLOCKS = replace(C11, awaits=0, blocking_cas=0, assumes=1, chooses=1, blocks=4)
BLOCKS_RACY = replace(
    BLOCKS, load_modes=(Mode.NA, *C11.load_modes), store_modes=(Mode.NA, *C11.store_modes), fence=1, locations=(1, 2)
)
BLOCKS_RELAXED = replace(
    BLOCKS, load_modes=(Mode.RLX,), store_modes=(Mode.RLX,), rmw_modes=(Mode.RLX,), fence=0, locations=(1, 2)
)
SHAPES = {
    "blocks": BLOCKS, "blocks-racy": BLOCKS_RACY, "blocks-relaxed": BLOCKS_RELAXED,
    "c11": C11, "c11-racy": C11_RACY, "relaxed": RELAXED, "ra": RELEASE_ACQUIRE, "x86": X86, "power": POWER,
    "power-exclusive": POWER_EXCLUSIVE, "armv8": ARMV8, "riscv": RISCV,
}  # fmt: skip


def random_program(seed: int | Random, shape: Shape = C11, *, size: int | None = None) -> Program:
    """One program. `seed` may be a Random, which a property-testing library can steer."""
    random = Random(seed) if isinstance(seed, int) else seed
    name = f"random-{seed}" if isinstance(seed, int) else "random"
    return _Maker(random, shape if size is None else replace(shape, size=size)).program(name)


class _Maker:
    def __init__(self, random: Random, shape: Shape) -> None:
        self.random, self.shape = random, shape
        self.locations = list(_NAMES[: random.randint(*shape.locations)])

    def program(self, name: str) -> Program:
        r, s = self.random, self.shape
        count = r.randint(*s.threads)
        shares = [1] * count
        for _ in range(r.randint(min(count, s.size), s.size) - count):
            shares[r.randrange(count)] += 1
        threads = [_ThreadMaker(r, s, self.locations, f"P{i}", share) for i, share in enumerate(shares)]
        functions = tuple(t.function() for t in threads)
        objects = tuple(self._object(x) for x in self.locations)
        seen = [
            Observation(f"{i}:{register}", FinalRegister(t.name, register))
            for i, t in enumerate(threads)
            for register in t.observed
        ]
        memory = [Observation(x, FinalMemory(x)) for x in self.locations]
        return validate(
            Program(name, s.arch, objects, functions, tuple(Thread(t.name, t.name) for t in threads), (*seen, *memory))
        )

    def _object(self, name: str) -> Object:
        value = self.random.randint(0, self.shape.values) if self.shape.initial and self.random.random() < 0.2 else 0
        return Object(name, WORD_SIZE, init=(Init(0, WORD_SIZE, Const(value)),) if value else ())


class _ThreadMaker:
    """One thread: `share` visible instructions, some behind branches over what follows."""

    def __init__(self, random: Random, shape: Shape, locations: list[str], name: str, share: int) -> None:
        self.random, self.shape, self.locations, self.name = random, shape, locations, name
        self.share = share
        self.code: list[Instruction] = []
        self.registers: list[str] = []
        self.observed: list[str] = []
        self.open: list[tuple[int, int]] = []  # index of a branch, visible instructions left under it
        self.block = 0  # visible instructions left in the atomic block

    def function(self) -> Function:
        s = self.shape
        kinds = [(self._load, s.loads), (self._store, s.stores), (self._fence, s.fence), (self._rmw, s.rmw),
                 (self._cas, s.cas), (self._await, s.awaits), (self._blocking_cas, s.blocking_cas),
                 (self._choose, s.chooses), (self._exclusive, s.exclusives)]  # fmt: skip
        while self.share > 0:
            self._between()
            self._enter_block()
            self.share -= 1
            self.random.choices([k for k, _ in kinds], [w for _, w in kinds])[0]()
            self._close()
        while self.open:
            self._end_branch()
        self._leave_block()
        self.code.append(Return())
        return Function(self.name, tuple(self.registers), 0, tuple(self.code))

    # --- operands

    def _register(self, *, seen: bool = True) -> Reg:
        name = f"r{len(self.registers)}"
        self.registers.append(name)
        if seen:
            self.observed.append(name)
        return Reg(len(self.registers) - 1)

    def _known(self) -> Operand | None:
        return Reg(self.random.randrange(len(self.registers))) if self.registers else None

    def _value(self) -> Operand:
        known = self._known()
        if known is not None and self.random.random() < 0.35:
            return known
        return Const(self.random.randint(0, self.shape.values))

    def _address(self) -> Operand:
        where = GlobalAddress(self.random.choice(self.locations))
        known = self._known()
        if known is None or self.random.randint(0, 9) >= 2 * self.shape.address_dependencies:
            return where
        zero, address = self._register(seen=False), self._register(seen=False)
        self.code.append(Compute(zero, (known, known), Op.XOR))
        self.code.append(Compute(address, (zero, where), Op.ADD))
        return address

    # --- control

    def _between(self) -> None:
        """Now and then arithmetic, an assume or a branch before the next visible instruction."""
        known, s = self._known(), self.shape
        if known is None:
            return
        if self.random.randint(0, 19) < 2 * s.arithmetic:
            op = self.random.choice((Op.ADD, Op.XOR, Op.EQ))
            self.code.append(Compute(self._register(seen=False), (known, self._value()), op))
        if self.random.randint(0, 19) < 2 * s.assumes:
            self.code.append(Assume(self._test(known)))
        if self.random.randint(0, 19) < 4 * s.branches:
            test = self._test(known)
            self.open.append((len(self.code), self.random.randint(0, min(2, self.share))))
            self.code.append(Branch(test, len(self.code) + 1, len(self.code) + 1))
            while self.open and self.open[-1][1] == 0:
                self._end_branch()

    def _test(self, known: Operand) -> Reg:
        test = self._register(seen=False)
        constant = Const(self.random.randint(0, self.shape.values))
        self.code.append(Compute(test, (known, constant), self.random.choice((Op.EQ, Op.NE))))
        return test

    def _enter_block(self) -> None:
        """Outside of branches, so that every path leaves it."""
        wanted = self.shape.blocks and self.block == 0 and not self.open
        if wanted and self.random.randint(0, 9) < self.shape.blocks:
            self.block = self.random.randint(1, 3)
            self.code.append(AtomicBegin())

    def _leave_block(self) -> None:
        if self.block:
            self.block = 0
            self.code.append(AtomicEnd())

    def _close(self) -> None:
        self.open = [(index, left - 1) for index, left in self.open]
        while self.open and self.open[-1][1] <= 0:
            self._end_branch()
        if self.block > 1:
            self.block -= 1
        elif not self.open:
            self._leave_block()

    def _end_branch(self) -> None:
        index, _ = self.open.pop()
        branch = self.code[index]
        assert isinstance(branch, Branch), "an open branch should be a branch"
        self.code[index] = replace(branch, otherwise=len(self.code))

    # --- visible instructions

    def _load(self) -> None:
        address = self._address()
        self.code.append(Load(self._register(), address, WORD_SIZE, self.random.choice(self.shape.load_modes)))

    def _store(self) -> None:
        address, value = self._address(), self._value()
        self.code.append(Store(address, value, WORD_SIZE, self.random.choice(self.shape.store_modes)))

    def _fence(self) -> None:
        self.code.append(Fence(self.random.choice(self.shape.fences)))

    def _rmw(self) -> None:
        address, value = self._address(), self._value()
        op = self.random.choice((RmwOp.XCHG, RmwOp.ADD))
        mode = self.random.choice(self.shape.rmw_modes)
        self.code.append(Rmw(self._register(), address, value, op, WORD_SIZE, mode))

    def _cas(self) -> None:
        address, expected, desired = self._address(), self._value(), self._value()
        mode = self.random.choice(self.shape.rmw_modes)
        failure = self.random.choice([Mode.RLX, *([Mode.ACQ] if mode.acquires else [])])
        old, success = self._register(), self._register()
        self.code.append(Cas(old, success, address, expected, desired, WORD_SIZE, mode, failure))

    def _await(self) -> None:
        address, op = self._address(), self.random.choice((Op.EQ, Op.NE))
        operand = Const(self.random.randint(0, self.shape.values))
        mode = self.random.choice([m for m in self.shape.load_modes if m is not Mode.NA])
        self.code.append(Await(self._register(), address, operand, None, op, WORD_SIZE, mode))

    def _blocking_cas(self) -> None:
        address, mode = self._address(), self.random.choice(self.shape.rmw_modes)
        expected, desired = (Const(self.random.randint(0, self.shape.values)) for _ in range(2))
        self.code.append(BlockingCas(address, expected, desired, WORD_SIZE, mode))

    def _choose(self) -> None:
        self.code.append(Choose(self._register(), Const(0), Const(self.random.randint(0, self.shape.values))))

    def _exclusive(self) -> None:
        """A load-reserve and its store-conditional: two accesses."""
        self.share -= 1
        address, value = self._address(), self._value()
        modes = self.shape
        self.code.append(Load(self._register(), address, WORD_SIZE, self.random.choice(modes.load_modes), True))
        mode = self.random.choice(modes.store_modes)
        self.code.append(StoreConditional(self._register(), address, value, WORD_SIZE, mode))
