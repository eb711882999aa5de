#!/usr/bin/env python3
"""Processor time that an object takes in the pipeline: core_seconds.py ABUT_PREPROCESS DATASET [PART ...]

Each object is made alone with the default parts, and then without tetrahedra with each PART (pieces, grid, spheres; all
of them if none is named), whose own time is what it adds. A table, and the medians. Fails where an object is not made, or where the
median with the default parts is above 3 s.
"""
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

PROMISED = 3  # s
BARE = ["--tets", "none"]
PARTS = {"pieces": ["--pieces", "auto"], "grid": ["--grid", "auto"], "spheres": ["--spheres", "64"]}


def processor_time():
    """Of all processes that have ended, s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def seconds(program, dataset, name, options):
    with tempfile.TemporaryDirectory() as out:
        start = processor_time()
        subprocess.run([program, dataset, out, "--only", name, "--jobs", "1", "--quiet", *options], check=True)
        if not pathlib.Path(out, name + ".h5").exists():
            sys.exit(f"{name} was not made")
        return processor_time() - start


def main(program, dataset, *parts):
    parts = {name: PARTS[name] for name in parts or PARTS}
    names = sorted(folder.name for folder in pathlib.Path(dataset).iterdir() if folder.is_dir())
    rows = []
    print("| object | default parts, s | " + " | ".join(parts) + " |\n|---|---|" + "---|" * len(parts))
    for name in names:
        bare = seconds(program, dataset, name, BARE)
        row = [seconds(program, dataset, name, [])]
        row += [seconds(program, dataset, name, BARE + options) - bare for options in parts.values()]
        rows.append(row)
        print(f"| {name} | " + " | ".join(f"{took:.2f}" for took in row) + " |", flush=True)
    medians = [statistics.median(column) for column in zip(*rows)]
    print("| median | " + " | ".join(f"{median:.2f}" for median in medians) + " |")
    if medians[0] > PROMISED:
        sys.exit(f"NOT MET: {medians[0]:.2f} s in the median, promised {PROMISED}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
