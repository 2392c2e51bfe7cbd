"""Why no order helps, and which rule is broken, in words."""

from __future__ import annotations

from fencepost.models.registry import find
from fencepost.program.instructions import ErrorKind
from fencepost.verdict import Verdict, Witness
from fencepost.witness.case import open_case
from fencepost.witness.names import listed
from fencepost.witness.patterns import known_as
from fencepost.witness.protocols import asked_before, consulted, locked_by_one, woke_another

_RULES = {
    ErrorKind.DEADLOCK: "every thread waits for what only another waiting thread could do; a rule about the order of"
    " locks, or a signal that is sent before anybody waits for it, is broken",
    ErrorKind.LIVENESS: "a thread waits for a value that nobody will write again: the wake-up is lost or never sent",
    ErrorKind.USE_AFTER_FREE: "memory is given back while another thread may still use it: freeing needs a rule about"
    " who is last (reference counts, hazard pointers, epochs), not an order",
    ErrorKind.DOUBLE_FREE: "two threads both believe that they are the last owner",
    ErrorKind.LEAK: "memory is never given back",
    ErrorKind.UNLOCK: "a lock is given back by a thread that does not hold it",
    ErrorKind.BAD_JOIN: "a thread is joined twice, or after it was detached",
    ErrorKind.NULL: "a null pointer is used",
    ErrorKind.OUT_OF_BOUNDS: "memory outside of an object is used",
    ErrorKind.DIVISION: "a number is divided by zero",
}
#: Of what has a name.
_BY_NAME = {
    "ABA": "a value that was changed and came back is taken for one that nobody touched: put a counter beside it, or"
    " use memory again only when nobody holds a pointer to it",
    "lost wake-up": "a signal is not remembered: change under the mutex what is waited for, look at it under the mutex"
    " before waiting, and wake whoever may sleep already",
    "lock order inversion": "locks have to be taken in the same order everywhere",
    "lost update": "a value is read, and written back after somebody else has changed it: use a read-modify-write, or"
    " hold a lock around both",
    "torn read": "values that belong together are read one by one: hold a lock around them, or look at a version before"
    " and after",
    "broken sequence lock": "values that belong together are read while they are being written: look at the version"
    " before and after the reads, and begin again where it changed or says that a writer is at work",
    "condition variable without a loop": "who was woken has to look at the condition again: while, not if",
}
_ONE_WOKEN = (
    "a signal wakes one of the threads that wait: wake all of them (broadcast, notify_all) where more than one may go"
    " on, or only some of them can"
)
_RACE = "two threads access the same plain memory, one of them writes, and nothing that the program does connects them"

_NOT_ATOMIC = "no variables were found that one can make atomic so that the program passes"


def why_nothing_helps(verdict: Verdict) -> str:
    """Of the strongest program, which still fails."""
    witness = verdict.witness
    if witness is None:
        return (
            "the condition asks for an outcome that the program cannot reach; stronger orders only take outcomes away"
        )
    kind = witness.error.kind
    if kind is ErrorKind.RACE:
        return meant_to_keep_apart(witness) or f"{_RACE}: hold a lock around every access; {_NOT_ATOMIC}"
    case = open_case(witness)
    rule = _BY_NAME.get(known_as(case), "")
    if not rule:
        rule = _ONE_WOKEN if any(woke_another(case, t) for t in case.waiting) else _RULES.get(kind, "")
    if _is_interleaving(witness):
        turns = "the threads only take turns in this execution, and no order of memory accesses forbids that"
        return f"{rule}; {turns}" if rule else turns
    return rule or "the execution is possible with the strongest orders and a full fence between all statements"


def meant_to_keep_apart(witness: Witness) -> str:
    """Of a race: what should have kept the two threads apart and does not. Empty where there is nothing of the kind, so
    that atomic memory would hide no other mistake."""
    case = open_case(witness)
    names = case.names
    if asked := asked_before(case):
        return (
            f"both threads are inside at once, having gone through {listed([names.location(p) for p in asked])}: that"
            " lock is wrong by itself, and making the memory atomic would only hide it"
        )
    if (one := locked_by_one(case)) is not None:
        return (
            f"{names.subject(one[0].thread)} holds a lock ({names.place(one[0].at)}) where"
            f" {names.subject(one[1].thread)} holds none ({names.place(one[1].at)}): hold it around every access"
        )
    if places := consulted(case):
        return (
            f"the threads look at {listed([names.location(p) for p in places])} before they go on, but what they see"
            " there does not keep them apart: a test or a wait is missing or wrong, and making the memory atomic would"
            " only hide it"
        )
    return ""


def _is_interleaving(witness: Witness) -> bool:
    return find("sc").judge(witness.execution, all_violations=False).consistent
