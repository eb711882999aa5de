"""Words of scene files (runtime/dynamics/system/scene_file.h)."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Dict, List, Mapping, Optional

import numpy as np
import numpy.typing as npt

from . import _abut
from .bodies import RIGID, Geometry, Material, PathLike, load, primitive
from .gradients import as_numbers, pose_as_seven


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


def key_word(function: str, key: str) -> str:
    if not key.isidentifier():
        raise _abut.InvalidInput(f"{function}: {key!r} is no name of a setting")
    return key


def setting_words(function: str, values: Mapping[str, Any]) -> str:
    return " ".join(f"{key_word(function, key)} {number_words(function, key, array, array.size)}" for key, array in
                    ((key, np.atleast_1d(as_numbers(function, key, value)).ravel()) for key, value in values.items()))


def setting_word(key: str, value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    return name_word("set_contact", value) if isinstance(value, str) else number_words("set_contact", key, [value], 1)


def pose_words(function: str, pose: npt.ArrayLike) -> str:
    seven = pose_as_seven(function, "pose", pose)
    return number_words(function, "pose", [*seven[4:], *seven[:4]], 7)


def material_lines(function: str, material: Optional[Material]) -> List[str]:
    """The entry of a material, if there is one; without a friction of its own it keeps the scene's."""
    if material is None:
        return []
    if not isinstance(material, Material):
        raise TypeError(f"{function}: material must be a Material, not {type(material).__name__}")
    words = {"restitution": material.restitution, "patch": material.patch, "dissipation": material.dissipation}
    if material.friction is not None:
        words["mu"] = material.friction
    modulus = "rigid" if material.modulus == RIGID else number_words(function, "modulus", [material.modulus], 1)
    return [f"material {setting_words(function, words)} modulus {modulus}"]


def primitive_words(function: str, geometry: Geometry) -> str:
    if geometry.name == "half_space":
        raise _abut.InvalidInput(f"{function}: a half-space is no shape of a body; add_plane makes a fixed one")
    deviation, default = geometry._origin[2], primitive.__kwdefaults__["deviation"]
    if deviation != default:
        raise _abut.InvalidInput(f"{function}: geometry has the deviation {deviation!r}; a scene has sizes of a "
                                 f"{geometry.name} alone, and makes it with {default!r}")
    word = "cyl" if geometry.name == "cylinder" else geometry.name
    return word + "".join(f" {size!r}" for size in geometry._sizes)


def shape_words(function: str, geometry: Geometry, assets: Dict[str, Geometry]) -> str:
    """The words of a shape; of an asset, `assets` is given its name."""
    if as_geometry(function, geometry).is_primitive:
        return primitive_words(function, geometry)
    return f"asset {asset_word(function, geometry, assets)}"


def asset_word(function: str, geometry: Geometry, assets: Dict[str, Geometry]) -> str:
    """The word for an asset, which is put among the others if it is not there: the name of its file, altered if that is
    another's.
    """
    name = _file_name(geometry)
    while not is_same(assets.setdefault(name, geometry), geometry):
        name += "'"
    return name_word(function, name)


def _levels(asset: Geometry) -> Dict[str, int]:
    """Its piece and levels of detail, of those that are not the default."""
    return {part: level for part, level in zip(load.__kwdefaults__, asset._origin[1:]) if level}


def _file_name(asset: Geometry) -> str:
    """The name of its file, with levels as runtime/body/asset_choice.h has them."""
    levels = "".join(f":{part}={level}" for part, level in _levels(asset).items())
    return pathlib.Path(os.fsdecode(asset._origin[0])).stem + levels


def asset_named(folder: PathLike, name: str) -> Geometry:
    """The asset of a folder by a scene's name: of that file, or of the file, piece and levels that it says."""
    file = pathlib.Path(folder) / f"{name}.h5"
    if file.exists():
        return load(file)
    stem, *levels = _abut.asset_choice(name)
    return load(pathlib.Path(folder) / f"{stem}.h5", **dict(zip(load.__kwdefaults__, levels)))


def is_same(one: Geometry, other: Geometry) -> bool:
    """Whether both are of one file and its levels of detail, or of one primitive."""
    return one is other or bool(one._origin == other._origin)


def require_words(name: str, geometry: Geometry) -> None:
    """Raises InvalidInput for what readers of a scene's file would not find as `name`."""
    if geometry.is_primitive:
        raise _abut.InvalidInput(f"Scene: text: a file has no word for a {geometry.name} as a robot's mesh '{name}'")
    file = _file_name(geometry)
    levels = ", ".join(f"{part}={level}" for part, level in _levels(geometry).items())
    if levels and not name.startswith(file):
        raise _abut.InvalidInput(f"Scene: text: a file has no word for the level of detail ({levels}) of a robot's mesh "
                                 f"'{name}'")
    if name != file and name == file + "'" * (len(name) - len(file)):
        raise _abut.InvalidInput(f"Scene: text: two assets are called '{file}'; a file has no word for that of "
                                 f"'{os.fsdecode(geometry._origin[0])}'")


def as_geometry(function: str, value: Any) -> Geometry:
    if not isinstance(value, Geometry):
        raise TypeError(f"{function}: geometry must be a Geometry, not {type(value).__name__}")
    return value
