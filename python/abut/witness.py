"""Distances and witness points of pairs of bodies and their derivatives by the pose."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _abut
from .bodies import Body, Geometry
from .tables import documented, estimators, kept, made, with_distance_models, without_settings

OneBody = Union[Body, Geometry]
Bodies = Union[OneBody, Sequence[OneBody], Tuple[Sequence[OneBody], npt.ArrayLike]]
Array = npt.ArrayLike


@with_distance_models
def separation(A: Bodies, B: Bodies, X_AB: Array, *, model: str = "hull", threads: int = 0) -> _abut.Separation:
    """Signed distance, witness points and normal of pairs, of what stands for the bodies in a distance model.

    `A`, `B`: a Body or Geometry, a sequence of N of them, or (sequence, indices (N,)).
    `X_AB`: pose of B in A, (4, 4) or (N, 4, 4), or (7,) or (N, 7): quaternion (w, x, y, z), normalised on use, then
    translation, m. What is one is of all N pairs. `threads`: of a batch, 0: one per core; the same bits for any.

    Of `pieces` that overlap, `distance` is minus the depth of the deepest pair of pieces, and `depth_lower` and
    `depth_upper` (m) bound the length of the shortest translation that separates the bodies; NaN elsewhere.

    Raises InvalidInput, naming argument and place, for poses that are none, bodies that the model does not take (no
    hull, surface or pieces; two half-spaces), models that are unknown.
    """
    if isinstance(model, str) and model == "hull":
        return _abut.separation(A, B, X_AB, threads)
    return kept("separation", DistanceModel, model, None, threads=threads, settings={}).separation(A, B, X_AB)


def overlap_volume(A: Bodies, B: Bodies, X_AB: Array, *, threads: int = 0) -> _abut.OverlapVolume:
    """Volume that the surfaces of pairs have in common: `volume` and `error`, the bound of its rounding, m^3;
    `dvolume_dxi_B` (N, 6), its derivative by the twist of B, in B; `status`: `ok`, `no_overlap`, or `clamped` where
    faces coincide, so that the derivative jumps. Of assets with surfaces; arguments and errors as `separation`.
    """
    return _abut.overlap_volume(A, B, X_AB, threads)


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
        made("Estimator", super().__init__, estimator, settings, threads)
        self.__dict__.setdefault("_origin", (estimator, threads, settings))

    def separation(self, A: Bodies, B: Bodies, X_AB: Array) -> _abut.Separation:
        """Of the hulls, without derivatives: as abut.separation."""
        return _abut.separation(A, B, X_AB, self._origin[1])

    def smoothed(self, A: Bodies, B: Bodies, X_AB: Array, hessian: bool = False) -> _abut.SmoothedWitness:
        """As abut.smoothed_witness."""
        return super().smoothed(A, B, X_AB, hessian)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_estimator, self._origin)


def _estimator(name: str, threads: int, settings: Any) -> Estimator:
    return Estimator(name, threads=threads, **settings)


class DistanceModel(_abut.DistanceModel):
    """A distance model that keeps its memory and answers sooner than the functions of this module with the same name:
    `model(A, B, X_AB)` as `witness_derivative`; `separation`, `smoothed`, `all_contacts`. `method`: of derivatives; None:
    the model's first. Any number of threads may share it: they wait for one another.
    """

    def __init__(self, model: str = "surface", method: Optional[str] = None, *, threads: int = 0, **settings: Any) -> None:
        made("DistanceModel", super().__init__, model, method, settings, threads)
        self.__dict__.setdefault("_origin", (model, method, threads, settings))

    def smoothed(self, A: Bodies, B: Bodies, X_AB: Array, hessian: bool = False) -> _abut.SmoothedWitness:
        """As abut.smoothed_witness."""
        return super().smoothed(A, B, X_AB, hessian)

    def all_contacts(
        self, A: Bodies, B: Bodies, X_AB: Array, *, margin: float = 0.0, derivatives: bool = False
    ) -> _abut.ContactRegions:
        """As abut.all_contacts."""
        return self._all_contacts(A, B, X_AB, margin, derivatives)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_distance_model, self._origin)


def _distance_model(name: str, method: Optional[str], threads: int, settings: Any) -> DistanceModel:
    return DistanceModel(name, method, threads=threads, **settings)


def solver_of(
    function: str, model: Union[str, DistanceModel], estimator: Union[None, str, Estimator], threads: int, settings: Any,
    hull_estimator: str = "gumbel"
) -> Union[Estimator, DistanceModel]:
    """What answers with derivatives: a handle that was given, or one by names. Raises InvalidInput for a handle beside
    what it would not heed.
    """
    if isinstance(model, DistanceModel):
        if estimator is not None:
            raise _abut.InvalidInput(f"{function}: estimator: goes with names of models; a DistanceModel has its method")
        return without_settings(function, "model", model, settings)
    if isinstance(estimator, Estimator):
        if not (isinstance(model, str) and model == "hull"):
            raise _abut.InvalidInput(f"{function}: estimator: an Estimator is of hulls, but model is {model!r}; give its "
                                     "method by name")
        return without_settings(function, "estimator", estimator, settings)
    if isinstance(model, str) and model == "hull":
        return kept(function, Estimator, hull_estimator if estimator is None else estimator, threads=threads,
                    settings=settings)
    return kept(function, DistanceModel, model, estimator, threads=threads, settings=settings)


@with_distance_models
@documented(estimators)
def witness_derivative(
    A: Bodies, B: Bodies, X_AB: Array, *, model: str = "hull", estimator: Optional[str] = None, threads: int = 0,
    **settings: Any
) -> _abut.WitnessDerivative:
    """Witness points and their derivatives by xi = (w; v) of X_AB exp(xi), in B: rad, m.

    Arguments as `separation`. (3, 6) `dp1_A_dxi_B`, `dp2_A_dxi_B`, `dn_A_dxi_B`, (6,) `dd_dxi_B`, of many (N, ...).
    `estimator`: the distance model's method, None: its first; of hulls and pieces those below with their settings.
    Raises InvalidInput as `separation`, and for estimators and settings that are unknown or out of range.
    """
    return solver_of("witness_derivative", model, estimator, threads, settings)(A, B, X_AB)


@with_distance_models
def smoothed_witness(
    A: Bodies, B: Bodies, X_AB: Array, *, model: str = "hull", hessian: bool = False, estimator: Optional[str] = None,
    threads: int = 0, **settings: Any
) -> _abut.SmoothedWitness:
    """Witness points of a smoothed form of the bodies with first and, with `hessian`, second derivatives.

    `model` "hull": of hulls, `estimator` one that smooths (None: "soft_bodies"); others with `has_smoothed`: the model's
    own form, first derivatives alone. Arguments as `witness_derivative`. Raises InvalidInput for primitives too, but of
    "pieces".
    """
    handle = solver_of("smoothed_witness", model, estimator, threads, settings, "soft_bodies")
    return handle.smoothed(A, B, X_AB, hessian)


@with_distance_models
def all_contacts(
    A: Bodies, B: Bodies, X_AB: Array, *, margin: float = 0.0, derivatives: bool = False, model: str = "surface",
    estimator: Optional[str] = None, threads: int = 0, **settings: Any
) -> _abut.ContactRegions:
    """One contact for every region of the bodies within `margin` (m, >= 0) of one another, of all pairs, one pair after
    the other and of a pair the nearest first, in A: `distance`, `p1`, `p2`, `n`, `feature_A`, `feature_B`, `status`; of pair i
    those from `offsets[i]` to `offsets[i + 1]`. With `derivatives`, `dd_dxi_B`, `dp1_A_dxi_B`, `dp2_A_dxi_B`, `dn_A_dxi_B`,
    which else raise NotAsked. `hull` has the one of `separation`; of `pieces`, the features are the pieces. Arguments and
    errors as `witness_derivative`.
    """
    handle = kept("all_contacts", DistanceModel, model, estimator, threads=threads, settings=settings)
    return handle.all_contacts(A, B, X_AB, margin=margin, derivatives=derivatives)

