# Copyright (c) 2026 fleet.olm contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A real browser without a window, driven as a person would: keys, clicks, looking at it, printing.

It speaks the DevTools protocol over a pair of pipes: JSON messages that end in a zero byte. There is no port that others
could connect to, and no library that has to keep up with the browser.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from .browser_program import BrowserProgram
from .problem import RigError

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
# What a key is to the browser where its name is not all there is to say.
_KEYS: Mapping[str, tuple[str, int]] = {
    "Enter": ("\r", 13),
    "Escape": ("", 27),
    "Tab": ("", 9),
    "Home": ("", 36),
    "End": ("", 35),
    "PageUp": ("", 33),
    "PageDown": ("", 34),
    "ArrowLeft": ("", 37),
    "ArrowUp": ("", 38),
    "ArrowRight": ("", 39),
    "ArrowDown": ("", 40),
    "Backspace": ("", 8),
}
# Chromium takes its messages from the first of these descriptors and writes answers to the second.
_READS, _WRITES = 3, 4


class Browser:
    """One browser with one page, used in a `with` statement."""

    def __init__(self, program: BrowserProgram, *, width: int = 1400, height: int = 900, seconds: float = 60) -> None:
        self._seconds = seconds
        self._numbers = itertools.count(1)
        self._answers: dict[int, dict[str, Any]] = {}
        self._events: list[dict[str, Any]] = []
        self._unread = b""
        self._session = ""
        self._profile = tempfile.mkdtemp(prefix="fleet-olm-browser-")
        self._process = self._start(program)
        try:
            target = self._call("Target.createTarget", url="about:blank")["targetId"]
            self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Network", "Log"):
                self._call(f"{domain}.enable")
            self.resize(width, height)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it and remove what it wrote."""
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self._profile, ignore_errors=True)

    def open(self, address: str) -> float:
        """Go to a page and wait until it is loaded and drawn; the seconds that took."""
        self._events.clear()
        began = time.monotonic()
        self._call("Page.navigate", url=address)
        self._wait_for("Page.loadEventFired")
        self.settle()
        return time.monotonic() - began

    def settle(self) -> None:
        """Wait until what was done is drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page, promises awaited."""
        answer = self._call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            thrown = answer["exceptionDetails"]
            raise RigError(f"{expression}: {(thrown.get('exception') or {}).get('description') or thrown['text']}")
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        """Press keys one after the other: `Enter`, `ArrowDown`, or characters."""
        for key in keys:
            text, code = _KEYS.get(key, (key, ord(key[0].upper())))
            named = {"key": key, "windowsVirtualKeyCode": code, "code": key if key in _KEYS else ""}
            self._call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **named)
            self._call("Input.dispatchKeyEvent", type="keyUp", **named)
        self.settle()

    def write(self, text: str) -> None:
        """Type a text."""
        self.press(*text)

    def click(self, selector: str) -> None:
        """Click into the middle of the first element that a selector finds."""
        found = f"document.querySelector({json.dumps(selector)})"
        where = self.evaluate(
            f"(e => {{ if (!e) return null; const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; }})({found})"
        )
        if where is None:
            raise RigError(f"the page has nothing that matches {selector}")
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=where[0], y=where[1], button="left", clickCount=1)
        self.settle()

    def resize(self, width: int, height: int) -> None:
        """Another size of the window."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme: str) -> None:
        """Tell pages that the user prefers `light` or `dark`, and that nothing moves: what is looked at has come to rest."""
        preferred = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        self._call(
            "Emulation.setEmulatedMedia", features=[{"name": name, "value": value} for name, value in preferred.items()]
        )
        self.settle()

    def screenshot(self) -> bytes:
        """What is seen, as PNG."""
        return base64.b64decode(self._call("Page.captureScreenshot", format="png")["data"])

    def pdf(self) -> bytes:
        """The page as it is printed on A4 in landscape."""
        size = {"paperWidth": 8.27, "paperHeight": 11.69, "landscape": True, "preferCSSPageSize": True}
        return base64.b64decode(self._call("Page.printToPDF", printBackground=True, **size)["data"])

    @property
    def complaints(self) -> list[str]:
        """What went wrong in the page since it was opened: errors of scripts, and what the console calls one."""
        self._read(0)
        thrown = [
            str(event["params"]["exceptionDetails"].get("exception", {}).get("description"))
            for event in self._named("Runtime.exceptionThrown")
        ]
        logged = [event["params"]["entry"] for event in self._named("Log.entryAdded")]
        return thrown + [str(entry["text"]) for entry in logged if entry["level"] == "error"]

    @property
    def requested(self) -> list[str]:
        """The addresses that the page asked for since it was opened."""
        self._read(0)
        return [str(event["params"]["request"]["url"]) for event in self._named("Network.requestWillBeSent")]

    def _named(self, method: str) -> list[dict[str, Any]]:
        return [event for event in self._events if event.get("method") == method]

    def _start(self, program: BrowserProgram) -> subprocess.Popen[bytes]:
        theirs_read, self._to = os.pipe()
        self._from, theirs_write = os.pipe()
        # Standing where the browser looks for them takes copies: either end may be 3 or 4 already.
        shell = f'exec {_READS}<&"$0" {_WRITES}>&"$1"; shift; exec "$@"'
        command = ["bash", "-c", shell, str(theirs_read), str(theirs_write), str(program.path), *_FLAGS]
        process = subprocess.Popen(
            [*command, f"--user-data-dir={self._profile}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs_read, theirs_write),
            env={**os.environ, **program.environment},
        )
        os.close(theirs_read)
        os.close(theirs_write)
        return process

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self._to, data) :]
        except BrokenPipeError as error:
            raise RigError(f"the browser ended at {method}") from error
        deadline = time.monotonic() + self._seconds
        while number not in self._answers:
            self._read(deadline - time.monotonic(), method)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise RigError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def _wait_for(self, event: str) -> None:
        deadline = time.monotonic() + self._seconds
        while not self._named(event):
            self._read(deadline - time.monotonic(), event)

    def _read(self, seconds: float, awaited: str = "") -> None:
        """Take in what the browser says; with something awaited, at least one piece of it."""
        ready, _writable, _broken = select.select([self._from], [], [], max(0.0, seconds))
        if not ready:
            if awaited:
                raise RigError(f"the browser did not answer {awaited} within {self._seconds:.0f} s")
            return
        data = os.read(self._from, 1 << 20)
        if not data:
            raise RigError(f"the browser ended at {awaited}")
        *messages, self._unread = (self._unread + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self._answers[message["id"]] = message
            else:
                self._events.append(message)
