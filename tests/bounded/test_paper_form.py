"""The C of `--emit paper` beside Algorithms 6 to 15 of the paper: `algorithms.txt` has them as printed, the rules below
write a printed line in C, and each numbered line of `paper.c` must be that, but for the differences that are listed."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from fencepost import api

ALGORITHMS = Path(__file__).parent / "algorithms.txt"
EXAMPLES = Path(__file__).parents[2] / "examples" / "papers"

DIFFERENT = {  # in C, where the paper prints something else; the head of paper.c has the reasons
    (6, 3): "nu[p][x]=first[x]mu[p][x][1]=first[x]",
    (6, 5): "alpha[p][x][1].of[q]=at(2,0)",
    (6, 15): "alpha_init[p][x][k].of[q]=gen_place(0)",
}

EXPRESSIONS = {
    8: {"iReg(exp + exp′)": "iReg_exps", "cReg(exp + exp′)": "cReg_exps", "cReg(exp′)": "cReg_address", "[exp′]": "x"},
    10: {"iReg(exp)": "iReg_exp", "cReg(exp)": "cReg_exp", "[exp]": "x"},
}

WORDS = {
    "µinit": "mu_init", "αinit": "alpha_init", "γinit": "gamma_init", "µ": "mu", "ν": "nu", "α": "alpha", "β": "beta",
    "γ": "gamma_", "δ": "delta", "old-": "old_", "≠": "!=", "≥": ">=", "∧": "&&", "−": "-",
    "gen([1..K])": "(int)gen(1,K)", "gen(K❶❷)": "gen_place(1)", "gen(P)": "(int)gen(0,P-1)", "gen(D)": "nondet_D()",
    "l is reachable then error": "error then violation()",
    "∃k : 1 ≤ k ≤ K : beta ⊑ alpha(q, x, k)": "below_some(beta,alpha[q][x])",
}  # fmt: skip

LOOPS = {
    "p ∈ P": "for(intp=0;p<P;p++)", "q ∈ P": "for(intq=0;q<P;q++)", "x ∈ X": "for(intx=0;x<X;x++)",
    "$r ∈ R": "for(intr=0;r<R;r++)", "k ∈ [1..K]": "for(intk=1;k<=K;k++)", "k ∈ [2..K]": "for(intk=2;k<=K;k++)",
    "k ∈ [1..K−1]": "for(intk=1;k<=K-1;k++)",
}  # fmt: skip

ARRAYS = "iR|cR|iW|cW|iReg|cReg|ctrl|active|sync|lsync|isync|ack|maxAddrCR|mu|nu|alpha|gamma_|(?:mu|alpha|gamma)_init"


def printed() -> dict[tuple[int, int], str]:
    lines: dict[tuple[int, int], str] = {}
    number = 0
    for line in filter(None, ALGORITHMS.read_text(encoding="utf-8").splitlines()):
        first, rest = line.split(" ", 1)
        if first == "Algorithm":
            number = int(rest)
        else:
            lines[number, int(first)] = rest
    return lines


def ours(text: str) -> dict[tuple[int, int], str]:
    """What stands between two line numbers, without braces, spaces and other comments."""
    lines: dict[tuple[int, int], str] = {}
    for part in re.split(r"/\* --- (?=Algorithm)", text)[1:]:
        number, body = re.match(r"Algorithm (\d+)[^/]*/\n[^{]*\{(.*)", part, flags=re.DOTALL).groups()  # type: ignore[union-attr]
        body = re.sub(r"\n  (?:int|timestamp|contexts) [\w, ]+;|/\* (?:Guess|Check|Update) \*/", "", body)
        for code, line in re.findall(r"(.*?)/\*\s+(\d+)[^*]*\*/", body, flags=re.DOTALL):
            assert (int(number), int(line)) not in lines, f"line {line} of Algorithm {number} should be there once"
            lines[int(number), int(line)] = _bare(code)
    return lines


def _bare(code: str) -> str:
    loops: list[str] = re.findall(r"for \([^)]*\)", code)
    for n, loop in enumerate(loops):
        code = code.replace(loop, f"<{n}>", 1)
    code = re.sub(r"[\s{};]", "", code)
    return re.sub(r"<(\d)>", lambda m: re.sub(r"\s", "", loops[int(m[1])]), code)


def in_c(number: int, line: str) -> str:
    """A printed line as C."""
    if line.startswith("//"):
        return ""
    if line.startswith("for "):
        return "".join(LOOPS[each] for each in line[4:-3].split(" ∧ "))
    if m := re.match(r"assume\(∀x ∈ X : (.*)\)$", line):
        return LOOPS["x ∈ X"] + in_c(number, f"assume({m[1]})")
    for old, new in [*EXPRESSIONS.get(number, {}).items(), *WORDS.items()]:
        line = line.replace(old, new)
    line = re.sub(r"assume\((.*) ⟹ (.*)\)$", r"assume(implies(\1, \2))", line)
    line = re.sub(r"\$r(?!\))", "reg[r]", line).replace("$r", "r")
    line = _indexed(line)
    line = re.sub(r"([\w\[\].+]+) ∈ K❶", r"\1.kind = 1", line).replace("↓", ".context")
    line = re.sub(r"max\{([^{}]*)\}", _largest, line)
    line = re.sub(r"([\w\[\].]+) ⊑ ([\w\[\].]+)", r"below(\1, \2)", line)
    line = _updated(line)
    line = re.sub(r"if (.*?) then ?", r"if(\1)", line)
    line = re.sub(r"else reg", "elsereg", line)
    line = re.sub(r"([^!<>=])=(?!=)", r"\1==", line).replace("←", "=")
    return re.sub(r"[\s;]", "", _compared(line))


def _indexed(line: str) -> str:
    """f(p, x)(q) as f[p][x].of[q], from the inside."""
    if "(exp" in line:  # what a register that the expression reads has: handed over as a value
        line = re.sub(r"([ic]Reg)\(exp\)", r"\1_exp", line)
    old = ""
    while old != line:
        old = line
        line = re.sub(
            rf"\b({ARRAYS})\(([^()]*)\)", lambda m: m[1] + "".join(f"[{i.strip()}]" for i in m[2].split(",")), line
        )
        line = re.sub(r"\b(beta|delta)\((\w)\)", r"\1.of[\2]", line)
        line = re.sub(r"\b(\w+(?:\[[^()]*\])+)\((\w)\)", r"\1.of[\2]", line)
        line = line.replace("]↓", "].context")
    return line


def _largest(m: re.Match[str]) -> str:
    several = m[1].split(",")
    return m[1] if len(several) == 1 else f"max{len(several)}({m[1]})"


def _updated(line: str) -> str:
    """⊕ of timestamps of writes and of fences."""
    m = re.match(r"(.*) ← (.*) ⊕ (.*)$", line)
    return f"{m[1]} ← {'latest' if m[3] == 'delta' else 'summary'}({m[2]}, {m[3]})" if m else line


def _compared(line: str) -> str:
    """C compares structs by functions."""
    m = re.match(r"assume\(((alpha|gamma_)\S*) == (\S*)\)$", line)
    return f"assume({'equal' if m[2] == 'alpha' else 'same'}({m[1]}, {m[3]}))" if m else line


def test_every_line_of_the_papers_algorithms_is_there_in_order() -> None:
    text = (files("fencepost.bounded") / "paper.c").read_text(encoding="utf-8")
    assert list(ours(text)) == list(printed())
    assert len(printed()) == 25 + 26 + 28 + 15 + 17 + 10 + 19 + 18 + 7 + 6


@pytest.mark.parametrize("number", range(6, 16))
def test_every_line_says_what_the_paper_prints(number: int) -> None:
    text = (files("fencepost.bounded") / "paper.c").read_text(encoding="utf-8")
    expected = {at: DIFFERENT.get(at, in_c(number, line)) for at, line in printed().items() if at[0] == number}
    assert {at: line for at, line in ours(text).items() if at[0] == number} == expected
    for at in DIFFERENT:
        assert in_c(at[0], printed()[at]) != DIFFERENT[at], "this should be a difference"


@pytest.mark.parametrize(
    ("statement", "call"),
    [
        ("x := 1", "write(0, x, 1ull, 0, 0);"),
        ("r := y; x := r", "write(0, x, reg[A_r], iReg[A_r], cReg[A_r]);"),
        ("r := y", "read(0, A_r, y);"),
        ("r := y; s := a[r & 1]", "read_at(0, A_s, variable_at("),
        ("r := y; a[r & 1] := 2", "write_at(0, variable_at("),
        ("sync", "sync_(0);"),
        ("lwsync", "lwsync_(0);"),
        ("isync", "isync_(0);"),
    ],
)
def test_a_statement_calls_the_algorithm_that_is_for_it(statement: str, call: str, tmp_path: Path) -> None:
    file = tmp_path / "one.fp"
    file.write_text(f"var x, y\nvar a[2]\nthread A {{ {statement} }}\nthread B {{ y := 1; r := x; assert(r < 9) }}\n")
    assert call in api.bounded_translation(file, form="paper", contexts="2")
