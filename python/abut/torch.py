"""Gradients in PyTorch: witness points, distances, wrenches, soft distances, steps and rollouts as differentiable
functions.

    X_AB = torch.tensor([[1.0, 0, 0, 0, 0.2, 0, 0]], dtype=torch.float64, requires_grad=True)
    abut.torch.distance(mug, box, X_AB).sum().backward()

Poses are (4, 4), (N, 4, 4), (7,) or (N, 7) tensors as everywhere. The gradient by a matrix is the one tangent to the
rotations: right for any parameters that the pose is made of. Everything is computed in double precision on the CPU and
returned in the pose's type, on its device.
"""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

import numpy as np
import torch

from . import _abut, queries
from .contact import Model, SoftDistances
from .frameworks import Separation, as_given, count, model_of, split
from .dynamics import Integrator
from .rollout import Rollout
from .tables import made, said_by, without_settings
from .witness import Bodies, DistanceModel, Estimator, OneBody, solver_of

Tensor = torch.Tensor


def pose_matrix(pose: Tensor) -> Tensor:
    """Poses (..., 7), quaternion (w, x, y, z) of any length and translation, as matrices (..., 4, 4)."""
    scale = pose[..., :4].detach().abs().amax(dim=-1, keepdim=True)  # no square vanishes or overflows
    scaled = pose[..., :4] / scale
    w, x, y, z = (scaled / torch.linalg.norm(scaled, dim=-1, keepdim=True)).unbind(-1)
    zero, one = torch.zeros_like(w), torch.ones_like(w)
    px, py, pz = pose[..., 4:].unbind(-1)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), px,
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), py,
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y), pz,
            zero, zero, zero, one]
    return torch.stack(rows, dim=-1).reshape(pose.shape[:-1] + (4, 4))


def _skew(a: Tensor) -> Tensor:
    x, y, z = a.unbind(-1)
    zero = torch.zeros_like(x)
    return torch.stack([zero, -z, y, z, zero, -x, -y, x, zero], dim=-1).reshape(a.shape[:-1] + (3, 3))


def _by_matrix(X: Tensor, by_xi: Tensor) -> Tensor:
    """A gradient by xi of X exp(xi), (N, 6), as the one by the matrix that is tangent to the rotations."""
    R = X[:, :3, :3]
    upper = torch.cat([R @ _skew(by_xi[:, :3]) / 2, R @ by_xi[:, 3:, None]], dim=2)
    return torch.cat([upper, torch.zeros_like(X[:, :1])], dim=1)


def _chart(X: Tensor, gradient: Tensor) -> Tuple[Tensor, Optional[Tensor]]:
    """A gradient by the k numbers of the chart as those by X (a pose or points) and by the twist."""
    if X.dim() == 2:
        return gradient, None
    return _by_matrix(X, gradient[:, :6]), gradient[:, 6:] if gradient.shape[1] > 6 else None


def _numpy(tensor: Optional[Tensor]) -> Optional[np.ndarray]:
    return None if tensor is None else tensor.detach().numpy()


def _tensor(array: np.ndarray) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(array))


class _Jacobian(torch.autograd.Function):
    """The Jacobian that a forward pass has found, as a function: differentiated by its slopes."""

    @staticmethod
    def forward(ctx: Any, query: queries.Query, X: Tensor, V: Optional[Tensor], J: Tensor) -> Tensor:
        ctx.query = query
        ctx.save_for_backward(X, V)
        return J.clone()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Tuple[Optional[Tensor], ...]:
        X, V = ctx.saved_tensors
        slopes = _tensor(ctx.query.slopes(_numpy(X), _numpy(V)))
        by_X, by_V = _chart(X, torch.einsum("nmi,nmij->nj", gradient, slopes))
        return None, by_X, by_V, None


class _Value(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: queries.Query, X: Tensor, V: Optional[Tensor]) -> Tensor:
        if not any(ctx.needs_input_grad):
            return _tensor(query.value(_numpy(X), _numpy(V)))
        value, jacobian = query.first(_numpy(X), _numpy(V))
        ctx.query = query
        ctx.save_for_backward(X, V, _tensor(jacobian))
        return _tensor(value)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tuple[Optional[Tensor], ...]:
        X, V, J = ctx.saved_tensors
        if torch.is_grad_enabled():  # create_graph: the Jacobian is part of the graph
            J = _Jacobian.apply(ctx.query, X, V, J)
        by_X, by_V = _chart(X, torch.einsum("nm,nmk->nk", gradient, J))
        return None, by_X, by_V


def _require_tensor(function: str, argument: str, value: Any) -> None:
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"{function}: {argument} must be a torch.Tensor, not {type(value).__name__}")
    if not value.is_floating_point():
        raise TypeError(f"{function}: {argument} must be of a floating-point type, not {value.dtype}")


def _apply(
    function: str, query: queries.Query, A: Bodies, B: Bodies, X_AB: Tensor, V_AB_B: Optional[Tensor] = None
) -> Tensor:
    """query at all pairs: (N, m), or (m,) where nothing is many; in the pose's type and on its device."""
    _require_tensor(function, "X_AB", X_AB)
    X = X_AB.to("cpu", torch.float64)
    if X.dim() in (1, 2) and X.shape[-1] == 7:
        none = torch.nonzero((X[..., :4] == 0).all(dim=-1).reshape(-1))
        if len(none):
            place = f"[{none[0].item()}]" if X.dim() == 2 else ""
            raise _abut.InvalidInput(f"{function}: X_AB{place} has a quaternion of length zero")
        X = pose_matrix(X)
    if X.dim() not in (2, 3) or X.shape[-2:] != (4, 4):
        raise _abut.InvalidInput(f"{function}: X_AB has shape {tuple(X_AB.shape)}; poses are (4, 4), (N, 4, 4), (7,) or "
                                 "(N, 7)")
    V = None
    if V_AB_B is not None:
        _require_tensor(function, "V_AB_B", V_AB_B)
        V = V_AB_B.to("cpu", torch.float64)
        if V.dim() not in (1, 2) or V.shape[-1] != 6:
            raise _abut.InvalidInput(f"{function}: V_AB_B has shape {tuple(V.shape)}; it must be (6,) or (N, 6)")
    counts = [count(A), count(B), len(X) if X.dim() == 3 else None, len(V) if V is not None and V.dim() == 2 else None]
    many = [size for size in counts if size is not None]
    N = many[0] if many else 1
    one_pose = X.dim() == 2
    X = X.expand(N, 4, 4) if one_pose else X
    V = V if V is None or V.dim() == 2 else V.expand(N, 6)
    try:
        value = _Value.apply(query, X, V).to(X_AB.device, X_AB.dtype)
    except _abut.InvalidInput as error:
        words = str(error).replace("X_AB[0]", "X_AB") if one_pose else str(error)
        raise said_by(function, _abut.InvalidInput(words)) from None
    return value if many else value[0]


def distance(
    A: Bodies, B: Bodies, X_AB: Tensor, *, model: Union[str, DistanceModel] = "hull",
    estimator: Union[None, str, Estimator] = None, threads: int = 0, **settings: Any
) -> Tensor:
    """Signed distances (N,), m, of a distance model. The gradient is exact (status `clamped`: at a
    kink, docs/distances.md); the second derivative is made of dp2 and dn, which are estimates but for
    surfaces and "analytic"; of surfaces that overlap it is NaN. `model`, `estimator`: names as in witness_derivative, or a
    handle, which has its own settings.
    """
    solver = solver_of("distance", model, estimator, threads, settings)
    return _apply("distance", queries.Distance(A, B, solver, False), A, B, X_AB)[..., 0]


def separation(
    A: Bodies, B: Bodies, X_AB: Tensor, *, model: Union[str, DistanceModel] = "hull",
    estimator: Union[None, str, Estimator] = None, threads: int = 0, **settings: Any
) -> Separation:
    """Distance, witness points and normal of a distance model: of surfaces with their own derivatives, of hulls and
    pieces with those that an estimator gives them, the same bits as in C++. Once differentiable.
    """
    query = queries.Witness(A, B, solver_of("separation", model, estimator, threads, settings), False)
    return split(_apply("separation", query, A, B, X_AB))


def smoothed_separation(
    A: Bodies, B: Bodies, X_AB: Tensor, *, model: Union[str, DistanceModel] = "hull",
    estimator: Union[None, str, Estimator] = None, threads: int = 0, **settings: Any
) -> Separation:
    """Distance, witness points and normal of a smoothed form of the bodies, with their own derivatives: of hulls
    ("soft_bodies") twice differentiable, of surfaces and pieces once.
    """
    solver = solver_of("smoothed_separation", model, estimator, threads, settings, "soft_bodies")
    query = queries.Witness(A, B, solver, True)
    return split(_apply("smoothed_separation", query, A, B, X_AB))


def wrench(
    A: Bodies, B: Bodies, X_AB: Tensor, V_AB_B: Optional[Tensor] = None, *, model: Union[str, Model] = "pressure_field",
    threads: int = 0, **settings: Any
) -> Tensor:
    """Contact wrenches F_BBo_B (N, 6), by pose and twist. Twice differentiable where the model has a Hessian."""
    handle = model_of("wrench", model, threads, settings)
    return _apply("wrench", queries.Wrench(A, B, handle), A, B, X_AB, V_AB_B)


def soft_distance(geometry: Union[OneBody, SoftDistances], points: Tensor, *, threads: int = 0, **settings: Any) -> Tensor:
    """Soft signed distances (...,) of points (..., 3), m. Twice differentiable."""
    _require_tensor("soft_distance", "points", points)
    if points.dim() < 1 or points.shape[-1] != 3:
        raise _abut.InvalidInput(f"soft_distance: points has shape {tuple(points.shape)}; it must be (..., 3)")
    distances = (without_settings("soft_distance", "geometry", geometry, settings) if isinstance(geometry, SoftDistances)
                 else made("soft_distance", SoftDistances, geometry, threads=threads, **settings))
    flat = points.to("cpu", torch.float64).reshape(-1, 3)
    value = _Value.apply(queries.SoftDistance(distances), flat, None)
    return value.reshape(points.shape[:-1]).to(points.device, points.dtype)


class _Rollout(torch.autograd.Function):
    """(N, rows, nz) states of starts (N, nz) under controls (N, rows, ...), with the system's parameters (P,)."""

    @staticmethod
    def forward(
        ctx: Any, rollout: Rollout, rows: int, many: bool, start: Tensor, force: Optional[Tensor],
        target: Optional[Tensor], parameters: Optional[Tensor]
    ) -> Tensor:
        if parameters is not None:
            rollout = rollout.with_values(_numpy(parameters))
        run = rollout(_numpy(start), joint_force=_numpy(force), joint_target=_numpy(target), rows=rows)
        if not many and run.errors[0]:
            raise _abut.InvalidInput(run.errors[0])
        ctx.system, ctx.run = rollout.system, run
        ctx.save_for_backward(start)
        return _tensor(run.z).clone()  # who changes it does not change run.z

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Tuple[Optional[Tensor], ...]:
        system, z, by_z = ctx.system, ctx.run.z, gradient.numpy()
        costates = system.gradient_by_x(z, by_z)
        unknown = ~np.isfinite(costates).all(axis=(1, 2))
        costates[unknown] = 0
        found = ctx.run.gradient(costates)
        by_start = system.gradient_by_z(_numpy(ctx.saved_tensors[0]), found.start)
        by = [by_start, found.joint_force, found.joint_target, found.parameter]
        # What nobody asks of a rollout that failed spoils no gradient that others share.
        unasked = np.array([bool(error) for error in ctx.run.errors], dtype=bool) & ~by_z.any(axis=(1, 2))
        for array in by:
            array[unknown], array[unasked] = np.nan, 0
        by[3] = found.parameter.sum(axis=0)
        return (None, None, None, *(_tensor(array) if needed else None for array, needed in zip(by, ctx.needs_input_grad[3:])))


def rollout(
    rollout: Rollout, start: Tensor, *, joint_force: Optional[Tensor] = None, joint_target: Optional[Tensor] = None,
    parameters: Optional[Tensor] = None, rows: Optional[int] = None
) -> Tensor:
    """States after each row, (rows, nz) or (N, rows, nz), of rollouts from `start`, vectors z (nz,) or (N, nz), under
    `joint_force` (rows, nv) or (N, rows, nv) and `joint_target` (rows, nq) or (N, rows, nq); what is one is of all, and
    `rows` says how many there are without controls. `parameters`: values (P,) of the rollout's parameters. Once
    differentiable by all of them; of many, one that fails is NaN from its first row on, and so are the gradients of what
    is asked of it, as of any by gradients that are not finite. A single one that fails raises InvalidInput.
    """
    given = {"start": (start, 1), "joint_force": (joint_force, 2), "joint_target": (joint_target, 2),
             "parameters": (parameters, 1)}
    many, ready = [], {}
    for name, (tensor, dimensions) in given.items():
        if tensor is not None:
            _require_tensor("rollout", name, tensor)
            if tensor.dim() not in (dimensions, dimensions + (name != "parameters")):
                raise _abut.InvalidInput(f"rollout: {name} has shape {tuple(tensor.shape)}")
            if tensor.dim() > dimensions:
                many.append(len(tensor))
        ready[name] = (None if tensor is None else tensor.to("cpu", torch.float64), dimensions)
    N = many[0] if many else 1
    each = {name: tensor if tensor is None or name == "parameters" or tensor.dim() > dimensions
            else tensor.expand(N, *tensor.shape) for name, (tensor, dimensions) in ready.items()}
    controls = each["joint_force"] if each["joint_force"] is not None else each["joint_target"]
    if rows is None:
        if controls is None:
            raise _abut.InvalidInput("rollout: without controls, say how many rows")
        rows = controls.shape[1]
    try:
        z = _Rollout.apply(rollout, rows, bool(many), *each.values())
    except _abut.InvalidInput as error:
        raise as_given("rollout", error, {name: tensor for name, (tensor, _) in ready.items()}, each) from None
    z = z.to(start.device, start.dtype)
    return z if many else z[0]


def step(
    integrator: Union[Integrator, Rollout], start: Tensor, *, joint_force: Optional[Tensor] = None,
    joint_target: Optional[Tensor] = None, parameters: Optional[Tensor] = None
) -> Tensor:
    """The states dt later, (nz,) or (N, nz), of vectors z; `joint_force` (nv,) or (N, nv), `joint_target` (nq,) or (N, nq).
    `integrator`: one with derivatives, or a Rollout of one step a row. Once differentiable.
    """
    if isinstance(integrator, Integrator):
        integrator = integrator.rollout
    if integrator.steps_per_control != 1:
        raise _abut.InvalidInput(f"step: integrator: this Rollout takes {integrator.steps_per_control} steps a row; give one of 1")
    given = {"joint_force": joint_force, "joint_target": joint_target}
    controls = {name: control.unsqueeze(-2) if isinstance(control, Tensor) and control.dim() > 0 else control
                for name, control in given.items()}
    try:
        return rollout(integrator, start, **controls, parameters=parameters, rows=1)[..., 0, :]
    except (_abut.InvalidInput, TypeError) as error:
        raise as_given("step", error, given, controls) from None
