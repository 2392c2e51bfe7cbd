"""A sample of the PPC litmus tests. `python tests/bounded/litmus_corpus.py` runs them all."""

from __future__ import annotations

import pytest
from differences import explanation
from litmus_corpus import DIFFERENCES, expected, reachable, verdicts

from corpus import CORPUS, needs_corpus

SAMPLE = sorted(verdicts().items())[::48] if CORPUS.is_dir() else []


@needs_corpus
@pytest.mark.corpus
@pytest.mark.parametrize(("name", "allowed"), SAMPLE)
def test_reachability_is_the_verdict(name: str, allowed: bool) -> None:
    assert reachable(name, "paper") is expected(name, allowed, "paper")
    assert bool(reachable(name)) is allowed


@needs_corpus
@pytest.mark.corpus
@pytest.mark.parametrize("stem", sorted(DIFFERENCES)[:6])
def test_only_the_paper_s_machine_reaches_what_the_axioms_forbid(stem: str) -> None:
    assert not reachable(f"PPC/{stem}.litmus")
    assert reachable(f"PPC/{stem}.litmus", "paper")
    assert verdicts()[f"PPC/{stem}.litmus"] is False
    assert "overtakes" in explanation(stem)


@needs_corpus
@pytest.mark.corpus
@pytest.mark.parametrize("stem", ["DETOUR0422", "W5"])
def test_some_need_more_than_the_five_switches_of_the_paper(stem: str) -> None:
    assert reachable(f"PPC/{stem}.litmus") is True
    assert not reachable(f"PPC/{stem}.litmus", contexts=6)
    assert not reachable(f"PPC/{stem}.litmus", "paper", contexts=6)
