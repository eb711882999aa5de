"""Damages of files: each takes a sound mesh, a random generator and the name of a format, and gives bytes, the extension and
what is wanted."""

import struct

import mesh_files
import numpy as np
from mesh_files import FORMATS, Mesh
from wanted import ASSET, EITHER, REFUSAL, Wanted, like, refused


def write(mesh, name):
    writer, extension = FORMATS[name]
    return writer(mesh), extension


def not_finite(mesh, at, name):
    vertices = mesh.vertices.copy()
    chosen = mesh.faces[at.integers(len(mesh.faces), size=at.integers(1, 4)), 0]
    vertices[chosen, at.integers(3)] = at.choice([np.nan, np.inf, -np.inf, 1e300])
    return *write(Mesh(vertices, mesh.faces), name), refused("(vertex|face|element|POSITION).*(finite number|larger than 1e15)")


def index_out_of_range(mesh, at, name):
    name = {"stl": "obj", "stl_ascii": "ply_ascii"}.get(name, name)
    n, faces = len(mesh.vertices), mesh.faces.copy()
    wrong = [n, n + 1000, 2**31 - 2] if name == "obj" else [n, n + 1000, 2**31 - 1, -1]
    faces[at.integers(len(faces)), at.integers(3)] = at.choice(wrong)
    if name == "glb":
        faces &= 0xFFFFFFFF
    return *write(Mesh(mesh.vertices, faces), name), refused("(line|face|ind(ex|ices)).*(range|vertices|index|ind(ex|ices))")


def counted_from_zero(mesh, at, name):
    return mesh_files.obj(Mesh(mesh.vertices, mesh.faces - 1)), ".obj", refused("line .* 0 is out of range")


def truncated(mesh, at, name):
    content, extension = write(mesh, name)
    share = at.choice([at.uniform(0, 1), at.uniform(0.9, 0.999), 1 - 10 ** at.uniform(-5, -3)])
    content = content[:int(share * len(content)) // 2 * 2 if name == "glb" else int(share * len(content))]
    reason = "truncated|cut off|ends (here|where|within|without)|instead of \"|empty|fewer than|incomplete|buffer|[Ff]ile"
    if name == "obj":  # a cut within the last faces cannot be told from a hole
        return content, extension, Wanted(EITHER, reason, warning="cut off|hole", solid=mesh, within=0.05, spread=0.1, mild=False)
    return content, extension, refused(reason)


def wrong_counts(mesh, at, name):
    more = int(at.choice([1, 2, 1000, 10**9]))
    if name in ("stl", "stl_ascii", "glb"):
        if at.random() < 0.5:
            return mesh_files.stl(mesh, count=len(mesh.faces) + more), ".stl", refused("face .* header promises")
        fewer = max(1, len(mesh.faces) - min(more, len(mesh.faces) // 4))
        return mesh_files.stl(mesh, count=fewer), ".stl", Wanted(EITHER, warning="its header promises", mild=False)
    content = (mesh_files.ply if name == "ply" else mesh_files.ply_ascii)(mesh)
    kind = at.choice(["vertex", "face"])
    count = len(mesh.vertices if kind == "vertex" else mesh.faces)
    less = at.random() < 0.5
    content = content.replace(f"element {kind} {count}".encode(), f"element {kind} {count + (-1 if less else more)}".encode())
    if kind == "face" and less:
        return content, ".ply", Wanted(EITHER, "left over|more|behind|beyond", warning="", solid=mesh)
    return content, ".ply", refused("vertex|face|truncated|line")


def wrong_header(mesh, at, name):
    content, extension = write(mesh, name if name.startswith("ply") else "ply")
    swaps = [(b"ply\n", b"plx\n"), (b"property double z\n", b""), (b"property float z\n", b""),
             (b"end_header\n", b"end_haeder\n"), (b"little_endian", b"big_endian"), (b"binary_little_endian", b"ascii"),
             (b"format ascii", b"format binary_little_endian"), (b"element face", b"element faces"), (b"list uchar", b"list float"),
             (b"property list uchar int vertex_indices\n", b""), (b"element vertex ", b"element vertex -")]
    swaps = [swap for swap in swaps if swap[0] in content]
    before, after = swaps[at.integers(len(swaps))]
    if before == b"list uchar" and b"format ascii" in content:  # where numbers are words their type says nothing
        return content.replace(before, after, 1), extension, like(mesh)
    return content.replace(before, after, 1), extension, refused("line \\d|vert(ex|ices)|face|no faces|truncated")


def other_format(mesh, at, name):
    content, extension = write(mesh, name)
    other = at.choice([e for e in (".obj", ".stl", ".ply", ".glb", ".gltf", ".dae") if e != extension and e[:3] != extension[:3]])
    return content, str(other), Wanted(EITHER, solid=mesh, reason=r"without a face|not a PLY|truncated|header|line \d|vertex 1 |face 1|"
                                       r"cannot (be read|read it)|no faces|empty|glTF|JSON|XML|COLLADA")


def garbage(mesh, at, name):
    size, kind = int(10 ** at.uniform(0, 5)), at.integers(4)
    if kind == 0:
        content = at.bytes(size)
    elif kind == 1:
        content = bytes(size)
    elif kind == 2:
        content = " ".join(at.choice(["v", "f", "1", "-7", "\n", "nan", "solid", "facet", "1e9"], size // 3 + 1)).encode()
    else:
        content, _ = write(mesh, name)
        content = content[:200] + at.bytes(size)
    return content, FORMATS[name][1], refused(".")


def bytes_changed(mesh, at, name):
    content, extension = write(mesh, name)
    content = bytearray(content)
    for place in at.integers(len(content), size=int(10 ** at.uniform(0, 2.5))):
        content[place] = at.integers(256)
    return bytes(content), extension, Wanted(EITHER, ".", mild=False)


def obj_dialect(mesh, at):
    """As others write OBJ: normals, seams, groups, polygons, negative numbers, lines of Windows, a mark of the byte order."""
    lines, n = ["# made by hand", "mtllib nowhere.mtl", "o thing"], len(mesh.vertices)
    lines += [f"v {x:.8e} {y:+.9f}\t{z:.9g} 1.0" for x, y, z in mesh.vertices.tolist()]
    lines += ["vt 0.5 0.5", "vn 0 0 1", "g one", "s off", "usemtl none"]
    form = at.choice(["{}/1/1", "{}//1", "{}/1", "{}"])
    shift = n if at.random() < 0.5 else -1  # numbers from the end on, from the start on
    lines += ["f " + " ".join(form.format(int(i) - shift) for i in face) + " " for face in mesh.faces]
    end = str(at.choice(["\n", "\r\n"]))
    start = b"\xef\xbb\xbf" if at.random() < 0.2 else b""
    return start + (end.join(lines) + end).encode(), ".obj", like(mesh)


def dialect(mesh, at, name):
    kind = at.integers(5)
    if kind == 0:
        return obj_dialect(mesh, at)
    if kind == 1:
        return mesh_files.ply(mesh, big=True), ".PLY", like(mesh)
    if kind == 2:
        return mesh_files.stl(mesh, b"solid of a program that writes binary files"), ".STL", like(mesh)
    if kind == 3:
        half = len(mesh.faces) // 2
        parts = [Mesh(mesh.vertices, mesh.faces[:half]), Mesh(mesh.vertices, mesh.faces[half:])]
        return b"\r\n".join(mesh_files.stl_ascii(part).upper() for part in parts), ".stl", like(mesh)
    content = mesh_files.ply_ascii(mesh).replace(b"\n", b"\r\n")
    return content.replace(b"format ascii", b"comment by hand\r\nformat ascii"), ".ply", like(mesh)


FILE_DAMAGES = [not_finite, index_out_of_range, counted_from_zero, truncated, wrong_counts, wrong_header, other_format, garbage,
                bytes_changed, dialect]
