"""Makes the site of the documentation, which checks its links, and searches it in headless Chromium.
Usage: site_test.py SOURCE OUT CHROMIUM"""

import functools
import http.server
import pathlib
import subprocess
import sys
import threading
import time

source, out, chromium = sys.argv[1:]
sys.path.insert(0, f"{source}/tests/preprocess/report")
from browser import Browser  # noqa: E402

SEARCH = """(() => { const field = document.getElementById('mkdocs-search-query');
field.value = 'friction'; field.dispatchEvent(new KeyboardEvent('keyup')); })()"""
FOUND = "Array.from(document.querySelectorAll('#mkdocs-search-results a'), a => a.href).join(' ')"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def searched(browser, address):
    """The addresses that a search finds."""
    browser.open(address)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        browser.script(SEARCH)
        time.sleep(0.2)
        found = browser.script(FOUND)
        if found:
            return found
    raise SystemExit("the search finds nothing")


subprocess.run([sys.executable, f"{source}/docs/site/make_site.py", out], check=True)
handler = functools.partial(Quiet, directory=f"{out}/html")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
browser = Browser(chromium)
try:
    root = f"http://127.0.0.1:{server.server_port}/"
    found = searched(browser, root + "index.html")
    assert "docs/dynamics.html" in found, found
    problems = [problem for problem in browser.problems() if not problem.startswith(f"asked for {root}")]
    assert not problems, problems
    assert browser.script("document.documentElement.scrollWidth <= innerWidth"), "wider than the window"
    browser.screenshot(pathlib.Path(out) / "index.png")
finally:
    browser.close()
    server.shutdown()
