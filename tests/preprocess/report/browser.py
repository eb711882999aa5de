"""A page in headless Chromium, over the pipe of its debugging protocol: nothing but Python's library is needed."""

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe"]


class Browser:
    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="abut_browser_")
        ends = []
        for end in (*os.pipe(), *os.pipe()):
            ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))  # away from 3 and 4
            os.close(end)
        in_read, self._to, self._from, out_write = ends

        def pipes():  # the protocol's descriptors
            os.dup2(in_read, 3)
            os.dup2(out_write, 4)

        self._process = subprocess.Popen([program, *FLAGS, "--user-data-dir=" + self.folder, "about:blank"], preexec_fn=pipes,
                                         pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(in_read)
        os.close(out_write)
        self._buffer, self._count, self._session, self.events = b"", 0, None, []

    def close(self):
        self._session = None
        try:
            self.call("Browser.close")
            self._process.wait(20)
        except (EOFError, OSError, subprocess.TimeoutExpired):
            self._process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _message(self):
        while b"\0" not in self._buffer:
            data = os.read(self._from, 1 << 20)
            if not data:
                raise EOFError("the browser ended")
            self._buffer += data
        text, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data):]
        while True:
            answer = self._message()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, file, width=1280, height=800, dark=False):
        """The page, a file or http:, loaded and drawn once."""
        self._session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Network", "Page"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events = []
        begin = time.monotonic()
        self.call("Page.navigate", url=file if str(file).startswith("http:") else "file://" + os.path.abspath(file))
        self.wait("Page.loadEventFired")
        return time.monotonic() - begin

    def wait(self, method):
        """Until an event comes, and what is drawn then."""
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._message())
        self.drawn()

    def script(self, text):
        result = self.call("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:500])
        return result["result"].get("value")

    def drawn(self):
        self.script("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def press(self, key):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.drawn()

    def drag(self, x, y, by_x, by_y):
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + by_x, y=y + by_y, button="left", buttons=1)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=x + by_x, y=y + by_y, button="left")
        self.drawn()

    def screenshot(self, file):
        with open(file, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def problems(self):
        """Errors on the console, and requests for anything but the page and what it carries itself."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(str(parameters["exceptionDetails"].get("exception", {}).get("description")))
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert", "warning"):
                found.append(str(parameters["args"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
                found.append(parameters["entry"]["text"])
            elif method == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if not url.startswith("data:") and parameters.get("type") != "Document":
                    found.append("asked for " + url)
        return found
