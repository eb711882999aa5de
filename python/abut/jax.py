"""Gradients in JAX: distances, witness points, wrenches and soft distances as functions with a reverse derivative.

    jax.grad(lambda X_AB: abut.jax.distance(mug, box, X_AB).sum())(X_AB)

Poses are (4, 4), (N, 4, 4), (7,) or (N, 7) arrays as everywhere; the gradient by a matrix is the one tangent to the
rotations. The library is called back on the host, in double precision, also within jit, and within vmap once for each of
the batch; results have the type of the first array, and gradients each that of its own. They are differentiable once, in
reverse mode.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable, Optional, Sequence, Tuple, Union

import jax
import jax.numpy as jnp
import numpy as np

from .contact import Model, SoftDistances
from .frameworks import Separation, count, model_of, split
from .gradients import pose_gradient
from .tables import made, without_settings
from .witness import Bodies, DistanceModel, Estimator, OneBody, solver_of

Array = Any


def _array(function: str, argument: str, value: Any) -> Array:
    array = jnp.asarray(value)
    if not jnp.issubdtype(array.dtype, jnp.floating):  # answers have its type
        raise TypeError(f"{function}: {argument} must be of a floating-point type, not {array.dtype}")
    return array


# JAX before 0.4.34 has no such argument and calls back one by one without it.
_ONE_BY_ONE = {"vmap_method": "sequential"} if "vmap_method" in inspect.signature(jax.pure_callback).parameters else {}


def _called(answer: Callable[..., Tuple[np.ndarray, ...]], like: Sequence[Any], *inputs: Array) -> Any:
    """answer(inputs) on the host: arrays of the shapes and types of `like`."""
    results = tuple(jax.ShapeDtypeStruct(one.shape, one.dtype) for one in like)

    def host(*given: Any) -> Tuple[np.ndarray, ...]:
        found = answer(*(np.asarray(value, dtype=float) for value in given))
        return tuple(np.asarray(value, dtype=result.dtype, order="C") for value, result in zip(found, results))

    return jax.pure_callback(host, results, *inputs, **_ONE_BY_ONE)


def _differentiable(
    value: Callable[..., np.ndarray], gradients: Callable[..., Tuple[np.ndarray, ...]], shape: Tuple[int, ...]
) -> Callable[..., Array]:
    """A function of arrays whose values have a shape, from value(inputs) and gradients(inputs, cotangent)."""

    @jax.custom_vjp
    def function(*inputs: Array) -> Array:
        return _called(lambda *given: (value(*given),), [jax.ShapeDtypeStruct(shape, inputs[0].dtype)], *inputs)[0]

    def forward(*inputs: Array) -> Tuple[Array, Tuple[Array, ...]]:
        return function(*inputs), inputs

    def backward(inputs: Tuple[Array, ...], cotangent: Array) -> Any:
        return _called(gradients, inputs, *inputs, cotangent)

    function.defvjp(forward, backward)
    return function


def _many(X_AB: Array) -> Tuple[int, ...]:
    return X_AB.shape[:-2] if X_AB.shape[-2:] == (4, 4) and X_AB.ndim >= 2 else X_AB.shape[:-1]


def _shape(A: Bodies, B: Bodies, X_AB: Array, V_AB_B: Optional[Array] = None) -> Tuple[int, ...]:
    """() or (N,)."""
    shape = _many(X_AB) or (() if V_AB_B is None else V_AB_B.shape[:-1])
    for bodies in A, B:
        size = count(bodies)
        shape = shape or (() if size is None else (size,))
    return shape


def _summed(gradient: np.ndarray, shape: Tuple[int, ...]) -> np.ndarray:
    """The gradient by something that is one of all N."""
    return gradient if gradient.shape == shape else gradient.sum(axis=0)


def _by_pose(X_AB: np.ndarray, by_xi: np.ndarray) -> np.ndarray:
    return pose_gradient(X_AB, _summed(by_xi, _many(X_AB) + (6,)))


def separation(
    A: Bodies, B: Bodies, X_AB: Array, *, model: Union[str, DistanceModel] = "hull",
    estimator: Union[None, str, Estimator] = None, threads: int = 0, **settings: Any
) -> Separation:
    """Distance, witness points and normal of a distance model, with the derivatives that it gives them."""
    handle = solver_of("separation", model, estimator, threads, settings)
    X_AB = _array("separation", "X_AB", X_AB)

    def value(X: np.ndarray) -> np.ndarray:
        found = handle(A, B, X)
        return np.concatenate([np.asarray(found.distance)[..., None], found.p1, found.p2, found.n], axis=-1)

    def gradients(X: np.ndarray, g: np.ndarray) -> Tuple[np.ndarray, ...]:
        found = handle(A, B, X)
        jacobian = np.concatenate([found.dd_dxi_B[..., None, :], found.dp1_A_dxi_B, found.dp2_A_dxi_B,
                                   found.dn_A_dxi_B], axis=-2)
        return (_by_pose(X, np.einsum("...m,...mk->...k", g, jacobian)),)

    found = _differentiable(value, gradients, _shape(A, B, X_AB) + (10,))(X_AB)
    return split(found)


def distance(
    A: Bodies, B: Bodies, X_AB: Array, *, model: Union[str, DistanceModel] = "hull",
    estimator: Union[None, str, Estimator] = None, threads: int = 0, **settings: Any
) -> Array:
    """Signed distances (N,), m, with their exact gradient."""
    return separation(A, B, X_AB, model=model, estimator=estimator, threads=threads, **settings).distance


def wrench(
    A: Bodies, B: Bodies, X_AB: Array, V_AB_B: Optional[Array] = None, *, model: Union[str, Model] = "pressure_field",
    threads: int = 0, **settings: Any
) -> Array:
    """Contact wrenches F_BBo_B (N, 6), by pose and twist."""
    handle = model_of("wrench", model, threads, settings)
    X_AB = _array("wrench", "X_AB", X_AB)
    V_AB_B = jnp.zeros(6, X_AB.dtype) if V_AB_B is None else _array("wrench", "V_AB_B", V_AB_B)

    def value(X: np.ndarray, V: np.ndarray) -> np.ndarray:
        return handle.wrench(A, B, X, V).F_BBo_B

    def gradients(X: np.ndarray, V: np.ndarray, g: np.ndarray) -> Tuple[np.ndarray, ...]:
        found = handle.wrench_derivative(A, B, X, V)
        by_xi = np.einsum("...m,...mk->...k", g, found.dF_dxi_B)
        by_V = np.einsum("...m,...mk->...k", g, found.dF_dV_AB_B)
        return _by_pose(X, by_xi), _summed(by_V, V.shape)

    return _differentiable(value, gradients, _shape(A, B, X_AB, V_AB_B) + (6,))(X_AB, V_AB_B)


def soft_distance(geometry: Union[OneBody, SoftDistances], points: Array, *, threads: int = 0, **settings: Any) -> Array:
    """Soft signed distances (...,) of points (..., 3), m."""
    handle = (without_settings("soft_distance", "geometry", geometry, settings) if isinstance(geometry, SoftDistances)
              else made("soft_distance", SoftDistances, geometry, threads=threads, **settings))
    points = _array("soft_distance", "points", points)
    shape = points.shape[:-1]

    def value(p: np.ndarray) -> np.ndarray:
        return handle(p.reshape(-1, 3), order=0).value.reshape(shape)

    def gradients(p: np.ndarray, g: np.ndarray) -> Tuple[np.ndarray, ...]:
        return (g[..., None] * handle(p.reshape(-1, 3), order=1).gradient.reshape(p.shape),)

    return _differentiable(value, gradients, shape)(points)
