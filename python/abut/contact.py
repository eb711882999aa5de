"""Contact wrenches, contact points, soft distances."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from . import _abut
from .bodies import Body, Geometry
from .tables import documented, made, models, soft_distance_settings
from .witness import Array, Bodies, OneBody


class Model(_abut.Model):
    """A contact model that keeps its memory and answers sooner than the functions of this module, which are its
    methods in one call. Any number of threads may share it: they wait for one another.
    """

    def __init__(self, model: str = "pressure_field", *, threads: int = 0, **settings: Any) -> None:
        made("Model", super().__init__, model, settings, threads)
        self.__dict__.setdefault("_origin", (model, threads, settings))

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_model, self._origin)

    def wrench(
        self, A: Bodies, B: Bodies, X_AB: Array, V_AB_B: Optional[Array] = None, *, energy: bool = False
    ) -> _abut.Wrench:
        """As abut.wrench."""
        return self._wrench(A, B, X_AB, V_AB_B, _abut.WANT_ENERGY if energy else _abut.WANT_VALUE)

    def wrench_derivative(
        self, A: Bodies, B: Bodies, X_AB: Array, V_AB_B: Optional[Array] = None, *, energy: bool = False
    ) -> _abut.Wrench:
        """As abut.wrench_derivative."""
        want = _abut.WANT_JACOBIAN | (_abut.WANT_ENERGY if energy else 0)
        return self._wrench(A, B, X_AB, V_AB_B, want)

    def wrench_hessian(self, A: Bodies, B: Bodies, X_AB: Array, V_AB_B: Optional[Array] = None) -> _abut.Wrench:
        """As abut.wrench_hessian."""
        return self._wrench(A, B, X_AB, V_AB_B, _abut.WANT_JACOBIAN | _abut.WANT_HESSIAN)

    def contact_points(
        self, A: Bodies, B: Bodies, X_AB: Array, *, margin: float = 0.0, derivatives: bool = False
    ) -> _abut.ContactPoints:
        """As abut.contact_points."""
        return self._contact_points(A, B, X_AB, margin, derivatives)


def _model(name: str, threads: int, settings: Any) -> Model:
    return Model(name, threads=threads, **settings)


@documented(models)
def wrench(
    A: Bodies, B: Bodies, X_AB: Array, V_AB_B: Optional[Array] = None, *, model: str = "pressure_field",
    energy: bool = False, threads: int = 0, **settings: Any
) -> _abut.Wrench:
    """Contact wrench on B about Bo, in B: `F_BBo_B` = (tau; f), (6,) or (N, 6), N m and N.

    `A`, `B`: a Body or Geometry, a sequence of N of them, or (sequence, indices (N,)).
    `X_AB`: pose of B in A, (4, 4) or (N, 4, 4), or (7,) or (N, 7): quaternion (w, x, y, z), then translation, m.
    `V_AB_B`: twist (w; v) of B in A, at Bo, in B, (6,) or (N, 6), rad/s and m/s; None: at rest.
    `energy`: wanted too, J, of models that have one.

    Friction grows with the slip over `stiction_speed`, 1e-3 m/s here unless given, 3e-7 m/s in steps of the integrator
    'implicit', whose friction at small slips is greater therefore ('soft_minimum': `stiction`, 1e-3 and 1e-7 sqrt(g size)).

    Raises InvalidInput, naming argument and place, for poses and twists that are none, a part that the model needs
    and a body lacks, models and settings that are unknown or out of range.
    """
    return made("wrench", Model, model, threads=threads, **settings).wrench(A, B, X_AB, V_AB_B, energy=energy)


def wrench_derivative(
    A: Bodies, B: Bodies, X_AB: Array, V_AB_B: Optional[Array] = None, *, model: str = "pressure_field",
    energy: bool = False, threads: int = 0, **settings: Any
) -> _abut.Wrench:
    """The wrench with its Jacobians, (6, 6) or (N, 6, 6): `dF_dxi_B` by xi = (w; v) of X_AB exp(xi), in B, rad and m,
    with the twist held, and `dF_dV_AB_B` by the twist. Arguments and errors as `wrench`.
    """
    return made("wrench_derivative", Model, model, threads=threads, **settings).wrench_derivative(A, B, X_AB, V_AB_B, energy=energy)


def wrench_hessian(
    A: Bodies, B: Bodies, X_AB: Array, V_AB_B: Optional[Array] = None, *, model: str = "soft_potential",
    threads: int = 0, **settings: Any
) -> _abut.Wrench:
    """The wrench with its Jacobians and `d2F`, (6, 12, 12) or (N, 6, 12, 12): second derivatives of each component by
    (xi; V_AB_B) in the chart X_AB exp(xi), symmetric. Arguments and errors as `wrench`; of models that offer it.
    """
    return made("wrench_hessian", Model, model, threads=threads, **settings).wrench_hessian(A, B, X_AB, V_AB_B)


def contact_points(
    A: Bodies, B: Bodies, X_AB: Array, *, margin: float = 0.0, derivatives: bool = False,
    model: str = "pressure_field", threads: int = 0, **settings: Any
) -> _abut.ContactPoints:
    """Contact points of all pairs, one pair after the other, in A: `p_AC`, `n_A`, `gap`, `area`, `feature`; of pair i
    those from `offsets[i]` to `offsets[i + 1]`. With `derivatives`, `dp_dxi_B`, `dn_dxi_B`, `dgap_dxi_B`.

    What a point is, and what `margin` (m, >= 0) does, is the model's:
      'point': one, of area 0, midway between the witness points of the hulls, where they are at most `margin` apart;
        the status is CLAMPED where its derivatives are.
      'pressure_field': the centroid of each polygon of the contact surface, with its area (m^2): hundreds to thousands.
        `gap` is the depth that the pressure there stands for. Where the bodies overlap alone; `margin` does nothing.
      'soft_minimum': each oriented point of either body whose soft distance from the other is at most `margin`, those
        alone that have weight, softly the deepest; `area` is half of its quad's, against a half-space all of it.
      'soft_potential': the middle of each piece of either surface whose soft distance from the other is at most
        `margin`; `area` is the piece's, times its body's share. A shallow overlap between the middles has none without
        a margin.

    Arguments and errors as `wrench`.
    """
    handle = made("contact_points", Model, model, threads=threads, **settings)
    return handle.contact_points(A, B, X_AB, margin=margin, derivatives=derivatives)


class SoftDistances(_abut.SoftDistances):
    """Soft signed distances from one geometry, made ready once: `distances(points)` answers as `soft_distance`. Any
    number of threads may share it.
    """

    def __init__(self, geometry: OneBody, *, threads: int = 0, **settings: Any) -> None:
        made("SoftDistances", super().__init__, geometry, settings, threads)
        self.__dict__.setdefault("_origin", (geometry, threads, settings))

    def __call__(self, points: Array, *, order: int = 1) -> _abut.SoftDistance:
        return self._ask(points, order)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_soft_distances, self._origin)


def _soft_distances(geometry: OneBody, threads: int, settings: Any) -> SoftDistances:
    return SoftDistances(geometry, threads=threads, **settings)


@documented(soft_distance_settings)
def soft_distance(
    geometry: OneBody, points: Array, *, order: int = 1, threads: int = 0, **settings: Any
) -> _abut.SoftDistance:
    """Soft signed distance of points from an asset's oriented points, of a primitive the exact one. Near the surface: beyond
    some spacings of the points it is no clearance, and may be off by any amount and of either sign, unless field="grid".

    `points`: (3,) or (N, 3), m, in the geometry's frame. `order`: derivatives that are wanted, 0 to 2; the others
    raise NotAsked. `value` (N,), m, negative inside; `gradient` (N, 3); `hessian` (N, 3, 3), 1/m.

    Raises InvalidInput for a geometry without points, points that are not finite, settings out of range.
    """
    return made("soft_distance", SoftDistances, geometry, threads=threads, **settings)(points, order=order)
