"""Random small programs with something to repair."""

from __future__ import annotations

from pathlib import Path
from random import Random

import fencepost

_NAMES = ("x", "y", "z")


def random_program(rng: Random, model: str, path: Path) -> bool:
    """Writes a program with at most six accesses whose condition forbids an outcome that the model has and sequential
    consistency has not (or, with plain data, whose race may be repaired); false where this one has nothing of it."""
    if rng.random() < 0.25:
        path.write_text(_handover(rng))
        return True
    text, observed = _cycle(rng)
    path.write_text(f"{text}observe {', '.join(observed)}\n")
    weak = set(fencepost.outcomes(path, model=model).states) - set(fencepost.outcomes(path, model="sc").states)
    if not weak:
        return False
    state = rng.choice(sorted(weak))
    wanted = " && ".join(f"{name} == {value}" for name, value in state)
    path.write_text(f"{text}~exists ({wanted})\n")
    return True


def _handover(rng: Random) -> str:
    """Plain data that goes through one or two other threads."""
    hops = rng.choice((1, 2))
    lines = ["d := 1; x := 1"]
    if hops == 2:
        lines.append("r := x; if r == 1 { y := 1 }")
    last = "x" if hops == 1 else "y"
    take = rng.choice(
        (f"r := {last}", f"r := FADD({last}, 0)", f"wait({last} == 1); r := 1", f"r := CAS({last}, 1, 2)")
    )
    lines.append(f"{take}; if r == 1 {{ e := d; assert(e == 1) }}")
    threads = "".join(f"thread T{n} {{ {line} }}\n" for n, line in enumerate(lines))
    return f"na d\nvar x, y\n{threads}"


def _cycle(rng: Random) -> tuple[str, list[str]]:
    size = rng.choice((2, 2, 2, 3))
    names, observed, text = _NAMES[:size], [], f"var {', '.join(_NAMES[:size])}\n"
    for t in range(size):
        body = []
        for k, name in enumerate((names[t], names[(t + 1) % size])):
            kind = rng.choice("WWWRRRU" + "CS" * (rng.random() < 0.3))
            order = rng.choice(("", "", "", ".s"))
            if kind in "WS":
                body.append(f"{name}{'.rel' if order else ''} := {rng.choice((1, 1, 2))}")
                continue
            observed.append(f"T{t}:r{k}")
            place = f"{name}{'.acq' if order else ''}"
            reads = {"R": place, "U": f"FADD({name}, 1)", "C": f"CAS({name}, 0, 3)"}
            body.append(f"r{k} := {reads[kind]}")
        if body[0].startswith("r0 := ") and ":= " in body[1] and not body[1].startswith("r1") and rng.random() < 0.3:
            body[1] = f"{names[(t + 1) % size]} := r0 + 1"
        elif body[0].startswith("r0 := ") and rng.random() < 0.25:  # a control dependency
            body[1] = f"if r0 {rng.choice(('>=', '<='))} 1 {{ {body[1]} }}"
        text += f"thread T{t} {{ {'; '.join(body)} }}\n"
    return text, [*observed, *names]
