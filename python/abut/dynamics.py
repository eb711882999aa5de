"""Systems of rigid bodies: scenes, states, steps, trajectories."""

from __future__ import annotations

import dataclasses
import pathlib
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Union

import numpy as np

from . import _abut
from .bodies import Geometry, PathLike, load
from .tables import documented, integrators, solvers

Assets = Union[None, PathLike, Mapping[str, Geometry], Callable[[str], Geometry]]


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
    stable_dt: float  # of a step too long for the stiffness, about the longest that is not, s; else infinite


class Trajectory(NamedTuple):
    """F frames of N bodies in the world's axes; a body's frame lies in its centre of mass along its principal axes."""

    time: np.ndarray  # (F,) s
    p_WB: np.ndarray  # (F, N, 3) m
    q_WB: np.ndarray  # (F, N, 4) (w, x, y, z)
    v_WB: np.ndarray  # (F, N, 3) m/s
    w_WB_W: np.ndarray  # (F, N, 3) rad/s


def _source(assets: Assets) -> Callable[[str], Geometry]:
    if assets is None:
        def none(name: str) -> Geometry:
            raise _abut.InvalidInput(f"read_scene: the scene has an asset '{name}'; say where they are with assets=FOLDER")
        return none
    if callable(assets):
        return assets
    if isinstance(assets, Mapping):
        def known(name: str) -> Geometry:
            if name not in assets:
                raise _abut.InvalidInput(f"read_scene: no asset '{name}'; there are: {', '.join(assets)}")
            return assets[name]
        return known
    folder, loaded = pathlib.Path(assets), {}

    def from_folder(name: str) -> Geometry:
        if name not in loaded:
            loaded[name] = load(folder / f"{name}.h5")
        return loaded[name]

    return from_folder


class System(_abut.System):
    """What does not move of a scene: bodies, shapes, materials. Immutable. See read_scene."""

    def __repr__(self) -> str:
        return f"<abut.System of {len(self.names)} bodies>"


def read_scene(path: PathLike, assets: Assets = None) -> System:
    """The system of a scene file (runtime/dynamics/system/scene_file.h).

    `assets`: of a scene that has some, their folder, a mapping by name, or a function of the name. Raises IoError
    where a file cannot be read, InvalidInput naming file and line.
    """
    return System(path, _source(assets))


@dataclasses.dataclass(frozen=True)
class StepConfig:
    """How Integrator, Simulation and step move a system on: their keywords. Settings are listed at Simulation."""

    dt: float = 2e-3  # s
    integrator: str = "midpoint"
    solver: str = "coupled"
    model: Optional[str] = None  # contact model, of integrators that take one
    threads: int = 1  # 0: one per core; the same bits for any
    integrator_settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    solver_settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    model_settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)


def _config(given: Dict[str, Any]) -> Dict[str, Any]:
    config = {field.name: getattr(StepConfig(**given), field.name) for field in dataclasses.fields(StepConfig)}
    for name in "integrator_settings", "solver_settings", "model_settings":
        if not isinstance(config[name], Mapping):
            raise TypeError(f"simulation: {name} must be a mapping, not {type(config[name]).__name__}")
        config[name] = dict(config[name])
    return config


class Integrator(_abut.Integrator):
    """Moves states of one system on: `next = integrator.step(state, control)`. `config`: StepConfig's fields."""

    def __init__(self, system: System, **config: Any) -> None:
        super().__init__(_system(system), _config(config))

    def step(self, state: _abut.State, control: Optional[np.ndarray] = None) -> _abut.State:
        """The state dt later. `control`: (N, 6) (moment about the centre of mass; force) on each body, in the world's
        axes, N m and N. Raises InvalidInput for a state or control that is not the system's.
        """
        if not isinstance(state, _abut.State):
            raise TypeError(f"step: state must be a State, not {type(state).__name__}")
        return self._step(state, control)


def _system(given: Any) -> System:
    if not isinstance(given, System):
        raise TypeError(f"simulation: system must be a System (read_scene), not {type(given).__name__}")
    return given


def step(system: System, state: _abut.State, control: Optional[np.ndarray] = None, **config: Any) -> _abut.State:
    """The state dt later, in one call; `config`: StepConfig's fields."""
    return Integrator(system, **config).step(state, control)


def _tables() -> Dict[str, Any]:
    return {**integrators(), **solvers()}


@documented(_tables)
class Simulation(_abut.Simulation):
    """A system in motion: a state, an integrator, a count of steps, and the frames that were recorded.

    `config`: StepConfig's fields; the settings of integrators and solvers, as mappings, are below. Raises InvalidInput
    for names and settings that are unknown or out of range.
    """

    def __init__(self, system: System, **config: Any) -> None:
        super().__init__(_system(system), _config(config))

    def run(self, steps: int, *, control: Optional[np.ndarray] = None, every: int = 0) -> Report:
        """Moves on by `steps` with one control (N, 6), recording a frame every `every` steps (0: none; else the start
        too). Ctrl-C ends it after a whole step. Raises InvalidInput as Integrator.step.
        """
        self._run(steps, control, every)
        return self.report

    @property
    def report(self) -> Report:
        """Of the last step."""
        return Report(**self._report)

    @property
    def trajectory(self) -> Trajectory:
        """The frames so far, copies."""
        return Trajectory(*self._frames)

    def write_page(self, path: PathLike) -> None:
        """Writes a web page that plays the frames: one file, nothing loaded from anywhere. Raises InvalidInput where
        there is no frame, IoError where it cannot be written.
        """
        self._write_page(path)
