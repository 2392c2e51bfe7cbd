"""From the texts of a program to the search space: every place whose order can be written differently, and every gap
between statements that could hold a fence.

The gaps are found in the text and marked there with fences, and the marked text is read: so the fence in front of a
`while` is in front of the loop in the program too, and what the search removes or keeps is exactly what the patch will
say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, combinations

from fencepost.models.registry import Model
from fencepost.program.instructions import Call, Fence, Instruction, Jump, Mode, Spawn
from fencepost.program.operands import FunctionAddress, Position
from fencepost.program.passes.mapping import TARGETS, map_for_model
from fencepost.program.passes.rewrite import retarget
from fencepost.program.program import Arch, Function, Program
from fencepost.records import dataclass, field, replace
from fencepost.repair.lattice import Steps, access_steps, fence_steps, held, is_access, joined, raised
from fencepost.repair.sites import access_site, fence_sites, shared
from fencepost.repair.sources import Inserted, Sources, compiles, insert, language_of
from fencepost.repair.space import Assignment, Atom, Site, SiteKind, Space, Spot, make_space
from fencepost.repair.text.columns import in_one_row
from fencepost.repair.text.edits import Edit, OrderText, apply, position_of, written_at
from fencepost.repair.wrappers import copy_per_call
from fencepost.witness.sites import foreign


@dataclass(frozen=True, slots=True)
class Place:
    """Where a site stands in its text: the order of an access, or the offset of a gap or a fence."""

    file: str
    offset: int
    order: OrderText | None = None


@dataclass(slots=True)
class Survey:
    """`places` are those of the sites of the space, by their numbers; `left_out` are accesses whose order is written
    where it cannot be changed."""

    sources: Sources
    space: Space
    places: tuple[Place, ...]
    left_out: tuple[Position, ...] = ()
    notes: list[str] = field(default_factory=list)

    def edited(self, chosen: Assignment) -> dict[str, str]:
        """The texts of an assignment: only those that differ."""
        edits: dict[str, list[Edit]] = {}
        steps = self.space.steps_at(chosen)
        for number, site in enumerate(self.space.sites):
            place = self.places[number]
            edits.setdefault(place.file, []).extend(self._edits(site, place, steps.get(number, set())))
        return {file: apply(self.sources.texts[file], in_one_row(e)) for file, e in edits.items() if e}

    def _edits(self, site: Site, place: Place, steps: set[str]) -> list[Edit]:
        text, language = self.sources.texts[place.file], language_of(place.file)
        assert language is not None, "only texts of known languages should be surveyed"
        if site.kind is SiteKind.ACCESS:
            order = raised(site.base, steps)
            assert place.order is not None, "an access should know where its order stands"
            return (language.with_order(text, place.order, order) or []) if order is not site.now else []
        if site.kind in (SiteKind.GAP, SiteKind.BEFORE):
            kinds = joined(steps, site.steps)
            return [language.insertion(text, place.offset, language.fence(text, kinds))] if kinds else []
        span = language.fence_at(text, place.offset)
        if steps == set(site.steps) or span is None:
            return []
        kinds = joined(steps, site.steps)
        return [Edit(*span, language.fence(text, kinds))] if kinds else [_removed(text, *span)]


def _removed(text: str, start: int, end: int) -> Edit:
    """Without the statement, and without its line where that holds nothing else."""
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = len(text) if last < 0 else last
    alone = not (text[first:start] + text[end:last]).strip()
    return Edit(first, min(last + 1, len(text)), "") if alone else Edit(start, end, "")


def survey(
    sources: Sources, model: Model, *, accesses: bool = True, fences: bool = True, strip: bool = False,
    costs: Mapping[str, int] | None = None,
) -> Survey:  # fmt: skip
    """`strip`: the space of weaker programs, whose strongest assignment is the program as it is."""
    return _Surveyor(sources, model, accesses, fences, strip, costs or {}).run()


class _Surveyor:
    def __init__(
        self, sources: Sources, model: Model, accesses: bool, fences: bool, strip: bool, costs: Mapping[str, int]
    ) -> None:
        self.sources, self.model, self.accesses, self.fences, self.strip = sources, model, accesses, fences, strip
        self.costs = costs
        self.marked: dict[str, Inserted] = {}
        self.notes: list[str] = []
        self.left_out: set[Position] = set()

    def run(self) -> Survey:
        program = self.sources.program({})
        if self.fences and not self.strip:
            program = self.mark(program)
        copied = copy_per_call(program, lambda at: self.order_at(at) is not None)
        found = [*self.access_sites(copied.program, copied.spots)] if self.accesses else []
        if self.fences:
            new = self.present_fences if self.strip else self.gaps
            found += [*new(copied.program), *([] if self.strip else self.fronts(copied.program))]
        found.sort(key=lambda item: (item[1].file, item[1].offset, item[0].kind.value))
        sites, places = [site for site, _ in found], tuple(place for _, place in found)
        base = copied.program
        if self.marked:
            base = self.without_other_markers(copied.program, sites)
        space = make_space(base, sites, self.costs, useful_on(self.model))
        return Survey(self.sources, space, places, tuple(sorted(self.left_out)), self.notes)

    # --- places

    def locate(self, at: Position | None) -> tuple[str, int] | None:
        """The file and the offset in its original text."""
        if at is None or foreign(at):
            return None
        file = at.file
        text = self.sources.load(file)
        if text is None:
            return None
        marked = self.marked.get(file)
        offset = self.sources.offset(marked.text if marked is not None else text, at)
        if offset is None:
            return None
        return file, marked.original(offset) if marked is not None else offset

    def order_at(self, at: Position | None) -> tuple[str, OrderText] | None:
        found = self.locate(at)
        language = language_of(found[0]) if found is not None else None
        if found is None or language is None:
            return None
        order = language.order_at(self.sources.texts[found[0]], found[1])
        return (found[0], order) if order is not None else None

    def position(self, file: str, offset: int) -> Position:
        return position_of(file, self.sources.texts[file], offset)

    # --- accesses

    def access_sites(
        self, program: Program, copies: Mapping[Position, tuple[Spot, ...]]
    ) -> Iterable[tuple[Site, Place]]:
        spots: dict[tuple[str, int], list[Spot]] = {}
        places: dict[tuple[str, int], tuple[OrderText, Position]] = {}
        own = [
            (i.at, ((n, k),)) for n, f in enumerate(program.functions) for k, i in enumerate(f.code)
            if is_access(i) and i.mode is not Mode.NA and not foreign(i.at)  # type: ignore[attr-defined] # an access
        ]  # fmt: skip
        for at, here in [*own, *copies.items()]:
            found = self.order_at(at)
            if found is None or found[1].now is None or at is None:
                located = self.locate(at)
                if located is not None:
                    self.left_out.add(self.position(*located))
                continue
            key = (found[0], found[1].key)
            spots.setdefault(key, []).extend(here)
            located = self.locate(at)
            assert located is not None, "what has an order should have a place"
            shown = written_at(self.sources.texts[found[0]], self.position(*located), found[1].key)
            places.setdefault(key, (found[1], shown))
        for key, all_spots in spots.items():
            order, at = places[key]
            site = self.access_site(program, all_spots, order, at)
            if site is not None:
                yield site, Place(key[0], order.key, order)

    def access_site(self, program: Program, spots: list[Spot], order: OrderText, at: Position) -> Site | None:
        kinds = {frozenset(access_steps(program.functions[n].code[k])) for n, k in spots}
        first = program.functions[spots[0][0]].code[spots[0][1]]
        if len(kinds) > 1 and any(len(k) > 2 for k in kinds):  # a compare-exchange that is one of several instructions
            first = next(
                program.functions[n].code[k] for n, k in spots
                if len(access_steps(program.functions[n].code[k])) > 2
            )  # fmt: skip
        assert order.now is not None, "an order that is not known should have been left out"
        now = raised(Mode.RLX, held(order.now) & set(access_steps(first)))
        site = access_site(spots, first, strip=self.strip, now=now, label=order.what)  # type: ignore[arg-type]
        if order.offers is not None:
            site = replace(site, steps={n: s for n, s in site.steps.items() if n in order.offers})
        return replace(site, at=at) if site.steps and set(site.steps) - held(site.base) else None

    # --- fences

    def mark(self, program: Program) -> Program:
        """The program of the texts with a marker in every gap that could matter; as it was where that is not
        accepted."""
        ranges = self.ranges(program)
        inserted: dict[str, Inserted] = {}
        for file, lines in ranges.items():
            language, text = language_of(file), self.sources.texts[file]
            assert language is not None, "a file with accesses should be one that can be read"
            if not language.marker:
                continue
            gaps = [g for g in language.gaps(text) if any(a <= text.count("\n", 0, g) + 1 <= b for a, b in lines)]
            if gaps:
                inserted[file] = insert(text, gaps, language.marker)
        made = compiles(self.sources, {f: i.text for f, i in inserted.items()}) if inserted else None
        if made is None:
            if inserted:
                self.notes.append("no fences were tried: the text could not be marked for them")
            return program
        plain, self.marked = program, inserted
        if _fences(plain) + self.markers(made) != _fences(made):
            self.notes.append("no fences were tried: the marks were not found again")
            self.marked = {}
            return plain
        return made

    def markers(self, program: Program) -> int:
        return sum(self.marker_of(i) is not None for f in program.functions for i in f.code)

    def ranges(self, program: Program) -> dict[str, list[tuple[int, int]]]:
        """The lines of the functions that access shared memory, by file: themselves, or by an atomic operation of a
        library (of C++ all of them are calls)."""
        found: dict[str, list[tuple[int, int]]] = {}
        for function in program.functions:
            if foreign(function.at) or not any(_event(function, i) or self.called(i) for i in function.code):
                continue
            assert function.at is not None
            file = function.at.file
            lines = [i.at.line for i in function.code if i.at is not None and i.at.file == function.at.file]
            if self.sources.load(file) is not None and lines:
                found.setdefault(file, []).append((function.at.line, max(lines)))
        return found

    def called(self, i: Instruction) -> bool:
        """Whether it is a call of an atomic operation."""
        return isinstance(i, Call) and self.order_at(i.at) is not None

    def marker_of(self, i: Instruction) -> tuple[str, int] | None:
        if not isinstance(i, Fence) or i.at is None or i.at.file not in self.marked:
            return None
        file = i.at.file
        marked = self.marked[file]
        offset = self.sources.offset(marked.text, i.at)
        original = marked.marked(offset) if offset is not None else None
        return (file, original) if original is not None else None

    def gaps(self, program: Program) -> list[tuple[Site, Place]]:
        entries = _entries(program)
        spots: dict[tuple[str, int], list[Spot]] = {}
        idle: dict[tuple[str, int], bool] = {}
        for number, function in enumerate(program.functions):
            for index, i in enumerate(function.code):
                key = self.marker_of(i)
                if key is not None:
                    spots.setdefault(key, []).append((number, index))
                    useless = _idle(function, index, function.name in entries, self.marker_of)
                    idle[key] = idle.get(key, True) and useless
        return [
            (Site(SiteKind.GAP, tuple(s), self.fences_at(program, s[0]), self.position(*key), label="fence"),
             Place(*key))
            for key, s in spots.items() if not idle[key]
        ]  # fmt: skip

    def fences_at(self, program: Program, spot: Spot) -> Steps:
        own = all(language_of(f).own_fences for f in self.sources.files)  # type: ignore[union-attr] # all are known
        following = next((i for i in program.functions[spot[0]].code[spot[1] :] if is_access(i)), None)
        return fence_steps(self.model.name, self.model.architecture, own, following)

    def fronts(self, program: Program) -> list[tuple[Site, Place]]:
        """A place in front of every access but the first of its thread, where texts cannot be marked. A label stays
        with its instruction, so there a jump would miss the fence."""
        found: list[tuple[Site, Place]] = []
        for number, function in enumerate(program.functions):
            targets = _targets(function)
            seen = set[Position | None]()
            for index, i in enumerate(function.code):
                located = self.locate(i.at) if _event(function, i) and i.at not in seen else None
                language = language_of(located[0]) if located is not None else None
                if located is None or language is None or language.marker:
                    continue
                if seen and not any(t <= index and function.code[t].at == i.at for t in targets):
                    steps = self.fences_at(program, (number, index))
                    site = Site(SiteKind.BEFORE, ((number, index),), steps, self.position(*located), label="fence")
                    found.append((site, Place(*located)))
                seen.add(i.at)
        return found

    def without_other_markers(self, program: Program, sites: Sequence[Site]) -> Program:
        """Markers that became no site are taken out; the sites keep their spots, since a no-op stays in their place."""
        kept = {spot for site in sites for spot in site.spots}
        functions = []
        for number, function in enumerate(program.functions):
            code = tuple(
                Jump(index + 1, at=i.at) if self.marker_of(i) is not None and (number, index) not in kept else i
                for index, i in enumerate(function.code)
            )
            functions.append(replace(function, code=code))
        return replace(program, functions=tuple(functions))

    def present_fences(self, program: Program) -> list[tuple[Site, Place]]:
        found = []
        for site in fence_sites(program):
            located = self.locate(site.at)
            language = language_of(located[0]) if located is not None else None
            if located is None or language is None:
                continue
            if language.fence_at(self.sources.texts[located[0]], located[1]) is not None:
                found.append((replace(site, at=self.position(*located)), Place(*located)))
        return found


def _fences(program: Program) -> int:
    return sum(isinstance(i, Fence) for f in program.functions for i in f.code)


def _event(function: Function, i: Instruction) -> bool:
    return is_access(i) and shared(function, i)


def _entries(program: Program) -> set[str]:
    """The functions that threads begin with."""
    spawned = {
        i.function.name for f in program.functions for i in f.code
        if isinstance(i, Spawn) and isinstance(i.function, FunctionAddress)
    }  # fmt: skip
    return spawned | {t.function for t in program.threads}


def _targets(function: Function) -> set[int]:
    """The instructions that jumps go to."""
    targets = set[int]()
    for i in function.code:
        retarget(i, lambda t: targets.add(t) or t)  # type: ignore[func-returns-value]
    return targets


def _idle(function: Function, index: int, entry: bool, marker: Callable[[Instruction], object | None]) -> bool:
    """Whether a fence here orders nothing that another gap would not: nothing shared before it or after it in a thread,
    or nothing between it and the next gap."""
    code, targets = function.code, _targets(function)
    for later in range(index + 1, len(code)):
        if later in targets or shared(function, code[later]):
            break
        if marker(code[later]) is not None:
            return True
    if not entry:
        return False
    back = [n for n, i in enumerate(code) if _jumps_back(i, n)]
    before = any(shared(function, i) for i in code[:index]) or any(n > index for n in back)
    after = any(shared(function, i) for i in code[index:]) or any(n > index for n in back)
    return not (before and after)


def _jumps_back(i: Instruction, at: int) -> bool:
    found: list[int] = []
    retarget(i, lambda t: found.append(t) or t)  # type: ignore[func-returns-value]
    return any(t <= at for t in found)


def useful_on(model: Model) -> Callable[[Space, Atom], bool]:
    """Whether a step makes any difference to what the machine executes, whatever else its site has."""
    target = model.mapped_like
    if model.architecture is Arch.LKMM:  # acquire and release together are a full barrier, and nothing is above them
        return lambda space, atom: atom.step != "sc" or space.sites[atom.site].kind is not SiteKind.ACCESS
    if target not in TARGETS and target != "ra":
        return lambda space, atom: True

    def useful(space: Space, atom: Atom) -> bool:
        others = [a for a in space.atoms if a.site == atom.site and a != atom]
        function = space.sites[atom.site].spots[0][0]
        for chosen in chain.from_iterable(combinations(others, n) for n in range(len(others) + 1)):
            without = frozenset(chosen)
            closed = space.closed(without) == without and space.closed({*without, atom}) == {*without, atom}
            if closed and mapped(space, without, function) != mapped(space, without | {atom}, function):
                return True
        return False

    def mapped(space: Space, chosen: Assignment, function: int) -> Function:
        built = space.build(chosen)
        return map_for_model(replace(built, functions=(built.functions[function],)), target).functions[0]

    return useful
