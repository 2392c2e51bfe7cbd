"""JUnit XML: each checked input is a test case; CI systems show it beside the unit tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from fencepost.report.text import error_text, render
from fencepost.verdict import Answer, ExitCode, Verdict
from fencepost.witness.sources import Sources

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that XML cannot hold


def render_suite(results: Sequence[tuple[str, Verdict]], sources: Sources | None = None) -> str:
    """`results` are (name, verdict). A FAIL is a failure; what is not shown is an error."""
    failures = sum(v.answer is Answer.FAIL for _, v in results)
    errors = sum(v.answer is not Answer.FAIL and v.exit_code != ExitCode.PASS for _, v in results)
    seconds = sum(v.seconds for _, v in results)
    counts = {"tests": str(len(results)), "failures": str(failures), "errors": str(errors), "skipped": "0"}
    root = ElementTree.Element("testsuites", {**counts, "time": f"{seconds:.3f}"})
    suite = ElementTree.SubElement(root, "testsuite", {"name": "fencepost", **counts, "time": f"{seconds:.3f}"})
    for name, verdict in results:
        _case(suite, name, verdict, sources)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _case(suite: ElementTree.Element, name: str, verdict: Verdict, sources: Sources | None) -> None:
    attributes = {"classname": f"fencepost.{verdict.model}", "name": name, "time": f"{verdict.seconds:.3f}"}
    case = ElementTree.SubElement(suite, "testcase", {k: _clean(v) for k, v in attributes.items()})
    text = _clean(render(verdict, sources=sources))
    if verdict.exit_code == ExitCode.PASS:
        ElementTree.SubElement(case, "system-out").text = text
        return
    tag = "failure" if verdict.answer is Answer.FAIL else "error"
    message = error_text(verdict.errors[0]) if verdict.errors else verdict.reason
    kind = verdict.errors[0].kind.value if verdict.errors else "unknown"
    ElementTree.SubElement(case, tag, {"message": _clean(message), "type": kind}).text = text


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("�", text)
