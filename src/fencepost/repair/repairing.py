"""`repair` and `relax`: from files to a patch that was checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic

from fencepost.errors import UnsupportedError, UsageError
from fencepost.models.registry import Model
from fencepost.options import ExploreOptions
from fencepost.program.condition import Quantifier
from fencepost.program.instructions import FenceKind, Mode
from fencepost.program.program import Program
from fencepost.records import dataclass, replace
from fencepost.repair.atomics import COST, cautions, with_atomics
from fencepost.repair.files import Read
from fencepost.repair.lattice import joined, parse_costs, raised
from fencepost.repair.machines import compiled
from fencepost.repair.monotone import objections
from fencepost.repair.once import used_once
from fencepost.repair.oracle import Asked, Check, Explorer
from fencepost.repair.reasons import why_nothing_helps
from fencepost.repair.result import DECLARATION, Change, Kept, Repair
from fencepost.repair.search import Ending, Limits, Oracle, Search, passes, search
from fencepost.repair.sites import strongest
from fencepost.repair.sources import Sources, compiles, language_of
from fencepost.repair.space import Atom, Site, SiteKind, Space
from fencepost.repair.survey import Survey, survey
from fencepost.repair.text.edits import diff
from fencepost.verdict import Answer, Verdict, Witness
from fencepost.witness.story import tell

Prepare = Callable[[Program], Program]


@dataclass(frozen=True, slots=True)
class Task:
    """What to repair. `check` decides whether a program is good, and `told` does so with a witness for people to read;
    `explores`: its executions can be judged one by one. `only` is accesses, fences or empty."""

    files: tuple[str, ...]
    flags: tuple[str, ...]
    model: Model
    options: ExploreOptions
    read: Read
    check: Check
    explores: bool = True
    only: str = ""
    costs: tuple[str, ...] = ()
    seconds: float | None = None
    told: Check | None = None


def repair(task: Task) -> Repair:
    """The cheapest stronger orders and added fences after which the program passes."""
    began = monotonic()
    made = _survey(task, strip=False)
    oracle = _oracle(task, made.space)
    found = search(made.space, oracle, Limits(seconds=task.seconds))
    if found.ending is Ending.NONE and task.explores and not task.only:
        answer = _with_atomics(task, made, found, oracle)
    else:
        answer = _told(task, made, found, oracle)
    return replace(answer, seconds=monotonic() - began)


def made_atomic(task: Task) -> Repair | None:
    """Only the last resort of `repair`; None where orders would help."""
    made = _survey(task, strip=False)
    oracle = _oracle(task, made.space)
    failed = oracle.check(made.space.top)
    if failed.answer is not Answer.FAIL:
        return None
    return _with_atomics(task, made, Search(Ending.NONE, made.space.top, failed, failed), oracle)


def by_text(task: Task, limits: Limits) -> tuple[Survey, Search, Verdict] | None:
    """What the search chooses within its limits, and the verdict of the texts that say so; None where it finds
    nothing."""
    made = _survey(task, strip=False)
    found = search(made.space, _oracle(task, made.space), limits)
    changed = compiles(made.sources, made.edited(found.chosen)) if found.ending is Ending.FOUND else None
    return (made, found, task.check(changed)) if changed is not None else None


def _with_atomics(task: Task, made: Survey, found: Search, oracle: Oracle) -> Repair:
    """No order helps; perhaps plain memory has to become atomic."""
    tried = with_atomics(made, found.verdict, lambda sources: _surveyed(task, sources, strip=False), task.check)
    if tried.survey is None:
        return _told(task, made, found, oracle, tried.reason)
    oracle = _oracle(task, tried.survey.space)
    again = search(tried.survey.space, oracle, Limits(seconds=task.seconds))
    again = replace(again, first=found.first, checks=again.checks + found.checks + len(tried.objects) + 1)
    answer = _told(task, tried.survey, again, oracle)
    if answer.answer not in (Answer.PASS, Answer.BOUNDED):
        return _told(task, made, found, _oracle(task, made.space))
    changes = [
        Change(o.at, DECLARATION, o.declared.before, o.declared.after, COST, tell(o.without).error, o.without)
        for o in tried.objects
    ]  # fmt: skip
    texts = {file: tried.survey.sources.texts[file] for file in tried.survey.sources.overlaid} | dict(answer.texts)
    patch = "".join(diff(f, made.sources.texts[f], text) for f, text in sorted(texts.items()))
    return replace(
        answer, changes=(*changes, *answer.changes), texts=tuple(sorted(texts.items())), patch=patch, proved=False,
        before=tuple((f, made.sources.texts[f]) for f in sorted(texts)),
        cost=answer.cost + COST * len(changes), objections=(_ATOMICS, *answer.objections),
        notes=(*answer.notes, *cautions(tried.objects)),
    )  # fmt: skip


_ATOMICS = "no order and no fence helps, so memory became atomic; fewer accesses may do, or a lock"


def relax(task: Task) -> Repair:
    """The weakest orders and fewest fences with which it still passes."""
    began = monotonic()
    made = _survey(task, strip=True)
    oracle = _oracle(task, made.space)
    whole = oracle.check(made.space.top)
    if not passes(whole):
        reason = "repair it first: it does not pass as it is" if whole.answer is Answer.FAIL else whole.reason
        return Repair(whole.answer, task.model.name, reason, verdict=whole, first=whole, seconds=monotonic() - began)
    found = search(made.space, oracle, Limits(seconds=task.seconds))
    answer = _told(task, made, replace(found, first=whole), oracle)
    return replace(answer, kept=_kept(made, found, oracle), seconds=monotonic() - began)


def _survey(task: Task, *, strip: bool) -> Survey:
    unknown = [f for f in task.files if language_of(f) is None]
    if unknown and Path(unknown[0]).is_dir():
        raise UsageError(f"{unknown[0]} is a folder: name the files of one program")
    if unknown:
        raise UnsupportedError(
            f"{unknown[0]}: only C, C++, .fp and litmus tests of C, PPC, X86, AArch64 and RISCV can be changed"
        )
    sources = Sources(task.files, task.flags, lambda files, flags: _asked(task.read(files, flags)))
    return _surveyed(task, sources, strip=strip)


def _surveyed(task: Task, sources: Sources, *, strip: bool) -> Survey:
    return survey(
        sources, task.model, accesses=task.only != "fences", fences=task.only != "accesses", strip=strip,
        costs=parse_costs(task.costs),
    )  # fmt: skip


def _asked(program: Program) -> Program:
    """An `exists` is a question about what can be seen: repaired is the program in which it cannot."""
    condition = program.condition
    if condition is None or condition.quantifier is not Quantifier.EXISTS:
        return program
    return replace(program, condition=replace(condition, quantifier=Quantifier.NOT_EXISTS))


def _oracle(task: Task, space: Space) -> Oracle:
    return Explorer(space, task.model, task.options, task.check) if task.explores else Asked(space, task.check)


# --- from the search to the answer


def _told(task: Task, made: Survey, found: Search, oracle: Oracle, rule: str = "") -> Repair:
    """`rule`: what is broken, where no order helps and somebody knows."""
    common = Repair(
        Answer.UNKNOWN, task.model.name, found.reason, verdict=found.verdict, first=found.first, checks=found.checks,
        judgements=found.judgements, lower=found.lower, notes=tuple(made.notes), objections=_objections(task),
    )  # fmt: skip
    if found.ending is Ending.NONE:
        beyond = task.check(strongest(made.sources.program({}), task.model.architecture))
        if beyond.answer is not Answer.FAIL:
            return replace(common, reason=_elsewhere(made))
        shown = (task.told or task.check)(made.space.build(made.space.top))
        reason = rule or why_nothing_helps(shown)
        return replace(common, answer=Answer.FAIL, reason=reason, verdict=shown, proved=not common.objections)
    if found.ending is Ending.UNKNOWN:
        return common
    return _patched(task, made, found, oracle, common)


def _elsewhere(made: Survey) -> str:
    """Stronger orders would help, but not where we can write them."""
    places = ", ".join(f"{at.file.rsplit('/', 1)[-1]}:{at.line}" for at in made.left_out[:5])
    where = f"; what could not be changed: {places}" if places else ""
    return f"stronger orders or fences would help, but not at the places that can be changed automatically{where}"


def _objections(task: Task) -> tuple[str, ...]:
    return objections(task.model) if task.explores else ()


def _patched(task: Task, made: Survey, found: Search, oracle: Oracle, common: Repair) -> Repair:
    """The patch of the assignment, applied to the texts, which are read and checked again: nothing is shown that was
    not checked in the form in which it is shown."""
    texts = made.edited(found.chosen)
    changed = compiles(made.sources, texts)
    if changed is None:
        return replace(common, reason="the changed text is not accepted by its compiler")
    verdict = task.check(changed)
    if not passes(verdict):
        return replace(common, answer=Answer.UNKNOWN, reason="the changed text does not pass as the changed program"
                       f" did: {verdict.reason}", verdict=verdict)  # fmt: skip
    patch = "".join(diff(f, made.sources.texts[f], text) for f, text in sorted(texts.items()))
    notes = [*common.notes, *(used_once(made.space.program, found.pool) if found.chosen else [])]
    return replace(
        common, answer=verdict.answer, reason=verdict.reason if verdict.answer is Answer.BOUNDED else "",
        changes=_changes(made, found, oracle), patch=patch, texts=tuple(sorted(texts.items())),
        before=tuple((f, made.sources.texts[f]) for f in sorted(texts)),
        cost=made.space.cost(found.chosen), proved=not common.objections, notes=tuple(notes), verdict=verdict,
    )  # fmt: skip


def _changes(made: Survey, found: Search, oracle: Oracle) -> tuple[Change, ...]:
    space, steps = made.space, made.space.steps_at(found.chosen)
    changes = []
    for number, site in enumerate(space.sites):
        have = steps.get(number, set())
        before, after = _words(site, set()) if _adds(site) else _words(site, set(site.steps)), _words(site, have)
        if before == after or site.at is None:
            continue
        here = [a for a in found.chosen if a.site == number]
        witness = _comes_back(space, found, oracle, here) if _adds(site) else None
        changes.append(
            Change(site.at, _what(site), before, after, sum(space.weights[a] for a in here),
                   tell(witness).error if witness else None, witness)
        )  # fmt: skip
    return tuple(changes)


def _adds(site: Site) -> bool:
    """Whether the atoms of a site are added to what is there, or are what is left of it."""
    return site.kind in (SiteKind.GAP, SiteKind.BEFORE) or (site.kind is SiteKind.ACCESS and site.base is site.now)


def _comes_back(space: Space, found: Search, oracle: Oracle, here: Sequence[Atom]) -> Witness | None:
    """An execution that is possible where the change at one place is taken back by its last step."""
    tops = [a for a in here if not any(a in space.below[b] for b in here)]
    for atom in tops:
        weaker = space.without(found.chosen, atom)
        known = next((w for w in found.pool if oracle.bad(w, weaker)), None)
        if known is not None:
            return known
        verdict = oracle.check(weaker)
        if verdict.witness is not None:
            return verdict.witness
    return None


def _kept(made: Survey, found: Search, oracle: Oracle) -> tuple[Kept, ...]:
    space, steps = made.space, made.space.steps_at(found.chosen)
    rows = []
    for number, site in enumerate(space.sites):
        if site.at is None:
            continue
        have = steps.get(number, set())
        here = [a for a in found.chosen if a.site == number]
        witness = _comes_back(space, found, oracle, here) if here and found.ending is Ending.FOUND else None
        rows.append(
            Kept(site.at, _what(site), _words(site, set(site.steps)), _words(site, have),
                 tell(witness).error if witness else None, witness, compiled(site, have))
        )  # fmt: skip
    return tuple(rows)


# --- words

_ORDERS = {
    Mode.NA: "plain", Mode.RLX: "relaxed", Mode.ACQ_PC: "acquire (RCpc)", Mode.ACQ: "acquire", Mode.REL: "release",
    Mode.ACQ_REL: "acq_rel", Mode.SC: "seq_cst",
}  # fmt: skip


def _words(site: Site, steps: set[str]) -> str:
    if site.kind is SiteKind.ACCESS:
        return _ORDERS[raised(site.base, steps)]
    kinds = [site.fence] if site.fence is not None and steps == set(site.steps) else joined(steps, site.steps)
    return " and ".join(fence_words(k) for k in kinds if k is not None) or "nothing"


def fence_words(kind: FenceKind) -> str:
    c11 = {FenceKind.ACQ: "acquire", FenceKind.REL: "release", FenceKind.ACQ_REL: "acq_rel", FenceKind.SC: "seq_cst"}
    return f"fence {c11[kind]}" if kind in c11 else kind.value


def _what(site: Site) -> str:
    return "fence" if site.kind is not SiteKind.ACCESS else site.label or "access"
