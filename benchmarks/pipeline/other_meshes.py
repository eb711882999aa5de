#!/usr/bin/env python3
"""Meshes that the pipeline was not designed for: other_meshes.py ABUT_PREPROCESS FOLDER OUT

FOLDER holds OFF files, such as those of Debian's libcgal-demo (/usr/share/doc/libcgal-dev/data.tar.gz, data/meshes).
They are converted to OBJ in OUT/meshes, made into assets in OUT/assets, and verified. A table of those refused, with
the reason. Fails where an asset does not verify, or where fewer than 98 % of the objects are assets or refused with a
reason. Goes on where it was ended.
"""
import json
import pathlib
import subprocess
import sys

PROMISED = 0.98


def numbers(path):
    """The words of an OFF file without comments, and the columns of a vertex's line."""
    lines = [line.split("#")[0].split() for line in path.read_text(errors="replace").splitlines()]
    lines = [line for line in lines if line]
    if not lines or not lines[0][0].endswith("OFF"):
        sys.exit(f"{path} is no OFF file")
    head = lines.pop(0)
    if len(head) == 1:
        head += lines.pop(0)
    return int(head[1]), int(head[2]), lines


def convert(path, obj):
    vertices, faces, lines = numbers(path)
    with obj.open("w") as out:
        for line in lines[:vertices]:
            out.write("v " + " ".join(line[:3]) + "\n")
        for line in lines[vertices:vertices + faces]:
            out.write("f " + " ".join(str(int(k) + 1) for k in line[1:1 + int(line[0])]) + "\n")


def main(program, folder, out):
    meshes, assets = out / "meshes", out / "assets"
    meshes.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("*.off")):
        obj = meshes / f"{path.stem}.obj"
        if not obj.exists():
            convert(path, obj)
    summary = out / "summary.json"
    subprocess.run([program, meshes, assets, "--json", summary], check=False)
    objects = json.loads(summary.read_text())["objects"]
    made = sorted(assets.glob("*.h5"))
    verified = subprocess.run([program, "verify", *made], check=False).returncode == 0
    left = [o for o in objects if not (assets / f"{o['name']}.h5").exists()]
    told = sum(1 for o in left if o["reason"])
    print(f"\n{len(objects)} meshes: {len(made)} assets, {'all verified' if verified else 'NOT all verified'}; "
          f"{told} refused with a reason, {len(left) - told} without\n\n| refused | reason |\n|---|---|")
    for o in left:
        print(f"| {o['name']} | {o['reason']} |")
    sys.exit(0 if verified and len(made) + told >= PROMISED * len(objects) else 1)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
