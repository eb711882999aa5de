"""How results print: the class, and of each field its value where that is short, else its shape."""

from __future__ import annotations

import reprlib
from typing import Any, List, Optional

import numpy as np

from . import _abut

_SHORT = 6  # numbers of a field that are shown


def _statuses(values: np.ndarray) -> str:
    names = {int(status): status.name for status in _abut.Status}
    return ", ".join(f"{count} {names.get(int(value), value)}" for value, count in zip(*np.unique(values, return_counts=True)))


def _words(name: str, value: Any) -> Optional[str]:
    """None of numbers that are all NaN: there are none."""
    if isinstance(value, _abut.Status):
        return f"{name}={value.name}"
    if isinstance(value, (np.ndarray, float)):
        array = np.asarray(value)
        if array.size and array.dtype.kind == "f" and np.isnan(array).all():
            return None
        if array.size and name == "status":
            return f"{name}=({_statuses(array)})"
        if array.ndim > 1 or not 0 < array.size <= _SHORT:
            return f"{name} {array.shape}"
        return f"{name}=" + np.array2string(
            array, formatter={"float": "{:.6g}".format, "int": str}, separator=", ", max_line_width=1000)
    if isinstance(value, (int, str, list, tuple)):
        return f"{name}={reprlib.repr(value)}"
    return f"{name} {type(value).__name__}"


def _fields(result: Any) -> List[str]:
    if isinstance(result, tuple):
        return list(getattr(result, "_fields"))
    names = [name for kind in type(result).__mro__ for name, value in vars(kind).items() if isinstance(value, property)]
    return [name for name in [*names, *getattr(result, "__dict__", {})] if not name.startswith("_")]


def summary(result: Any) -> str:
    """`__repr__` of a result: <abut.Wrench F_BBo_B=[0, 0, 0, 0, 0, 12.5], dF_dxi_B (6, 6), status=OK>."""
    words = []
    for name in _fields(result):
        try:
            words.append(_words(name, getattr(result, name)))
        except Exception:  # what was not asked for, or is not there, is left out
            continue
    return " ".join([f"<abut.{type(result).__name__}", ", ".join(filter(None, words))]).rstrip() + ">"


for _kind in (_abut.Separation, _abut.WitnessDerivative, _abut.SmoothedWitness, _abut.ContactRegions, _abut.OverlapVolume,
              _abut.Wrench, _abut.ContactPoints, _abut.SoftDistance, _abut.State, _abut.Hull, _abut.Surface, _abut.Volume,
              _abut.Points):
    setattr(_kind, "__repr__", summary)
setattr(_abut.Status, "__str__", lambda status: status.name)  # a plain IntEnum prints its number
