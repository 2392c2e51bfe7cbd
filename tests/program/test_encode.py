"""The core and Python number everything alike."""

from __future__ import annotations

from fencepost import _core
from fencepost.program.encode import enumerations


def test_enumerations_agree() -> None:
    core = dict(_core.enumeration_names())
    ours = enumerations()
    del ours["SyncOp"]  # lowered before the core sees a program
    assert core == ours
