"""Consistency of an execution, model by model, written by hand after the papers.

Hardware models expect a mapped program (`program/passes/mapping.py`); `sc`, `ra` ignore modes and fences.
"""

from __future__ import annotations

from collections.abc import Callable

from fencepost.execution.execution import EventKind, Execution
from fencepost.program.instructions import FenceKind, Mode
from fencepost.reference.facts import Facts
from fencepost.reference.relations import Relation

Predicate = Callable[[Execution], bool]


def atomic(f: Facts) -> bool:
    """Nothing comes between what a read-modify-write reads and what it writes."""
    return not f.rmw & (f.fr >> f.co)


def coherent(f: Facts) -> bool:
    """SC per location."""
    return (f.po_loc | f.com).acyclic


def sc(x: Execution) -> bool:
    f = Facts(x)
    return atomic(f) and (f.po | f.com | f.spawns).acyclic


def _store_buffers(x: Execution, *, keeps_writes: bool) -> bool:
    """TSO and PSO: what a thread sees of its own writes (rfi) orders nothing; the rest is one global order."""
    f = Facts(x)
    if not (atomic(f) and coherent(f)):
        return False
    everything = f.R | f.W
    kept = f.po.between(f.R, everything)
    if keeps_writes:
        kept |= f.po.between(f.W, f.W)
    locked = f.rmw.domain() | f.rmw.codomain()
    kept |= f.po.between(everything, locked) | f.po.between(locked, everything)
    rest = f.those(lambda e: not e.is_access and e.kind is not EventKind.FENCE)
    around = f.po.between(-1, rest) | f.po.between(rest, -1)  # spawning and joining drain the buffer
    return (kept | f.fenced | around | f.spawns | (f.rf & f.external) | f.co | f.fr).acyclic


def tso(x: Execution) -> bool:
    return _store_buffers(x, keeps_writes=True)


def pso(x: Execution) -> bool:
    return _store_buffers(x, keeps_writes=False)


def ra(x: Execution) -> bool:
    """Every atomic access releases and acquires: hb = (po ∪ rf between atomics)+. An SC fence updates a location that
    nothing else uses: some total order of the fences agrees with hb and with what hb; eco; hb says."""
    f = Facts(x)
    atomics = f.modes(lambda m: m is not Mode.NA)
    hb, eco = (f.po | f.rf.between(atomics, atomics) | f.spawns).plus(), f.com.plus()
    fence = f.identity(f.fences(FenceKind.SC))
    if not (f.porf.irreflexive and atomic(f) and (hb >> eco.optional()).irreflexive):
        return False
    return (fence >> (hb | (hb >> eco >> hb)) >> fence).acyclic


class RC11:
    """The RC11 paper's relations (§3.2 of the RCMC paper), with `mo` as a parameter: WRC11 replaces it."""

    def __init__(self, x: Execution, *, cpp20: bool = False) -> None:
        self.f = f = Facts(x)
        self.atomics = f.modes(lambda m: m is not Mode.NA)
        rel_fences = f.fences(FenceKind.REL, FenceKind.ACQ_REL, FenceKind.SC)
        acq_fences = f.fences(FenceKind.ACQ, FenceKind.ACQ_REL, FenceKind.SC)
        release = (f.modes(lambda m: m.releases) & f.W) | rel_fences
        acquire = (f.modes(lambda m: m.acquires) & f.R) | acq_fences
        self.sc_accesses = f.modes(lambda m: m is Mode.SC)
        self.sc_fences = f.fences(FenceKind.SC)
        same_thread = Relation.identity(f.n) if cpp20 else f.po_loc.between(f.W, f.W).optional()
        self.rseq = f.identity(f.W) >> same_thread >> f.identity(f.W & self.atomics) >> (f.rf >> f.rmw).star()
        before = (f.identity(f.F) >> f.po).optional()
        after = (f.po >> f.identity(f.F)).optional()
        self.sw = (
            f.identity(release) >> before >> self.rseq >> f.rf >> f.identity(f.R & self.atomics) >> after
            >> f.identity(acquire)
        )  # fmt: skip
        self.hb = (f.po | self.sw | f.spawns).plus()

    def preconsistent(self, mo: Relation) -> bool:
        """COHERENCE and SBRF; atomicity is each model's own."""
        f = self.f
        eco = (mo | f.rf | (f.rf.inverse() >> mo)).plus()
        return f.porf.irreflexive and (self.hb >> eco.optional()).irreflexive

    def psc(self, mo: Relation) -> Relation:
        f, hb = self.f, self.hb
        rb = f.rf.inverse() >> mo
        eco = (mo | f.rf | rb).plus()
        other = f.po - f.same_location
        scb = f.po | (other >> hb >> other) | (hb & f.same_location) | mo | rb
        sc, fence = f.identity(self.sc_accesses | self.sc_fences), f.identity(self.sc_fences)
        base = (sc | (fence >> hb.optional())) >> scb >> (sc | (hb.optional() >> fence))
        return base | (fence >> (hb | (hb >> eco >> hb)) >> fence)

    def weak_mo(self) -> Relation:
        """mo_weak (§5): what hb and the reads of the same location say about the order of writes."""
        f = self.f
        found = Relation([0] * f.n)
        for address in {e.address for e in f.events if e.is_write}:
            here = f.those(lambda e, a=address: e.is_access and e.address == a)  # type: ignore[misc]
            found |= (self.hb | f.rf.between(here, here)).plus().between(here & f.W, here & f.W)
        return found

    def races(self) -> list[tuple[int, int]]:
        """Definition 3.10: conflicting, one of them non-atomic, unordered by hb. Initial writes never race."""
        f = self.f
        plain = f.modes(lambda m: m is Mode.NA)
        found = []
        for a, b in f.same_location:
            conflict = a < b and (f.W >> a & 1 or f.W >> b & 1) and not (f.initial >> a & 1 or f.initial >> b & 1)
            if conflict and (plain >> a & 1 or plain >> b & 1) and (a, b) not in self.hb and (b, a) not in self.hb:
                found.append((a, b))
        return found


def rc11(x: Execution, *, cpp20: bool = False) -> bool:
    model = RC11(x, cpp20=cpp20)
    return atomic(model.f) and model.preconsistent(model.f.co) and model.psc(model.f.co).acyclic


def rc11_cpp20(x: Execution) -> bool:
    return rc11(x, cpp20=True)


def wrc11(x: Execution) -> bool:
    """No coherence order: mo_weak instead. Two read-modify-writes never read from the same write: in RC11 the totality
    of mo says so, here it must be said, as Algorithm 5's K_must does."""
    model = RC11(x)
    f, mo = model.f, model.weak_mo()
    taken = [x.reads_from[r] for r, _ in x.rmw]
    if len(set(taken)) != len(taken) or not (f.rf >> f.rmw >> mo.inverse() >> mo.inverse()).irreflexive:
        return False
    return model.preconsistent(mo) and model.psc(mo).acyclic


MODELS: dict[str, Predicate] = {
    "sc": sc, "tso": tso, "pso": pso, "ra": ra, "rc11": rc11, "rc11-cpp20": rc11_cpp20, "wrc11": wrc11,
}  # fmt: skip
