"""USD exports as three.js reads them: the corners of every triangle, materials and pictures.
Usage: usd_reader_test.py ABUT_PREPROCESS ASSETS THREE"""

import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

PROGRAM, ASSETS, THREE = sys.argv[1:4]
HERE = pathlib.Path(__file__).parent


def export(source, kind, out):
    subprocess.run([PROGRAM, "export", source, "--to", kind, "--out", out], check=True, capture_output=True, text=True)
    return out


def read_usd(folder):
    """What three.js reads of each object's file, by the object's name."""
    files = {path.stem: str(path) for path in sorted(folder.rglob("*.usda"))}
    words = ["node", HERE / "usd_reader.mjs", THREE, *files.values()]
    result = subprocess.run(words, capture_output=True, text=True)
    if result.returncode != 0 or result.stderr:
        raise AssertionError(result.stderr)
    return {name: json.loads(result.stdout)[file] for name, file in files.items()}


def read_obj(file):
    """The coordinates of the triangles' corners one after another, in single precision."""
    vertices, corners = [], []
    for line in file.read_text().splitlines():
        key, *words = line.split()
        if key == "v":
            vertices.append([struct.unpack("f", struct.pack("f", float(word)))[0] for word in words[:3]])
        elif key == "f":
            for word in words:
                corners += vertices[int(word.split("/")[0]) - 1]
    return corners


def write_png(file, red, green, blue):
    """One pixel."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(bytes([0, red, green, blue]))) + chunk(b"IEND", b""))


def write_textured_box(folder):
    corners = [(x, y, z) for x in (0, 0.1) for y in (0, 0.06) for z in (0, 0.2)]
    faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    lines = ["mtllib box.mtl", *(f"v {x} {y} {z}" for x, y, z in corners), "vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1"]
    for k, face in enumerate(faces):
        lines.append("usemtl " + ("printed" if k < 3 else "plain"))
        lines.append("f " + " ".join(f"{v}/{t}" for t, v in enumerate(face, 1)))
    (folder / "box.obj").write_text("\n".join(lines) + "\n")
    (folder / "box.mtl").write_text("newmtl printed\nKd 1 1 1\nmap_Kd print.png\nnewmtl plain\nKd 0.8 0.4 0.2\n")
    write_png(folder / "print.png", 10, 200, 30)


class UsdReader(unittest.TestCase):
    def test_triangles_are_those_of_the_assets(self):
        with tempfile.TemporaryDirectory() as folder:
            found = read_usd(export(ASSETS, "usd", pathlib.Path(folder) / "usd"))
            meshes = export(ASSETS, "meshes", pathlib.Path(folder) / "meshes")
            self.assertEqual(sorted(found), sorted(path.stem for path in pathlib.Path(ASSETS).glob("*.h5")))
            for name, read in found.items():
                stems = {path: path.stem.removeprefix(f"{name}_") for path in (meshes / name).glob("*.obj")}
                parts = {stem: path for path, stem in stems.items() if stem == "surface" or stem.startswith("convex_")}
                self.assertEqual(sorted(read["meshes"]), sorted(parts))
                for part, file in parts.items():
                    ours, theirs = read_obj(file), read["meshes"][part]["corners"]
                    self.assertEqual(len(theirs), len(ours), f"{name} {part}")
                    self.assertEqual([i for i in range(len(ours)) if theirs[i] != ours[i]][:9], [], f"{name} {part}")

    def test_materials_and_pictures_are_those_of_the_source(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "meshes").mkdir()
            write_textured_box(folder / "meshes")
            subprocess.run([PROGRAM, folder / "meshes", folder / "out", "--tets", "none", "--quads", "none"],
                           check=True, capture_output=True, text=True)
            read = read_usd(export(folder / "out", "usd", folder / "usd"))["box"]
            seen = [mesh for part, mesh in read["meshes"].items() if not part.startswith("convex_")]
            self.assertEqual(sum(len(mesh["corners"]) for mesh in seen), 12 * 9)
            self.assertEqual(sorted(mesh["textured"] for mesh in seen), [False, True])
            plain = next(mesh for mesh in seen if not mesh["textured"])
            self.assertEqual(len(plain["corners"]), 6 * 9)
            for pictured in read["pictures"]:
                self.assertTrue(pathlib.Path(pictured).is_file(), pictured)
            self.assertEqual(len(read["pictures"]), 1)


if __name__ == "__main__":
    if not pathlib.Path(THREE, "package.json").is_file():
        print(f"three.js is not installed in {THREE}: npm install --prefix build/three three")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
