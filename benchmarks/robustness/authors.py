"""The programs of Rocker's authors, as they published them, asked here:
python benchmarks/robustness/authors.py FOLDER... [--limit SECONDS] [--max-value N]

FOLDER holds their files (github.com/rymrg/rocker, `examples`; nothing of them is in this repository). Each is written
in their language and says in its first lines what its authors found. It is translated to .fp, statement by statement,
and `robust` is asked against `ra` where they say something about it, and against `rc11` where they say something about
their model `rlx`: the accesses keep their orders, and one without an order is relaxed there, which is what they do.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import fencepost.api as api
from fencepost.errors import FencepostError
from fencepost.frontends import pseudo

TOKEN = re.compile(r"\s+|//[^\n]*|(?P<word>\w+)|(?P<sign>&&|\|\||[=!<>]=|[^\s\w])")
MODES = {"rlx": "rlx", "acq": "acq", "rel": "rel", "seq_cst": "sc", "acq_rel": "acq_rel"}
BOTH = {("rlx", "rlx"): "rlx", ("acq", "rlx"): "acq", ("rlx", "rel"): "rel", ("acq", "rel"): "acq_rel"}
MODELS = {"ra": "ra", "rlx": "rc11"}


class Reader:
    """Their grammar, read into lines of .fp. With `orders` false every access is a release or an acquire; with
    `goes_round` values above `max_value` begin at 0 again, as theirs do."""

    def __init__(self, text: str, *, orders: bool, goes_round: bool = False) -> None:
        self.tokens = [m[0] for m in TOKEN.finditer(text) if m["word"] or m["sign"]]
        self.at, self.orders = 0, orders
        self.choices = 0
        limit = re.search(r"^\s*max_value\s+(\d+)", text, flags=re.MULTILINE)
        self.modulo = int(limit[1]) + 1 if limit and goes_round else 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self, expected: str = "") -> str:
        token = self.peek()
        if not token or (expected and token != expected):
            raise ValueError(f"expected {expected or 'more'}, found {token or 'the end'}")
        self.at += 1
        return token

    def taken(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.at += 1
        return True

    def until(self, *ends: str) -> str:
        """The tokens up to one of these outside brackets, which stays."""
        found: list[str] = []
        depth = 0
        while depth or self.peek() not in ends:
            token = self.next()
            depth += {"(": 1, ")": -1}.get(token, 0)
            found.append({"true": "1", "false": "0"}.get(token, token))
        return " ".join(found)

    def program(self) -> str:
        lines: list[str] = []
        while token := self.peek():
            if token == "fn":
                lines += self.thread()
                continue
            self.next()
            rest = self.until(";")
            self.next(";")
            if token in ("global", "na"):
                lines.append(f"{'var' if token == 'global' else 'na'} {rest}")
        return "\n".join(lines) + "\n"

    def thread(self) -> Iterator[str]:
        self.next("fn")
        yield f"thread t_{self.next()} {{"
        self.next("{")
        if self.taken("local"):
            names = self.until(";")
            self.next(";")
            yield f"local {names}"
        yield from self.statements()
        yield "}"

    def statements(self) -> Iterator[str]:
        while not self.taken("}"):
            yield from self.statement()

    def statement(self) -> Iterator[str]:
        first, second = self.next(), self.peek()
        if second == ":":
            self.next()
            yield f"l_{first}:"
        elif first in ("if", "while"):
            yield from self.conditional(first)
        elif first == "oneof":
            yield from self.one_of()
        elif first == "wait" or (second == "=" and self.tokens[self.at + 1] == "wait"):
            yield from self.wait(first)
        elif second == "=" and self.tokens[self.at + 1] == "FADD" and self.modulo:
            yield from self.add(first)
        else:
            text = self.simple(first)
            self.next(";")
            yield text

    def wait(self, first: str) -> Iterator[str]:
        """A wait for one of several values guesses which; a wrong guess waits for ever, which is no event."""
        target = "" if first == "wait" else f"{first} := "
        if target:
            self.next("="), self.next("wait")
        given = self.arguments(opened=False)
        self.next(";")
        mode = self.mode([given.pop()] if given[-1] in MODES else [], "acq")
        waits = [[f"{target}wait({given[0]}.{mode} == {value})"] for value in given[1:]]
        yield from waits[0] if len(waits) == 1 else self.chosen(waits)

    def add(self, first: str) -> Iterator[str]:
        """An addition that goes round: the value that it reads is guessed, and a wrong guess waits for ever."""
        self.next("="), self.next("FADD")
        given, mode = self.update()
        self.next(";")
        name = self.guess()
        yield f"{name} := choose(0..{self.modulo - 1})"
        yield f"BCAS({given[0]}.{mode}, {name}, ({name} + {given[1]}) % {self.modulo})"
        yield f"{first} := {name}"

    def conditional(self, kind: str) -> Iterator[str]:
        self.next("(")
        condition = self.until(")")
        self.next(")")
        if self.taken("goto"):
            yield f"if ({condition}) goto l_{self.next()}"
            self.next(";")
            return
        self.next("{")
        yield f"{kind} ({condition}) {{"
        yield from self.statements()
        if kind == "if" and self.taken("else"):
            self.next("{")
            yield "} else {"
            yield from self.statements()
        yield "}"

    def one_of(self) -> Iterator[str]:
        self.next("(")
        blocks: list[list[str]] = []
        while self.taken("{"):
            blocks.append(list(self.statements()))
        self.next(")")
        self.next(";")
        yield from self.chosen(blocks)

    def chosen(self, blocks: list[list[str]]) -> Iterator[str]:
        """One of these blocks, as a chain of branches."""
        name = self.guess()
        yield f"{name} := choose(0..{len(blocks) - 1})"
        for n, block in enumerate(blocks):
            yield f"if ({name} == {n}) {{"
            yield from block
            yield "}"

    def guess(self) -> str:
        self.choices += 1
        return f"choice_{self.choices}"

    def round(self, expression: str) -> str:
        return f"({expression}) % {self.modulo}" if self.modulo and re.search("[-+*]", expression) else expression

    def simple(self, first: str) -> str:
        if first == "goto":
            return f"goto l_{self.next()}"
        if first in ("skip", "verify"):  # verify: of observational robustness only
            self.until(";")
            return "skip"
        if first == "fence":
            return "fence.sc" if not self.taken("(") else f"fence.{MODES[self.arguments()[0]]}"
        if first in ("lock", "unlock"):
            name = self.arguments(opened=False)[0]
            return f"BCAS({name}.acq, 0, 1)" if first == "lock" else f"{name}.rel := 0"
        if first in ("assert", "assume"):
            return f"{first}({self.until(';')})"
        if first in ("FADD", "CAS", "BCAS", "exchange"):
            return self.call(first)
        if self.taken("."):
            return self.store(first)
        self.next("=")
        return f"{first} := {self.value()}"

    def arguments(self, *, opened: bool = True) -> list[str]:
        if not opened:
            self.next("(")
        found: list[str] = []
        while self.peek() != ")":
            found.append(self.until(",", ")"))
            self.taken(",")
        self.next(")")
        return found

    def store(self, name: str) -> str:
        kind = self.next()
        given = self.arguments(opened=False)
        mode = "na" if kind == "nastore" else self.mode(given[1:], "rel")
        return f"{name}.{mode} := {self.round(given[0])}"

    def mode(self, given: list[str], strong: str) -> str:
        if not self.orders:
            return strong
        return MODES[given[0]] if given else "rlx"

    def value(self) -> str:
        word = self.peek()
        if word in ("FADD", "CAS", "exchange"):
            return self.call(self.next())
        if self.tokens[self.at + 1] == "." and self.tokens[self.at + 2] in ("load", "naload"):
            self.next(), self.next(".")
            kind = self.next()
            given = self.arguments(opened=False)
            return f"{word}.na" if kind == "naload" else f"{word}.{self.mode(given, 'acq')}"
        return self.until(";")

    def call(self, kind: str) -> str:
        given, mode = self.update()
        name = "XCHG" if kind == "exchange" else kind
        return f"{name}({given[0]}.{mode}, {', '.join(self.round(each) for each in given[1:])})"

    def update(self) -> tuple[list[str], str]:
        """What an update is given, and its order."""
        given = self.arguments(opened=False)
        modes = [given.pop() for _ in range(2)][::-1] if given[-1] in MODES else ["rlx", "rlx"]
        return given, BOTH[modes[0], modes[1]] if self.orders else "acq_rel"


def told(text: str) -> dict[str, bool]:
    """What the authors found: their model and whether the program is robust."""
    if m := re.search(r"^//\s*(NOT)?ROBUST\s*$", text, flags=re.MULTILINE):
        return {"ra": m[1] is None}
    found: dict[str, bool] = {}
    for line in re.findall(r"^//\s*ROBUSTNESS egr:(.*)$", text, flags=re.MULTILINE):
        for answer, models in re.findall(r"(robust|not):\s*([\w, ]+)", line):
            found |= {model.strip(): answer == "robust" for model in models.split(",") if model.strip()}
    return found


def ask(text: str, name: str, model: str, limit: float) -> tuple[str, int]:
    """What we find. Where values do not go round but are never as large, it is the same program, and much smaller."""
    answer, states = "", 0
    for goes_round in (False, True):
        source = Reader(text, orders=model == "rlx", goes_round=goes_round).program()
        verdict = api.robust(pseudo.read(source, name), against=MODELS[model], time_limit=limit)
        found = verdict.extra.get("robust")
        states = int(verdict.extra.get("states", 0))
        if isinstance(found, bool):
            return "robust" if found else "not", states
        answer = f"{verdict.answer.value} ({verdict.reason})"
    return answer, states


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each question")
    parser.add_argument("--max-value", type=int, help="instead of theirs")
    options = parser.parse_args()
    same = other = open_ = unread = 0
    for path in sorted(p for folder in options.folders for p in folder.rglob("*.tpl")):
        text = path.read_text(encoding="utf-8")
        if options.max_value:
            text = re.sub(r"max_value\s+\d+", f"max_value {options.max_value}", text)
        for model, robust in told(text).items():
            started = process_time()
            try:
                answer, states = ask(text, path.name, model, options.limit)
            except (ValueError, KeyError, FencepostError) as error:
                unread += 1
                print(f"{path.name} {model}: not read: {error}", flush=True)
                continue
            agrees, known = answer == ("robust" if robust else "not"), answer in ("robust", "not")
            same, other, open_ = same + agrees, other + (known and not agrees), open_ + (not known)
            differs = " DIFFERS" if known and not agrees else ""
            seconds = process_time() - started
            theirs = "robust" if robust else "not"
            print(f"{path.name} {model}: {theirs} / {answer}{differs}, {states:,} states, {seconds:.2f} s", flush=True)
    print(f"{same} answers are the authors', {other} are not, {open_} without an answer, {unread} not read")
    return int(other > 0)


if __name__ == "__main__":
    sys.exit(main())
