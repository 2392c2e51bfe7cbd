"""JSON, SARIF, JUnit, DOT and SVG: each is what its format says it is, for every kind of witness."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from samples import SAMPLES, assertion_rc11, race, sources, verdict

from fencepost.program.operands import Position
from fencepost.report import dot, html, junit, sarif, svg
from fencepost.report.json import schema, verdict_data
from fencepost.verdict import Answer, Verdict
from fencepost.witness.codec import decode

each_sample = pytest.mark.parametrize("name", SAMPLES)
SARIF = json.loads((Path(__file__).parent / "data" / "sarif-schema-2.1.0.json").read_text())
PASSED = Verdict(Answer.PASS, "", "rc11", 6, 0, 0.5)
UNKNOWN = Verdict(Answer.UNKNOWN, "the loop at q.c:7 was unrolled 4 times", "tso", 1)


@each_sample
def test_json_follows_its_schema(name: str) -> None:
    data = json.loads(json.dumps(verdict_data(verdict(SAMPLES[name]()), sources())))
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(data, schema())
    witness, _ = decode(data)
    assert witness == SAMPLES[name]()
    assert data["explanation"]["reason"]


def test_json_without_a_witness() -> None:
    for v in (PASSED, UNKNOWN):
        data = verdict_data(v)
        jsonschema.validate(data, schema())
        assert data["witness"] is None and data["verdict"] == v.answer.value


def test_the_schema_refuses_what_is_wrong() -> None:
    data = verdict_data(verdict(race()))
    data["witness"]["events"][0]["kind"] = "sneeze"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema())


@each_sample
def test_sarif_is_valid_and_has_a_flow_per_thread(name: str) -> None:
    witness = SAMPLES[name]()
    log = sarif.log([verdict(witness)], sources())
    jsonschema.validate(log, SARIF, format_checker=jsonschema.FormatChecker())
    (result,) = log["runs"][0]["results"]
    rule = log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == result["ruleId"] == witness.error.kind.value
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] > 0
    (flow,) = result["codeFlows"]
    assert [t["id"] for t in flow["threadFlows"]] == list(witness.execution.threads)
    order = [loc["executionOrder"] for t in flow["threadFlows"] for loc in t["locations"]]
    assert sorted(order) == list(range(1, len(order) + 1))


def test_sarif_of_a_pass_has_no_results_and_unknown_says_so() -> None:
    log = sarif.log([PASSED, UNKNOWN])
    jsonschema.validate(log, SARIF)
    run = log["runs"][0]
    assert run["results"] == [] and run["invocations"][0]["executionSuccessful"] is False
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == UNKNOWN.reason


def test_sarif_quotes_odd_file_names() -> None:
    witness = assertion_rc11()
    witness = replace(witness, error=replace(witness.error, at=Position("my dir/ü.c", 3, 1)))
    log = sarif.log([verdict(witness)])
    jsonschema.validate(log, SARIF)
    (result,) = log["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "my%20dir/%C3%BC.c"


def test_junit_counts() -> None:
    failed = verdict(race())
    root = ElementTree.fromstring(
        junit.render_suite([("race.c", failed), ("ok.c", PASSED), ("q.c", UNKNOWN)], sources())
    )
    assert root.attrib | {"time": ""} == {"tests": "3", "failures": "1", "errors": "1", "skipped": "0", "time": ""}
    cases = root.findall("testsuite/testcase")
    assert [c.get("name") for c in cases] == ["race.c", "ok.c", "q.c"]
    failure = cases[0].find("failure")
    assert failure is not None and failure.get("type") == "race" and "race.c:7" in (failure.text or "")
    assert cases[2].find("error") is not None


def test_junit_survives_characters_that_xml_cannot_hold() -> None:
    odd = replace(PASSED, answer=Answer.UNKNOWN, reason="bell \x07 and \x00")
    root = ElementTree.fromstring(junit.render_suite([("x\x01", odd)]))
    error = root.find("testsuite/testcase/error")
    assert error is not None and error.get("message") == "bell \ufffd and \ufffd"


@each_sample
def test_svg_is_well_formed_and_keeps_its_boxes_apart(name: str) -> None:
    root = ElementTree.fromstring(svg.render_witness(SAMPLES[name](), sources()))
    space = {"s": "http://www.w3.org/2000/svg"}
    boxes = [
        tuple(float(r.attrib[k]) for k in ("x", "y", "width", "height"))
        for r in root.findall(".//s:g[@data-box]/s:rect", space)
    ]
    assert len(boxes) >= 3
    for i, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[i + 1 :]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y
    assert "var(--" not in ElementTree.tostring(root, encoding="unicode"), (
        "viewers other than browsers know no variables"
    )


@each_sample
def test_dot_is_balanced_and_names_its_nodes(name: str) -> None:
    text = dot.render_witness(SAMPLES[name](), sources())
    assert text.count("{") == text.count("}")
    nodes = set(re.findall(r"^ +(n\d+) \[", text, re.M))
    ends = {e for pair in re.findall(r"(n\d+) -> (n\d+)", text) for e in pair}
    assert ends <= nodes and len(nodes) >= 3


@each_sample
def test_html_is_alone(name: str) -> None:
    page = html.render(verdict(SAMPLES[name]()), sources())
    assert not re.search(r"""(src|href)\s*=\s*["']?(?!#)""", page), "nothing may be loaded"
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "") and "https://" not in page


def test_html_shows_text_as_text() -> None:
    witness = assertion_rc11()
    nasty = "</script><script>alert(1)</script> & <b>"
    witness = replace(witness, error=replace(witness.error, message=nasty), notes=(nasty,))
    page = html.render(verdict(witness), sources())
    assert "<script>alert(1)" not in page and "&lt;/script&gt;" in page


def test_html_of_a_pass() -> None:
    assert "no error in any execution" in html.render(PASSED)
