"""Views of assets, pairs, systems and recordings: web pages that need nothing else."""

from __future__ import annotations

import html
import os
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _abut
from .bodies import Body, Geometry, PathLike
from .contact import Model
from .dynamics import Simulation
from .gradients import as_numbers, pose_matrix
from .scene import System
from .tables import made
from .witness import OneBody, separation

Mark = Tuple[np.ndarray, np.ndarray, Tuple[int, int, int]]  # vertices, triangles, colour

_PATCH, _FORCE, _WITNESS = (255, 214, 0), (220, 30, 30), (30, 60, 220)
_START = b"<!doctype html>"  # of every page


class View:
    """A page: `_repr_html_` in notebooks, `save` to a file, which a browser opens."""

    def __init__(self, page: str) -> None:
        if not isinstance(page, str):
            raise TypeError("a View is what show gives")
        self.page = page

    def save(self, path: PathLike) -> None:
        """Writes the page, whole or not at all: one file, nothing loaded from anywhere. Raises IoError, also
        rather than write over a file that is no page, and InvalidInput for a name that no file can have."""
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"save: path must be a path, not {type(path).__name__}")
        try:
            foreign = os.path.isfile(path) and not _may_be_page(path)
        except OSError as error:
            raise _abut.IoError(f"save: {os.fspath(path)!r} cannot be read: {error.strerror}") from None
        if foreign:
            raise _abut.IoError(f"save: {os.fspath(path)!r} is there and no page; name another file")
        _abut.write_page(path, self.page)

    def _repr_html_(self) -> str:
        return f'<iframe title="abut" srcdoc="{html.escape(self.page)}" width="100%" height="480" style="border:0"></iframe>'


def _may_be_page(path: PathLike) -> bool:
    with open(path, "rb") as file:
        return file.read(len(_START)) in (b"", _START)


def _tangents(n: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Two unit vectors across unit ones (..., 3)."""
    axis = np.where(np.abs(n[..., :1]) < 0.7, [1.0, 0, 0], [0, 1.0, 0])
    u = np.cross(n, axis)
    u /= np.linalg.norm(u, axis=-1, keepdims=True)
    return u, np.cross(n, u)


def _rod(start: np.ndarray, end: np.ndarray, radii: List[Tuple[float, float]], colour: Tuple[int, int, int]) -> Mark:
    """A solid of revolution from start to end, which differ: (part of the way, radius) of each of its rings."""
    n = (end - start) / np.linalg.norm(end - start)
    u, v = _tangents(n)
    sides = 12
    angle = 2 * np.pi * np.arange(sides) / sides
    ring = np.cos(angle)[:, None] * u + np.sin(angle)[:, None] * v
    vertices = np.concatenate([start + t * (end - start) + r * ring for t, r in radii])
    k, next_k = np.arange(sides), (np.arange(sides) + 1) % sides
    triangles = [np.stack(corners, axis=1) + row * sides for row in range(len(radii) - 1)
                 for corners in ((k, next_k, k + sides), (next_k, next_k + sides, k + sides))]
    return vertices, np.concatenate(triangles), colour


def _arrow(start: np.ndarray, end: np.ndarray, radius: float, colour: Tuple[int, int, int]) -> Mark:
    return _rod(start, end, [(0, 0), (0, radius), (0.75, radius), (0.75, 2.5 * radius), (1, 0)], colour)


def _ball(center: np.ndarray, radius: float, colour: Tuple[int, int, int]) -> Mark:
    up = np.array([0, 0, radius])
    rings = [(t, radius * 2 * float(np.sqrt(t * (1 - t)))) for t in np.linspace(0, 1, 7)]
    return _rod(center - up, center + up, rings, colour)


def _squares(centers: np.ndarray, normals: np.ndarray, areas: np.ndarray) -> Mark:
    """A square of each point's area across its normal."""
    u, v = _tangents(normals)
    half = np.sqrt(areas)[:, None] / 2
    corners = np.stack([centers + half * (a * u + b * v) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))], axis=1)
    first = 4 * np.arange(len(centers))[:, None]
    triangles = np.concatenate([first + [0, 1, 2], first + [0, 2, 3]])
    return corners.reshape(-1, 3), triangles, _PATCH


def _size(geometry: Geometry) -> float:
    """m; of a half-space none."""
    if geometry.is_primitive and geometry.name == "half_space":
        return np.inf
    vertices = geometry.surface.vertices
    return float(np.linalg.norm(vertices.max(axis=0) - vertices.min(axis=0)))


def _contact(A: OneBody, B: OneBody, X_AB: np.ndarray, model: Model, size: float) -> List[Mark]:
    """The patch and the force on B, in A: an arrow of half the smaller body's size."""
    points, wrench = model.contact_points(A, B, X_AB), model.wrench(A, B, X_AB)
    if len(points) == 0:
        return []
    force = X_AB[:3, :3] @ wrench.F_BBo_B[3:]
    weights = np.maximum(points.area * np.maximum(-points.gap, 0), 1e-300)
    middle = np.average(points.p_AC, axis=0, weights=weights)
    marks = [_squares(points.p_AC, points.n_A, points.area)] if points.area.any() else []
    marks += [_ball(p, 0.006 * size, _PATCH) for p in points.p_AC[points.area == 0]]
    strength = float(np.linalg.norm(force))
    if strength > 0:
        marks.append(_arrow(middle, middle + force / strength * size / 2, 0.01 * size, _FORCE))
    return marks


def _pair(A: OneBody, B: OneBody, X_AB: npt.ArrayLike, model: Model) -> str:
    X = pose_matrix("show", X_AB)
    geometries = [body.geometry if isinstance(body, Body) else body for body in (A, B)]
    size = min(map(_size, geometries))
    found = separation(A, B, X)
    marks = [_ball(found.p1, 0.012 * size, _WITNESS), _ball(found.p2, 0.012 * size, _WITNESS)]
    if np.linalg.norm(found.p2 - found.p1) > 0:
        marks.append(_rod(found.p1, found.p2, [(0, 0.004 * size), (1, 0.004 * size)], _WITNESS))
    marks += _contact(A, B, X, model, size)
    return _abut.page_of_geometries([(geometries[0], np.eye(4)), (geometries[1], X)], marks)


def _path(system: System, z: Any, dt: Optional[float]) -> Tuple[List[_abut.State], float]:
    """The states to show, and the time from one to the next, s."""
    if not isinstance(z, (type(None), _abut.State)) and np.ndim(z) == 2:
        if len(z) == 0:
            raise _abut.InvalidInput("show: z has no rows; give the states of a path, (N, nz)")
        step = as_numbers("show", "dt", 0.1 if dt is None else dt)
        if step.ndim or not 0 < step < np.inf:
            raise _abut.InvalidInput(f"show: dt is {step}; it must be a positive number, in s")
        return [system.placed(system._state("show", row)) for row in np.asarray(z)], float(step)
    _refuse("one state", {}, dt=dt)
    return [system.initial_state() if z is None else system.placed(system._state("show", z))], 0.0


def _refuse(what: str, settings: Dict[str, Any], **arguments: Any) -> None:
    """Raises TypeError where any of these was given."""
    for name in [*(name for name, value in arguments.items() if value is not None), *settings]:
        raise TypeError(f"show: {name} does not go with {what}; a pair, show(A, B, X_AB), has a model and its settings")


def show(
    thing: Any,
    other: Any = None,
    X_AB: Optional[npt.ArrayLike] = None,
    *,
    model: Optional[str] = None,
    dt: Optional[float] = None,
    **settings: Any,
) -> View:
    """A view of a Geometry or a Body; of a pair, show(A, B, X_AB): witness points of the hulls in blue, and with `model`
    (None: pressure_field) and its `settings` the contact patch in yellow and the force on B as a red arrow; of a System at
    its start, or in a state or vector z, show(system, state), or along a path of N states, show(system, z, dt=0.1) with z
    (N, nz) and dt in s (None: 0.1) from one to the next; of the frames that a Simulation has recorded.

    Drag turns, the wheel zooms, space stops. Raises InvalidInput as `separation` and `wrench`, and for a simulation
    without frames; TypeError for arguments that the thing does not take.
    """
    if isinstance(thing, (Geometry, Body)):
        if other is None and X_AB is None:
            _refuse("one body", settings, model=model, dt=dt)
            geometry = thing.geometry if isinstance(thing, Body) else thing
            return View(_abut.page_of_geometries([(geometry, np.eye(4))], []))
        if not isinstance(other, (Geometry, Body)) or X_AB is None:
            raise TypeError("show: of a pair give show(A, B, X_AB)")
        _refuse("a pair", {}, dt=dt)
        return View(_pair(thing, other, X_AB, made("show", Model, "pressure_field" if model is None else model, **settings)))
    if isinstance(thing, System):
        _refuse("a system", settings, X_AB=X_AB, model=model)
        states, step = _path(thing, other, dt)
        return View(_abut.page_of_states(thing, states, step))
    if isinstance(thing, Simulation):
        _refuse("a simulation", settings, other=other, X_AB=X_AB, model=model, dt=dt)
        return View(thing._page())
    raise TypeError(f"show: a Geometry, a Body, a pair, a System or a Simulation, not {type(thing).__name__}")
