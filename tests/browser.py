"""A real browser for tests: headless Chromium, driven through its debugging pipe (no packages, no open port).
`FENCEPOST_CHROMIUM` names one that is not on PATH. FENCEPOST_SCREENSHOTS=FOLDER keeps what tests have seen."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-dev-shm-usage", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip


def find() -> str | None:
    named = os.environ.get("FENCEPOST_CHROMIUM")
    return named or next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


class Browser:
    def __init__(self, width: int = 1400, height: int = 900) -> None:
        binary = find()
        assert binary is not None, "call find() before"
        self.profile = tempfile.mkdtemp(prefix="fencepost-browser-")
        to_child, self.send_to = os.pipe()
        self.read_from, from_child = os.pipe()
        command = [binary, *FLAGS, f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "about:blank"]
        quiet = " ".join(f"'{c}'" for c in command)
        shell = f"exec 3<&{to_child} 4>&{from_child}; exec {quiet}"
        self.process = subprocess.Popen(
            ["bash", "-c", shell], pass_fds=(to_child, from_child), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(to_child)
        os.close(from_child)
        self.buffer = b""
        self.number = 0
        self.session = ""
        self.events: list[dict[str, Any]] = []
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.resize(width, height)

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        self.session = ""
        try:
            self.call("Browser.close")
        except (OSError, EOFError):
            self.process.kill()
        self.process.wait(20)
        os.close(self.send_to)
        os.close(self.read_from)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method: str, **params: object) -> dict[str, Any]:
        self.number += 1
        message: dict[str, object] = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.send_to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def receive(self) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            more = os.read(self.read_from, 1 << 16)
            if not more:
                raise EOFError("the browser is gone")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        answer: dict[str, Any] = json.loads(text)
        return answer

    # --- what tests do

    def resize(self, width: int, height: int) -> None:
        phone = width < 600
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def scheme(self, name: str) -> None:
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, page: Path | str) -> None:
        self.events.clear()
        self.call("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())

    def run(self, script: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, script: str, seconds: float = 40) -> Any:
        """The value of the expression once it is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.run(script):
                return value
            time.sleep(0.1)
        raise AssertionError(f"never true: {script}\n{self.run('document.body.innerText')}")

    def click(self, selector: str) -> None:
        x, y = self.middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def hover(self, selector: str) -> None:
        x, y = self.middle(selector)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def middle(self, selector: str) -> tuple[float, float]:
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoViewIfNeeded?.();"
            "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        return box[0], box[1]

    def press(self, key: str, *, control: bool = False) -> None:
        named = {"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}
        code = named.get(key, ord(key[0].upper()))
        text = {} if key in named and key != "Enter" else {"text": "\r" if key == "Enter" else key}
        held: dict[str, Any] = {
            "key": key,
            "code": key,
            "windowsVirtualKeyCode": code,
            "modifiers": 2 if control else 0,
        }
        self.call("Input.dispatchKeyEvent", type="keyDown", **held, **({} if control else text))
        self.call("Input.dispatchKeyEvent", type="keyUp", **held)

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def keep(self, name: str) -> None:
        """A picture for who asked for pictures."""
        if folder := os.environ.get("FENCEPOST_SCREENSHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            self.screenshot(Path(folder) / f"{name}.png")

    def pdf(self) -> bytes:
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def complaints(self, *own: str) -> list[str]:
        """What the page said on its console or threw, and what it loaded from elsewhere: from addresses that do not
        start as `own` do (its file, if nothing is said)."""
        self.run("0")
        bad = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")
        asked = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        loads = [url for url in asked if not url.startswith(own or ("file:",))]
        return [json.dumps(e["params"]) for e in self.events if e.get("method") in bad] + loads
