"""Damaged copies of meshes through abut-preprocess: each becomes an asset that passes `verify` and is near what the damage left,
or is refused for a right reason; none hangs. A table by cause.

    damaged_test.py ABUT_PREPROCESS COUNT [MESHES] [--options "..."]

COUNT copies are of the meshes below the folder MESHES (layout of YCB), or of those that `synthetic` makes, the same in every run. The
options are of abut-preprocess. What is wrong is silent where the status does not tell of it: none may be. Copies that took long are made
again, each alone, and judged by their processor time, since other work on the machine is no hang. Ends with 77 if MESHES is missing."""

import argparse
import collections
import json
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import zlib

import numpy as np

from file_damages import FILE_DAMAGES, write
from mesh_files import FORMATS, read_obj, read_stl
from shape_damages import DAMAGES
from wanted import ASSET, REFUSAL

LEAST_RIGHT = 0.98         # share of the copies
LARGEST_SECONDS = 120      # of processor time for one object, s: more is a hang
NEAR = 0.025               # how far an asset may be from the damaged mesh, of its diagonal
SAMPLES = 120


def make_copy(number, names, meshes):
    """Name, extension, content and what is wanted of one copy."""
    causes = DAMAGES + FILE_DAMAGES
    damage, turn = causes[number % len(causes)], number // len(causes)
    at = np.random.default_rng([number, zlib.crc32(damage.__name__.encode())])
    # Over the rounds of one damage formats and meshes change at different paces.
    kind = list(FORMATS)[(turn + number) % len(FORMATS)]
    which = (turn * 7 + number * 4) % len(names)
    if damage in DAMAGES:
        damaged, wanted = damage(meshes[names[which]], at)
        content, extension = write(damaged, kind)
    else:
        content, extension, wanted = damage(meshes[names[which]], at, kind)
    return damage.__name__, f"{number:04}_{damage.__name__}_{names[which]}", extension, content, wanted


def surface_of(program, asset, scratch):
    file = scratch / "surface.stl"
    result = subprocess.run([program, "export", asset, "--out", file], capture_output=True, text=True)
    return read_stl(file) if result.returncode == 0 else None


def shape_faults(mesh, wanted, entry, at):
    """What is wrong with the surface of an asset."""
    if not np.isfinite(mesh.vertices).all():
        return "has vertices that are not finite"
    if not mesh.is_watertight():
        return "is not watertight"
    volume, _ = mesh.volume_and_centre()
    if volume <= 0:
        return "is inside out"
    status = entry["status"]
    wrapped = "wrapped" in status or "SHELL" in status
    if wanted.mild and wrapped:
        return f"is {status}"
    within, spread = (max(wanted.within, NEAR), max(wanted.spread, 0.2)) if wrapped else (wanted.within, wanted.spread)
    whole = "SHELL" not in status and "dropped" not in status
    if wanted.volume and whole and abs(volume / wanted.volume - 1) > spread:
        return f"has {volume / wanted.volume:.3f} of the volume ({status})"
    if wanted.solid is not None:
        d = wanted.solid.diagonal()
        there = wanted.solid.distances(mesh.sample(at, SAMPLES)).max() / d
        back = mesh.distances(wanted.solid.sample(at, SAMPLES)).max() / d
        if max(there, back) > within:
            return f"is {100 * there:.2g} % beyond and {100 * back:.2g} % short of the solid, at most {100 * within:.2g} %"
    if wanted.input is not None:
        (low, high), d = wanted.input.box(), wanted.input.diagonal()
        if (mesh.vertices < low - NEAR * d).any() or (mesh.vertices > high + NEAR * d).any():
            return "reaches beyond the damaged mesh"
        points = wanted.input.sample(at, SAMPLES)
        away = mesh.distances(points) > NEAR * d
        lost = np.mean([a and not mesh.holds(p) for a, p in zip(away, points)])
        if lost > 0.6:
            return f"lacks {100 * lost:.0f} % of the damaged mesh"
        told = entry["measures"].get("dropped_area_percent", 0) / 100
        if lost > 0.03 + 1.5 * told:
            return f"lacks {100 * lost:.0f} % of the damaged mesh, {100 * told:.0f} % told"
    return ""


def judge(entry, wanted, verified, program, scratch, at):
    """The kind of outcome ("asset", "refused", "wrong", "silent") and what is said of it."""
    if entry["seconds"] > LARGEST_SECONDS:
        return "silent", f"took {entry['seconds']:.0f} s"
    if entry["status"] == "failed":
        reason = entry["reason"]
        if entry["outcome"] != "failed":
            return "silent", f"{entry['outcome']}: {reason}"
        place = re.match(re.escape(entry["source_file"]) + r"(:\d+)?: ", reason)
        if not place or "\n" in reason:
            return "wrong", f"does not name the file: {reason}"
        reason = reason[place.end():]
        right = wanted.what != ASSET and re.search(wanted.reason, reason)
        return ("refused" if right else "wrong"), f"refused: {reason}"
    if entry["name"] not in verified:
        return "silent", "fails verify"
    if wanted.what == REFUSAL:
        return "silent", f"made: {entry['status']}: {'; '.join(entry['warnings'])}"
    if not re.search(wanted.warning, "\n".join(entry["warnings"])):
        return "wrong", f"no warning of {wanted.warning}: {entry['status']}: {'; '.join(entry['warnings'])}"
    mesh = surface_of(program, entry["asset_file"], scratch)
    fault = "cannot be exported" if mesh is None else shape_faults(mesh, wanted, entry, at)
    if not fault:
        return "asset", entry["status"]
    told = re.search("wrapped|SHELL|dropped", entry["status"])
    return "wrong" if told else "silent", f"the surface {fault}: {'; '.join(entry['warnings'])}"


def run(program, data, out, options):
    """The entries of all objects, and the names of the assets that pass `verify`."""
    report = out.parent / "run.json"
    result = subprocess.run([program, data, out, "--jobs", "2", "--quiet", "--json", report, *options],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    entries = json.loads(report.read_text())["objects"]
    failed = [entry for entry in entries if entry["status"] == "failed"]
    if result.returncode != (1 if failed else 0) or result.stderr.count("\n") < len(failed):
        sys.exit(f"damaged_test: exit code {result.returncode} of {len(failed)} failures: {result.stderr[-2000:]}")
    assets = sorted(out.glob("*.h5"))
    told = subprocess.run([program, "verify", *assets], capture_output=True, text=True)
    return entries, {asset.stem for asset in assets if f"{asset}:" not in told.stderr}, told


def processor_seconds(program, file, scratch, options):
    """Processor time that one copy takes alone, s."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, file, scratch / "again" / file.stem, "--jobs", "1", "--quiet", *options], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def print_table(rows):
    """By cause; rows of (cause, kind, seconds, words)."""
    print(f"{'cause':20} {'copies':>6} {'assets':>6} {'refused':>7} {'wrong':>5} {'silent':>6} {'median s':>8} {'worst s':>7}")
    for cause in [*dict.fromkeys(row[0] for row in rows), "all"]:
        of_cause = [row for row in rows if cause in (row[0], "all")]
        count = collections.Counter(row[1] for row in of_cause)
        seconds = [row[2] for row in of_cause]
        print(f"{cause:20} {len(of_cause):6} {count['asset']:6} {count['refused']:7} {count['wrong']:5} {count['silent']:6} "
              f"{np.median(seconds):8.2f} {max(seconds):7.2f}")


def main():
    words = argparse.ArgumentParser()
    words.add_argument("program", type=pathlib.Path)
    words.add_argument("count", type=int)
    words.add_argument("meshes", nargs="?", type=pathlib.Path)
    words.add_argument("--options", default="", help="of abut-preprocess, in one word")
    words.add_argument("--only", default=".", help="copies whose name matches this pattern")
    words.add_argument("--keep", type=pathlib.Path, help="keep files in this folder")
    words = words.parse_args()
    with tempfile.TemporaryDirectory(prefix="abut_damaged_") as name:
        check(words, words.keep or pathlib.Path(name))


def check(words, scratch):
    program, source, data = words.program.resolve(), words.meshes, scratch / "data"
    if source is not None and not source.exists():
        print(f"damaged_test: {source} is missing")
        sys.exit(77)
    if source is None:
        source = scratch / "household"
        subprocess.run([program, "synthetic", source], check=True, stdout=subprocess.DEVNULL)
    meshes = {file.parts[-3]: read_obj(file) for file in sorted(source.glob("*/google_16k/textured.obj"))}
    data.mkdir(parents=True)
    causes, wanted = {}, {}
    for number in range(words.count):
        cause, name, extension, content, want = make_copy(number, list(meshes), meshes)
        if re.search(words.only, name):
            (data / (name + extension)).write_bytes(content)
            causes[name], wanted[name] = cause, want
    entries, verified, told = run(program, data, scratch / "out", shlex.split(words.options))
    if sorted(entry["name"] for entry in entries) != sorted(causes):
        sys.exit("damaged_test: not every copy is told of")
    rows = []
    for entry in sorted(entries, key=lambda entry: entry["name"]):
        at = np.random.default_rng(zlib.crc32(entry["name"].encode()))
        if entry["seconds"] > LARGEST_SECONDS:
            entry["seconds"] = processor_seconds(program, next(data.glob(entry["name"] + ".*")), scratch, shlex.split(words.options))
        kind, what = judge(entry, wanted[entry["name"]], verified, program, scratch, at)
        rows.append((causes[entry["name"]], kind, entry["seconds"], what))
        if kind in ("wrong", "silent") or words.only != ".":
            print(f"{kind}: {entry['name']} ({entry['seconds']:.1f} s): {what}", flush=True)
    print(told.stderr)
    order = [damage.__name__ for damage in DAMAGES + FILE_DAMAGES]
    rows.sort(key=lambda row: order.index(row[0]))
    print_table(rows)
    reasons = collections.Counter(re.sub(r"\d[\d.e+-]*", "#", what)[:90] for _, kind, _, what in rows if kind == "refused")
    for reason, count in reasons.most_common(40):
        print(f"{count:5} {reason}")
    count = collections.Counter(kind for _, kind, _, _ in rows)
    right = (count["asset"] + count["refused"]) / len(rows)
    print(f"{100 * right:.1f} % right, {count['silent']} silently wrong")
    if right < LEAST_RIGHT or count["silent"] > 0:
        sys.exit(f"damaged_test: at least {100 * LEAST_RIGHT:.0f} % right are wanted, and none silently wrong")


main()
