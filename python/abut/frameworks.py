"""What abut.torch and abut.jax share."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Union

import numpy as np

from .bodies import Body, Geometry
from .contact import Model
from .tables import made, said_by, without_settings
from .witness import Bodies


class Separation(NamedTuple):
    """Witness points of N pairs, or of one without the first axis, in A's frame: arrays of the framework."""

    distance: Any  # (N,) m
    p1: Any  # (N, 3) on A, m
    p2: Any  # (N, 3) on B, m
    n: Any  # (N, 3) unit, from A to B


def split(found: Any) -> Separation:
    """Of (..., 10) numbers: distance, p1, p2, n."""
    return Separation(found[..., 0], found[..., 1:4], found[..., 4:7], found[..., 7:10])


def count(bodies: Bodies) -> Optional[int]:
    """How many bodies an argument stands for; None: one, of all pairs."""
    if isinstance(bodies, (Body, Geometry)):
        return None
    if isinstance(bodies, tuple) and len(bodies) == 2 and not isinstance(bodies[0], (Body, Geometry)):
        indices = np.shape(bodies[1])
        if len(indices) != 1:
            raise TypeError(f"A and B: indices beside a sequence must be an array (N,), not of shape {indices}")
        return indices[0]
    if not hasattr(bodies, "__len__"):
        raise TypeError(f"A and B must be a Body, a Geometry, a sequence of them, or (sequence, indices), not "
                        f"{type(bodies).__name__}")
    return len(bodies)


def as_given(function: str, error: Exception, given: Dict[str, Any], taken: Dict[str, Any]) -> Exception:
    """The error of `function`, with the shapes of what was given in the place of what that was made into."""
    words = str(error)
    for name, array in given.items():
        if array is not None:
            was, shape = tuple(np.shape(taken[name])), tuple(np.shape(array))
            words = words.replace(f"{name} has shape {was}", f"{name} has shape {shape}")
    return said_by(function, type(error)(words))


def model_of(function: str, given: Union[str, Model], threads: int, settings: Any) -> Model:
    if isinstance(given, Model):
        return without_settings(function, "model", given, settings)
    return made(function, Model, given, threads=threads, **settings)
