"""Products with derivatives, and what derivatives by xi of X_AB exp(xi) are by the numbers of a pose."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np
import numpy.typing as npt

from . import _abut
from .results import summary


class StepDerivatives(NamedTuple):
    """A step and its derivatives in the coordinates x of System; forces are on all degrees of freedom (tree of
    docs/joints.md), held over the step. Derivatives are of the tangent of the next state, of what System.difference gives
    from `next` to states beside it.
    """

    next: _abut.State
    x: np.ndarray  # (nx,) of the next state over the one before; dx_* are no derivatives of this number
    dx_dx: np.ndarray  # (nx, nx)
    dx_df: np.ndarray  # (nx, degrees of freedom) by forces, N m and N
    dx_dp: np.ndarray  # (nx, parameters) of the config
    # CLAMPED: at a kink of rigid contact (midpoint), where derivatives are those of one side; NOT_CONVERGED: of the
    # answer that the step did not reach.
    status: _abut.Status
    kinks: List[Tuple[str, int]]  # (kind, index of the contact, -1: of many)

    __repr__ = summary


# Of each kind of result: a value and its derivatives, side by side.
_DERIVATIVES: Dict[type, Dict[str, List[str]]] = {
    _abut.WitnessDerivative: {
        "distance": ["dd_dxi_B"], "p1": ["dp1_A_dxi_B"], "p2": ["dp2_A_dxi_B"], "n": ["dn_A_dxi_B"],
    },
    _abut.Wrench: {"F_BBo_B": ["dF_dxi_B", "dF_dV_AB_B"]},
    _abut.SoftDistance: {"value": ["gradient"], "gradient": ["hessian"]},
    _abut.OverlapVolume: {"volume": ["dvolume_dxi_B"]},
    _abut.ContactPoints: {"p_AC": ["dp_dxi_B"], "n_A": ["dn_dxi_B"], "gap": ["dgap_dxi_B"]},
    StepDerivatives: {"x": ["dx_dx", "dx_df", "dx_dp"]},
}
_SCALARS = ("distance", "value", "volume", "gap")  # values that are a number each
_DERIVATIVES[_abut.SmoothedWitness] = _DERIVATIVES[_abut.ContactRegions] = _DERIVATIVES[_abut.WitnessDerivative]


def _derivatives(result: Any) -> Dict[str, List[str]]:
    if type(result) not in _DERIVATIVES:
        raise TypeError(f"{type(result).__name__} has no derivatives; ask witness_derivative, smoothed_witness, "
                        "all_contacts, wrench_derivative, overlap_volume, contact_points, soft_distance or step_derivatives")
    return _DERIVATIVES[type(result)]


def _jacobian(function: str, result: Any, value: str) -> Tuple[np.ndarray, bool]:
    """(N, ..., k) and whether the value is a scalar of each of the N. Raises NotAsked where it was not asked for."""
    try:
        parts = [np.asarray(getattr(result, name)) for name in _derivatives(result)[value]]
    except _abut.NotAsked as error:
        raise _abut.NotAsked(f"{function}: {error}") from None
    return np.concatenate(parts, axis=-1), value in _SCALARS


def as_numbers(function: str, argument: str, value: npt.ArrayLike) -> np.ndarray:
    """Real numbers as doubles. Raises TypeError for others, booleans and strings, InvalidInput for masked entries."""
    if np.ma.is_masked(value):
        raise _abut.InvalidInput(f"{function}: {argument} has masked entries; give .filled(...) or .compressed()")
    try:
        array = np.asarray(value)
        if array.dtype.kind in "fiu" or array.size == 0:
            return np.asarray(array, dtype=float)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        pass
    what = (f", not of {value.dtype}" if isinstance(value, np.ndarray) else
            "; it holds something else" if isinstance(value, (list, tuple)) else f", not {type(value).__name__}")
    raise TypeError(f"{function}: {argument} must be an array of numbers{what}")


def _known(result: Any) -> List[str]:
    """The values with derivatives; of soft distances the value alone where the Hessian was not asked for."""
    known = list(_derivatives(result))
    if isinstance(result, _abut.SoftDistance) and not hasattr(result, "hessian"):
        known.remove("gradient")
    return known


def vjp(result: Any, **cotangents: npt.ArrayLike) -> np.ndarray:
    """Cotangents of a result's values times its derivatives: vjp(d, distance=g), vjp(w, F_BBo_B=g).

    `result`: of witness_derivative, smoothed_witness, overlap_volume: (6,) or (N, 6) by xi of X_AB exp(xi); of all_contacts
    and contact_points with derivatives=True: (K, 6), a row for each contact; of wrench_derivative: (12,)
    or (N, 12) by (xi; V_AB_B); of soft_distance: (3,) or (N, 3) by the points; of step_derivatives: by (x; forces;
    parameters), where vjp(s, x=g) is of g . (tangent of the next state), not of the number `s.x`, which is over the state
    before. Each cotangent has its value's shape.
    `pose_gradient` takes gradients by xi on to the numbers of the pose.
    """
    known = _derivatives(result)
    if not cotangents:
        raise TypeError(f"vjp: give a cotangent of one of: {', '.join(known)}")
    total: Any = 0
    for value, cotangent in cotangents.items():
        if value not in known:
            raise TypeError(f"vjp: {type(result).__name__} has no derivative of '{value}'; it has: {', '.join(known)}")
        weights, shape = as_numbers("vjp", value, cotangent), np.shape(getattr(result, value))
        if weights.shape != shape:
            raise _abut.InvalidInput(f"vjp: {value} has shape {weights.shape}; it must be {shape}")
        jacobian, scalar = _jacobian("vjp", result, value)
        total = total + (weights[..., None] * jacobian if scalar
                         else np.einsum("...m,...mk->...k", weights, jacobian))
    return total


def jvp(result: Any, tangent: npt.ArrayLike) -> Dict[str, np.ndarray]:
    """Changes of a result's values by name for a tangent of the shape that `vjp` gives: xi (N, 6) and so on. Of a
    SoftDistance those whose derivatives were asked for; of StepDerivatives "x" is the change of the next state, not that of
    the number `x`, which is over the state before.
    """
    direction, changes = as_numbers("jvp", "tangent", tangent), {}
    for value in _known(result):
        jacobian, scalar = _jacobian("jvp", result, value)
        expected = jacobian.shape if scalar else jacobian.shape[:-2] + jacobian.shape[-1:]
        if direction.shape != expected:
            raise _abut.InvalidInput(f"jvp: tangent has shape {direction.shape}; it must be {expected}")
        changes[value] = (np.einsum("...k,...k->...", jacobian, direction) if scalar
                          else np.einsum("...mk,...k->...m", jacobian, direction))
    return changes


def _unit(quaternion: np.ndarray) -> np.ndarray:
    """Quaternions (..., 4) of any length, at that of one: their squares neither vanish nor overflow."""
    scaled = quaternion / np.abs(quaternion).max(axis=-1, keepdims=True)
    return scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)


def _has_length(quaternion: np.ndarray) -> bool:
    """Whether all quaternions (..., 4) are finite and not zero."""
    return bool((np.isfinite(quaternion).all(axis=-1) & quaternion.any(axis=-1)).all())


def _pose(function: str, X_AB: npt.ArrayLike) -> Tuple[np.ndarray, np.ndarray]:
    """The pose as it is given, and its rotation (..., 3, 3)."""
    pose = as_numbers(function, "X_AB", X_AB)
    if pose.ndim in (2, 3) and pose.shape[-2:] == (4, 4):
        return pose, pose[..., :3, :3]
    if pose.ndim not in (1, 2) or pose.shape[-1] != 7:
        raise _abut.InvalidInput(f"{function}: X_AB has shape {pose.shape}; poses are (4, 4), (N, 4, 4), (7,) or (N, 7)")
    if not _has_length(pose[..., :4]):
        raise _abut.InvalidInput(f"{function}: X_AB has a quaternion of length zero, or is not finite")
    w, x, y, z = np.moveaxis(_unit(pose[..., :4]), -1, 0)
    rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return pose, np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def pose_matrix(function: str, X_AB: npt.ArrayLike) -> np.ndarray:
    """One pose, (7,) or (4, 4), as a matrix."""
    pose, R = _pose(function, X_AB)
    if R.ndim != 2:
        raise _abut.InvalidInput(f"{function}: X_AB has shape {pose.shape}; give one pose, (7,) or (4, 4)")
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, pose[:3, 3] if pose.shape == (4, 4) else pose[4:]
    return X


def pose_as_seven(function: str, argument: str, X: npt.ArrayLike) -> np.ndarray:
    """One pose, (7,) or (4, 4), as (7,), the quaternion of unit length."""
    pose = as_numbers(function, argument, X)
    if pose.shape == (7,):
        if not (_has_length(pose[:4]) and np.isfinite(pose[4:]).all()):
            raise _abut.InvalidInput(f"{function}: {argument} has a quaternion of length zero, or is not finite")
        return np.concatenate([_unit(pose[:4]), pose[4:]])
    if pose.shape != (4, 4):
        raise _abut.InvalidInput(f"{function}: {argument} has shape {pose.shape}; it must be (7,) or (4, 4)")
    if not np.isfinite(pose).all():
        raise _abut.InvalidInput(f"{function}: {argument} has an entry that is NaN or infinite")
    if (pose[3] != (0, 0, 0, 1)).any():
        raise _abut.InvalidInput(f"{function}: {argument} is no pose: its last row is not (0, 0, 0, 1)")
    R = pose[:3, :3]
    error, determinant = np.abs(R.T @ R - np.eye(3)).max(), np.linalg.det(R)
    if error > 1e-6 or determinant < 0:
        raise _abut.InvalidInput(f"{function}: {argument} is no pose: its 3x3 part is not orthonormal with determinant +1 "
                                 f"(|R'R - I| = {error:.3g}, determinant {determinant:.3g})")
    # The eigenvector of the largest eigenvalue of 4 q q' - 1 [Bar-Itzhack 2000] holds for every rotation.
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R
    K = np.array([[xx + yy + zz, zy - yz, xz - zx, yx - xy], [zy - yz, xx - yy - zz, xy + yx, xz + zx],
                  [xz - zx, xy + yx, yy - xx - zz, yz + zy], [yx - xy, xz + zx, yz + zy, zz - xx - yy]])
    return np.concatenate([np.linalg.eigh(K)[1][:, -1], pose[:3, 3]])


def pose_as_matrix(function: str, argument: str, X: npt.ArrayLike) -> np.ndarray:
    """One pose, (7,) or (4, 4), as (4, 4)."""
    w, x, y, z, *p = pose_as_seven(function, argument, X)
    pose = np.eye(4)
    pose[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    pose[:3, 3] = p
    return pose


def _quaternion_map(pose: np.ndarray) -> np.ndarray:
    """2 G(q)/|q|^2, G of docs/conventions.md: w = map dq, (..., 3, 4)."""
    unit = _unit(pose[..., :4])
    length = np.sum(unit * pose[..., :4], axis=-1)[..., None, None]
    w, x, y, z = np.moveaxis(unit, -1, 0)
    rows = [[-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w]]
    return 2 * np.stack([np.stack(row, axis=-1) for row in rows], axis=-2) / length


def _skew(a: np.ndarray) -> np.ndarray:
    zero = np.zeros_like(a[..., 0])
    rows = [[zero, -a[..., 2], a[..., 1]], [a[..., 2], zero, -a[..., 0]], [-a[..., 1], a[..., 0], zero]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def pose_gradient(X_AB: npt.ArrayLike, gradient: npt.ArrayLike) -> np.ndarray:
    """A gradient by xi of X_AB exp(xi), (6,) or (N, 6), as one by the pose's numbers, of the shape of X_AB.

    By a matrix: the one tangent to the rotations, which a chain rule through any parameters of the pose takes. By 7
    numbers: across the quaternion, which is normalised on use.
    """
    pose, R = _pose("pose_gradient", X_AB)
    g = as_numbers("pose_gradient", "gradient", gradient)
    expected = pose.shape[: pose.ndim - (1 if pose.shape[-1] == 7 else 2)] + (6,)
    if g.shape != expected:
        raise _abut.InvalidInput(f"pose_gradient: gradient has shape {g.shape}; it must be {expected}")
    result = np.zeros(pose.shape)
    by_p = np.einsum("...ij,...j->...i", R, g[..., 3:])
    if pose.shape[-1] == 7:
        result[..., :4] = np.einsum("...ij,...i->...j", _quaternion_map(pose), g[..., :3])
        result[..., 4:] = by_p
    else:
        result[..., :3, :3] = R @ _skew(g[..., :3]) / 2
        result[..., :3, 3] = by_p
    return result


def pose_tangent(X_AB: npt.ArrayLike, change: npt.ArrayLike) -> np.ndarray:
    """A change of the pose's numbers, of the shape of X_AB, as xi of X_AB exp(xi), (6,) or (N, 6)."""
    pose, R = _pose("pose_tangent", X_AB)
    dX = as_numbers("pose_tangent", "change", change)
    if dX.shape != pose.shape:
        raise _abut.InvalidInput(f"pose_tangent: change has shape {dX.shape}; it must be {pose.shape}")
    back = np.swapaxes(R, -1, -2)
    if pose.shape[-1] == 7:
        w = np.einsum("...ij,...j->...i", _quaternion_map(pose), dX[..., :4])
        v = np.einsum("...ij,...j->...i", back, dX[..., 4:])
    else:
        W = back @ dX[..., :3, :3]
        W = (W - np.swapaxes(W, -1, -2)) / 2
        w = np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)
        v = np.einsum("...ij,...j->...i", back, dX[..., :3, 3])
    return np.concatenate([w, v], axis=-1)


def distance_slopes(X_AB: np.ndarray, found: _abut.WitnessDerivative) -> np.ndarray:
    """Derivatives (..., 6, 6) of dd_dxi_B, last axis by xi along the moving frame B, from the estimates of dp2 and dn:
    dd = (s x n, n) with n and s = p2 - p_AB in B's axes (docs/witness_derivatives.md). `X_AB`: (..., 4, 4).
    """
    back = np.swapaxes(X_AB[..., :3, :3], -1, -2)

    def in_B(value: np.ndarray, slope: np.ndarray, origin_moves: bool) -> Tuple[np.ndarray, np.ndarray]:
        vector = np.einsum("...ij,...j->...i", back, value)
        moved = back @ slope
        moved[..., :3] += _skew(vector)  # -w x vector
        if origin_moves:
            moved[..., 3:] -= np.eye(3)
        return vector, moved

    n, dn = in_B(found.n, found.dn_A_dxi_B, False)
    s, ds = in_B(found.p2 - X_AB[..., :3, 3], found.dp2_A_dxi_B, True)
    return np.concatenate([_skew(s) @ dn - _skew(n) @ ds, dn], axis=-2)


def _adjoints() -> np.ndarray:
    """S[k, i, j] = (ad(e_j) e_i)_k."""
    S, cross = np.zeros((6, 6, 6)), np.zeros((3, 3, 3))
    for j in range(3):
        cross[:, :, j] = _skew(np.eye(3)[j])  # e_j x
    S[:3, :3, :3] = S[3:, :3, 3:] = S[3:, 3:, :3] = cross
    return S


_ADJOINTS = _adjoints()


def slopes_of_jacobian(jacobian: np.ndarray, hessian: np.ndarray) -> np.ndarray:
    """Slopes (..., m, k, k) of a Jacobian (..., m, k) along the moving frame, last axis by xi, from the Hessian in the
    chart X_AB exp(xi): they differ by half a commutator.
    """
    slopes = np.array(hessian)
    slopes[..., :6, :6] += 0.5 * np.einsum("...mk,kij->...mij", jacobian[..., :6], _ADJOINTS)
    return slopes
