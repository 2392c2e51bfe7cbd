"""The playground as a browser meets it: pages, the token, questions and answers over a real socket."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the playground is not installed (pip install fencepost[serve])")
pytest.importorskip("uvicorn", reason="the playground is not installed (pip install fencepost[serve])")

import uvicorn

import fencepost
from fencepost.cli import run as cli
from fencepost.serve.app import Limits, Playground, read_question
from fencepost.serve.examples import examples
from fencepost.serve.server import _listen, serve

TOKEN = "a-token"
BUFFERING = "var x, y\nthread A { x := 1; r := y }\nthread B { y := 1; r := x }\nforall (A:r == 1 || B:r == 1)\n"
ASSETS = Path(fencepost.__file__).parent / "serve" / "assets"


class Server(uvicorn.Server):
    def install_signal_handlers(self) -> None:
        pass


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving(Limits(10, 1024)) as number:
        yield number


@contextmanager
def serving(limits: Limits) -> Iterator[int]:
    listener = _listen(0)
    number: int = listener.getsockname()[1]
    app = Playground(TOKEN, frozenset({f"127.0.0.1:{number}"}), limits).app()
    server = Server(uvicorn.Config(app, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    for _ in range(2400):
        if server.started:
            break
        time.sleep(0.05)
    assert server.started
    yield number
    server.should_exit = True
    thread.join(20)


def ask(port: int, path: str, body: Any = None, **headers: str) -> tuple[int, str, http.client.HTTPMessage]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=200)
    sent = {"X-Fencepost-Token": TOKEN, "Content-Type": "application/json"} | {
        k.replace("_", "-"): v for k, v in headers.items()
    }
    text = None if body is None else body if isinstance(body, str) else json.dumps(body)
    connection.request("GET" if body is None else "POST", path, text, sent)
    answer = connection.getresponse()
    said = answer.read().decode()
    connection.close()
    return answer.status, said, answer.headers


def question(**changes: Any) -> dict[str, Any]:
    return {"action": "check", "language": "fp", "text": BUFFERING, "models": ["tso"]} | changes


def lines(port: int, **changes: Any) -> list[dict[str, Any]]:
    status, said, _ = ask(port, "/api/run", question(**changes))
    assert status == 200, said
    return [json.loads(line) for line in said.splitlines()]


def rows(port: int, **changes: Any) -> list[dict[str, Any]]:
    return [line["row"] for line in lines(port, **changes) if "row" in line]


def test_pages_load_nothing_from_elsewhere(port: int) -> None:
    for path in ("/", "/assets/app.js", "/assets/app.css", "/assets/editor.js", "/assets/icon.svg"):
        status, said, headers = ask(port, path, X_Fencepost_Token="")
        assert status == 200 and "default-src 'none'" in headers["content-security-policy"]
        if path == "/":
            assert all(target.startswith(("/", "#")) for target in re.findall(r'(?:src|href)="([^"]*)"', said))
    assert ask(port, "/assets/../app.py")[0] == 404 and ask(port, "/assets/editor.LICENSE.txt")[0] == 404


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"X_Fencepost_Token": ""}, 401),
        ({"X_Fencepost_Token": "wrong"}, 401),
        ({"Origin": "http://evil.example"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Content_Type": "text/plain"}, 415),
    ],
)
def test_strangers_are_refused(port: int, headers: dict[str, str], code: int) -> None:
    assert ask(port, "/api/run", question(), **headers)[0] == code


def test_a_verdict_with_its_picture(port: int) -> None:
    (found,) = [line["result"] for line in lines(port) if "result" in line]
    assert found["verdict"] == "FAIL" and found["model"] == "tso"
    status, page, headers = ask(port, f"/picture/{found['page']}", X_Fencepost_Token="")
    assert status == 200 and "<svg" in page and headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert ask(port, "/picture/guessed")[0] == 404


def test_models_side_by_side(port: int) -> None:
    own = '"mine"\nacyclic po | rf | co | fr as sc\n'
    rows = [
        line["row"] for line in lines(port, action="compare", models=["sc", "tso", "my.cat"], cat=own) if "row" in line
    ]
    assert [(r["model"], r["verdict"]) for r in rows] == [("sc", "PASS"), ("tso", "FAIL"), ("my.cat", "PASS")]


def test_outcomes_of_a_c_program_show_its_globals(port: int) -> None:
    text = next(e["text"] for e in examples() if e["name"] == "1-message.c")
    rows = [
        line["row"] for line in lines(port, action="outcomes", language="c", text=text, models=["sc"]) if "row" in line
    ]
    assert {"flag": 1, "data": 42} in [state for state, _ in rows[0]["states"]]


def test_mistakes_have_their_place(port: int) -> None:
    (found,) = [line["error"] for line in lines(port, text="var x\nthread A { x = 1 }\n") if "error" in line]
    assert (found["line"], found["column"], found["file"]) == (2, 14, "program.fp")
    (found,) = [line["error"] for line in lines(port, language="c", text='#include "/etc/passwd"\n') if "error" in line]
    assert found["line"] == 1 and "root:" not in found["message"]
    cat = [line for line in lines(port, models=["my.cat"], cat="acyclic nonsense") if "error" in line]
    assert cat[0]["error"]["file"] == "my.cat"


@pytest.mark.parametrize(
    "changes",
    [
        {"action": "shell"}, {"language": "py"}, {"models": []}, {"models": ["/etc/passwd"]}, {"models": "sc"},
        {"models": ["x.cat"]}, {"text": 3}, {"unroll": "many"}, {"unroll": -1}, {"observe": "x;y"},
        {"models": ["sc"] * 50},
    ],
)  # fmt: skip
def test_questions_that_make_no_sense(port: int, changes: dict[str, Any]) -> None:
    assert ask(port, "/api/run", question(**changes))[0] == 400
    with pytest.raises((ValueError, TypeError, KeyError)):
        read_question(question(**changes), Limits())


def test_bodies_that_are_no_questions(port: int) -> None:
    assert ask(port, "/api/run", "{")[0] == 400 and ask(port, "/api/run", "[" * 100000)[0] == 400
    assert ask(port, "/api/run", question(text="x" * 600_000))[0] == 413


def test_a_listener_that_goes_away_ends_the_run() -> None:
    """Two runs may be under way at once: four that are given up must not keep a fifth waiting."""
    with serving(Limits(100, 1024)) as port:
        _gives_up_four_times(port)
        start = time.monotonic()
        assert any("result" in line for line in lines(port))
        assert time.monotonic() - start < 90


def _gives_up_four_times(port: int) -> None:
    busy = "const N = 12\nvar x\n" + "".join(f"thread T{k} {{ for i in 0..6 {{ x := {k} }} }}\n" for k in range(6))
    for _ in range(4):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        sent = {"X-Fencepost-Token": TOKEN, "Content-Type": "application/json"}
        connection.request("POST", "/api/run", json.dumps(question(text=busy, models=["rc11"])), sent)
        connection.getresponse().readline()
        connection.close()


def test_every_example_has_a_title_and_a_language() -> None:
    found = examples()
    assert len([e for e in found if e["group"] == "From real life"]) == 10
    assert all(e["title"] and not e["title"].startswith("fencepost:") for e in found)
    assert {e["language"] for e in found} == {"c", "cpp", "fp", "litmus"}


def test_the_licence_of_the_editor_is_beside_it() -> None:
    text = (ASSETS / "editor.LICENSE.txt").read_text()
    assert "@codemirror/view" in text and "Permission is hereby granted" in text


def test_a_port_that_is_taken(port: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(["serve", "--no-browser", "--port", str(port)]) == 2
    assert "--port 0 takes any that is free" in capsys.readouterr().err


def test_the_address_can_be_opened_once_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the server takes its first connection: a browser that is quick is not refused."""
    told: list[str] = []

    def run(self: uvicorn.Server, sockets: list[socket.socket]) -> None:
        number = int(told[0].split(":")[2].split("/")[0])
        socket.create_connection(("127.0.0.1", number), timeout=5).close()
        sockets[0].close()

    monkeypatch.setattr(uvicorn.Server, "run", run)
    serve(0, Limits(), browser=False, told=told.append)
    assert len(told) == 1
