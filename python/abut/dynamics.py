"""Systems in motion: states, steps, trajectories."""

from __future__ import annotations

import copy
import functools
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _abut
from .bodies import PathLike
from .gradients import StepDerivatives
from .results import summary
from .rollout import Rollout
from .scene import StateLike, System
from .step_config import StepConfig, config_of, system_of
from .tables import documented, integrators, made, solvers


class Report(NamedTuple):
    """What a step has to tell."""

    contacts: int
    penetration: float  # greatest depth, m
    kinetic: float  # after the step, J
    potential: float  # zero at the world's origin, J
    control_work: float  # of the step, J
    stabilisation_work: float  # of the step: of moving bodies apart, J
    iterations: int  # of the contact solver
    residual: float  # of the contact solver, as it defines it
    status: _abut.Status  # NOT_CONVERGED: do not believe the step
    stable_dt: float  # of a step too long for the stiffness or the spin, about the longest that is not, s; else infinite
    substeps: int  # parts that the step was made of: with an error bound, or halved by `implicit`
    missed_contacts: bool  # bodies got so fast that they may have met others than those that were looked for
    turned_too_far: bool  # something turned so far that its energy may be off
    unsolved_steps: int  # of the run that this step ended, those with another status than OK


class Trajectory(NamedTuple):
    """F frames of N bodies in the world's axes; a body's frame lies in its centre of mass along its principal axes."""

    time: np.ndarray  # (F,) s
    p_WB: np.ndarray  # (F, N, 3) m
    q_WB: np.ndarray  # (F, N, 4) (w, x, y, z)
    v_WB: np.ndarray  # (F, N, 3) m/s
    w_WB_W: np.ndarray  # (F, N, 3) rad/s

    __repr__ = summary


class ContactForces(NamedTuple):
    """The contact forces between K pairs of bodies in a step, ascending by `pairs`; pairs without a force are left out.

    Midpoint steps have the impulses of the step over dt, at the poses in its middle. Contact models as forces have those
    evaluated last: at the end of the step (`implicit`), at its start (`semi_implicit`), at the last of its four places
    (`rk4`); of a step in parts, those of the last part.
    """

    pairs: np.ndarray  # (K, 2) int32: bodies A and B by their index in System.names; -1: the fixed shapes, which are A
    contacts: np.ndarray  # (K,) int32: contact points with an impulse; of contact models as forces, overlapping pairs of shapes
    F_W: np.ndarray  # (K, 2, 6): (moment about the centre of mass; force) on A and on B, world's axes, N m and N
    names: List[Tuple[str, str]]  # K: of A and B; "world": the fixed shapes, with moments about the world's origin

    __repr__ = summary


class Integrator(_abut.Integrator):
    """Moves states of one system on: `next = integrator.step(state, control)`. `config`: StepConfig's fields."""

    def __init__(self, system: System, **config: Any) -> None:
        given = config_of(config)
        made("Integrator", super().__init__, system_of(system), given)
        self.__dict__.setdefault("_origin", (system, copy.deepcopy({name: given[name] for name in config})))

    def step(
        self, state: StateLike, control: Optional[np.ndarray] = None, *, joint_force: Optional[np.ndarray] = None,
        joint_target: Optional[np.ndarray] = None
    ) -> _abut.State:
        """The state dt later than `state`, a State or a vector z of System. `control`: (N, 6) (moment about the centre of
        mass; force) on each body, in the world's axes, N m and N. `joint_force`: as State.v, N m or N; `joint_target`: as
        State.q, where springs and drives pull to.
        Raises InvalidInput for a state or control that is not the system's.
        """
        return self._step(self._origin[0]._state("step", state), control, joint_force, joint_target)

    def step_derivatives(
        self, state: StateLike, control: Optional[np.ndarray] = None, *, joint_force: Optional[np.ndarray] = None,
        joint_target: Optional[np.ndarray] = None
    ) -> StepDerivatives:
        """The same with derivatives, exact for the step as it is made (with the model "point" those of the smooth shapes
        that assets approximate; of trees under rigid contact, and by materials and poses of shapes, in parts by differences
        of the fourth order). A drive's force is stiffness (target - q), so that derivatives by a target are its
        stiffness times those by its force. Where `implicit` does not find a step it halves it (Report.substeps):
        derivatives are those of the parts, and the step jumps where their number changes. Raises InvalidInput for an
        integrator without: integrators() has them.
        """
        found = self._differentiate(self._origin[0]._state("step_derivatives", state), control, joint_force, joint_target)
        return StepDerivatives(*found)

    @property
    def contact_forces(self) -> ContactForces:
        """Of the most recent step, with derivatives or without; none before the first and after one that failed."""
        return ContactForces(*self._contact_forces)

    @functools.cached_property
    def rollout(self) -> Rollout:
        """Of one step a row: many states at once, and gradients (Rollout)."""
        system, config = self._origin
        return Rollout(system, **{"integrator": StepConfig.integrator, **config})

    def __reduce__(self) -> Any:
        return (_integrator, self._origin)


def _integrator(system: System, config: Dict[str, Any]) -> Integrator:
    return Integrator(system, **config)


def step(
    system: System, state: StateLike, control: Optional[np.ndarray] = None, *, joint_force: Optional[np.ndarray] = None,
    joint_target: Optional[np.ndarray] = None, **config: Any
) -> _abut.State:
    """The state dt later, in one call; arguments as Integrator.step, `config`: StepConfig's fields."""
    integrator = made("step", Integrator, system, **config)
    return integrator.step(state, control, joint_force=joint_force, joint_target=joint_target)


def step_derivatives(
    system: System, state: StateLike, control: Optional[np.ndarray] = None, *, joint_force: Optional[np.ndarray] = None,
    joint_target: Optional[np.ndarray] = None, **config: Any
) -> StepDerivatives:
    """The state dt later with derivatives, in one call; arguments as Integrator.step_derivatives."""
    integrator = made("step_derivatives", Integrator, system, **config)
    return integrator.step_derivatives(state, control, joint_force=joint_force, joint_target=joint_target)


def _tables() -> Dict[str, Any]:
    return {**integrators(), **solvers()}


@documented(_tables)
class Simulation(_abut.Simulation):
    """A system in motion: a state, an integrator, a count of steps, and the frames that were recorded.

    `config`: StepConfig's fields; the settings of integrators and solvers, as mappings, are below. Raises InvalidInput
    for names and settings that are unknown or out of range.
    """

    def __init__(self, system: System, **config: Any) -> None:
        made("Simulation", super().__init__, system_of(system), config_of(config))

    def run(
        self, steps: int, *, control: Optional[np.ndarray] = None, joint_force: Optional[np.ndarray] = None,
        joint_target: Optional[np.ndarray] = None, every: int = 0
    ) -> Report:
        """Moves on by `steps` with one control (Integrator.step has it). Records a frame, for `trajectory`, `write_page` and
        `show`, after each step whose number since the simulation's start is a multiple of `every`, and, as long as there is
        no frame, one before the first step; without `every` (0) it records none. Ctrl-C ends it after a whole step. Raises
        InvalidInput as Integrator.step.
        """
        self._run(steps, control, joint_force, joint_target, every)
        return self.report

    @property
    def report(self) -> Report:
        """Of the last step."""
        return Report(**self._report)

    @property
    def contact_forces(self) -> ContactForces:
        """Of the last step; none before the first step, after `state` was assigned, and after a step that failed."""
        return ContactForces(*self._contact_forces)

    @property
    def trajectory(self) -> Trajectory:
        """The frames that were recorded so far, copies: none without `every` in `run`."""
        return Trajectory(*self._frames)

    def write_page(self, path: PathLike) -> None:
        """Writes a web page that plays the frames: one file, nothing loaded from anywhere. Raises InvalidInput where
        there is no frame, IoError where it cannot be written.
        """
        self._write_page(path)
