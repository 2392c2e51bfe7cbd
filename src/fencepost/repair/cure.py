"""The fix that a witness tells of: the cheapest repair of the whole program that a fixed amount of work finds.

The work is counted in executions and judgements, so that a report is the same on every machine; seconds only cut off a
check that enumerates candidates. What is found was checked on all executions of the program; where nothing was, nothing
is said.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable

from fencepost.errors import FencepostError
from fencepost.models.registry import Model, find
from fencepost.options import CheckOptions
from fencepost.program.instructions import Call, Instruction, Mode
from fencepost.program.operands import Position
from fencepost.program.program import Arch, Program
from fencepost.records import replace
from fencepost.repair.atomics import raced
from fencepost.repair.files import Files
from fencepost.repair.lattice import READS, WRITES, fence_steps, is_access, joined, raised
from fencepost.repair.once import used_once
from fencepost.repair.oracle import Asked, Explorer
from fencepost.repair.repairing import Task, by_text, made_atomic
from fencepost.repair.result import DECLARATION
from fencepost.repair.search import Ending, Limits, Oracle, Search, passes, search
from fencepost.repair.sites import access_site, accesses, shared
from fencepost.repair.sources import language_of, load_text
from fencepost.repair.space import Site, SiteKind, Space, Spot, make_space
from fencepost.repair.survey import useful_on
from fencepost.repair.text.edits import offset_of, written_at
from fencepost.repair.wrappers import copy_per_call
from fencepost.verdict import STATEMENT, Answer, Cured, Fix, Verdict
from fencepost.witness.sites import foreign

_EXECUTIONS = 20_000  # of all checks together
_CHECKS = 40
_SECONDS = 3.0  # of one check, for what is not counted in executions: candidates that are enumerated
_JUDGED_EVENTS = 30_000  # judgements times the events of an execution
_LARGEST = 300  # events of an execution that is worth it
_MOST_ATOMS = 90

_BODY = re.compile(r"(?:\)|\belse)[ \t]*\n[ \t]*(?=[A-Za-z_*])")  # without braces, on a line of its own
_LOOP = re.compile(r"(?:while|for|do|loop|repeat)\b")

Checked = Callable[[Program, CheckOptions], Verdict]


class Cure:
    """Called by whoever tells the witness, and only then: nobody waits for a fix that is not shown."""

    def __init__(
        self, program: Program, options: CheckOptions, check: Checked, events: int, *, robust: bool = False,
        files: Files | None = None,
    ) -> None:  # fmt: skip
        self.program, self.check, self.events, self.robust, self.files = program, check, events, robust, files
        self.options = replace(options, keep_going=False, jobs=1, save=None, resume=None, fix=False)
        self.texts = _Texts(program)  # now: files change, and so does the working directory
        self.done = False
        self.found: Cured | None = None

    def __call__(self) -> Cured | None:
        if not self.done:
            self.done = True
            try:
                self.found = self._search() if self.events <= _LARGEST else None
            except (FencepostError, KeyboardInterrupt):  # a fix is a gift: without it the error is still told
                self.found = None
        return self.found

    def _search(self) -> Cured | None:
        model = find(self.options.model)
        space, places = space_of(self.program, model, self.texts)
        budget = _Budget(self.check, self.options)
        oracle: Oracle = Asked(space, budget) if self.robust else Explorer(space, model, self.options, budget)
        limits = Limits(_CHECKS, max(_JUDGED_EVENTS // max(self.events, 15), 50))
        found = search(space, oracle, limits)
        cured = None
        if found.ending is Ending.FOUND and found.chosen:
            cured = Cured(
                tuple(_fixes(space, places, found.chosen)), found.bounded, self.robust, _cautions(space, found)
            )
        if self.texts.passed_over if cured is None else any(_between_statements(f) for f in cured.fixes):
            cured = self._by_text(model, budget, limits, cured)
        if cured is None and found.ending is Ending.NONE:
            return self._made_atomic(model, budget, found.verdict)
        return cured

    def _by_text(self, model: Model, budget: _Budget, limits: Limits, cured: Cured | None) -> Cured | None:
        """With a fence in it, or one before a loop to try: the search is done once more with the gaps of the text, and
        what it says is checked. Where it finds nothing (a body without braces has no gap), what was found for the
        program."""
        given = self.files
        if given is None:
            return cured
        if not self.texts.current():
            return None
        options = self.options
        task = Task(given.files, given.flags, model, options, given.read, budget, explores=not self.robust)
        found = by_text(task, limits)
        if found is None:
            return cured
        made, best, verdict = found
        if not passes(verdict):
            return None
        shown = {n: _instruction(made.space, site) for n, site in enumerate(made.space.sites)}
        fixes = tuple(_fixes(made.space, shown, best.chosen))
        return Cured(fixes, verdict.answer is Answer.BOUNDED, self.robust, _cautions(made.space, best))

    def _made_atomic(self, model: Model, budget: _Budget, failed: Verdict) -> Cured | None:
        """No order helps. Of a race, plain memory that becomes atomic may, if the text can be changed like that."""
        given = self.files
        if given is None or raced(failed) is None or not self.texts.current():
            return None
        task = Task(given.files, given.flags, model, self.options, given.read, budget, only="accesses")
        found = made_atomic(task)  # fences cost a compilation more, and atomic variables have orders enough
        if found is None or found.answer not in (Answer.PASS, Answer.BOUNDED):
            return None
        fixes = [Fix(c.at, c.what, before=c.before, after=c.after) for c in found.changes if c.what == DECLARATION]
        if not fixes or len(fixes) != len(found.changes):  # with orders beside it: `repair` has the whole patch
            return None
        return Cured(tuple(fixes), found.answer is Answer.BOUNDED, cautions=found.notes)


def _cautions(space: Space, found: Search) -> tuple[str, ...]:
    return tuple(used_once(space.program, found.pool))


class _Budget:
    """The check with what is left of the executions."""

    def __init__(self, check: Checked, options: CheckOptions) -> None:
        self.check, self.options, self.left = check, options, _EXECUTIONS

    def __call__(self, program: Program) -> Verdict:
        if self.left <= 0:
            return Verdict(Answer.UNKNOWN, "the search was limited", self.options.model)
        most = min(self.left, self.options.max_executions or self.left)
        seconds = min(_SECONDS, self.options.time_limit or _SECONDS)
        verdict = self.check(program, replace(self.options, max_executions=most, time_limit=seconds))
        self.left -= verdict.executions + verdict.blocked + 1
        return verdict


# --- the space of a program whose text is only looked at


def space_of(program: Program, model: Model, texts: _Texts) -> tuple[Space, dict[int, Instruction]]:
    """The orders that the source can have, and a gap in front of every statement with shared accesses. With the space:
    an instruction that shows what each site does."""
    copied = copy_per_call(program, lambda at: texts.order(at) is not None)
    sites: list[Site] = []
    shown: dict[int, Instruction] = {}
    for at, spots, first, now in _accesses(copied.program, copied.spots, texts):
        site = access_site(spots, first, strip=False, now=now)  # type: ignore[arg-type] # an access
        shown[len(sites)] = first
        sites.append(replace(site, at=at))
    orders = len(sites)
    for spot, at, first in _gaps(copied.program, copied.spots, texts):
        own = program.arch is not Arch.C11
        steps = fence_steps(model.name, model.architecture, own, first)
        shown[len(sites)] = first
        sites.append(Site(SiteKind.BEFORE, (spot,), steps, at))
    space = make_space(copied.program, sites, {}, useful_on(model))
    if len(space.atoms) > _MOST_ATOMS:
        space = make_space(copied.program, sites[:orders], {}, useful_on(model))
    return (space, shown) if len(space.atoms) <= _MOST_ATOMS else (Space(program, ()), {})


class _Texts:
    """The texts that positions speak of, where they are at hand."""

    def __init__(self, program: Program) -> None:
        places = {i.at.file for f in program.functions for i in f.code if i.at is not None and not foreign(i.at)}
        self.texts = {file: text for file in sorted(places) if (text := load_text(file)) is not None}
        self.gaps: dict[str, list[int]] = {}
        self.passed_over = False  # a fence before a loop is not before each of its accesses: only the text has it

    def current(self) -> bool:
        """Whether the files still hold these texts."""
        return all(load_text(file) == text for file, text in self.texts.items())

    def statement(self, at: Position) -> int | None:
        """Where the statement of a place begins, so that a fence can be put before it; -1 where that is not before
        the place each time, None where the text is not at hand, or has no statements."""
        text, language = self.texts.get(at.file), language_of(at.file)
        offset = offset_of(text, at) if text is not None else None
        if text is None or language is None or offset is None or not language.marker:
            return None
        if at.file not in self.gaps:
            self.gaps[at.file] = sorted({*language.gaps(text), *(m.end() for m in _BODY.finditer(text))})
        gaps = self.gaps[at.file]
        number = bisect_right(gaps, offset) - 1
        if number >= 0 and not _LOOP.match(text, gaps[number]):
            return gaps[number]
        self.passed_over = True
        return -1

    def known(self, at: Position) -> bool:
        return at.file in self.texts

    def order(self, at: Position) -> tuple[int, Mode] | None:
        """Where the order of what stands here is written, and which it is."""
        text, language = self.texts.get(at.file), language_of(at.file)
        offset = offset_of(text, at) if text is not None else None
        if text is None or language is None or offset is None:
            return None
        found = language.order_at(text, offset)
        return (found.key, found.now) if found is not None and found.now is not None else None

    def shown(self, at: Position, key: int) -> Position:
        """Where the order of what stands here is written."""
        return written_at(self.texts[at.file], at, key)


_Found = tuple[Position, list[Spot], Instruction, Mode | None]


def _accesses(program: Program, copies: dict[Position, tuple[Spot, ...]], texts: _Texts) -> Iterable[_Found]:
    """One entry per place of the source that gives an order. A machine's program has its orders in its instructions'
    names, and they stay."""
    if program.arch not in (Arch.C11, Arch.FP):
        return
    groups: dict[tuple[str, int, int], _Found] = {}
    own = [(i.at, [spot]) for spot, i in accesses(program)]
    for at, spots in [*own, *((at, list(s)) for at, s in copies.items())]:
        if at is None:
            continue
        written = texts.order(at)
        if written is None and texts.known(at):
            continue
        key = (at.file, written[0], -1) if written is not None else (at.file, at.line, at.column)
        instructions = [program.functions[n].code[k] for n, k in spots]
        first = max(instructions, key=lambda i: not isinstance(i, (*READS, *WRITES)))
        shown = texts.shown(at, written[0]) if written is not None else at
        known = groups.setdefault(key, (shown, [], first, written[1] if written is not None else None))
        known[1].extend(spots)
    yield from groups.values()


def _gaps(
    program: Program, copies: dict[Position, tuple[Spot, ...]], texts: _Texts
) -> Iterable[tuple[Spot, Position, Instruction]]:  # fmt: skip
    """In front of the first shared access of each statement: a fence that the text cannot have helps nobody."""
    started = {t.function for t in program.threads}
    for number, function in enumerate(program.functions):
        seen = function.name not in started
        begun = {-1}
        for index, i in enumerate(function.code):
            inside = copies.get(i.at, ()) if isinstance(i, Call) and i.at is not None else ()
            if i.at is None or foreign(i.at) or not (inside or (is_access(i) and shared(function, i))):
                continue
            statement = texts.statement(i.at)
            if seen and statement not in begun:
                first = program.functions[inside[0][0]].code[inside[0][1]] if inside else i
                yield (number, index), i.at, first
            seen = True
            begun |= {statement} if statement is not None else set()


def _fixes(space: Space, shown: dict[int, Instruction], chosen: Iterable[object]) -> Iterable[Fix]:
    steps = space.steps_at(frozenset(chosen))  # type: ignore[arg-type] # atoms
    for number, names in sorted(steps.items(), key=lambda item: _order(space.sites[item[0]], item[0])):
        site, i = space.sites[number], shown[number]
        operation = "load" if isinstance(i, READS) else "store" if isinstance(i, WRITES) else "update"
        if site.kind is SiteKind.ACCESS:
            yield Fix(site.at, operation, raised(site.base, names))
        else:
            fences = tuple(joined(names, site.steps))
            yield Fix(site.at, STATEMENT if site.kind is SiteKind.GAP else operation, None, fences)


def _between_statements(fix: Fix) -> bool:
    """Whether it is a fence in a text that has statements: elsewhere each instruction has a line."""
    language = language_of(fix.at.file) if fix.at is not None else None
    return bool(fix.fences) and language is not None and bool(language.marker)


def _instruction(space: Space, site: Site) -> Instruction:
    """One that shows what a site does: the whole of an update, not its halves."""
    found = [space.program.functions[n].code[k] for n, k in site.spots]
    return max(found, key=lambda i: not isinstance(i, (*READS, *WRITES)))


def _order(site: Site, number: int) -> tuple[str, int, int, int]:
    at = site.at
    return (at.file, at.line, at.column, number) if at is not None else ("", 0, 0, number)
