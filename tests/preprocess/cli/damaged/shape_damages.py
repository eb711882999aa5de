"""Damages of shape: each takes a sound mesh and a random generator, and gives a damaged mesh and what is wanted of it."""

import numpy as np
from mesh_files import Mesh, joined
from wanted import ASSET, EITHER, NO_SOLID, Wanted, like, refused

CUT_OFF = r"seems truncated; if it is whole, delete those that no face uses|" + NO_SOLID


def unit(at):
    v = at.normal(size=3)
    return v / np.linalg.norm(v)


def vertex_normals(mesh):
    normals = np.zeros_like(mesh.vertices)
    np.add.at(normals, mesh.faces.ravel(), np.repeat(mesh.normals(), 3, axis=0))
    return normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-300)[:, None]


def ball(size, centre):
    """An octahedron."""
    corners = size * np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]])
    faces = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]]
    return Mesh(corners + centre, faces)


def whole(mesh, at):
    return mesh, like(mesh)


def small_holes(mesh, at):
    keep, normals, largest = np.ones(len(mesh.faces), bool), mesh.normals(), 0
    centres = mesh.corners().mean(axis=1)
    for _ in range(at.integers(1, 13)):
        f, radius = at.integers(len(mesh.faces)), at.uniform(0.003, 0.03) * mesh.diagonal()
        keep &= ~((np.linalg.norm(centres - centres[f], axis=1) < radius) & (normals @ normals[f] > 0))
        largest = max(largest, radius)
    damaged = Mesh(mesh.vertices, mesh.faces[keep]).compact()
    return damaged, like(mesh, within=0.006 + largest / mesh.diagonal())


def huge_hole(mesh, at):
    centre = mesh.vertices[mesh.faces[at.integers(len(mesh.faces)), 0]]
    far = np.linalg.norm(mesh.corners().mean(axis=1) - centre, axis=1)
    damaged = Mesh(mesh.vertices, mesh.faces[far > at.uniform(0.1, 0.4) * mesh.diagonal()])
    if at.random() < 0.8:
        damaged = damaged.compact()
    return damaged, Wanted(EITHER, CUT_OFF, input=damaged, mild=False)


def faces_lost(mesh, at):
    damaged = Mesh(mesh.vertices, mesh.faces[at.random(len(mesh.faces)) > 10 ** at.uniform(-3, -0.8)]).compact()
    return damaged, like(mesh, what=EITHER, within=0.03, spread=0.2, mild=False)


def flipped(mesh, at):
    turned = at.random(len(mesh.faces)) < at.uniform(0.001, 0.5)
    faces = mesh.faces.copy()
    faces[turned] = faces[turned][:, ::-1]
    return Mesh(mesh.vertices, faces), like(mesh)


def inside_out(mesh, at):
    return Mesh(mesh.vertices, mesh.faces[:, ::-1]), like(mesh)


def small_noise(mesh, at):
    size = at.uniform(0.01, 0.08) * mesh.mean_edge()
    damaged = Mesh(mesh.vertices + size * at.normal(size=mesh.vertices.shape), mesh.faces)
    return damaged, like(mesh, within=0.008 + 3 * size / mesh.diagonal(), mild=False)


def large_noise(mesh, at):
    size = 10 ** at.uniform(-0.8, 0.4) * mesh.mean_edge()
    damaged = Mesh(mesh.vertices + size * at.normal(size=mesh.vertices.shape), mesh.faces)
    return damaged, Wanted(EITHER, input=damaged, mild=False)


def clip(mesh, normal, offset):
    """The part on which normal . x <= offset, its faces cut there."""
    vertices, cut, faces = list(mesh.vertices), {}, []
    height = mesh.vertices @ normal - offset

    def crossing(i, j):
        key = (min(i, j), max(i, j))
        if key not in cut:
            cut[key] = len(vertices)
            vertices.append(mesh.vertices[key[0]] + (mesh.vertices[key[1]] - mesh.vertices[key[0]])
                            * height[key[0]] / (height[key[0]] - height[key[1]]))
        return cut[key]

    for face in mesh.faces:
        polygon = []
        for i, j in zip(face, np.roll(face, -1)):
            if height[i] <= 0:
                polygon.append(i)
            if (height[i] <= 0) != (height[j] <= 0):
                polygon.append(crossing(i, j))
        faces += [[polygon[0], polygon[k], polygon[k + 1]] for k in range(1, len(polygon) - 1)]
    return Mesh(vertices, faces).compact()


def cut(mesh, at):
    normal = unit(at)
    heights = mesh.vertices @ normal
    offset = heights.min() + at.uniform(0.25, 0.95) * np.ptp(heights)
    if at.random() < 0.5:
        damaged = clip(mesh, normal, offset)
    else:
        damaged = Mesh(mesh.vertices, mesh.faces[(heights[mesh.faces] <= offset).any(axis=1)]).compact()
    volume, _ = damaged.volume_and_centre(offset * normal)  # where the cut is, a lid adds nothing
    return damaged, Wanted(EITHER, CUT_OFF, input=damaged, volume=abs(volume), spread=0.1, mild=False)


def scaled(mesh, at):
    factor = 10 ** at.uniform(-3, 3)
    damaged = Mesh(factor * mesh.vertices, mesh.faces)
    units = "--scale" if not 1e-3 <= damaged.diagonal() <= 10 else ""
    return damaged, like(damaged, warning=units)


def stretched(mesh, at):
    damaged = Mesh(10 ** at.uniform(-1.2, 0.7, 3) * mesh.vertices, mesh.faces)
    return damaged, like(damaged, what=EITHER, within=0.02, spread=0.1, mild=False)


def flat(mesh, at):
    normal, height = unit(at), 10 ** at.uniform(-14, -7) if at.random() < 0.5 else 0
    damaged = Mesh(mesh.vertices - (1 - height) * np.outer(mesh.vertices @ normal, normal), mesh.faces)
    return damaged, refused("is flat|at one point|encloses no volume|every face is collapsed|coincident opposite")


def repeated_faces(mesh, at):
    share = at.uniform(0.001, 1)
    faces = mesh.faces[at.random(len(mesh.faces)) < share]
    faces = np.array([np.roll(f, at.integers(3)) for f in faces])
    return Mesh(mesh.vertices, np.concatenate([mesh.faces, faces])), like(mesh)


def both_sides(mesh, at):
    share = 1 if at.random() < 0.4 else at.uniform(0.001, 0.2)
    faces = mesh.faces[at.random(len(mesh.faces)) < share][:, ::-1]
    damaged = Mesh(mesh.vertices, np.concatenate([mesh.faces, faces]))
    return damaged, like(mesh, what=EITHER, within=0.03, spread=0.2, mild=False)


def unwelded(mesh, at):
    return Mesh(mesh.corners().reshape(-1, 3), np.arange(3 * len(mesh.faces))), like(mesh)


def seams(mesh, at):
    """Every face has corners of its own, rounded each on its own."""
    gap = 10 ** at.uniform(-9, -6.6) * mesh.diagonal()
    corners = mesh.corners().reshape(-1, 3)
    return Mesh(corners + gap * at.uniform(-0.5, 0.5, corners.shape), np.arange(len(corners))), like(mesh)


def cracked(mesh, at):
    gap = 10 ** at.uniform(-5.5, -2.5) * mesh.diagonal()
    corners = mesh.corners().reshape(-1, 3)
    damaged = Mesh(corners + gap * at.uniform(-0.5, 0.5, corners.shape), np.arange(len(corners)))
    return damaged, like(mesh, what=EITHER, within=0.03, spread=0.2, mild=False)


def degenerate(mesh, at):
    """Faces without area: with a corner twice, with three corners on a line."""
    chosen = mesh.faces[at.random(len(mesh.faces)) < at.uniform(0.001, 0.1)]
    third = len(chosen) // 3
    twice = np.concatenate([chosen[:third][:, [0, 0, 1]], chosen[third:2 * third][:, [0, 1, 0]]])
    edges = chosen[2 * third:]
    middles = mesh.vertices[edges[:, :2]].mean(axis=1)
    line = np.column_stack([edges[:, 0], edges[:, 1], len(mesh.vertices) + np.arange(len(edges))])
    return Mesh(np.concatenate([mesh.vertices, middles]), np.concatenate([mesh.faces, twice, line])), like(mesh)


def split_edges(mesh, at):
    """Edges with a vertex in their middle for the one of their faces alone."""
    chosen = at.random(len(mesh.faces)) < at.uniform(0.001, 0.05)
    split, n = mesh.faces[chosen], len(mesh.vertices)
    middles = n + np.arange(len(split))
    halves = np.concatenate([np.column_stack([split[:, 0], middles, split[:, 2]]),
                             np.column_stack([middles, split[:, 1], split[:, 2]])])
    vertices = np.concatenate([mesh.vertices, mesh.vertices[split[:, :2]].mean(axis=1)])
    return Mesh(vertices, np.concatenate([mesh.faces[~chosen], halves])), like(mesh)


def coarse_digits(mesh, at):
    step = 10 ** at.uniform(-4.5, -2.7) * mesh.diagonal()
    damaged = Mesh(step * np.round(mesh.vertices / step), mesh.faces)
    return damaged, like(mesh, what=EITHER, within=0.03, spread=0.1, mild=False)


def second_copy(mesh, at):
    """A copy of itself through it, moved or turned."""
    points = mesh.vertices
    if at.random() < 0.7:
        points = points + 10 ** at.uniform(-1.7, -0.4) * mesh.diagonal() * unit(at)
    else:
        axis, angle, middle = unit(at), at.uniform(0.1, 1.5), points.mean(axis=0)
        r = points - middle
        points = middle + (np.cos(angle) * r + np.sin(angle) * np.cross(axis, r)
                           + (1 - np.cos(angle)) * np.outer(r @ axis, axis))
    damaged = joined(mesh, Mesh(points, mesh.faces))
    volume, _ = mesh.volume_and_centre()
    return damaged, Wanted(EITHER, input=damaged, volume=1.45 * volume, spread=0.4, mild=False)


def inner_points(mesh, at, count):
    """Points inside, and how far each is from the surface."""
    low, high = mesh.box()
    found = [p for p in at.uniform(low, high, (400, 3)) if mesh.holds(p)][:count]
    return [(p, mesh.distances([p])[0]) for p in found]


def junk_inside(mesh, at):
    pieces = [mesh]
    for p, depth in inner_points(mesh, at, at.integers(1, 20)):
        piece = ball(at.uniform(0.2, 0.9) * depth, p)
        kind = at.integers(3)  # a solid, a cavity, an open piece
        pieces.append(Mesh(piece.vertices, piece.faces[:, ::-1] if kind == 1 else piece.faces[:-3] if kind == 2 else piece.faces))
    order = at.permutation(len(pieces))
    return joined(*(pieces[i] for i in order)), like(mesh, mild=False)


def junk_outside(mesh, at):
    pieces, (low, high), d = [mesh], mesh.box(), mesh.diagonal()
    for _ in range(at.integers(1, 40)):
        p = at.uniform(low - 0.3 * d, high + 0.3 * d)
        size = at.uniform(0.001, 0.04) * d
        if not mesh.holds(p) and mesh.distances([p])[0] > size + 0.02 * d:
            pieces.append(ball(size, p))
    return joined(*pieces), like(mesh, mild=False)


def sheets_across(mesh, at):
    """Open sheets through the surface."""
    middles = mesh.sample(at, at.integers(1, 8))
    size = at.uniform(0.01, 0.2) * mesh.diagonal()
    sheets = [Mesh(p + size * at.normal(size=(3, 3)), [[0, 1, 2]]) for p in middles]
    damaged = joined(mesh, *sheets)
    return damaged, Wanted(EITHER, input=damaged, mild=False)


def fins(mesh, at):
    """Faces that stand on edges of the surface, which then have three."""
    edges = mesh.faces[at.integers(len(mesh.faces), size=at.integers(1, 60))][:, :2]
    height = at.uniform(0.3, 3) * mesh.mean_edge()
    tips = mesh.vertices[edges].mean(axis=1) + height * vertex_normals(mesh)[edges[:, 0]]
    faces = np.column_stack([edges, len(mesh.vertices) + np.arange(len(edges))])
    damaged = Mesh(np.concatenate([mesh.vertices, tips]), np.concatenate([mesh.faces, faces]))
    return damaged, like(mesh, within=0.01 + height / mesh.diagonal(), mild=False)


def pinched(mesh, at):
    """Vertices some way apart made one."""
    faces = mesh.faces.copy()
    for _ in range(at.integers(1, 6)):
        v = faces[at.integers(len(faces)), 0]
        near = np.linalg.norm(mesh.vertices - mesh.vertices[v], axis=1) / mesh.mean_edge()
        other = at.choice(np.flatnonzero((near > 1) & (near < 5)))
        faces[faces == other] = v
    return Mesh(mesh.vertices, faces).compact(), like(mesh, what=EITHER, within=0.04, spread=0.05, mild=False)


def spike(mesh, at):
    vertices = mesh.vertices.copy()
    vertices[mesh.faces[at.integers(len(mesh.faces)), 0]] += 10 ** at.uniform(0, 4) * mesh.diagonal() * unit(at)
    damaged = Mesh(vertices, mesh.faces)
    return damaged, Wanted(EITHER, NO_SOLID + "|measures|coarse|far from all others", input=damaged, mild=False)


DAMAGES = [whole, small_holes, huge_hole, faces_lost, flipped, inside_out, small_noise, large_noise, cut, scaled, stretched, flat,
           repeated_faces, both_sides, unwelded, seams, cracked, degenerate, split_edges, coarse_digits, second_copy, junk_inside,
           junk_outside, sheets_across, fins, pinched, spike]
