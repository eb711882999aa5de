"""Contact questions as functions of poses, with values and derivatives as arrays: what abut.torch differentiates."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

import numpy as np

from .contact import Model, SoftDistances
from .gradients import distance_slopes, slopes_of_jacobian
from .tables import models
from .witness import Bodies, DistanceModel, Estimator


class Query:
    """A function of poses (N, 4, 4) and twists (N, 6), or of points (N, 3), with values (N, m)."""

    def value(self, X: np.ndarray, V: Optional[np.ndarray]) -> np.ndarray:
        raise NotImplementedError

    def first(self, X: np.ndarray, V: Optional[np.ndarray]) -> Tuple[np.ndarray, np.ndarray]:
        """Values (N, m) and Jacobian (N, m, k)."""
        raise NotImplementedError

    def slopes(self, X: np.ndarray, V: Optional[np.ndarray]) -> np.ndarray:
        """Slopes (N, m, k, k) of the Jacobian along the moving frame."""
        raise RuntimeError(f"abut.torch: {self.who} has no second derivatives")

    who = "this function"


class Witness(Query):
    def __init__(self, A: Bodies, B: Bodies, solver: Union[Estimator, DistanceModel], smoothed: bool) -> None:
        self.A, self.B, self.solver, self.smoothed = A, B, solver, smoothed
        kind = "estimator" if isinstance(solver, Estimator) else "distance model"
        self.who = f"a {'smoothed ' if smoothed else ''}witness of {kind} '{solver.name}'"

    @staticmethod
    def _values(found: Any) -> np.ndarray:
        return np.concatenate([found.distance[:, None], found.p1, found.p2, found.n], axis=1)

    def _found(self, X: np.ndarray, hessian: bool = False) -> Any:
        if self.smoothed:
            return self.solver.smoothed(self.A, self.B, X, hessian)
        return self.solver(self.A, self.B, X)

    def value(self, X: np.ndarray, V: Optional[np.ndarray]) -> np.ndarray:
        return self._values(self._found(X) if self.smoothed else self.solver.separation(self.A, self.B, X))

    def first(self, X: np.ndarray, V: Optional[np.ndarray]) -> Tuple[np.ndarray, np.ndarray]:
        found = self._found(X)
        return self._values(found), self._jacobian(found)

    @staticmethod
    def _jacobian(found: Any) -> np.ndarray:
        return np.concatenate(
            [found.dd_dxi_B[:, None], found.dp1_A_dxi_B, found.dp2_A_dxi_B, found.dn_A_dxi_B], axis=1)

    def slopes(self, X: np.ndarray, V: Optional[np.ndarray]) -> np.ndarray:
        if not (self.smoothed and isinstance(self.solver, Estimator)):
            return super().slopes(X, V)
        found = self._found(X, hessian=True)
        hessian = np.concatenate(
            [found.d2d_dxi_B[:, None], found.d2p1_A_dxi_B, found.d2p2_A_dxi_B, found.d2n_A_dxi_B], axis=1)
        return slopes_of_jacobian(self._jacobian(found), hessian)


class Distance(Witness):
    def value(self, X: np.ndarray, V: Optional[np.ndarray]) -> np.ndarray:
        return self.solver.separation(self.A, self.B, X).distance[:, None]

    def first(self, X: np.ndarray, V: Optional[np.ndarray]) -> Tuple[np.ndarray, np.ndarray]:
        found = self.solver(self.A, self.B, X)
        return found.distance[:, None], found.dd_dxi_B[:, None]

    def slopes(self, X: np.ndarray, V: Optional[np.ndarray]) -> np.ndarray:
        found = self.solver(self.A, self.B, X)
        slopes = distance_slopes(X, found)
        if self.solver.name == "surface":
            slopes[found.distance <= 0] = np.nan
        return slopes[:, None]


class Wrench(Query):
    def __init__(self, A: Bodies, B: Bodies, model: Model) -> None:
        self.A, self.B, self.model = A, B, model
        self.who = f"the contact model '{model.name}'"

    def value(self, X: np.ndarray, V: Optional[np.ndarray]) -> np.ndarray:
        return self.model.wrench(self.A, self.B, X, V).F_BBo_B

    @staticmethod
    def _jacobian(found: Any, V: Optional[np.ndarray]) -> np.ndarray:
        return found.dF_dxi_B if V is None else np.concatenate([found.dF_dxi_B, found.dF_dV_AB_B], axis=2)

    def first(self, X: np.ndarray, V: Optional[np.ndarray]) -> Tuple[np.ndarray, np.ndarray]:
        found = self.model.wrench_derivative(self.A, self.B, X, V)
        return found.F_BBo_B, self._jacobian(found, V)

    def slopes(self, X: np.ndarray, V: Optional[np.ndarray]) -> np.ndarray:
        if not models()[self.model.name].capabilities["has_hessian"]:
            return super().slopes(X, V)
        found = self.model.wrench_hessian(self.A, self.B, X, V)
        k = 6 if V is None else 12
        return slopes_of_jacobian(self._jacobian(found, V), found.d2F[:, :, :k, :k])


class SoftDistance(Query):
    def __init__(self, distances: SoftDistances) -> None:
        self.distances = distances

    def value(self, X: np.ndarray, V: Optional[np.ndarray]) -> np.ndarray:
        return self.distances(X, order=0).value[:, None]

    def first(self, X: np.ndarray, V: Optional[np.ndarray]) -> Tuple[np.ndarray, np.ndarray]:
        found = self.distances(X, order=1)
        return found.value[:, None], found.gradient[:, None]

    def slopes(self, X: np.ndarray, V: Optional[np.ndarray]) -> np.ndarray:
        return self.distances(X, order=2).hessian[:, None]
