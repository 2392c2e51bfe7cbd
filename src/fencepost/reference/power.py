"""POWER by axioms (Alglave, Maranget, Tautschnig: Herding Cats; called [7] in the RSMC papers), with reserve and
conditional pairs."""

from __future__ import annotations

from fencepost.execution.execution import EventKind, Execution
from fencepost.program.instructions import FenceKind
from fencepost.reference.axioms import atomic, coherent
from fencepost.reference.facts import Facts
from fencepost.reference.relations import Relation


def power(x: Execution) -> bool:
    f = Facts(x)
    if not (coherent(f) and atomic(f)):  # SC per location; atomicity
        return False
    return Power(f).consistent()


class Power:
    """The derived relations, by the paper's names."""

    def __init__(self, f: Facts) -> None:
        self.f = f
        self.po = f.po.between(~f.initial, ~f.initial)
        self.rfe, self.rfi = f.rf & f.external, f.rf - f.external
        self.fre, self.coe = f.fr & f.external, f.co & f.external
        self.dp = Relation.of(f.n, f.x.address_deps | f.x.data_deps)
        self.addr, self.ctrl = Relation.of(f.n, f.x.address_deps), Relation.of(f.n, f.x.control_deps)
        self.accesses = (f.R | f.W) & ~f.initial
        # Threads begin and end in a system call, which synchronises as `sync` does.
        calls = f.those(lambda e: e.kind in (EventKind.SPAWN, EventKind.BEGIN, EventKind.JOIN, EventKind.END))
        self.sync = self._around(f.fences(FenceKind.SYNC) | calls) | self._spawned()
        lwsync = self._around(f.fences(FenceKind.LWSYNC))
        eieio = self._around(f.fences(FenceKind.EIEIO)).between(f.W, f.W)
        self.fences = self.sync | (lwsync - lwsync.between(f.W, f.R)) | eieio
        self.hb = self.ppo() | self.fences | self.rfe

    def _around(self, fences: int) -> Relation:
        """Pairs of accesses with one of these events in between."""
        here = self.f.identity(fences)
        return (self.po >> here >> self.po).between(self.accesses, self.accesses)

    def _spawned(self) -> Relation:
        everywhere = (self.po | self.f.spawns).plus()
        return (everywhere >> self.f.spawns >> everywhere).between(self.accesses, self.accesses)

    def ppo(self) -> Relation:
        """Preserved program order: a fixpoint over the init and commit parts of instructions."""
        f = self.f
        accesses = self.accesses
        po_loc = f.po_loc.between(accesses, accesses)
        rdw = po_loc & (self.fre >> self.rfe)
        detour = po_loc & (self.coe >> self.rfe)
        isync = f.identity(f.fences(FenceKind.ISYNC))
        ctrl_isync = (self.ctrl >> isync >> self.po).between(accesses, accesses)
        ctrl = self.ctrl.between(accesses, accesses)
        ii = self.dp | rdw | self.rfi
        ic = Relation([0] * f.n)
        ci = ctrl_isync | detour
        cc = self.dp | po_loc | ctrl | (self.addr >> self.po).between(accesses, accesses)
        while True:
            now = (ii, ic, ci, cc)
            ii = ii | ci | (ic >> ci) | (ii >> ii)
            ic = ic | ii | cc | (ic >> cc) | (ii >> ic)
            ci = ci | (ci >> ii) | (cc >> ci)
            cc = cc | ci | (ci >> ic) | (cc >> cc)
            if now == (ii, ic, ci, cc):
                return ii.between(f.R, f.R) | ic.between(f.R, f.W)

    def consistent(self) -> bool:
        f = self.f
        if not self.hb.acyclic:  # no thin air
            return False
        hb = self.hb.star()
        base = (self.fences | (self.rfe >> self.fences)) >> hb
        prop = base.between(f.W, f.W) | (f.com.star() >> base.star() >> self.sync >> hb)
        return (self.fre >> prop >> hb).irreflexive and (f.co | prop).acyclic  # observation, propagation
