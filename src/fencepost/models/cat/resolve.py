"""From parsed files to one flat list of statements in which every name means one thing.

Includes are put in place, variants chosen, `try` decided (it asks whether a name exists), and each definition gets a
name of its own, so that `let rf = rf & ext` or a later redefinition cannot confuse an evaluator.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from fencepost.errors import InputError
from fencepost.models.cat import syntax as cat
from fencepost.models.cat.base import RELATIONS, SETS
from fencepost.models.cat.lexer import tokenize
from fencepost.models.cat.parser import parse
from fencepost.program.operands import Position
from fencepost.records import dataclass, field, replace

INCLUDE_DIRECTORY = Path(__file__).parent.parent / "include"
BUILTIN_FUNCTIONS = ("domain", "linearisations", "classes", "classes-loc", "partition")
_THREAD_WORDS = frozenset({"spawn", "threads", "asw"})
_THREADS_IN_PO = "threads in po"
#: Locks are lowered to accesses, registers are not events, and there is no maintenance of caches and translations.
_ALWAYS_OURS = frozenset({"lock.cat", "aarch64deps.cat", "enumerations.cat"})
#: Relations of the prelude with the fences that make them.
_FENCES = {
    name: name.upper()
    for name in ("sync", "lwsync", "isync", "eieio", "mfence", "sfence", "lfence", "isb", "dmb", "dsb")
}
#: What models of graphics processors speak of.
_OF_GPUS = frozenset({
    "syncbar", "sync_barrier", "sync_fence", "scta", "ssg", "swg", "sqf", "sdv", "scope", "sr", "vloc", "WI", "SG",
    "WG", "QF", "DV", "CTA", "GPU", "SYS", "NONPRIV", "AVDEVICE", "VISDEVICE", "membar.sys", "membar.gl", "membar.cta",
})  # fmt: skip
_PRIMITIVES = frozenset({*SETS, *RELATIONS, *BUILTIN_FUNCTIONS})


class UnknownNameError(InputError):
    """A name that nothing defines: what `try` catches."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """`origin` gives for each unique name the name that the author wrote."""

    title: str
    statements: tuple[cat.Statement, ...]
    origin: dict[str, str] = field(default_factory=dict)
    declared: str = ""


def resolve(text: str, file: str, variants: frozenset[str] = frozenset()) -> Resolved:
    """Reads a model and everything it includes. Raises InputError where something is unknown or malformed."""
    root = _with_bell(parse(text, file), Path(file))
    words = _words(root, Path(file).parent, set())
    resolver = _Resolver(root, variants, words)
    knows_threads = bool(words & _THREAD_WORDS)
    resolver.include_prelude(frozenset() if knows_threads else frozenset({_THREADS_IN_PO}))
    resolver.run(root.statements, Path(file).parent)
    return Resolved(root.title, tuple(resolver.out), resolver.origin, root.declared)


def _with_bell(root: cat.File, file: Path) -> cat.File:
    """A bell file of the model's name beside it comes first: the Linux kernel's carries dependencies on through plain
    accesses there, and herd is given both."""
    bell = file.with_suffix(".bell")
    included = {s.path for s in root.statements if isinstance(s, cat.Include)}
    if not root.statements or not bell.is_file() or bell.name in included:
        return root
    first = cat.Include(bell.name, root.statements[0].at)
    return replace(root, statements=(first, *root.statements))


def prelude_names() -> frozenset[str]:
    """What is defined before any model begins. A model that defines such a name itself gets another, unique one."""
    return frozenset(_prelude(frozenset())[2])


def variants_of(text: str, file: str) -> frozenset[str]:
    """The variants that a model, or what it includes, asks about: `if "mixed" then ... else ...`."""
    found: set[str] = set()
    seen: set[Path] = set()
    _words(parse(text, file), Path(file).parent, seen)
    for source in [text, *(path.read_text(encoding="utf-8") for path in seen)]:
        tokens = tokenize(source, file)
        for first, second in pairwise(tokens):
            if second.kind == "string" and first.text in ("if", "not", "&&", "||", "("):
                found.add(second.text.strip('"'))
    return frozenset(found)


@lru_cache(maxsize=64)
def _parse_path(path: Path) -> cat.File:
    return parse(path.read_text(encoding="utf-8"), str(path))


def _words(file: cat.File, folder: Path, seen: set[Path]) -> frozenset[str]:
    """Every name that a file and what it includes mention."""
    words = file.words
    for statement in file.statements:
        if isinstance(statement, cat.Include):
            path = next((p for p in _places(statement.path, folder) if p.is_file()), None)
            if path is not None and path not in seen:
                seen.add(path)
                words |= _words(_parse_path(path), path.parent, seen)
    return words


def _places(name: str, folder: Path) -> tuple[Path, ...]:
    """Where an included file may be. What other tools compute from events that are none here is always ours."""
    found = folder / name, INCLUDE_DIRECTORY / name, INCLUDE_DIRECTORY.parent / name
    return found[1:] if name in _ALWAYS_OURS else found


@lru_cache(maxsize=2)
def _prelude(variants: frozenset[str]) -> tuple[tuple[cat.Statement, ...], dict[str, str], dict[str, str]]:
    """The prelude resolved once: its statements, what each name means, and the origins."""
    parsed = _parse_path(INCLUDE_DIRECTORY / "prelude.cat")
    resolver = _Resolver(parsed, variants)
    resolver.run(parsed.statements, INCLUDE_DIRECTORY)
    return tuple(resolver.out), resolver.scope, resolver.origin


class _Resolver:
    def __init__(self, root: cat.File, variants: frozenset[str], words: frozenset[str] = frozenset()) -> None:
        self.root, self.variants = root, variants
        self.names = {w.lower() for w in words if not w.startswith('"')}  # of what it includes, too
        self.scope: dict[str, str] = {}
        self.procedures: dict[str, str] = {}
        self.origin: dict[str, str] = {}
        self.taken: set[str] = set()
        self.out: list[cat.Statement] = []
        self.including: list[Path] = []

    @property
    def of_c(self) -> bool:
        """Whether this is a model of C11. In herd an update of C is one event, in `R & W`: both halves here."""
        return "acq_rel" in self.names

    def include_prelude(self, variants: frozenset[str]) -> None:
        statements, scope, origin = _prelude(variants)
        self.out.extend(statements)
        self.scope, self.origin = dict(scope), dict(origin)
        self.taken = set(origin)
        if any(name.startswith("fence.") for name in self.names):
            for name in ("addr", "data", "ctrl"):  # RISC-V's start at a store-conditional, too
                self.scope[name] = scope[f"any-{name}"]

    def fresh(self, name: str) -> str:
        unique, count = name, 2
        while unique in self.taken:
            unique, count = f"{name}#{count}", count + 1
        self.taken.add(unique)
        self.origin[unique] = name
        return unique

    # --- statements

    def run(self, statements: tuple[cat.Statement, ...], folder: Path) -> None:
        for statement in statements:
            self.statement(statement, folder)

    def statement(self, s: cat.Statement, folder: Path) -> None:
        match s:
            case cat.Include():
                self.include(s, folder)
            case cat.Let():
                bindings, self.scope = self.bindings(s.bindings, s.recursive, self.scope)
                self.out.append(replace(s, bindings=bindings))
            case cat.Check():
                self.out.append(replace(s, value=self.expression(s.value, self.scope)))
            case cat.Show():
                self.show(s)
            case cat.IfStatement():
                self.run(s.then if self.holds(s.condition) else s.otherwise, folder)
            case cat.Enum():
                unique = self.fresh(s.name)
                self.scope = {**self.scope, s.name: unique}
                self.out.append(replace(s, name=unique))
                self.name_tags(s)
            case cat.With():
                self.choose(s)
            case cat.Procedure():
                self.procedure(s, folder)
            case cat.Call():
                self.out.append(self.call(s, self.scope))
            case cat.ForAll():
                values, name = self.expression(s.values, self.scope), self.fresh(s.variable)
                body = self.block(s.body, {**self.scope, s.variable: name}, folder)
                self.out.append(replace(s, variable=name, values=values, body=body))

    def name_tags(self, s: cat.Enum) -> None:
        """Bell: the tag 'mb is also the set Mb, of the events that carry it, unless that name has a meaning, in
        whatever case: 'MB is Mb, too."""
        known = {name.lower() for name in self.scope}
        for tag in s.tags:
            name = tag[1].upper() + tag[2:]
            if name.lower() not in known and "tag2events" in self.scope:
                unique = self.fresh(name)
                events = cat.Apply(cat.Name(self.scope["tag2events"], s.at), (cat.Tag(tag, s.at),), s.at)
                self.out.append(cat.Let((cat.Binding((unique,), events, s.at),), False, s.at))
                self.scope = {**self.scope, name: unique}

    def include(self, s: cat.Include, folder: Path) -> None:
        path = next((p for p in _places(s.path, folder) if p.is_file()), None)
        if path is None:
            known = sorted(p.name for p in INCLUDE_DIRECTORY.glob("*.cat"))
            close = get_close_matches(s.path, known, 1)
            hint = f"did you mean {close[0]}?" if close else f"beside the file itself we have {', '.join(known)}"
            raise _error(s.at, f"include of {s.path}, which does not exist", "a file", hint)
        if path in self.including:
            raise _error(s.at, f"{s.path} includes itself", "a file that is not being read already")
        self.including.append(path)
        self.run(_parse_path(path).statements, path.parent)
        self.including.pop()

    def choose(self, s: cat.With) -> None:
        """`with co from ...` only says what we have anyway: the coherence order of the candidate."""
        if s.name == "co":
            return
        values, unique = self.expression(s.values, self.scope), self.fresh(s.name)
        self.scope = {**self.scope, s.name: unique}
        if (writes := _ordered_writes(s.values)) is not None:
            self.order_of(self.expression(writes, self.scope), unique, s)
            return
        only = self.only(values)
        if only is not None:  # no choice at all
            self.out.append(cat.Let((cat.Binding((unique,), only, s.at),), False, s.at))
        else:
            self.out.append(replace(s, name=unique, values=values))

    def order_of(self, writes: cat.Expression, unique: str, s: cat.With) -> None:
        """`with mo from generate_orders(W & A, base)`, as herd's files for C11 have it: the candidate's coherence order
        among those writes, which has to extend what it starts from. Another order of its own would say nothing about
        what memory holds in the end, nor know that the halves of a read-modify-write are neighbours."""
        among = cat.Binary("&", cat.Base("co", s.at), cat.Binary("*", writes, writes, s.at), s.at)
        self.out.append(cat.Let((cat.Binding((unique,), among, s.at),), False, s.at))
        base = s.values.args[1] if isinstance(s.values, cat.Apply) else s.values
        there = cat.Binary("&", self.expression(base, self.scope), cat.Binary("*", writes, writes, s.at), s.at)
        against = cat.Binary("\\", cat.Binary("&", there, cat.Base("loc", s.at), s.at), cat.Name(unique, s.at), s.at)
        self.out.append(cat.Check("empty", False, against, f"{s.name}-extends", "require", s.at))

    def only(self, values: cat.Expression) -> cat.Expression | None:
        """The one element of a set that is written so, here or in the function that is applied."""
        if isinstance(values, cat.Apply) and isinstance(values.function, cat.Name):
            name = (values.function.name,)
            made = [b.value for s in self.out if isinstance(s, cat.Let) for b in s.bindings if b.names == name]
            values = next((f.body for f in made if isinstance(f, cat.Fun)), values)
        if isinstance(values, cat.ValueSet) and len(values.items) == 1 and isinstance(values.items[0], cat.Name):
            return values.items[0] if values.items[0].name in self.scope.values() else None
        return None

    def show(self, s: cat.Show) -> None:
        """Files show relations that only their own tool has; that is no reason to refuse them."""
        kept = []
        for label, value in s.values:
            try:
                kept.append((label, self.expression(value, self.scope)))
            except UnknownNameError:
                continue
        self.out.append(replace(s, values=tuple(kept)))

    def procedure(self, s: cat.Procedure, folder: Path) -> None:
        unique = self.fresh(s.name)
        outer = dict(self.procedures)
        if s.recursive:
            self.procedures = {**outer, s.name: unique}
        params = tuple(self.fresh(p) for p in s.params)
        body = self.block(s.body, {**self.scope, **dict(zip(s.params, params, strict=True))}, folder)
        self.procedures = {**outer, s.name: unique}
        self.out.append(replace(s, name=unique, params=params, body=body))

    def block(self, body: tuple[cat.Statement, ...], scope: dict[str, str], folder: Path) -> tuple[cat.Statement, ...]:
        outer_scope, outer_out = self.scope, self.out
        self.scope, self.out = scope, []
        self.run(body, folder)
        inner, self.scope, self.out = self.out, outer_scope, outer_out
        return tuple(inner)

    def call(self, s: cat.Call, scope: dict[str, str]) -> cat.Call:
        if s.procedure not in self.procedures:
            close = get_close_matches(s.procedure, self.procedures, 1)
            hint = f"did you mean '{close[0]}'?" if close else ""
            raise _error(s.at, f"unknown procedure '{s.procedure}'", "a procedure defined above", hint)
        args = tuple(self.expression(a, scope) for a in s.args)
        return replace(s, procedure=self.procedures[s.procedure], args=args)

    def holds(self, c: cat.Condition) -> bool:
        match c:
            case cat.Variant(name):
                return name in self.variants
            case cat.Logic("not", (inner,)):
                return not self.holds(inner)
            case cat.Logic("&&", parts):
                return all(self.holds(p) for p in parts)
            case cat.Logic(_, parts):
                return any(self.holds(p) for p in parts)

    # --- expressions

    def bindings(
        self, bindings: tuple[cat.Binding, ...], recursive: bool, scope: dict[str, str]
    ) -> tuple[tuple[cat.Binding, ...], dict[str, str]]:
        unique = [tuple(self.fresh(n) for n in b.names) for b in bindings]
        inner = dict(scope)
        for b, names in zip(bindings, unique, strict=True):
            inner.update(zip(b.names, names, strict=True))
        outer = inner if recursive else scope
        resolved = tuple(
            replace(b, names=names, value=self.expression(b.value, outer))
            for b, names in zip(bindings, unique, strict=True)
        )
        return resolved, inner

    def expression(self, e: cat.Expression, scope: dict[str, str]) -> cat.Expression:
        match e:
            case cat.Name():
                return self.name(e, scope)
            case cat.Binary("&", cat.Name(left), cat.Name(right)) if {left, right} == {"R", "W"} and self.of_c:
                return self.name(cat.Name("RMW", e.at), scope)
            case cat.Binary():
                return replace(e, left=self.expression(e.left, scope), right=self.expression(e.right, scope))
            case cat.Unary():
                fences = self.fences(e.inner, scope) if e.op == "[]" else None
                return replace(e, inner=fences or self.expression(e.inner, scope))
            case cat.Apply():
                args = tuple(self.expression(a, scope) for a in e.args)
                return replace(e, function=self.expression(_by_arguments(e), scope), args=args)
            case cat.Tuple() | cat.ValueSet():
                return replace(e, items=tuple(self.expression(i, scope) for i in e.items))
            case cat.Fun():
                params = tuple(self.fresh(p) for p in e.params)
                inner = {**scope, **dict(zip(e.params, params, strict=True))}
                return replace(e, params=params, body=self.expression(e.body, inner))
            case cat.LetIn():
                bindings, inner = self.bindings(e.bindings, e.recursive, scope)
                return replace(e, bindings=bindings, body=self.expression(e.body, inner))
            case cat.Match():
                subject = self.expression(e.subject, scope)
                return replace(e, subject=subject, clauses=tuple(self.clause(c, scope) for c in e.clauses))
            case cat.Try():
                try:
                    return self.expression(e.attempt, scope)
                except UnknownNameError:
                    return self.expression(e.fallback, scope)
            case cat.If():
                return self.expression(e.then if self.holds(e.condition) else e.otherwise, scope)
            case _:
                return e

    def clause(self, c: cat.Clause, scope: dict[str, str]) -> cat.Clause:
        if not isinstance(c.pattern, tuple):
            return replace(c, body=self.expression(c.body, scope))
        head, tail = (self.fresh(n) for n in c.pattern)
        inner = {**scope, c.pattern[0]: head, c.pattern[1]: tail}
        return replace(c, pattern=(head, tail), body=self.expression(c.body, inner))

    def name(self, e: cat.Name, scope: dict[str, str]) -> cat.Name | cat.Base:
        if e.name in scope:
            return cat.Name(scope[e.name], e.at)
        if e.name in _PRIMITIVES:
            return cat.Base(e.name, e.at)
        if e.name in ("AQ", "RL") and "emptyset" in scope:  # in the Linux kernel's files RL is a lock event
            return cat.Name(scope["emptyset" if "LKW" in self.root.words else f"{e.name}-accesses"], e.at)
        if e.name == "A" and "Acquire" in scope:
            return cat.Name(scope[self.meaning_of_a()], e.at)
        other = self.other_case(e.name, scope)
        if other is not None:
            return cat.Name(scope[other], e.at)
        raise self.unknown(e, scope)

    def fences(self, e: cat.Expression, scope: dict[str, str]) -> cat.Expression | None:
        """In Dartagnan `[sync]` speaks of the fences, where herd has a relation of that name."""
        if isinstance(e, cat.Name) and e.name in _FENCES and scope.get(e.name) == e.name:
            return cat.Name(scope[_FENCES[e.name]], e.at)
        return None

    def meaning_of_a(self) -> str:
        """`A` is an acquire in AArch64 files, a locked access in x86 ones and an atomic access in C ones."""
        if "L" in self.root.words or "Q" in self.root.words or any(n.startswith("dmb") for n in self.names):
            return "Acquire"
        if "mfence" in self.names or '"x86fences.cat"' in self.root.words:
            return "RMW-accesses"
        return "ATOMIC"

    def other_case(self, name: str, scope: dict[str, str]) -> str | None:
        """Fence tags differ in case between tools: `Mfence`, `MFENCE`. A capital stays a set."""
        same = [n for n in scope if n.lower() == name.lower() and n[0].isupper() == name[0].isupper()]
        return same[0] if len(same) == 1 and name[0].isupper() else None

    def unknown(self, e: cat.Name, scope: dict[str, str]) -> UnknownNameError:
        close = get_close_matches(e.name, [*scope, *_PRIMITIVES], 1, 0.65)
        hint = f"did you mean '{close[0]}'?" if close else "define it with let, or include the file that does"
        if e.name in _OF_GPUS:
            hint = "this is a model of a graphics processor (PTX, Vulkan, OpenCL); programs here have no scopes"
        return UnknownNameError(
            f"unknown name '{e.name}'", file=e.at.file, line=e.at.line, column=e.at.column,
            expected="a set, a relation or a function that is defined above", hint=hint,
        )  # fmt: skip


def _ordered_writes(values: cat.Expression) -> cat.Expression | None:
    """The writes, where these are their orders by `generate_orders`; None for anything else."""
    match values:
        case cat.Apply(cat.Name("generate_orders"), (cat.Binary("&", cat.Name("W")) as writes, _)):
            return writes
        case cat.Apply(cat.Name("generate_orders"), (cat.Name("W") as writes, _)):
            return writes
    return None


def _by_arguments(e: cat.Apply) -> cat.Expression:
    """The function that is applied; herd's ctrlcfence got a second argument over the years."""
    if isinstance(e.function, cat.Name) and e.function.name == "ctrlcfence" and len(e.args) == 2:
        return cat.Name("ctrlcfence-by", e.function.at)
    return e.function


def _error(at: Position, message: str, expected: str, hint: str = "") -> InputError:
    return InputError(message, file=at.file, line=at.line, column=at.column, expected=expected, hint=hint)
