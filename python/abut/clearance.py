"""Distances of the bodies of a system, and their derivatives by its velocities."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Tuple

import numpy as np

from . import _abut
from .results import summary
from .scene import StateLike, System
from .tables import made


class Clearances(NamedTuple):
    """The K pairs of bodies within the margin, of N states: state after state, of each ascending."""

    state: np.ndarray  # (K,) int32: the state
    pairs: np.ndarray  # (K, 2) int32: bodies A and B by their index in System.names; -1: a fixed shape, which is A
    shapes: np.ndarray  # (K, 2) int32: of A among its shapes, of a fixed one among those of `world` (System.shapes); of B
    distance: np.ndarray  # (K,) m, < 0 where they overlap
    p_A: np.ndarray  # (K, 3) m: witness points on A, in the world
    p_B: np.ndarray  # (K, 3) m: on B; p_B - p_A = distance n
    n: np.ndarray  # (K, 3): unit normal from A to B
    dd_dv: np.ndarray  # (K, nx / 2) m/rad, 1: derivative by the velocities in z
    status: np.ndarray  # (K,) Status, of the derivative
    names: List[Tuple[str, str]]  # K: of A and B; "world": a fixed shape

    __repr__ = summary


def clearances(
    system: System, z: StateLike, *, margin: float = 0.05, model: str = "hull", within_robots: bool = False, threads: int = 0
) -> Clearances:
    """Of every pair of bodies that may collide and is at most `margin` (m, >= 0) apart: the least signed distance over their
    pairs of shapes, its witness points and normal in the world, and its derivative by the velocities in z.

    `z`: a State, a vector (nz,), or (N, nz) of many states. Each fixed shape counts as a body, -1. Pairs are those that
    may collide in simulations: not of parents and children, nor of what keep_apart names; pairs of links of one robot,
    which do not collide there, only `within_robots`. `dd_dv` has the columns `joint.x_q` of System.joints, and of a
    free body (`place.x_q` of System.bodies) those of its twist (w; v) in its own axes. `model`: the distance model,
    as of witness_derivative; pairs of primitives are answered by "hull" with any. Of shapes that are exactly equally near it is
    the first pair, with its own `dd_dv` and status (OK as a rule). `threads` 0: one per core; the same
    bits for any number. Memory is kept from call to call of one system.

    Raises InvalidInput for states that are none, a margin that is negative or not finite, models that are unknown,
    and, naming bodies and shapes, for pairs that the model does not take.
    """
    if not isinstance(system, System):
        raise TypeError(f"clearances: system must be a System (read_scene, Scene), not {type(system).__name__}")
    base: Any = system
    key = (model, within_robots, threads)
    kept = base.__dict__.get("_clearances")
    if kept is None or kept[0] != key:
        kept = key, made("clearances", _abut.Clearances, base, model, within_robots, threads)
        base.__dict__["_clearances"] = kept
    if isinstance(z, _abut.State):
        z = base.vector(z)
    state, pairs, shapes, *found = kept[1]._find(base._coordinates, z, margin)
    names, firsts = ["world", *base.names], np.cumsum([0, *(len(of_body) for of_body in base.shapes.values())])
    return Clearances(state, pairs, (shapes - firsts[pairs + 1]).astype(np.int32), *found,
                      [(names[a + 1], names[b + 1]) for a, b in pairs])
