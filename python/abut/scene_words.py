"""Words of scene files (runtime/dynamics/system/scene_file.h)."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np
import numpy.typing as npt

from . import _abut
from .gradients import as_numbers


def number_words(function: str, argument: str, values: npt.ArrayLike, count: int) -> str:
    numbers = as_numbers(function, argument, values)
    if numbers.shape != (count,):
        raise _abut.InvalidInput(f"{function}: {argument} has shape {numbers.shape}; it must be ({count},)")
    return " ".join(repr(float(number)) for number in numbers)


def name_word(function: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{function}: a name must be a str, not {type(value).__name__}")
    if "\n" in value or "\r" in value or not value:
        raise _abut.InvalidInput(f"{function}: a name is empty or has an end of line")
    return '"' + value.replace('"', '""') + '"'


def setting_words(function: str, values: Mapping[str, Any]) -> str:
    return " ".join(f"{key} {number_words(function, key, array, array.size)}" for key, array in
                    ((key, np.atleast_1d(as_numbers(function, key, value)).ravel()) for key, value in values.items()))


def setting_word(key: str, value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    return name_word("set_contact", value) if isinstance(value, str) else number_words("set_contact", key, [value], 1)
