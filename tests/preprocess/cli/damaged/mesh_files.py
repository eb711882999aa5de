"""Meshes as arrays (vertices n x 3, faces m x 3): measures, and files of the formats that abut-preprocess reads."""

import json
import struct

import numpy as np


class Mesh:
    def __init__(self, vertices, faces):
        self.vertices = np.asarray(vertices, float).reshape(-1, 3)
        self.faces = np.asarray(faces, np.int64).reshape(-1, 3)

    def corners(self):
        return self.vertices[self.faces]

    def normals(self):
        """Twice the area along each face's normal."""
        c = self.corners()
        return np.cross(c[:, 1] - c[:, 0], c[:, 2] - c[:, 0])

    def box(self):
        used = self.vertices[np.unique(self.faces)]
        return used.min(axis=0), used.max(axis=0)

    def diagonal(self):
        low, high = self.box()
        return float(np.linalg.norm(high - low))

    def mean_edge(self):
        c = self.corners()
        return float(np.linalg.norm(c - np.roll(c, 1, axis=1), axis=2).mean())

    def volume_and_centre(self, origin=None):
        """By the divergence theorem; of an open surface what cones to the origin close."""
        origin = self.vertices[self.faces[0, 0]] if origin is None else origin
        a, b, c = np.moveaxis(self.corners() - origin, 1, 0)
        parts = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
        total = parts.sum()
        return float(total), origin + (parts[:, None] * (a + b + c)).sum(axis=0) / 4 / total

    def compact(self):
        used, faces = np.unique(self.faces, return_inverse=True)
        return Mesh(self.vertices[used], faces)

    def is_watertight(self):
        """Every directed edge once, and its opposite beside it."""
        f, n = self.faces, len(self.vertices)
        a, b = np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]]).T
        forth, back = np.sort(a * n + b), np.sort(b * n + a)
        return bool((np.diff(forth) > 0).all() and (forth == back).all())

    def sample(self, at, count):
        """Points on the surface, evenly by area."""
        areas = np.linalg.norm(self.normals(), axis=1)
        chosen = at.choice(len(areas), count, p=areas / areas.sum())
        weights = at.dirichlet([1, 1, 1], count)
        return np.einsum("ij,ijk->ik", weights, self.corners()[chosen])

    def distances(self, points):
        """Of each point from the surface."""
        c = self.corners()
        centres = c.mean(axis=1)
        reach = np.linalg.norm(c - centres[:, None], axis=2).max(axis=1)
        result = np.empty(len(points))
        for i, p in enumerate(points):
            d = np.linalg.norm(centres - p, axis=1)
            near = c[d - reach <= (d + reach).min()]
            result[i] = np.sqrt(squared_distances(near, p).min())
        return result

    def holds(self, point, direction=(0.577, 0.211, 0.789)):
        """Whether a ray from the point meets the surface an odd number of times."""
        c, d = self.corners(), np.asarray(direction)
        e, f, s = c[:, 1] - c[:, 0], c[:, 2] - c[:, 0], point - c[:, 0]
        h, q = np.cross(d, f), np.cross(s, e)
        det = np.einsum("ij,ij->i", e, h)
        with np.errstate(divide="ignore", invalid="ignore"):
            u, v, t = (np.einsum("ij,ij->i", *x) / det for x in ((s, h), (np.broadcast_to(d, q.shape), q), (f, q)))
            return bool(((u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)).sum() % 2)


def squared_distances(triangles, p):
    """Of a point from triangles (k x 3 x 3)."""
    best = np.full(len(triangles), np.inf)
    for k in range(3):
        a, b = triangles[:, k], triangles[:, (k + 1) % 3]
        along = b - a
        length = np.maximum(np.einsum("ij,ij->i", along, along), 1e-300)
        t = np.clip(np.einsum("ij,ij->i", p - a, along) / length, 0, 1)
        best = np.minimum(best, ((a + t[:, None] * along - p) ** 2).sum(axis=1))
    a, b, c = np.moveaxis(triangles, 1, 0)
    n = np.cross(b - a, c - a)
    square = np.einsum("ij,ij->i", n, n)
    inside = square > 0
    for u, v in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ij,ij->i", np.cross(v - u, p - u), n) >= 0
    height = np.einsum("ij,ij->i", p - a, n)
    best[inside] = height[inside] ** 2 / square[inside]
    return best


def joined(*meshes):
    firsts = np.cumsum([0] + [len(m.vertices) for m in meshes])
    return Mesh(np.concatenate([m.vertices for m in meshes]),
                np.concatenate([m.faces + first for m, first in zip(meshes, firsts)]))


def read_obj(file):
    """Vertices at one place are one; those that no face uses are left out."""
    vertices, faces = [], []
    for line in file.read_text().splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(word.split("/")[0]) - 1 for word in words[1:]]
            faces += [[corners[0], corners[k], corners[k + 1]] for k in range(1, len(corners) - 1)]
    _, first, where = np.unique(np.array(vertices), axis=0, return_index=True, return_inverse=True)
    return Mesh(vertices, first[where.reshape(-1)][np.array(faces)]).compact()


def read_stl(file):
    """Binary; corners at one place are one vertex."""
    records = np.frombuffer(file.read_bytes()[84:], np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("a", "<u2")]))
    vertices, faces = np.unique(records["corners"].reshape(-1, 3), axis=0, return_inverse=True)
    return Mesh(vertices, faces.reshape(-1, 3))


def obj(mesh, end="\n"):
    lines = ["v %.9g %.9g %.9g" % tuple(v) for v in mesh.vertices.tolist()]
    lines += ["f %d %d %d" % tuple(f) for f in (mesh.faces + 1).tolist()]
    return (end.join(lines) + end).encode()


def stl(mesh, header=b"", count=None):
    records = np.zeros(len(mesh.faces), np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("a", "<u2")]))
    with np.errstate(over="ignore"):
        records["corners"] = mesh.corners()
    return header.ljust(80) + struct.pack("<I", len(mesh.faces) if count is None else count) + records.tobytes()


def stl_ascii(mesh):
    facet = "facet normal 0 0 0\nouter loop\n" + 3 * "vertex %.9g %.9g %.9g\n" + "endloop\nendfacet"
    return "\n".join(["solid thing", *(facet % tuple(f) for f in mesh.corners().reshape(-1, 9).tolist()),
                      "endsolid thing\n"]).encode()


def ply_header(mesh, kind, number="double"):
    return (f"ply\nformat {kind} 1.0\nelement vertex {len(mesh.vertices)}\n"
            + "".join(f"property {number} {axis}\n" for axis in "xyz")
            + f"element face {len(mesh.faces)}\nproperty list uchar int vertex_indices\nend_header\n")


def ply(mesh, big=False):
    order = ">" if big else "<"
    faces = np.zeros(len(mesh.faces), np.dtype([("count", "u1"), ("corners", order + "i4", 3)]))
    faces["count"], faces["corners"] = 3, mesh.faces
    kind = "binary_big_endian" if big else "binary_little_endian"
    return ply_header(mesh, kind).encode() + mesh.vertices.astype(order + "f8").tobytes() + faces.tobytes()


def ply_ascii(mesh):
    lines = ["%.9g %.9g %.9g" % tuple(v) for v in mesh.vertices.tolist()]
    lines += ["3 %d %d %d" % tuple(f) for f in mesh.faces.tolist()]
    return (ply_header(mesh, "ascii", "float") + "\n".join(lines) + "\n").encode()


def glb(mesh):
    with np.errstate(over="ignore"):
        positions = mesh.vertices.astype("<f4")
    data = positions.tobytes() + mesh.faces.astype("<u4").tobytes()
    finite = positions[np.isfinite(positions).all(axis=1)]
    views = [{"buffer": 0, "byteOffset": 0, "byteLength": positions.nbytes},
             {"buffer": 0, "byteOffset": positions.nbytes, "byteLength": len(data) - positions.nbytes}]
    accessors = [{"bufferView": 0, "componentType": 5126, "count": len(positions), "type": "VEC3",
                  "min": finite.min(axis=0).tolist(), "max": finite.max(axis=0).tolist()},
                 {"bufferView": 1, "componentType": 5125, "count": mesh.faces.size, "type": "SCALAR"}]
    scene = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
             "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
             "buffers": [{"byteLength": len(data)}], "bufferViews": views, "accessors": accessors}
    text = json.dumps(scene).encode()
    text += b" " * (-len(text) % 4)
    return (struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)) + struct.pack("<I4s", len(text), b"JSON") + text
            + struct.pack("<I4s", len(data), b"BIN\0") + data)


# By the format's name: the writer, and the extension of its files.
FORMATS = {"obj": (obj, ".obj"), "stl": (stl, ".stl"), "stl_ascii": (stl_ascii, ".stl"), "ply": (ply, ".ply"),
           "ply_ascii": (ply_ascii, ".ply"), "glb": (glb, ".glb")}
