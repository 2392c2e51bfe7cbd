"""fencepost doctor: what is installed."""

from __future__ import annotations

from dataclasses import asdict

from fencepost import api
from fencepost.cli.frame import Reply
from fencepost.verdict import ExitCode


def doctor() -> Reply:
    """Say what is installed, what is missing, and what each thing enables."""
    findings = api.doctor()
    usable = all(f.found for f in findings if f.needed)
    data = {"usable": usable, "findings": [asdict(f) | {"found": f.found} for f in findings]}
    return Reply(api.show_findings(findings), data, ExitCode.PASS if usable else ExitCode.BAD_INPUT)
