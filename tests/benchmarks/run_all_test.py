"""benchmarks/paper/run_all with programs that stand in for the real ones: a run that is ended goes on where it was, what
is kept stays, a failure is told and the page is made, whole by itself.

    run_all_test.py SOURCE WORK
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

NAMES = ["elandt2019_figure1", "elandt2019_figure3", "kaufman2005_sliding"]
PROGRAMS = ["elandt2019_figure1_compliance", "elandt2019_figure3_hydrostatic", "kaufman2005_sliding"]
VALUES = ["largest difference of the two pressures on the surface: 1e-16 of the modulus",
          "largest difference from hydrostatics: 2e-16; of the force", "  coupled    box at 2 m/s, mu 0.3: 0.6796 m in 2 s",
          "  published  box at 2 m/s, mu 0.3: 4.0000 m in 2 s"]
QUICK = "echo x >> {0}.runs; " + "; ".join(f"echo '{value}'" for value in VALUES)


def expect(held, what):
    if not held:
        sys.exit(f"run_all: {what}")


def is_alive(number):
    """Whether the process runs; one that ended and was not waited for does not."""
    try:
        return pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(holds, seconds=60):
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


class Fixture:
    """Stand-ins for the programs, and runs of run_all with them."""

    def __init__(self, source, work):
        self.source, self.build, self.out = source, work / "build", work / "out"
        self.page, self.data = self.out / "quick/index.html", work / "shared/data"

    def built(self):
        self.build.mkdir()
        (self.build / "CMakeCache.txt").write_text(f"ABUT_SHARED_DIR:PATH={self.data.parent}\n")
        for name in PROGRAMS:
            self.program(name, QUICK)
        (self.build / "benchmarks/paper/commit.txt").write_text("abc1234\n")

    def program(self, name, lines, folder="benchmarks/paper"):
        file = self.build / folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{lines.format(file)}\n")
        file.chmod(0o755)

    def runs(self):
        files = [self.build / "benchmarks/paper" / f"{name}.runs" for name in PROGRAMS]
        return [len(file.read_text().split()) if file.exists() else 0 for file in files]

    def command(self, *words, only=NAMES, out=None):
        return [sys.executable, "-B", self.source / "benchmarks/paper/run_all", out or self.out, "--build", self.build,
                "--only", *only, *words]

    def finish(self, *words, **more):
        told = subprocess.run(self.command(*words, **more), capture_output=True, text=True, timeout=60)
        expect("Traceback" not in told.stderr, f"a traceback:\n{told.stderr}")
        return told

    def result(self, name, mode="quick"):
        return json.loads((self.out / mode / name / "result.json").read_text())


def ended_runs_go_on(at):
    """Ended while the second program runs: the first stays, the second ends with the run, and starts again."""
    note = at.build / "pid"
    for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        note.unlink(missing_ok=True)
        at.program(PROGRAMS[1], QUICK + f"; echo $$ > {note}.part; mv {note}.part {note}; exec sleep 60")
        run = subprocess.Popen(at.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        expect(until(note.exists), "the second program does not start")
        told = at.finish()
        expect(told.returncode == 1 and "another run" in told.stderr, "two runs write to one folder")
        run.send_signal(name)
        expect(run.wait(60) == (-9 if name == signal.SIGKILL else 130), "a run that is stopped does not say so")
        expect(until(lambda: not is_alive(int(note.read_text())), 10), f"{name.name} leaves the program running")
        expect(at.page.exists() and not (at.out / "quick" / NAMES[1]).exists(), "what a stopped run leaves")
    expect(at.runs() == [1, 3, 0], "which programs ran")

    # What a program of a killed run has left holds the folder.
    note.unlink()
    at.program(PROGRAMS[1], f"sleep 60 & echo $! > {note}.part; mv {note}.part {note}; wait")
    run = subprocess.Popen(at.command(), stdout=subprocess.DEVNULL)
    expect(until(note.exists), "the second program does not start")
    run.kill()
    run.wait(60)
    expect(at.finish().returncode == 1, "a run beside what another has left")
    os.kill(int(note.read_text()), signal.SIGKILL)
    at.program(PROGRAMS[1], QUICK)
    expect(until(lambda: at.finish(only=NAMES[2:]).returncode == 0, 10), "the folder stays held")


def failures_are_told(at):
    at.program(PROGRAMS[1], QUICK + "; echo 'the <last> word' >&2; exit 3")
    told = at.finish()
    expect(told.returncode == 1, "a failure does not make the run fail")
    expect(f"{NAMES[1]}: FAILED with status 3: the <last> word" in told.stdout, f"a failure is not told:\n{told.stdout}")
    expect(f"{NAMES[0]}: kept" in told.stdout, f"what was kept is made again:\n{told.stdout}")
    expect(at.runs() == [1, 4, 1], "which programs ran")
    text = at.page.read_text()
    expect("1e-16" in text and "the &lt;last&gt; word" in text, "what the programs print is not on the page")
    links = [link for link in re.findall(r"""(?:src|href)\s*=\s*["']([^"']*)|url\(([^)]*)\)""", text)]
    expect(links and all(re.match(r"#|data:", "".join(link)) for link in links) and "://" not in text,
           "the page has links to elsewhere")
    expect("<script" not in text and "@import" not in text, "the page is not whole by itself")
    expect("programs of commit abc1234" in text, "a result does not say of which commit its programs are")

    # Another program of that name, and only that, runs again.
    at.program(PROGRAMS[1], QUICK + "; echo 'NOT MET: a bound' >&2; exit 1")
    told = at.finish()
    expect(told.returncode == 1 and f"missed: {NAMES[1]}" in told.stdout, f"a bound not met is not told:\n{told.stdout}")
    at.program(PROGRAMS[1], QUICK)
    told = at.finish(only=[*NAMES, "elandt2019_figure2"])
    expect(told.returncode == 0, f"a whole run fails:\n{told.stdout}")
    expect(f"elandt2019_figure2: skipped: needs {at.data / 'pressure_field'}" in told.stdout,
           f"data that is missing is not told:\n{told.stdout}")
    expect(at.runs() == [1, 6, 1], "a program that is another is not run again")

    # A failure leaves the result before it, and the page shows the failure until there is another result.
    before = at.result(NAMES[1])
    at.program(PROGRAMS[1], "exit 4")
    expect(at.finish().returncode == 1 and at.result(NAMES[1]) == before, "a failure takes a result away")
    at.finish(only=NAMES[:1])
    expect("status 4" in at.page.read_text(), "a failure is not on the page")
    at.program(PROGRAMS[1], QUICK)
    expect(at.finish().returncode == 0 and "status 4" not in at.page.read_text(), "a failure stays on the page")

    # A program that cannot run is a failure of its own.
    (at.build / "benchmarks/paper" / PROGRAMS[1]).write_text("no program\n")
    (at.build / "benchmarks/paper" / PROGRAMS[1]).chmod(0o644)
    told = at.finish()
    expect(told.returncode == 1 and "cannot be run: Permission denied" in told.stdout and "2 ran" in told.stdout,
           f"a program that cannot run:\n{told.stdout}{told.stderr}")
    at.program(PROGRAMS[1], QUICK)


def values_are_printed(at):
    """A value that is no longer printed, or twice, is a failure, on the page too."""
    for lines in ("echo 'largest divergence from hydrostatics: 1e-3'", f"echo '{VALUES[1]}'; echo '{VALUES[1]}'"):
        at.program(PROGRAMS[1], lines)
        told = at.finish()
        expect(told.returncode == 1 and f"results.py match no line or several: {NAMES[1]}" in told.stdout and
               f"{NAMES[1]}: NOT PRINTED: difference from hydrostatics" in told.stdout, f"a value not printed is not told:\n{told.stdout}")
        expect('<span class="bad">not printed</span>' in at.page.read_text(), "the page does not say that a value is not printed")
        expect(at.finish().returncode == 1, "a value not printed is forgotten where the result is kept")
    at.program(PROGRAMS[1], QUICK)
    expect(at.finish().returncode == 0, "a value that is printed again")


def results_stay(at):
    """Full and quick results lie side by side, and a page has all that there are."""
    expect(at.finish("--full").returncode == 0, "a full run fails")
    full = at.result(NAMES[0], "full")
    counts = at.runs()
    expect(at.finish().returncode == 0 and at.result(NAMES[0], "full") == full and at.runs() == counts,
           "a quick run replaces what a full one made, or runs again")
    at.finish(only=NAMES[2:])
    expect(at.page.read_text().count("0.6796") >= 2 and "2e-16" in at.page.read_text(), "--only takes the other results off the page")

    # Results of another form are made again.
    for text in ('{"state":"ran"}', "[1]", '{"state":"ran","key":{}}', "", '"ran"'):
        (at.out / "quick" / NAMES[2] / "result.json").write_text(text)
        told = at.finish(only=NAMES[2:])
        expect(told.returncode == 0 and "kept" not in told.stdout, f"a damaged result is kept: {text}")
    file = at.build / "file"
    file.touch()
    told = at.finish(out=file)
    expect(told.returncode == 1 and str(file) in told.stderr, "a file in the place of OUT is not told")


def inputs_are_known(at):
    """The programs that make a program's input, and the reference data, are part of what a result was made of."""
    name = "beker2025_figure1"
    at.program("beker2025_figure1_figure5_force_profile", "cat made.txt")
    for word in ("old", "new"):
        at.program("abut-preprocess", f"echo {word} > made.txt", "bin")
        expect(at.finish(only=[name]).returncode == 0, "a program with an input fails")
        expect((at.out / "quick" / name / "output.txt").read_text() == f"{word}\n", "the result of another input is kept")
    name = "elandt2019_figure2"
    at.program("elandt2019_figure2_field", f"cat {at.data}/pressure_field/mug")
    (at.data / "pressure_field").mkdir(parents=True)
    for word in ("old", "new"):
        (at.data / "pressure_field/mug").write_text(word)
        expect(at.finish(only=[name]).returncode == 0, "a program with data fails")
        expect((at.out / "quick" / name / "output.txt").read_text() == word, "the result of other data is kept")


def main():
    source, work = (pathlib.Path(word) for word in sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    at = Fixture(source, work)
    expect(at.finish().returncode == 1 and not at.page.exists(), "no programs: not told")
    at.built()
    ended_runs_go_on(at)
    failures_are_told(at)
    values_are_printed(at)
    results_stay(at)
    inputs_are_known(at)
    (at.build / "benchmarks/paper" / PROGRAMS[2]).unlink()
    told = at.finish()
    expect(told.returncode == 1 and "is not built" in told.stdout, "a missing program is not told")


main()
