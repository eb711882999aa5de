"""benchmarks/paper/run_all with programs that stand in for the real ones: a run that is killed goes on where it was, what
is kept stays, a failure is told and the page is made, whole by itself.

    run_all_test.py SOURCE WORK
"""

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


def program(build, name, lines):
    file = build / "benchmarks/paper" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{lines.format(file)}\n")
    file.chmod(0o755)


def runs(build, name):
    file = build / "benchmarks/paper" / f"{name}.runs"
    return len(file.read_text().split()) if file.exists() else 0


def expect(held, what):
    if not held:
        sys.exit(f"run_all: {what}")


def main():
    source, work = (pathlib.Path(word) for word in sys.argv[1:])
    shutil.rmtree(work, ignore_errors=True)
    build, out = work / "build", work / "out"
    command = [sys.executable, "-B", source / "benchmarks/paper/run_all", out, "--build", build, "--only", *NAMES, "elandt2019_figure2"]
    page = out / "index.html"

    def finish():
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    work.mkdir(parents=True)
    expect(finish().returncode == 1 and not page.exists(), "no programs: not told")

    # Killed while the second program runs: the first stays, the second starts again.
    build.mkdir()
    (build / "CMakeCache.txt").write_text(f"ABUT_SHARED_DIR:PATH={work / 'nowhere'}\n")
    program(build, PROGRAMS[0], QUICK)
    program(build, PROGRAMS[1], QUICK + "; touch {0}.started; exec sleep 60")
    program(build, PROGRAMS[2], QUICK)
    killed = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    started, deadline = build / "benchmarks/paper" / f"{PROGRAMS[1]}.started", time.monotonic() + 60
    while not started.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    killed.send_signal(signal.SIGTERM)
    expect(killed.wait(60) == 130, "a run that is stopped does not say so")
    expect(page.exists() and not (out / NAMES[1]).exists(), "what a stopped run leaves")

    # A failing program is told, and the run goes on; what it printed is on the page.
    program(build, PROGRAMS[1], QUICK + "; echo 'the <last> word' >&2; exit 3")
    told = finish()
    expect(told.returncode == 1, "a failure does not make the run fail")
    expect(f"{NAMES[1]}: FAILED with status 3: the <last> word" in told.stdout, f"a failure is not told:\n{told.stdout}")
    expect(f"{NAMES[0]}: kept" in told.stdout, f"what was kept is made again:\n{told.stdout}")
    expect([runs(build, name) for name in PROGRAMS] == [1, 2, 1], "which programs ran")
    text = page.read_text()
    expect("1e-16" in text and "the &lt;last&gt; word" in text, "what the programs print is not on the page")
    links = [link for link in re.findall(r"""(?:src|href)\s*=\s*["']([^"']*)|url\(([^)]*)\)""", text)]
    expect(links and all(re.match(r"#|data:", "".join(link)) for link in links) and "://" not in text,
           "the page has links to elsewhere")
    expect("<script" not in text and "@import" not in text, "the page is not whole by itself")

    # Another program of that name, and only that, runs again.
    program(build, PROGRAMS[1], QUICK + "; echo 'NOT MET: a bound' >&2; exit 1")
    told = finish()
    expect(told.returncode == 1 and f"missed: {NAMES[1]}" in told.stdout, f"a bound not met is not told:\n{told.stdout}")
    program(build, PROGRAMS[1], QUICK)
    told = finish()
    expect(told.returncode == 0, f"a whole run fails:\n{told.stdout}")
    expect(f"elandt2019_figure2: skipped: needs {work / 'nowhere/data/pressure_field'}" in told.stdout,
           f"data that is missing is not told:\n{told.stdout}")
    expect([runs(build, name) for name in PROGRAMS] == [1, 4, 1], "a program that is another is not run again")

    # A value that is no longer printed, or twice, is a failure, on the page too.
    for lines in ("echo 'largest divergence from hydrostatics: 1e-3'", f"echo '{VALUES[1]}'; echo '{VALUES[1]}'"):
        program(build, PROGRAMS[1], lines)
        told = finish()
        expect(told.returncode == 1 and f"results.py match no line or several: {NAMES[1]}" in told.stdout and
               f"{NAMES[1]}: NOT PRINTED: difference from hydrostatics" in told.stdout, f"a value not printed is not told:\n{told.stdout}")
        expect('<span class="bad">not printed</span>' in page.read_text(), "the page does not say that a value is not printed")
        expect(finish().returncode == 1, "a value not printed is forgotten where the result is kept")

    (build / "benchmarks/paper" / PROGRAMS[2]).unlink()
    told = finish()
    expect(told.returncode == 1 and "is not built" in told.stdout, "a missing program is not told")


main()
