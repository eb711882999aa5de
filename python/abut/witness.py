"""Witness points of pairs of convex bodies and their derivatives by the pose."""

from __future__ import annotations

from typing import Any, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _abut
from .bodies import Body, Geometry
from .tables import documented, estimators

OneBody = Union[Body, Geometry]
Bodies = Union[OneBody, Sequence[OneBody], Tuple[Sequence[OneBody], npt.ArrayLike]]
Array = npt.ArrayLike


def separation(A: Bodies, B: Bodies, X_AB: Array, *, threads: int = 0) -> _abut.Separation:
    """Witness points, normal and signed distance of pairs: of an asset its convex hull, of a primitive itself.

    `A`, `B`: a Body or Geometry, a sequence of N of them, or (sequence, indices (N,)).
    `X_AB`: pose of B in A, (4, 4) or (N, 4, 4), or (7,) or (N, 7): quaternion (w, x, y, z), normalised on use, then
    translation, m. What is one is of all N pairs. `threads`: of a batch, 0: one per core; the same bits for any.

    Raises InvalidInput, naming argument and place, for poses that are none, bodies without hull, two half-spaces.
    """
    return _abut.separation(A, B, X_AB, threads)


class PairSolver(_abut.PairSolver):
    """Witness points of one pair of geometries at pose after pose: a neighbouring pose costs a fraction of the
    first. `solver(X_AB)` answers as `separation`; (N, ...) poses are taken in their order. One thread at a time.
    """

    def __init__(self, A: OneBody, B: OneBody) -> None:
        super().__init__(A, B)


class Estimator(_abut.Estimator):
    """An estimator of witness-point derivatives that keeps its memory: `estimator(A, B, X_AB)` answers as
    `witness_derivative`, sooner. Any number of threads may share it: they wait for one another.
    """

    def __init__(self, estimator: str = "gumbel", *, threads: int = 0, **settings: Any) -> None:
        super().__init__(estimator, settings, threads)
        self.__dict__.setdefault("_origin", (estimator, threads, settings))

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_estimator, self._origin)


def _estimator(name: str, threads: int, settings: Any) -> Estimator:
    return Estimator(name, threads=threads, **settings)


@documented(estimators)
def witness_derivative(
    A: Bodies, B: Bodies, X_AB: Array, *, estimator: str = "gumbel", threads: int = 0, **settings: Any
) -> _abut.WitnessDerivative:
    """Witness points and their derivatives by xi = (w; v) of X_AB exp(xi), in B: rad, m.

    Arguments as `separation`. (3, 6) `dp1_A_dxi_B`, `dp2_A_dxi_B`, `dn_A_dxi_B`, (6,) `dd_dxi_B`, of many (N, ...).
    Raises InvalidInput as `separation`, and for estimators and settings that are unknown or out of range.
    """
    return Estimator(estimator, threads=threads, **settings)(A, B, X_AB)


def smoothed_witness(
    A: Bodies, B: Bodies, X_AB: Array, *, hessian: bool = False, estimator: str = "soft_bodies", threads: int = 0,
    **settings: Any
) -> _abut.SmoothedWitness:
    """Witness points of smoothed hulls with first and, where wanted, second derivatives (else NaN).

    Arguments and settings as `witness_derivative`. Raises InvalidInput for primitives too.
    """
    return Estimator(estimator, threads=threads, **settings).smoothed(A, B, X_AB, hessian)
