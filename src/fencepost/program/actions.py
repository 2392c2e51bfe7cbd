"""What a thread does that others could notice, and all that it knows between two such actions."""

from __future__ import annotations

from enum import Enum

from fencepost.program.dependencies import NO_DEPS, PICK, Deps, events_of, picks_of
from fencepost.program.instructions import ErrorKind, FenceKind, Instruction, Mode, Tag
from fencepost.program.layout import GAP
from fencepost.program.operands import Position, Reg
from fencepost.program.program import Function
from fencepost.records import dataclass, field, replace


class Kind(Enum):
    READ = "read"
    WRITE = "write"
    FENCE = "fence"
    CHOOSE = "choose"
    MALLOC = "malloc"
    FREE = "free"
    SPAWN = "spawn"
    JOIN = "join"
    ATOMIC_BEGIN = "atomic_begin"
    ATOMIC_END = "atomic_end"
    BLOCK = "block"  # an assume that failed, or a wait that nobody can end: the thread never moves again
    ERROR = "error"
    END = "end"


class Part(Enum):
    """What a READ is part of."""

    LOAD = "load"
    RMW = "rmw"
    CAS = "cas"
    AWAIT = "await"
    BLOCKING_CAS = "blocking_cas"
    EXCLUSIVE = "exclusive"


@dataclass(frozen=True, slots=True)
class Action:
    kind: Kind
    at: Position | None = None
    address: int = 0
    size: int = 0
    value: int = 0  # WRITE: what is stored. END, JOIN: the result. CHOOSE: the low end. MALLOC: the size
    high: int = 0  # CHOOSE: the high end
    mode: Mode = Mode.NA
    part: Part = Part.LOAD
    rmw: bool = False  # WRITE: belongs to the READ just before it
    conditional: int | None = None  # WRITE: a store-conditional; the event of its load-reserve. reply 1 or 0
    may_fail: bool = False
    lock: bool = False
    process: bool = False  # END: of the whole program
    spin: Position | None = None  # READ that waits, BLOCK: the loop that this is
    alone: bool = False  # BLOCK: a wait on memory that nobody else can reach
    fence: FenceKind | None = None
    tag: Tag = Tag.NONE
    error: ErrorKind | None = None
    message: str = ""
    function: str = ""  # SPAWN
    args: tuple[int, ...] = ()  # SPAWN
    address_deps: Deps = NO_DEPS
    data_deps: Deps = NO_DEPS
    control_deps: Deps = NO_DEPS
    address_picks: Deps = NO_DEPS  # those among them that are pick dependencies only
    data_picks: Deps = NO_DEPS
    control_picks: Deps = NO_DEPS
    decided_by: Deps = NO_DEPS  # WRITE of a kernel program: all that any branch before it looked at

    def told(self) -> Action:
        """The action as engines see it: pick dependencies apart."""
        address, data, control = self.address_deps, self.data_deps, self.control_deps
        if max((0, *address, *data, *control)) < PICK:
            return self
        return replace(
            self, address_deps=events_of(address), data_deps=events_of(data), control_deps=events_of(control),
            address_picks=picks_of(address), data_picks=picks_of(data), control_picks=picks_of(control),
        )  # fmt: skip


@dataclass(slots=True)
class Frame:
    function: Function
    pc: int
    values: list[int]
    deps: list[Deps]
    result: Reg | None = None
    spins: dict[int, tuple[object, ...]] = field(default_factory=dict)
    private_top: int = GAP  # where the private memory of the call begins
    objects: tuple[int, ...] = ()  # its memory that others may see
    unset: dict[int, int] = field(default_factory=dict)  # register -> its bits that nobody has written

    def clone(self) -> Frame:
        return Frame(
            self.function, self.pc, self.values[:], self.deps[:], self.result, dict(self.spins), self.private_top,
            self.objects, dict(self.unset),
        )  # fmt: skip


@dataclass(slots=True)
class ThreadState:
    thread: int
    frames: list[Frame]
    control: Deps = NO_DEPS
    decided_by: Deps = NO_DEPS  # where control dependencies end: what branches looked at, all of it
    scopes: tuple[tuple[int, int, Deps], ...] = ()  # depth, where a branch's ways meet again, control before it
    private: dict[int, tuple[int, Deps]] = field(default_factory=dict)  # address -> byte
    private_objects: dict[int, int] = field(default_factory=dict)  # start -> size
    tops: dict[int, int] = field(default_factory=dict)  # region -> next free offset
    objects: dict[int, int] = field(default_factory=dict)  # start of shared stack and heap objects -> size
    over: dict[int, int] = field(default_factory=dict)  # of those on the stack, whose calls have returned
    reservation: tuple[tuple[int, int, Position | None], ...] = ()  # event, address and place of each piece reserved
    reserving: bool = False  # whether the last action reserved something
    pending: Action | None = None
    pending_write: Action | None = None  # the second half of a read-modify-write
    piece: int = 0  # bytes of the current access that are done, where it is made in pieces
    piece_value: int = 0
    piece_deps: Deps = NO_DEPS
    blocks: int = 0  # atomic blocks that it is in, nested
    effects: int = 0  # events that a spin iteration must not contain
    sums: int = 0  # additions and subtractions; it may contain some that undo each other
    balance: dict[int, int] = field(default_factory=dict)  # address -> what they amount to
    output: tuple[str, ...] = ()
    final: tuple[int, ...] = ()  # registers of the first function when the thread ended
    unset: dict[int, int] = field(default_factory=dict)  # address -> bits of a private byte that nobody has written

    def clone(self) -> ThreadState:
        """What changes is copied, the rest is shared. (Written out: `replace` takes seven times as long.)"""
        return ThreadState(
            self.thread, [f.clone() for f in self.frames], self.control, self.decided_by, self.scopes,
            dict(self.private), dict(self.private_objects), dict(self.tops), dict(self.objects), dict(self.over),
            self.reservation, self.reserving, self.pending, self.pending_write, self.piece, self.piece_value,
            self.piece_deps, self.blocks, self.effects, self.sums, dict(self.balance), self.output, self.final,
            dict(self.unset),
        )  # fmt: skip

    def instruction(self) -> Instruction:
        """The one that comes next, or waits for a reply."""
        frame = self.frames[-1]
        return frame.function.code[frame.pc]
