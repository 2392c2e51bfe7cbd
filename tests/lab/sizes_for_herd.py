"""Random litmus tests of mixed size in AArch64's instructions, and ARMv7's and RISC-V's models in herd's words, for
them: herd's own front ends for those two have no updates, or no exclusives, of mixed size.

    python tests/lab/sizes_for_herd.py FOLDER --tests 100 --seed 5000
    herd7 -variant mixed -model FOLDER/armv7.cat FOLDER/*.litmus > LOG
    fencepost litmus FOLDER --model armv7 --expected LOG
    herd7 -variant mixed -model FOLDER/riscv.cat FOLDER/*.litmus > LOG   # of tests made with --no-fences
    fencepost litmus FOLDER --model riscv@forced --expected LOG

herd takes seconds for some tests: give each a time limit. A sum in pieces carries over from one to the next, which we
take for a data dependency; the models here have none inside an instruction.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random

_START = """include "cos.cat"
let within = po-loc | (rmw & loc)
acyclic within | rf | fr | co as coherence
empty rmw & (fre ; coe) as atomicity
"""
ARMV7 = f"""before-v8
{_START}
let dd = addr | data
let rdw = po-loc & (fre ; rfe)
let detour = po-loc & (coe ; rfe)
let ctrlisb = try ctrlcfence(ctrl, ISB) with 0
let ci0 = ctrlisb | detour
let ii0 = dd | rfi | rdw
let cc0 = dd | ctrl | (addr ; po) | rmw
let ic0 = 0
include "ppo.cat"
let strong = fencerel(DMB.SY)
let hb = ppo | strong | rfe
acyclic hb as thin-air
let base = (strong | (rfe ; strong)) ; hb*
let prop = (base & (W * W)) | ((rf | fr | co)* ; base* ; strong ; hb*)
acyclic co | prop as propagation
irreflexive fre ; prop ; hb* as observation
"""
RISCV = f"""RVWMO
{_START}
let between = po-loc \\ (po-loc ; [W] ; po-loc)
let ad = addr & po
let dat = data & po
let ppo = ([M] ; po-loc ; [W]) | (([R] ; between ; [R]) \\ (rf^-1 ; rf)) | ([range(rmw)] ; rfi ; [R]) | (rmw & loc)
        | (ad ; [M]) | (dat ; [W]) | (ctrl ; [W]) | ((ad | dat) ; [W] ; rfi ; [R]) | (ad ; [M] ; po ; [W])
let gmo = ppo | rfe | co | fr
let one = amo & loc
let same = one | one^-1 | id
acyclic same ; (gmo \\ same) ; same as global
"""
_BASE = {"x": "X25", "y": "X26"}
_UPDATES = ("SWP", "SWP", "LDADD", "LDSET", "LDEOR")


class _Thread:
    def __init__(self, random: Random, index: int, *, fences: bool) -> None:
        self.random, self.index, self.fences = random, index, fences
        self.code: list[str] = []
        self.read: list[int] = []
        self.shown: list[int] = []
        self.start: list[str] = [f"{index}:{base}={name}" for name, base in _BASE.items()]
        self.used = 0

    def register(self) -> int:
        self.used += 1
        return self.used

    def value(self) -> int:
        if self.read and self.random.random() < 0.4:
            return self.read[-1]
        v = self.register()
        self.start.append(f"{self.index}:X{v}={self.random.choice((1, 2, 3)) * 0x1_0000_0001}")
        return v

    def _address(self, offset: int, base: str) -> str:
        added = [f"#{offset}"] if offset else []
        if self.read and self.random.random() < 0.25:
            zero = self.register()
            self.code.append(f"EOR X{zero},X{self.read[-1]},X{self.read[-1]}")
            added.append(f"X{zero}")
        for one in added:
            place = f"X{self.register()}"
            self.code.append(f"ADD {place},{base},{one}")
            base = place
        return base

    def _reads(self) -> int:
        found = self.register()
        self.shown.append(found)
        return found

    def access(self, name: str) -> None:
        r = self.random
        size = r.choice("XXW")
        at, what = self._address(r.choice((0, 4)) if size == "W" else 0, _BASE[name]), r.random()
        if what < 0.2:
            self.read.append(self._reads())
            self.code.append(f"LDR {size}{self.read[-1]},[{at}]")
        elif what < 0.36:
            self.code.append(f"STR {size}{self.value()},[{at}]")
        elif what < 0.7:
            value, old = self.value(), self._reads()
            self.code.append(f"{r.choice(_UPDATES)} {size}{value},{size}{old},[{at}]")
            self.read.append(old)
        else:
            old, failed = self._reads(), self._reads()
            self.code.append(f"LDXR {size}{old},[{at}]")
            value = self.value() if r.random() < 0.6 else old
            self.code.append(f"STXR W{failed},{size}{value},[{at}]")
            self.read.append(old)
        if self.fences and r.random() < 0.15:
            self.code.append(r.choice(("DMB SY", "DMB SY", "ISB")))


def litmus(seed: int, *, fences: bool) -> str:
    random = Random(f"for herd {seed}")
    count, names = random.choice((2, 2, 2, 3)), ["x", "y"][: random.choice((1, 1, 2))]
    threads = [_Thread(random, k, fences=fences) for k in range(count)]
    for thread in threads:
        for _ in range(random.choice((1, 1, 2, 2)) if count == 2 else 1):
            thread.access(random.choice(names))
    shown = [f"{t.index}:X{r}" for t in threads for r in t.shown]
    start = ["uint64_t x=0", "uint64_t y=0", *(s for t in threads for s in t.start), *(f"uint64_t {r}" for r in shown)]
    rows = [[t.code[k] if k < len(t.code) else "" for t in threads] for k in range(max(len(t.code) for t in threads))]
    lines = [f"AArch64 sizes{seed}", "{ " + "; ".join(start) + "; }"]
    lines += [" | ".join(row) + " ;" for row in [[f"P{k}" for k in range(count)], *rows]]
    return "\n".join([*lines, "locations [" + " ".join(f"{s};" for s in (*shown, *names)) + "]", "exists (x=0)", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tests", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-fences", action="store_true", help="RISC-V's model knows none of AArch64's")
    o = parser.parse_args()
    o.folder.mkdir(parents=True, exist_ok=True)
    (o.folder / "armv7.cat").write_text(ARMV7, encoding="utf-8")
    (o.folder / "riscv.cat").write_text(RISCV, encoding="utf-8")
    for seed in range(o.seed, o.seed + o.tests):
        text = litmus(seed, fences=not o.no_fences)
        (o.folder / f"sizes{seed}.litmus").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
