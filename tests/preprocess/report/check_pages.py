"""Makes a report of two objects, or of a folder of assets, and a recording, and uses their pages as a person would.

Usage: check_pages.py PREPROCESS SIM CHROMIUM [ASSETS [SCREENSHOTS]]
"""

import os
import re
import subprocess
import sys
import tempfile
import time

from browser import Browser

MAX_BYTES = 3_000_000  # of the page of a mug

PIXELS = """(() => {
  const canvas = document.querySelector("canvas"), gl = canvas.getContext("webgl2"), data = new Uint8Array(4 * canvas.width * canvas.height);
  gl.readPixels(0, 0, canvas.width, canvas.height, gl.RGBA, gl.UNSIGNED_BYTE, data);
  let hash = 0, drawn = 0;
  for (let k = 0; k < data.length; k += 4) {
    drawn += data[k] !== data[0] || data[k + 1] !== data[1] || data[k + 2] !== data[2];
    hash = (Math.imul(hash, 31) + data[k] + 3 * data[k + 1] + 7 * data[k + 2]) | 0;
  }
  return [drawn / (data.length / 4), hash];
})()"""

SLIDE = """(id => share => {
  const slider = document.getElementById(id);
  slider.value = +slider.min + share * (slider.max - slider.min);
  slider.dispatchEvent(new Event("input"));
})"""

# Words of a page's tables that stand on two lines; names may break behind _, / and -, and digests anywhere.
BROKEN_WORDS = """[...document.querySelectorAll("td, th")].flatMap(cell => {
  const broken = [], texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode())
    for (const word of node.data.matchAll(/[^\\s_\\/-]+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (word[0].length <= 24 && range.getClientRects().length > 1) broken.push(word[0]);
    }
  return broken;
})"""

failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


# Of a contact's frames: the change of the force, and of the way of a point, by depth, beside the integral of its slope.
SLOPES = """((value, slope) => {
  const frames = DATA.pair.frames, change = [0, 0, 0], sum = [0, 0, 0];
  for (let k = 1; k < frames.length; k++) for (let i = 0; i < 3; i++) {
    change[i] += frames[k][value][i] - frames[k - 1][value][i];
    sum[i] += (frames[k].depth - frames[k - 1].depth) * (frames[k][slope][i] + frames[k - 1][slope][i]) / 2;
  }
  return [change, sum];
})"""


def check_object(browser, page, shots):
    seconds = browser.open(page)
    name = os.path.basename(page)
    print(f"{name}: {os.path.getsize(page)} bytes, drawn after {seconds:.2f} s")
    expect(os.path.getsize(page) < MAX_BYTES or "mug" not in name, f"{name} is larger than {MAX_BYTES} bytes")
    share, whole = browser.script(PIXELS)
    expect(0.02 < share < 0.9, f"{name}: {share:.3f} of the picture is drawn")
    shots(name, "object")

    def changes(what, act):
        before = browser.script(PIXELS)
        act()
        browser.drawn()
        expect(browser.script(PIXELS) != before, f"{name}: {what} changes nothing")

    changes("the cut's slider", lambda: browser.script(SLIDE + "('cut')(.3)"))
    changes("a drag", lambda: browser.drag(400, 400, 60, 20))
    for key, what in (("1", "a layer's key"), ("]", "the cut's key"), ("+", "the zoom's key"), ("t", "the theme's key"), ("r", "reset")):
        changes(what, lambda key=key: browser.press(key))
    def check_layers(words):
        """The box of each layer whose name has the words shows it or takes it away."""
        for word in words:
            box = f"[...document.querySelectorAll('label.layer')].find(label => label.textContent.includes('{word}'))"
            expect(browser.script(f"!!({box})"), f"{name}: no layer is called '{word}'")
            before = browser.script(PIXELS)
            changes(f"the box of '{word}'", lambda: browser.script(f"{box}.querySelector('input').click()"))
            browser.script(f"{box}.querySelector('input').click()")
            browser.drawn()
            expect(browser.script(PIXELS) == before, f"{name}: the box of '{word}' twice is not as before")

    check_layers(["surface", "convex hull", "convex pieces", "spheres"])
    expect(browser.script("document.documentElement.scrollWidth <= innerWidth"), f"{name}: wider than the window")
    if browser.script("!!document.getElementById('tab-contact') && document.getElementById('tab-contact').isConnected"):
        changes("the contact's tab", lambda: browser.script("document.getElementById('tab-contact').click()"))
        forces = []
        for share in (0, 0.5, 1):
            browser.script(SLIDE + f"('depth')({share})")
            browser.drawn()
            forces.append(float(browser.script("document.getElementById('force').firstChild.textContent")))
        expect(forces[0] < min(forces[1:]) and forces[1] != forces[2], f"{name}: forces {forces} at three depths")
        changes("the depth's key", lambda: browser.press("["))
        for value in "force", "p2":
            change, integral = browser.script(SLOPES + f"('{value}', '{value}_slope')")
            expect(abs(change[2] - integral[2]) < 0.05 * abs(change[2]), f"{name}: {value} changes by {change}, its slope says {integral}")
        check_layers(["contact surface", "force on", "how the force changes", "how they move"])
        shots(name, "contact")
    expect(not browser.problems(), f"{name}: {browser.problems()}")


def check_tabs(browser, page):
    """Back from the contact the object looks as it did."""
    browser.open(page)
    before = browser.script(PIXELS)
    for name in "contact", "object":
        browser.script(f"document.getElementById('tab-{name}').click()")
        browser.drawn()
        expect((browser.script(PIXELS) == before) == (name == "object"), f"{os.path.basename(page)}: the picture after a click on {name}")


def check_narrow(browser, page):
    """In a window as wide as a phone."""
    browser.open(page, width=390, height=700)
    wide, high, panel = browser.script("['canvas', 'aside'].map(what => document.querySelector(what).getBoundingClientRect())"
                                       ".flatMap(box => [box.width, box.height]).slice(0, 3)")
    expect(wide == panel > 360 and high > 300, f"{os.path.basename(page)}: a phone has a picture of {wide} x {high}, a panel {panel} wide")
    expect(browser.script("document.documentElement.scrollWidth <= innerWidth"), f"{os.path.basename(page)}: wider than a phone")


def check_lost(browser, page):
    """A picture that the browser drops is drawn again by a click."""
    browser.open(page)
    browser.script("document.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context').loseContext()")
    browser.drawn()
    note = "[...document.querySelectorAll('.stage div')].find(part => part.onclick)"
    expect("Click" in browser.script(f"{note}.textContent"), "nothing is said of a picture that is lost")
    browser.events = []
    browser.script(f"{note}.click()")
    browser.wait("Page.loadEventFired")
    expect(browser.script(PIXELS)[0] > 0.02, "a picture that was lost is not drawn again")


def check_without_pictures(browser, page):
    """All that needs no WebGL is there in a browser that has none."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    forged = page[:-5] + ".plain.html"
    with open(forged, "w", encoding="utf-8") as file:
        file.write(text.replace("<script>", "<script>HTMLCanvasElement.prototype.getContext = () => null;</script><script>", 1))
    browser.open(forged)
    expect("WebGL 2" in browser.script("document.querySelector('.stage').textContent"), "nothing is said of missing WebGL")
    expect("centre of mass" in browser.script("document.querySelector('aside').textContent"), "no facts without WebGL")
    browser.script("document.getElementById('tab-contact').click()")
    expect("N on" in browser.script("document.querySelector('aside').textContent"), "no forces without WebGL")
    expect(not browser.problems(), f"without WebGL: {browser.problems()}")


def check_unknown(browser, page):
    """The page of a contact of which some numbers are not known."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for name, value in (("distance", "null"), ("area", "null"), ("p1", "[null,null,null]"), ("p1_slope", "[null,null,null]"), ("force_slope", "[null,null,null]"), ("force", "[null,null,null]")):
        text = re.sub(f'"{name}":(\\[[^]]*\\]|[-+.e0-9]+)', f'"{name}":{value}', text)
    forged = page[:-5] + ".unknown.html"
    with open(forged, "w", encoding="utf-8") as file:
        file.write(text)
    browser.open(forged)
    browser.script("document.getElementById('tab-contact').click()")
    browser.drawn()
    said = browser.script("document.querySelector('aside').textContent")
    expect("\u2013 mm" in said and "\u2013, \u2013, \u2013 N" in said, f"unknown numbers are no dashes: {said}")
    expect(not browser.problems(), f"unknown numbers: {browser.problems()}")


def has_contact(page):
    with open(page, encoding="utf-8") as file:
        return '"frames":[{' in file.read()


def check_words(browser, page):
    """In a window of 1200 pixels, with all that is folded away open."""
    browser.open(page, width=1200)
    browser.script("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    broken = browser.script(BROKEN_WORDS)
    expect(not broken, f"{os.path.basename(page)}: words that break in the middle: {broken}")
    expect(browser.script("document.documentElement.scrollWidth <= innerWidth"), f"{os.path.basename(page)}: wider than 1200 pixels")


def check_table(browser, page, count, shots):
    browser.open(page)
    names = "[...document.querySelectorAll('tbody tr')].filter(r => !r.hidden).map(r => r.cells[1].textContent)"
    first = browser.script(names)
    expect(len(first) == count, f"the table has {len(first)} rows of {count}")
    browser.script("document.querySelectorAll('thead button')[0].click()")
    expect(browser.script(names) == first[::-1], "the table is not sorted by a click")
    browser.script("(s => { s.value = '" + first[0] + "'; s.dispatchEvent(new Event('input')); })(document.querySelector('input'))")
    expect(browser.script(names) == [first[0]], "the table does not find an object")
    expect(browser.script("document.documentElement.scrollWidth <= innerWidth"), "the table is wider than the window")
    browser.script("(s => { s.value = ''; s.dispatchEvent(new Event('input')); })(document.querySelector('input'))")
    shots("index.html", "table")
    expect(not browser.problems(), f"index.html: {browser.problems()}")


SCENE = """gravity 0 0 -9.81
duration 1
plane 0 0 1 0
sbox 0 0.3 0.1  1 0 0 0  0.2 0.02 0.1
body box 1 0.001 0.001 0.001  0 0 0.3  1 0 0 0  0 0 0  1 2 3  1
 box 0.05 0.08 0.03  0 0 0  1 0 0 0
body ball 1 0.001 0.001 0.001  0.3 0 0.2  1 0 0 0  0 0 0  0 0 0  1
 sphere 0.05  0 0 0  1 0 0 0
"""


def check_recording(browser, sim, folder, shots):
    scene, page = os.path.join(folder, "fall.scn"), os.path.join(folder, "recording.html")
    with open(scene, "w") as file:
        file.write(SCENE)
    subprocess.run([sim, scene, "--page", page, "--out", os.path.join(folder, "motion.csv")], check=True, capture_output=True)
    seconds = browser.open(page)
    print(f"recording.html: {os.path.getsize(page)} bytes, drawn after {seconds:.2f} s")
    browser.press(" ")  # stops
    browser.drawn()
    pictures = []
    for share in (0, 0.3, 1, 0):
        browser.script(SLIDE + f"('at')({share})")
        browser.drawn()
        pictures.append(tuple(browser.script(PIXELS)))
        if share == 0.3:
            shots("recording.html", "motion")
    expect(all(0.02 < drawn < 0.9 for drawn, _ in pictures), f"recording.html: {pictures} of the picture is drawn")
    expect(len(set(pictures)) == 3 and pictures[0] == pictures[3], "recording.html: the slider does not scrub")
    for act, what in ((lambda: browser.drag(400, 400, 60, 20), "a drag"), (lambda: browser.press("+"), "the zoom's key"),
                      (lambda: browser.press("r"), "reset")):
        before = browser.script(PIXELS)
        act()
        browser.drawn()
        expect(browser.script(PIXELS) != before, f"recording.html: {what} changes nothing")
    expect(browser.script("document.getElementById('play').textContent") == "play", "recording.html: space does not stop")
    browser.script("document.getElementById('play').click()")
    first = float(browser.script("parseFloat(document.getElementById('time').textContent)"))
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and browser.script("parseFloat(document.getElementById('time').textContent)") == first:
        browser.drawn()
    expect(time.monotonic() < deadline, "recording.html: it does not play")
    expect(not browser.problems(), f"recording.html: {browser.problems()}")


def main():
    program, sim, chromium = sys.argv[1:4]
    with tempfile.TemporaryDirectory(prefix="abut_report_") as folder:
        assets = sys.argv[4] if len(sys.argv) > 4 else os.path.join(folder, "assets")
        if len(sys.argv) <= 4:
            data = os.path.join(folder, "data")
            subprocess.run([program, "synthetic", data], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([program, data, assets, "--only", "005_mug", "--only", "001_box", "--tets", "300", "--quads", "500",
                            "--pieces", "8", "--piece-error", "0.005", "--spheres", "32", "--quiet"], check=True)
        pages = os.path.join(folder, "report")
        subprocess.run([program, "report", assets, "--out", pages], check=True, stdout=subprocess.DEVNULL)

        def shots(name, what):
            if len(sys.argv) > 5:
                browser.screenshot(os.path.join(sys.argv[5], f"{name[:-5]}_{what}.png"))

        browser = Browser(chromium)
        try:
            objects = sorted(name for name in os.listdir(pages) if name != "index.html")
            for name in objects:
                check_object(browser, os.path.join(pages, name), shots)
            for name in (*objects, "index.html"):
                check_words(browser, os.path.join(pages, name))
            with_contact = [os.path.join(pages, name) for name in objects[:2] if has_contact(os.path.join(pages, name))]
            expect(with_contact, "no page has a contact")
            for check in (check_unknown, check_tabs, check_narrow, check_lost, check_without_pictures):
                for page in with_contact[:1]:
                    check(browser, page)
            check_table(browser, os.path.join(pages, "index.html"), len(objects), shots)
            check_recording(browser, sim, folder, shots)
        finally:
            browser.close()
    return 1 if failures else 0


sys.exit(main())
