"""fencepost replay: exactly one execution again."""

from __future__ import annotations

from typing import Annotated

from fencepost import api
from fencepost.cli.arguments import Argument
from fencepost.cli.frame import Reply
from fencepost.cli.reports import show, write_reports
from fencepost.options import ReportOptions
from fencepost.report.json import verdict_data

WitnessFile = Annotated[
    str, Argument(metavar="WITNESS", help="What `fencepost check --json` wrote; - is standard input.")
]


def replay(witness: WitnessFile, reports: ReportOptions) -> Reply:
    """Run exactly the execution of a saved witness again, judge it by its model, and show its story."""
    verdict, sources = api.replay(witness)
    write_reports(reports, [(witness, verdict)], sources)
    return Reply(show(verdict, sources, whole=reports.all), verdict_data(verdict, sources), verdict.exit_code)
