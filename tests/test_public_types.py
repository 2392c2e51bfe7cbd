"""What a user's project sees of the API: every name is there, and has its type under mypy --strict."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import fencepost
from fencepost.errors import UsageError
from fencepost.options import CheckOptions, RobustOptions

USER = """
import fencepost
from fencepost import Answer, Code, Outcomes, Reason, Verdict, Witness


def report(verdict: Verdict) -> str:
    witness: Witness | None = verdict.witness
    places = [r.at for r in verdict.reasons if r.code is Code.BOUND]
    if verdict.answer is Answer.FAIL and witness is not None:
        return f"{witness.error.kind.value}: {len(witness.execution.events)} events"
    return f"{verdict.reason} {places}"


verdict = fencepost.check("queue.c", model="rc11", accept_bounds=True)
print(report(verdict), report(fencepost.robust("queue.c")), report(fencepost.bounded("queue.c")))
words: str = f"{verdict} {verdict.why} {verdict.fix} {verdict.story()} {verdict.to_html()}"
table: fencepost.OutcomesByModel = fencepost.outcomes_by_model("queue.c", ["sc", "tso"], observe=["x"])
one: Outcomes = table["sc"]
found: Outcomes = fencepost.outcomes("queue.c")
for state, count in found.states.items():
    print(dict(state), count)
first: Reason = verdict.reasons[0]
try:
    program: fencepost.Program = fencepost.read("queue.c")
except fencepost.InputError as error:
    print(error.line)
reveal_type(fencepost.check)
reveal_type(verdict.exit_code)
"""
WRONG = """
import fencepost

verdict: int = fencepost.check("queue.c")
fencepost.chekc("queue.c")
"""


def test_every_public_name_is_there() -> None:
    for name in fencepost.__all__:
        assert getattr(fencepost, name) is not None, name
    assert set(fencepost.__all__) == set(dir(fencepost))


def test_options_are_given_as_keywords_or_as_a_whole() -> None:
    program = Path(__file__).parent.parent / "docs" / "examples" / "mp.fp"
    assert fencepost.check(program, options=CheckOptions(model="rc11")).answer is fencepost.Answer.FAIL
    whole = CheckOptions(model="sc")
    assert fencepost.check(program, options=whole).answer is fencepost.Answer.PASS
    with pytest.raises(UsageError, match=r"^options= has all options: give unroll there$"):
        fencepost.check(program, options=whole, unroll=2)
    with pytest.raises(UsageError, match=r"^options= should be CheckOptions, not RobustOptions$"):
        fencepost.check(program, options=RobustOptions())  # type: ignore[arg-type] # what is refused


def _mypy(tmp_path: Path, text: str) -> str:
    (tmp_path / "user.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "user.py"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout


@pytest.mark.slow
def test_a_users_file_is_typed(tmp_path: Path) -> None:
    """Slow: mypy reads all that the API names."""
    pytest.importorskip("mypy")
    said = _mypy(tmp_path, USER)
    assert "Success" in said or "error" not in said, said
    assert "-> fencepost.verdict.Verdict" in said and re.search(r'Revealed type is "(builtins\.)?int"', said), said
    wrong = _mypy(tmp_path, WRONG)
    assert "[assignment]" in wrong and "has no attribute" in wrong, wrong
