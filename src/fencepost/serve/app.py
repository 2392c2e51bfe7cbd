"""The pages and the one service of the playground."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from importlib.resources import files

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from fencepost import api
from fencepost.records import dataclass
from fencepost.report.palette import variables
from fencepost.serve.child import OWN_MODEL, SUFFIXES
from fencepost.serve.examples import examples
from fencepost.serve.run import run

_MOST_BYTES = 512 << 10  # of a question
_KEPT_PAGES = 40
_AT_ONCE = 2  # runs; the others wait for their turn
_ACTIONS = ("check", "outcomes", "compare")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
}  # fmt: skip
#: A page of a witness runs its own script and knows nothing of where it came from.
_PAGE_HEADERS = _HEADERS | {
    "Content-Security-Policy": "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
}
_ASSETS = {
    "editor.js": "text/javascript",
    "app.js": "text/javascript",
    "app.css": "text/css",
    "icon.svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use."""

    seconds: float = 30.0
    mebibytes: int = 1024


class Playground:
    """`hosts`: what a request may call this server, so that no other name can be made to mean it."""

    def __init__(self, token: str, hosts: frozenset[str], limits: Limits) -> None:
        self.token, self.hosts, self.limits = token, hosts, limits
        self.pages: OrderedDict[str, str] = OrderedDict()
        self.turns = asyncio.Semaphore(_AT_ONCE)

    def app(self) -> Starlette:
        routes = [
            Route("/", self.page),
            Route("/assets/{name}", self.asset),
            Route("/picture/{key}", self.picture),
            Route("/api/start", self.start),
            Route("/api/run", self.run, methods=["POST"]),
        ]
        return Starlette(routes=routes)

    # --- what needs no token: it says nothing about this machine

    async def page(self, request: Request) -> Response:
        if (refused := self.refusal(request, token=False)) is not None:
            return refused
        return Response(_asset("index.html"), media_type="text/html", headers=_HEADERS)

    async def asset(self, request: Request) -> Response:
        name = request.path_params["name"]
        if (refused := self.refusal(request, token=False)) is not None:
            return refused
        if name not in _ASSETS:
            return Response("there is no such file", 404, headers=_HEADERS)
        text = _asset(name)
        return Response(variables() + text if name == "app.css" else text, media_type=_ASSETS[name], headers=_HEADERS)

    async def picture(self, request: Request) -> Response:
        """A picture of an earlier run, by a key that nobody can guess."""
        found = self.pages.get(request.path_params["key"])
        if (refused := self.refusal(request, token=False)) is not None:
            return refused
        if found is None:
            return Response("this picture is gone: run the program again", 404, headers=_HEADERS)
        return Response(found, media_type="text/html", headers=_PAGE_HEADERS)

    # --- what does

    async def start(self, request: Request) -> Response:
        if (refused := self.refusal(request)) is not None:
            return refused
        models = [{"name": n, "about": api.find_model(n).description, "text": api.find_model(n).source}
                  for n in api.model_names()]  # fmt: skip
        limits = {"seconds": self.limits.seconds, "mebibytes": self.limits.mebibytes}
        return JSONResponse({"models": models, "examples": examples(), "limits": limits}, headers=_HEADERS)

    async def run(self, request: Request) -> Response:
        if (refused := self.refusal(request)) is not None:
            return refused
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return _complaint("expected application/json", 415)
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MOST_BYTES:
                return _complaint(f"a question has at most {_MOST_BYTES} bytes", 413)
        try:
            question = read_question(json.loads(body), self.limits)
        except (ValueError, TypeError, KeyError, RecursionError) as problem:
            return _complaint(f"this is no question: {problem}", 400)
        return StreamingResponse(self.lines(question), media_type="application/x-ndjson", headers=_HEADERS)

    async def lines(self, question: dict[str, object]) -> AsyncIterator[bytes]:
        if self.turns.locked():
            yield _line({"progress": {"waiting": True}})
        async with self.turns, aclosing(run(question, seconds=self.limits.seconds)) as said:
            async for line in said:
                yield _line(self.with_link(line))

    def with_link(self, line: dict[str, object]) -> dict[str, object]:
        """The line with the key of its page instead of the page."""
        for kind, data in line.items():
            if isinstance(data, dict) and data.get("page"):
                key = secrets.token_urlsafe(16)
                self.pages[key] = data["page"]
                while len(self.pages) > _KEPT_PAGES:
                    self.pages.popitem(last=False)
                return {kind: data | {"page": key}}
        return line

    def refusal(self, request: Request, *, token: bool = True) -> Response | None:
        """Who may ask: only pages of ours, under a name of ours, and with the token where it is needed."""
        if request.headers.get("host", "") not in self.hosts:
            return _complaint("this server answers under its own name only", 421)
        origin = request.headers.get("origin")
        if origin is not None and origin.removeprefix("http://") not in self.hosts:
            return _complaint("this is not a page of this server", 403)
        given = request.headers.get("x-fencepost-token", "")
        if token and not secrets.compare_digest(given.encode(), self.token.encode()):
            return _complaint("the token is missing or wrong: open the address that `fencepost serve` printed", 401)
        return None


def read_question(data: Mapping[str, object], limits: Limits) -> dict[str, object]:
    """What the child is asked. Raises ValueError, TypeError or KeyError where the browser's words make no sense."""
    action, language, models = data["action"], data["language"], data["models"]
    if action not in _ACTIONS or language not in SUFFIXES:
        raise ValueError("there is no such action or language")
    if not isinstance(models, list) or not 1 <= len(models) <= 20:
        raise ValueError("expected between 1 and 20 models")
    known = {OWN_MODEL, *api.model_names()}
    if not all(isinstance(m, str) and m in known for m in models):
        raise ValueError("there is no such model")
    texts = {k: data.get(k, "") for k in ("text", "cat")}
    if not all(isinstance(t, str) for t in texts.values()):
        raise TypeError("expected texts")
    unroll = data.get("unroll")
    if unroll is not None and (not isinstance(unroll, int) or not 1 <= unroll <= 1000):
        raise ValueError("expected a bound between 1 and 1000")
    return {
        "action": action, "language": language, "models": models, "unroll": unroll, "seconds": limits.seconds,
        "mebibytes": limits.mebibytes, "flags": _words(data, "flags", r"\S+"),
        "observe": _words(data, "observe", r"[\w.:$]+"), **texts,
    }  # fmt: skip


def _words(data: Mapping[str, object], name: str, form: str) -> list[str]:
    words = str(data.get(name, "")).replace(",", " ").split() if name == "observe" else str(data.get(name, "")).split()
    if not all(re.fullmatch(form, w) for w in words):
        raise ValueError(f"{name} makes no sense")
    return words


def _complaint(message: str, code: int) -> Response:
    return JSONResponse({"error": {"message": message}}, code, headers=_HEADERS)


def _line(data: Mapping[str, object]) -> bytes:
    return json.dumps(data).encode() + b"\n"


def _asset(name: str) -> str:
    return (files("fencepost.serve") / "assets" / name).read_text(encoding="utf-8")
