"""Whether an execution that was replayed really ends in the error that its witness claims.

Each kind of error has its own judge. A judge returns "" where the error is there, else what is wrong with the claim:
a sentence for our own bug report, since a claim that does not hold is our mistake.
"""

from __future__ import annotations

from collections.abc import Callable

from fencepost.execution.execution import Event, EventKind
from fencepost.program.condition import Quantifier, holds
from fencepost.program.instructions import ErrorKind, Free
from fencepost.program.interpret import Action, Kind, Machine, ThreadState
from fencepost.program.layout import HEAP, MAX_THREADS, REGION_MASK, STACK, THREAD_SHIFT, condition_constants, lay_out
from fencepost.program.program import Program
from fencepost.verdict import ErrorReport, Witness
from fencepost.witness.relations import Relations
from fencepost.witness.replay import WAITING_PARTS, Replay, Run
from fencepost.witness.rounds import go_round, newest

_ACCESSES = (Kind.READ, Kind.WRITE)


def dispute(program: Program, witness: Witness, replayed: Replay) -> str:
    """What is wrong with the claimed error; empty where it is confirmed."""
    return _Judge(program, witness, replayed).dispute()


class _Judge:
    def __init__(self, program: Program, witness: Witness, replayed: Replay) -> None:
        self.program, self.witness, self.replayed = program, witness, replayed
        self.error: ErrorReport = witness.error
        self.execution = witness.execution
        self.relations = Relations(witness.execution)
        self.blamed: list[Event] = [self.execution.events[e] for e in self.error.events]
        self.looked: set[int] = set()  # addresses that threads which go round read
        self.stored: list[Action] = []  # what they store and is not there in the end

    def dispute(self) -> str:
        for thread, run in self.replayed.runs.items():
            if run.left and run.stopped is not None:
                message = f"thread {thread} runs into '{run.stopped.message}' before event {run.left[0].id}"
                return f"{message}, which the witness has after it"
        if self.witness.cycle:
            return self._cycle()
        special: dict[ErrorKind, Callable[[], str]] = {
            ErrorKind.RACE: self._race, ErrorKind.DEADLOCK: self._deadlock, ErrorKind.LIVENESS: self._liveness,
            ErrorKind.LEAK: self._leak, ErrorKind.UNINITIALISED: self._uninitialised,
            ErrorKind.USE_AFTER_FREE: self._after_free, ErrorKind.DOUBLE_FREE: self._double_free,
            ErrorKind.INVALID_FREE: self._invalid_free, ErrorKind.OUT_OF_BOUNDS: self._out_of_bounds,
            ErrorKind.BAD_JOIN: self._bad_join, ErrorKind.MIXED_SIZE: self._trusted,
            ErrorKind.EVENT_BOUND: self._trusted, ErrorKind.THREAD_BOUND: self._trusted,
        }  # fmt: skip
        if self._stopped_in_error():
            return ""
        if self.error.kind in special:
            return special[self.error.kind]()
        if self.error.kind is ErrorKind.ASSERTION and self.error.thread < 0:
            return self._condition()
        return f"thread {self.error.thread} does not run into {self.error.kind.value}: it {self._state()}"

    # --- what the machine itself runs into

    def _action(self) -> Action | None:
        run = self.replayed.runs.get(self.error.thread)
        return run.stopped if run is not None else None

    def _stopped_in_error(self) -> bool:
        action = self._action()
        return action is not None and action.kind is Kind.ERROR and action.error is self.error.kind

    def _state(self) -> str:
        action = self._action()
        if action is None:
            return "does not exist" if self.error.thread not in self.replayed.runs else "never stops"
        return f"stands at {action.kind.value} {action.message}".rstrip()

    def _trusted(self) -> str:
        """Bounds of an engine are not facts about the execution; nothing can be checked."""
        return ""

    def _condition(self) -> str:
        """A final condition: `exists` shown by this outcome, `forall` or `~exists` refuted by it."""
        condition = self.program.condition
        if condition is None:
            return "the error names no thread, and the program has no final condition"
        if not self.replayed.complete:
            return "a final condition is blamed, but some thread has not ended"
        constants = condition_constants(self.program, lay_out(self.program))
        truth = holds(condition.formula, self.replayed.outcome, constants)
        wanted = condition.quantifier is not Quantifier.FORALL
        return "" if truth == wanted else f"the final state {dict(self.replayed.outcome)} does not decide the condition"

    # --- graphs

    def _cycle(self) -> str:
        """Each edge of the cycle must be one of the execution, and each must begin where the last one ended."""
        cycle, named = self.witness.cycle, self.relations.named()
        for edge, following in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            if edge.target != following.source:
                return f"the cycle breaks between event {edge.target} and event {following.source}"
            pair = (edge.source, edge.target)
            known = pair in named.get(edge.name, ()) if edge.name in named else True
            if edge.name == "po":
                known = bool(self.relations.po[edge.source] >> edge.target & 1)
            elif edge.name == "fr":
                known = edge.target in self.relations.missed(edge.source)
            elif edge.name == "co":
                order = self.execution.coherence.get(self.execution.events[edge.source].address, ())
                known = pair[0] in order and pair[1] in order and order.index(pair[0]) < order.index(pair[1])
            elif edge.name == "hb":
                known = bool(self.relations.hb[edge.source] >> edge.target & 1)
            if not known:
                return f"the cycle uses {edge.name} from event {pair[0]} to event {pair[1]}, which is not there"
        return ""

    def _race(self) -> str:
        if len(self.blamed) != 2:
            return f"a race has two accesses, and {len(self.blamed)} are named"
        a, b = self.blamed
        if a.thread == b.thread or not a.same_place(b):
            return f"events {a.id} and {b.id} are not accesses of two threads to one location"
        if not a.conflicts(b):
            return f"events {a.id} and {b.id} do not conflict"
        hb = self.relations.hb
        return "one of the accesses happens before the other" if hb[a.id] >> b.id & 1 or hb[b.id] >> a.id & 1 else ""

    # --- waiting

    def _stuck(self, action: Action) -> bool:
        """Whether an action can never be answered, given all writes of the execution."""
        run = next(r for r in self.replayed.runs.values() if r.stopped is action)
        state = run.state
        if action.kind is Kind.BLOCK:
            if action.spin is not None and not action.alone:
                self._goes_round(run)
            return True
        if action.error is ErrorKind.LOOP_BOUND:
            return self._goes_round(run)
        if action.kind in (Kind.WRITE, Kind.FENCE) and not action.rmw:
            return self._goes_round(run)
        if action.kind not in (Kind.JOIN, Kind.READ) and not action.rmw:
            return False
        if action.kind is Kind.JOIN:
            return self._comes_to_wait(action, state)
        if action.part not in WAITING_PARTS:
            return self._goes_round(run)
        if state.blocks:  # nobody else moves while it waits
            return True
        machine = Machine(self.program)
        found = newest(machine, self.execution, self.relations, action)
        return not all(machine.satisfied(state, v) for v in found) or self._goes_round(run)  # it may come back to wait

    def _comes_to_wait(self, action: Action, state: ThreadState) -> bool:
        """Whether a thread that only joins others comes to one that has not ended. (Identical threads are joined last
        by the explorer, all of them or none.)"""
        state, machine = state.clone(), Machine(self.program)
        while action.kind is Kind.JOIN:
            child = self.replayed.runs.get(action.value)
            if child is None:
                return False
            if not child.finished:
                return True
            machine.reply(state, child.result)
            action = machine.run(state)
        return False

    def _goes_round(self, run: Run) -> bool:
        """Whether a thread that is alone with memory as it is in the end comes back to where it was; where a bound of
        the loop does not let it, whether it has."""
        found = go_round(self.program, self.execution, self.relations, run.state)
        self.looked |= found.looked
        self.stored += found.stored
        return found.returns or (found.bounded and bool(run.round) and self._went_round(run.round))

    def _went_round(self, events: tuple[Event, ...]) -> bool:
        """Whether each read of a round finds what is there in the end, but for what the round adds and takes back."""
        self.looked |= {e.address for e in events if e.is_read}
        added = {e.address for e in events if e.is_write and e.rmw}
        machine, finds = Machine(self.program), True
        for e in events:
            action = Action(Kind.WRITE, e.at, e.address, e.size, e.value)
            there = not e.is_access or set(newest(machine, self.execution, self.relations, action)) == {e.value}
            finds &= there or not e.is_read or e.address in added
            if e.is_write and not e.rmw and not there:
                self.stored.append(action)
        return finds

    def _serves(self, stored: Action) -> bool:
        """Whether somebody who waits looks at a place where loops store one thing and another by turns. One that waits
        for something else does not mind."""
        if stored.address in self.looked:
            return True
        machine = Machine(self.program)
        waits = [r for r in self.replayed.runs.values() if r.stopped is not None and r.stopped.part in WAITING_PARTS]
        return any(
            r.stopped.address == stored.address and machine.satisfied(r.state, stored.value) for r in waits if r.stopped
        )

    def _deadlock(self) -> str:
        waiting = self.replayed.waiting()
        if not waiting:
            return "every thread has ended"
        if self.replayed.exited:
            return "the program has ended, and everybody who waits with it"
        free = [t for t, action in waiting.items() if not self._stuck(action)]
        if free:
            return f"thread {free[0]} could go on"
        return next(
            (f"what a loop stores at {w.address:#x} lets another go on" for w in self.stored if self._serves(w)), ""
        )

    def _liveness(self) -> str:
        """The thread waits for a value that the final memory does not hold, and nobody is left to change it."""
        action = self._action()
        if action is None or not self._stuck(action):
            return f"thread {self.error.thread} could go on"
        return self._deadlock()

    # --- dynamic memory

    def _touched(self) -> Event | Action | None:
        """The access to blame: an event (of a free that comes too early, the access that it should wait for), or the
        one the thread stands before."""
        accesses = [e for e in self.blamed if e.is_access or e.kind is EventKind.FREE]
        if accesses:
            return max(accesses, key=lambda e: (e.thread == self.error.thread and e.is_access, e.is_access, e.id))
        action = self._action()
        return action if action is not None and action.kind in (*_ACCESSES, Kind.FREE) else None

    def _object_at(self, address: int) -> int | None:
        return next((s for s, size in self.replayed.heap.items() if s <= address < s + max(size, 1)), None)

    def _frees(self, start: int) -> list[Event]:
        return [e for e in self.execution.events if e.kind is EventKind.FREE and e.address == start]

    def _after_free(self) -> str:
        touched = self._touched()
        if touched is None:
            return "no access is blamed"
        if isinstance(touched, Event) and touched.address & REGION_MASK == STACK:
            return self._after_end(touched)
        start = self._object_at(touched.address)
        if start is None:
            return f"{touched.address:#x} is in no heap object"
        frees = self._frees(start)
        if not frees:
            return f"the object at {start:#x} is never freed"
        if isinstance(touched, Event) and touched.is_access:
            ordered = [f for f in frees if self.relations.hb[touched.id] >> f.id & 1]
            return "the access happens before the free" if len(ordered) == len(frees) else ""
        return ""

    def _after_end(self, touched: Event) -> str:
        """A local variable of a thread that has ended, or may have: its last event does not come after the access."""
        owner = touched.address >> THREAD_SHIFT & MAX_THREADS - 1
        run = self.replayed.runs.get(owner)
        if owner == touched.thread or run is None or not run.finished:
            return f"thread {owner}, whose variable it is, has not ended"
        last = max((e for e in self.execution.events if e.thread == owner), key=lambda e: e.index, default=None)
        ordered = last is not None and self.relations.hb[touched.id] >> last.id & 1
        return "the access happens before the last event of the thread" if ordered else ""

    def _double_free(self) -> str:
        touched = self._touched()
        if touched is None:
            return "no free is blamed"
        others = [f for f in self._frees(touched.address) if not isinstance(touched, Event) or f.id != touched.id]
        return "" if others else f"{touched.address:#x} is freed only once"

    def _invalid_free(self) -> str:
        touched = self._touched()
        if touched is None:
            return "no free is blamed"
        made = self.replayed.blocks.get(touched.address)
        freed = self._free_at_hand()
        alike = made is None or freed is None or (made.by_new, made.array) == (freed.by_new, freed.array)
        return f"{touched.address:#x} is a heap object" if touched.address in self.replayed.heap and alike else ""

    def _free_at_hand(self) -> Free | None:
        """The instruction that the thread stands at, where that frees something."""
        run = self.replayed.runs.get(self.error.thread)
        frame = run.state.frames[-1] if run is not None and run.state.frames else None
        i = frame.function.code[frame.pc] if frame is not None else None
        return i if isinstance(i, Free) else None

    def _out_of_bounds(self) -> str:
        action = self._action()
        touched = action if action is not None and action.kind in _ACCESSES else self._touched()
        if touched is None:
            return "no access is blamed"
        if lay_out(self.program).find(touched.address) is not None:
            return f"{touched.address:#x} is inside a global object"
        pieces = dict(self.replayed.heap) | {p.start: p.size for p in self.replayed.pieces.values()}
        inside = any(s <= touched.address and touched.address + touched.size <= s + n for s, n in pieces.items())
        return f"{touched.address:#x} is inside an object" if inside else ""

    def _uninitialised(self) -> str:
        reads = [e for e in self.blamed if e.is_read]
        if not reads:
            action = self._action()
            return "" if action is not None and action.kind is Kind.READ else "no read is blamed"
        source = self.execution.events[self.execution.reads_from[reads[0].id]]
        unset = source.kind is EventKind.INIT and source.address & REGION_MASK in (HEAP, STACK)
        return "" if unset else f"event {reads[0].id} reads a value that was written"

    def _leak(self) -> str:
        freed = {e.address for e in self.execution.events if e.kind is EventKind.FREE}
        return "" if set(self.replayed.heap) - freed else "every heap object is freed"

    def _bad_join(self) -> str:
        action = self._action()
        return "" if action is not None and action.kind is Kind.JOIN else f"the thread {self._state()}"
