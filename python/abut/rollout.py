"""Many steps of a system, and the gradients of where they lead."""

from __future__ import annotations

import copy
from typing import Any, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _abut
from .gradients import as_numbers
from .results import summary
from .scene import Parameters, System
from .step_config import config_of, system_of
from .tables import made


class RolloutGradient(NamedTuple):
    """Of a number, by what a rollout started from and was given; of N rollouts one axis more, the first."""

    start: np.ndarray  # (nx,) by x of the start (System)
    joint_force: np.ndarray  # (rows, nv)
    joint_target: np.ndarray  # (rows, nq)
    parameter: np.ndarray  # (parameters,)
    kinks: Any = None  # steps whose derivatives are not ok (step_derivatives says why), () or (N,)

    __repr__ = summary


class RolloutJacobian(NamedTuple):
    """Of x after the last row; of every row one axis more, the first."""

    start: np.ndarray  # (nx, nx)
    joint_force: np.ndarray  # (nx, rows, nv)
    joint_target: np.ndarray  # (nx, rows, nq)
    parameter: np.ndarray  # (nx, parameters)
    kinks: Any = 0  # steps so far whose derivatives are not ok, () or (rows,)

    __repr__ = summary


class RolloutRun:
    """Rollouts that were run: one, or N."""

    def __init__(self, run: _abut.RolloutRun, rollout: "Rollout") -> None:
        if not isinstance(run, _abut.RolloutRun):
            raise TypeError("a RolloutRun is what a Rollout gives")
        self._run, self._rollout = run, rollout
        self.z: np.ndarray = run.z  # (rows, nz) or (N, rows, nz) states after each row; NaN of one that failed
        self.errors: List[str] = run.errors  # of each of the N why it failed; empty: it did not
        # Of each of the N how many steps ended above a tolerance, however little: their report's status is not_converged.
        # Which and by how much: a Simulation of the same row; abut-sim warns of impulses from a residual of 0.1 on.
        self.not_converged: List[int] = run.not_converged

    __repr__ = summary

    def state(self, row: int, item: int = 0) -> _abut.State:
        """After a row, of one of many."""
        return self._run._state(row, item)

    def gradient(self, costates: npt.ArrayLike) -> RolloutGradient:
        """Of sum costates[k] . x_k, x_k after row k: `costates` (rows, nx) or (N, rows, nx), gradients of a cost by the
        states. Backwards over the rows, each repeated from the state before it; all of N on all cores. NaN of one
        that failed or overflows; a single one that overflows raises InvalidInput. System.gradient_by_x makes costates of
        gradients by z.
        """
        return RolloutGradient(*self._run._gradient(costates))

    def jacobian(self, *, every_row: bool = False) -> RolloutJacobian:
        """Of the last state of a single rollout, or with `every_row` of the states after each row, forwards with all
        columns at once: for Gauss and Newton's method.
        """
        return RolloutJacobian(*self._run._jacobian(every_row))

    def jvp(
        self, start: Optional[npt.ArrayLike] = None, joint_force: Optional[npt.ArrayLike] = None,
        joint_target: Optional[npt.ArrayLike] = None, parameter: Optional[npt.ArrayLike] = None, *,
        every_row: bool = False
    ) -> np.ndarray:
        """(nx,) change of the last state of a single rollout by a change of what it was given; with `every_row` of the
        states after each row, (rows, nx).
        """
        jacobian, change = self.jacobian(every_row=every_row), 0.0
        given = RolloutGradient(start, joint_force, joint_target, parameter)  # type: ignore[arg-type]
        for name, slope, tangent in zip(given._fields, jacobian, given):
            if tangent is None:
                continue
            tangent = as_numbers("jvp", name, tangent)
            if not np.isfinite(tangent).all():
                raise _abut.InvalidInput(f"jvp: {name} has NaN or infinity")
            given_by = slope.shape[2:] if every_row else slope.shape[1:]
            if tangent.shape != given_by:
                raise _abut.InvalidInput(f"jvp: {name} has shape {tangent.shape}; it must be {given_by}")
            change = change + np.tensordot(slope, tangent, tangent.ndim)
        if isinstance(change, float):
            raise TypeError("jvp: give a change of one of: " + ", ".join(given._fields[:-1]))
        if np.isfinite(jacobian.start).all() and not np.isfinite(change).all():
            raise _abut.InvalidInput("jvp: the change has left the finite numbers; scale what it is of down")
        return change

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_rollout_run, (self._rollout, self._run._parts()))


class Rollout(_abut.Rollout):
    """Many steps of a system under a sequence of joint forces and targets, each row of which acts for `steps_per_control`
    steps: `run = rollout(start, joint_target=targets)`. `config`: StepConfig's fields, of an integrator with
    derivatives; `threads`: of many rollouts, 0: one per core; the same bits for any. Threads that share a Rollout wait
    for one another.
    """

    def __init__(
        self, system: System, steps_per_control: int = 1, *, integrator: str = "implicit", threads: int = 0, **config: Any
    ) -> None:
        given = config_of({"integrator": integrator, **config})
        made("Rollout", super().__init__, system_of(system), given, steps_per_control, threads)
        self.__dict__.setdefault("system", system)
        kept = copy.deepcopy({name: given[name] for name in ("integrator", *config)})
        self.__dict__.setdefault("_origin", (system, steps_per_control, {**kept, "threads": threads}))

    @property
    def parameters(self) -> Parameters:
        """That gradients are taken by."""
        return tuple(self._origin[2].get("parameters", ()))

    @property
    def steps_per_control(self) -> int:
        """That each row acts for."""
        return int(self._origin[1])

    def __call__(
        self, start: Any, *, joint_force: Optional[npt.ArrayLike] = None, joint_target: Optional[npt.ArrayLike] = None,
        rows: Optional[int] = None
    ) -> RolloutRun:
        """From `start`, a State, or z (nz,), or N of them, (N, nz); under `joint_force` (rows, nv), in the order of State.v,
        N m or N, and `joint_target` (rows, nq), in that of State.q, or of each of N, (N, rows, ...). What is one is of all.
        `rows`: how many, without controls. A single rollout that fails raises InvalidInput; of many, `errors` says so.
        """
        state = start if isinstance(start, _abut.State) else None
        z = start if state is None else self.system.vector(state)
        return RolloutRun(self._run(z, joint_force, joint_target, rows, state), self)

    def with_values(self, values: npt.ArrayLike) -> "Rollout":
        """The same of the system with other values of its parameters. Takes states as System.with_values says."""
        system, steps, config = self._origin
        return Rollout(system.with_values(self.parameters, values), steps, **config)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_rollout, self._origin)


def _rollout(system: System, steps_per_control: int, config: Any) -> Rollout:
    return Rollout(system, steps_per_control, **config)


def _rollout_run(rollout: Rollout, parts: Tuple[Any, ...]) -> RolloutRun:
    return RolloutRun(rollout._restored(parts), rollout)
