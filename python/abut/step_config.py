"""How steps are made."""

from __future__ import annotations

import dataclasses
from typing import Any, Dict, Mapping, Optional

from .scene import Parameters, System


@dataclasses.dataclass(frozen=True)
class StepConfig:
    """How Integrator, Simulation and step move a system on: their keywords. Settings are listed at Simulation, those of the
    model at wrench.
    """

    dt: float = 2e-3  # s
    integrator: str = "midpoint"
    solver: str = ""  # of contacts, of integrators that take one; empty: the integrator's own
    model: Optional[str] = None  # where contact comes from, by the names of `abut-sim --model`; None: its default
    threads: int = 1  # 0: one per core; the same bits for any
    integrator_settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    solver_settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    model_settings: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    parameters: Parameters = ()  # [(quantity, body), ...] that derivatives are taken by, as System.values has them


def config_of(given: Dict[str, Any]) -> Dict[str, Any]:
    """The fields of a StepConfig for the extension, of its keywords."""
    fields = [field.name for field in dataclasses.fields(StepConfig)]
    for name in given:
        if name not in fields:
            raise TypeError(
                f"simulation: there is no keyword '{name}' ({', '.join(fields)}); settings go by what they are of: "
                f"model_settings={{'{name}': ...}}, integrator_settings or solver_settings"
            )
    step = StepConfig(**given)
    config = {field.name: getattr(step, field.name) for field in dataclasses.fields(step)}
    for name in "integrator_settings", "solver_settings", "model_settings":
        if not isinstance(config[name], Mapping):
            raise TypeError(f"simulation: {name} must be a mapping, not {type(config[name]).__name__}")
        config[name] = dict(config[name])
    return config


def system_of(given: Any) -> System:
    """`given`, which must be one."""
    if not isinstance(given, System):
        raise TypeError(f"simulation: system must be a System (read_scene, Scene), not {type(given).__name__}")
    return given
