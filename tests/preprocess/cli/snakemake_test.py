"""A dataset through scripts/shards/Snakefile, killed twice: nothing lost, nothing made twice, merged manifest exact.

    snakemake_test.py ABUT_PREPROCESS SNAKEMAKE ROOT COUNT SHARDS [MESHES [OPTIONS]]

COUNT objects are deformed copies of the meshes below the folder MESHES, or of those that `synthetic` makes; one of
them is damaged on purpose. OPTIONS are of abut-preprocess."""

import json
import math
import os
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time

PREPROCESS, SNAKEMAKE, ROOT = map(os.path.abspath, sys.argv[1:4])
COUNT, SHARDS = int(sys.argv[4]), int(sys.argv[5])
MESHES = pathlib.Path(sys.argv[6]) if len(sys.argv) > 6 else None
OPTIONS = sys.argv[7] if len(sys.argv) > 7 else "--tets none --quads none"
KILLS = 2


def require(what, message):
    if not what:
        sys.exit(f"snakemake_test: {message}")


def read_obj(file):
    vertices, faces = [], []
    for line in file.read_text().splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append(tuple(map(float, words[1:4])))
        elif words[:1] == ["f"]:
            faces.append("f " + " ".join(word.split("/")[0] for word in words[1:]))
    return vertices, faces


def write_deformed(mesh, file, number):
    """Stretched along the axes, and bent by a slow wave: the same triangles, an object of its own."""
    vertices, faces = mesh
    at = random.Random(number)
    scale = [at.uniform(0.7, 1.4) for _ in range(3)]
    size = max(max(v[k] for v in vertices) - min(v[k] for v in vertices) for k in range(3))
    wave, depth = at.uniform(1, 3) / size, at.uniform(0, 0.04) * size
    with open(file, "w") as out:
        for x, y, z in vertices:
            x += depth * math.sin(wave * z)
            out.write(f"v {scale[0] * x:.9g} {scale[1] * y:.9g} {scale[2] * z:.9g}\n")
        out.write("\n".join(faces) + "\n")


def write_dataset(folder, scratch):
    source = MESHES
    if source is None:
        source = scratch / "household"
        subprocess.run([PREPROCESS, "synthetic", source], check=True, stdout=subprocess.DEVNULL)
    meshes = [(file.parts[-3], read_obj(file)) for file in sorted(source.glob("*/google_16k/textured.obj"))]
    require(meshes, f"no meshes below {source}")
    folder.mkdir()
    for number in range(COUNT):
        name, mesh = meshes[number % len(meshes)]
        write_deformed(mesh, folder / f"{name}_{number:04}.obj", number)
    (folder / "damaged.obj").write_text("v 0 0 0\nv 1 0 0\nf 1 2 9\n")
    return sorted(file.stem for file in folder.iterdir())


def assets(out):
    return {file.name: (file.stat().st_ino, file.stat().st_mtime_ns) for file in out.glob("*.h5")}


def command(data, out):
    config = {"dataset": data, "out": out, "shards": SHARDS, "program": PREPROCESS, "options": OPTIONS}
    return [SNAKEMAKE, "-s", f"{ROOT}/scripts/shards/Snakefile", "--profile", f"{ROOT}/scripts/shards/local",
            "--config", *(f"{key}={value}" for key, value in config.items())]


def run_and_kill(words, out, log, until):
    """Starts a run and kills all of it once there are `until` assets."""
    running = subprocess.Popen(words, cwd=log.parent, stdout=log.open("a"), stderr=subprocess.STDOUT,
                               start_new_session=True)
    while running.poll() is None and len(assets(out)) < until:
        time.sleep(0.1)
    require(running.poll() is None, f"the run ended before it was killed; {log}:\n{log.read_text()[-2000:]}")
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    time.sleep(1)  # workers end with their parent
    return assets(out)


def facts(manifest):
    """What does not depend on when an object was made."""
    keys = ("name", "source_file", "asset_file", "outcome", "triangles", "hull_vertices", "volume_cm3", "measures",
            "volumes", "warnings", "caution")
    return sorted(json.dumps({key: entry.get(key) for key in keys}, sort_keys=True) for entry in manifest["objects"])


def require_all_again(words, scratch, change):
    planned = subprocess.run([*words, "--dry-run"], cwd=scratch, capture_output=True, text=True)
    require(f"shard {SHARDS:>12}".split() in [line.split()[:2] for line in planned.stdout.splitlines()],
            f"with {change} not every shard runs again: {planned.stdout}")


def main():
    with tempfile.TemporaryDirectory(prefix="abut_shards_") as name:
        scratch = pathlib.Path(name)
        data, out, log = scratch / "data", scratch / "out", scratch / "log"
        names = write_dataset(data, scratch)
        print(f"{len(names)} objects, {SHARDS} shards", flush=True)
        words, before = command(data, out), {}
        for kill in range(1, KILLS + 1):
            kept = run_and_kill(words, out, log, kill * COUNT // (KILLS + 1))
            require(all(kept.get(key) == value for key, value in before.items()), "an asset was made twice or lost")
            print(f"killed with {len(kept)} assets, {len(list((out / 'manifests').glob('*')))} manifests", flush=True)
            before = kept
        result = subprocess.run(words, cwd=scratch, stdout=log.open("a"), stderr=subprocess.STDOUT)
        require(result.returncode == 0, log.read_text()[-4000:])
        after = assets(out)
        require(all(after.get(key) == value for key, value in before.items()), "an asset was made twice or lost")
        require(sorted(after) == sorted(f"{name}.h5" for name in names if name != "damaged"), "an asset is missing")
        merged = json.loads((out / "all.json").read_text())
        require(sorted(entry["name"] for entry in merged["objects"]) == names, "the merged manifest is not exact")
        whole = scratch / "whole.json"  # of one run over the whole set, which finds all of it up to date
        again = subprocess.run([PREPROCESS, data, out, "--quiet", "--json", whole, *shlex.split(OPTIONS)],
                               stderr=subprocess.PIPE, text=True)
        require(again.returncode == 1 and "damaged" in again.stderr, again.stderr)
        require(assets(out) == after, "an asset was made twice")
        require(facts(merged) == facts(json.loads(whole.read_text())), "the merged manifest differs from that of one run")
        status = (out / "status.txt").read_text()
        require("1  failed" in status and "(damaged)" in status, status)
        idle = subprocess.run(words, cwd=scratch, capture_output=True, text=True)
        require(idle.returncode == 0 and "Nothing to be done" in idle.stdout + idle.stderr, idle.stdout + idle.stderr)
        for other in ("options=--tets none --quads none --stage-timings", "timeout=900"):
            require_all_again([*words, other], scratch, other)
        mesh = data / f"{names[0]}.obj"
        kept, times = mesh.read_bytes(), mesh.stat()
        mesh.write_bytes(kept + b"\n")
        require_all_again(words, scratch, "a changed mesh")
        mesh.write_bytes(kept)
        os.utime(mesh, ns=(times.st_atime_ns, times.st_mtime_ns))
        (data / "added.obj").write_bytes((data / f"{names[0]}.obj").read_bytes())
        require_all_again(words, scratch, "one more mesh")
        seconds = sum(entry["seconds"] for entry in merged["objects"])
        print(f"{status}\nnothing lost, nothing made twice, merged manifest exact; the last run took {seconds:.0f} s "
              "of one object after another")


main()
