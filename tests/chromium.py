"""Drive a real Chromium over a pipe: the DevTools protocol, without a driver or a library."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
HOW = "install Chromium (Debian and Ubuntu: apt-get install chromium), then run pytest again"
# A browser with --remote-debugging-pipe reads commands from descriptor 3 and answers on 4.
_LAUNCH = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
_PATIENCE = 30.0


def find():
    """Return the path of a Chromium, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def session():
    """Yield a browser, for a fixture: without one the tests are skipped, or fail if asked to."""
    path = find()
    if path is None:
        if os.environ.get("COUNTERPOINT_REQUIRE_BROWSER"):
            pytest.fail(f"COUNTERPOINT_REQUIRE_BROWSER is set, but there is none: {HOW}.")
        pytest.skip(f"No browser: {HOW}.")
    started = Browser(path)
    yield started
    started.close()


class Browser:
    """One Chromium process; ``page()`` opens a tab."""

    def __init__(self, path):
        self._folder = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)
        theirs_in, self._to = os.pipe()
        self._from, theirs_out = os.pipe()
        # High numbers, so that putting one in place closes neither.
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (theirs_in, theirs_out)]
        flags = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
            "--disable-background-networking", "--remote-debugging-pipe",
            f"--user-data-dir={self._folder.name}", "about:blank",
        ]  # fmt: skip
        self._process = subprocess.Popen(
            [sys.executable, "-c", _LAUNCH, *map(str, high), path, *flags],
            pass_fds=high,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for fd in (theirs_in, theirs_out, *high):
            os.close(fd)
        self._buffer, self._count, self.events = b"", 0, []

    def call(self, method, session=None, **params):
        """Send a command, wait for its answer, and keep the events that come before it."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + _PATIENCE
        while True:
            answer = self._read(deadline)
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method, session):
        """Wait for an event of a tab, unless it has come already."""
        deadline = time.monotonic() + _PATIENCE
        while not any(e.get("method") == method and e.get("sessionId") == session
                      for e in self.events):  # fmt: skip
            self.events.append(self._read(deadline))

    def _read(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(deadline - time.monotonic(), 0))
            part = os.read(self._from, 1 << 20) if ready else b""
            if not part:
                raise TimeoutError("Chromium did not answer; did it start?")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def page(self, url, **options):
        """Open a tab."""
        return Page(self, url, **options)

    def close(self):
        """End the browser, kindly if it listens."""
        try:
            self.call("Browser.close")
        except (OSError, TimeoutError, RuntimeError):
            self._process.kill()
        os.close(self._to)
        os.close(self._from)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()


class Page:
    """A tab: what it shows, what it logs, and a pointer in it."""

    def __init__(self, browser, url, *, width=1200, height=900, dark=False, script=True):
        self._browser = browser
        self._target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser.call("Target.attachToTarget", targetId=self._target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")
        self._call("Performance.enable", timeDomain="threadTicks")
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        if not script:
            self._call("Emulation.setScriptExecutionDisabled", value=True)
        browser.events.clear()
        self._call("Page.navigate", url=url)
        browser.wait_for("Page.loadEventFired", self._session)

    def _call(self, method, **params):
        return self._browser.call(method, self._session, **params)

    def emulate(self, media):
        """Show the page as on "screen" or in "print"."""
        self._call("Emulation.setEmulatedMedia", media=media)

    def run(self, expression):
        """Return the value of a JavaScript expression."""
        found = self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"]["exception"]["description"])
        return found["result"].get("value")

    def complaints(self):
        """Return errors and warnings of the page since it was opened."""
        self.run("1")  # what was logged before this has come by now
        found = []
        for event in self._browser.events:
            if event.get("sessionId") != self._session:
                continue
            kind, params = event["method"], event["params"]
            if kind == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"]["text"])
            elif kind == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
                found.append(str(params["args"]))
            elif kind == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
        return found

    def processor(self):
        """Return the seconds of processor that the page's thread has taken so far."""
        metrics = self._call("Performance.getMetrics")["metrics"]
        return next(one["value"] for one in metrics if one["name"] == "TaskDuration")

    def move(self, x, y):
        """Put the pointer somewhere in the window."""
        self._call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        """Click somewhere in the window."""
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, start, end, steps=4):
        """Press at one place, move to another, and let go."""
        at = [
            (start[0] + (end[0] - start[0]) * k / steps, start[1] + (end[1] - start[1]) * k / steps)
            for k in range(steps + 1)
        ]
        self._mouse("mousePressed", *at[0], button="left", clickCount=1)
        for x, y in at[1:]:
            self._mouse("mouseMoved", x, y, button="left", buttons=1)
        self._mouse("mouseReleased", *at[-1], button="left", clickCount=1)

    def _mouse(self, kind, x, y, **more):
        self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def give(self, selector, path):
        """Choose a file in an input of the page."""
        root = self._call("DOM.getDocument")["root"]["nodeId"]
        node = self._call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self._call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])

    def wait(self, condition, patience=_PATIENCE):
        """Wait until a JavaScript expression is true; return its value."""
        deadline = time.monotonic() + patience
        while not (
            found := self.run(
                f"(() => {{ const v = {condition}; return v instanceof Node ? true : v; }})()"
            )
        ):
            if time.monotonic() > deadline:
                text = self.run("document.body.innerText")
                raise TimeoutError(f"{condition} has not come true; the page says: {text[:2000]}")
            time.sleep(0.03)
        return found

    def key(self, key, code):
        """Press a key; Enter also acts on what has the focus."""
        text = {"text": "\r"} if key == "Enter" else {}
        for kind, more in (("keyDown", text), ("keyUp", {})):
            self._call(
                "Input.dispatchKeyEvent",
                type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more,
            )  # fmt: skip

    def screenshot(self):
        """Return the whole page as PNG."""
        found = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        return base64.b64decode(found["data"])

    def close(self):
        """Close the tab."""
        self._browser.call("Target.closeTarget", targetId=self._target)
