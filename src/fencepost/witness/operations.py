"""Operations of the thread library, told as what they are: a program that waits at a condition variable should not be
told as one that sets bits of it. Only the passes know the inside of a mutex; here is what its steps mean."""

from __future__ import annotations

from fencepost.execution.execution import Event, EventKind
from fencepost.program.instructions import ErrorKind
from fencepost.program.interpret import Part
from fencepost.witness.case import Case

HIDDEN = ""  # a step that says nothing to a person

#: (operation, "update" | "read" | "write") -> what it is called; {} is the object, {change} the values of an update.
_TEXTS = {
    ("mutex_lock", "update"): "locks {}", ("mutex_trylock", "update"): "locks {}",
    ("mutex_trylock", "read"): "finds {} locked", ("rwlock_rdlock", "update"): "locks {} to read",
    ("rwlock_tryrdlock", "update"): "locks {} to read", ("rwlock_wrlock", "update"): "locks {} to write",
    ("rwlock_trywrlock", "update"): "locks {} to write", ("rwlock_unlock", "update"): "unlocks {}",
    ("cond_wait", "update"): "begins to wait at {}", ("cond_timedwait", "update"): "begins to wait at {}",
    ("cond_signal", "update"): "signals {}", ("cond_broadcast", "update"): "wakes everybody at {}",
    ("barrier_wait", "update"): "comes to the barrier {}", ("sem_wait", "update"): "takes {}: {change}",
    ("sem_trywait", "update"): "takes {}: {change}", ("sem_post", "update"): "posts {}: {change}",
    ("once", "update"): "is the one to make the call of {}", ("once", "write"): "has made the call of {}",
}  # fmt: skip
_PASSED = {"cond_wait": "is woken at {}", "barrier_wait": "passes the barrier {}", "once": "finds the call of {} made"}
_INITS = ("mutex_init", "rwlock_init", "cond_init", "barrier_init", "sem_init")
_WAITS = {
    "mutex_lock": "the lock {}", "rwlock_rdlock": "the lock {}", "rwlock_wrlock": "the lock {}",
    "cond_wait": "a signal at {}", "cond_timedwait": "a signal at {}", "barrier_wait": "the others at the barrier {}",
    "sem_wait": "the semaphore {} to be posted", "once": "the call of {} to end",
    "futex_wait": "somebody to wake it at {}",
}  # fmt: skip
_NEVER = {
    "cond_wait": "nobody is left to signal it", "cond_timedwait": "nobody is left to signal it",
    "barrier_wait": "nobody else is left to come", "sem_wait": "nobody is left to post it",
    "once": "nobody is left to end it", "futex_wait": "nobody is left to do so",
}  # fmt: skip


def told_as(case: Case, events: list[Event]) -> str | None:
    """The text of a step that belongs to an operation, HIDDEN where it is none of a reader's business, None where the
    step is the program's own."""
    e = events[0]
    name = case.operation(e.id)
    if e.kind is EventKind.CHOOSE and _of_weak_cas(case, e):
        return "lets the weak compare-exchange fail for no reason" if e.value else HIDDEN
    if e.kind is EventKind.CHOOSE and _of_signal(case, e):
        return HIDDEN
    if not name:
        return HIDDEN if e.kind is EventKind.FENCE and _part_of_operation(case, e) else None
    if (word := case.about(e.id)) is not None:
        return _of_futex(case, events, name, word)
    where = case.names.location(e.address)
    shape = "update" if len(events) == 2 else "write" if e.is_write else "read"
    if name == "once" and shape == "write" and e.value == 0:
        return f"leaves the call of {where} by an exception"
    if (name, shape) in _TEXTS:
        values = f"{case.names.value(e)} → {case.names.value(events[-1])}"
        return _TEXTS[name, shape].format(where, change=values)
    if name in _INITS and shape == "write":
        return HIDDEN
    if name == "mutex_unlock" and shape == "write" and e.value == 0:
        return f"unlocks {where}"
    if name == "mutex_unlock" and shape == "read" and _fails(case, e):
        return f"goes to unlock {where}"
    if name == "cond_signal" and shape == "read" and e.value == 0:
        return f"signals {where}, where nobody waits"
    if name in _PASSED and _awaited(case, e):
        return _PASSED[name].format(where)
    return HIDDEN


def _of_futex(case: Case, events: list[Event], name: str, word: int) -> str:
    """The kernel's table of who sleeps is its own: what a person knows is the word."""
    e, where = events[0], case.names.location(word)
    line = case.witness.execution.thread_events(e.thread)
    changes = any(f.is_write for f in line[e.index + 1 :] if case.about(f.id) == word and f.at == e.at)
    if name == "futex_wait":
        if len(events) == 1 and e.is_read and e.address == word:
            return f"finds {where} = {case.names.value(e)}{'' if changes else ' and does not go to sleep'}"
        if len(events) == 2:
            return (
                f"goes to sleep at {where}" if events[1].value > e.value else f"is woken at {where} by its time limit"
            )
        return f"is woken at {where}" if _awaited(case, e) else HIDDEN
    if e.is_write:
        return f"wakes who sleeps at {where}"
    first = e.is_read and e.index > 0 and line[e.index - 1].kind is EventKind.ATOMIC_BEGIN
    return f"wakes nobody at {where}, where nobody sleeps" if first and not changes else HIDDEN


def _of_weak_cas(case: Case, choice: Event) -> bool:
    """Whether this is the choice that the pass `weak_cas` put before a compare-exchange: it stands at its place."""
    after = _next(case, choice)
    return after is not None and not case.operation(after.id) and after.at is not None and after.at == choice.at


def _of_signal(case: Case, choice: Event) -> bool:
    """Whether this is the choice of a signal, which of those that wait it wakes."""
    after = _next(case, choice)
    return after is not None and case.operation(after.id) == "cond_signal" and after.at == choice.at


def _next(case: Case, choice: Event) -> Event | None:
    """The read that follows a choice, if the thread has none in between but other choices."""
    line = case.witness.execution.thread_events(choice.thread)[choice.index + 1 :]
    e = next((e for e in line if e.kind is not EventKind.CHOOSE), None)
    return case.events[e.id] if e is not None and e.is_read else None


def _fails(case: Case, e: Event) -> bool:
    """Whether this is the look at a mutex that shows that it is not held."""
    error = case.witness.error
    last = case.witness.execution.thread_events(error.thread)[-1:]
    return error.kind is ErrorKind.UNLOCK and any(e.id == f.id for f in last)


def _awaited(case: Case, e: Event) -> bool:
    action = case.replayed.actions.get(e.id) if case.replayed is not None else None
    return action is not None and action.part is Part.AWAIT


def _part_of_operation(case: Case, fence: Event) -> bool:
    """Fences that the mapping to hardware put around an operation stand at its place."""
    line = case.relations.lines[fence.thread]
    near = line[max(0, fence.index - 3) : fence.index + 4]
    return any(case.operation(e.id) and e.at == fence.at for e in near)


def waits_at(case: Case, thread: int, location: str) -> str:
    """What a thread waits for inside an operation; empty where it waits on its own."""
    run = case.replayed.runs[thread] if case.replayed is not None else None
    if run is None or run.operation not in _WAITS:
        return ""
    return _WAITS[run.operation].format(location if run.about is None else case.names.location(run.about))


def never_comes(case: Case, thread: int) -> str:
    """Why what a thread waits for inside an operation will not come; empty for locks, whose holder is named."""
    name = case.replayed.runs[thread].operation if case.replayed is not None else ""
    return _NEVER.get(name, "")
