"""What every contact question is asked about: geometries, materials, bodies."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import warnings
from typing import Any, Dict, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _abut

RIGID = float("inf")  # the modulus of a body that does not give, Pa


class MassProperties(NamedTuple):
    """Of the solid at density 1 kg/m^3, about its centre of mass, in the geometry's axes."""

    volume: float  # m^3
    area: float  # m^2
    center_of_mass: np.ndarray  # (3,) m
    inertia: np.ndarray  # (3, 3) m^5


def _digest(path: PathLike) -> str:
    """Of an asset's file, as its header says it; empty if it cannot be read any more."""
    try:
        with open(path, "rb") as file:
            found = re.search(rb"\nxxh3-128 ([0-9a-f]{32})\n", file.read(512))
    except OSError:
        return ""
    return found[1].decode() if found else ""


def _again(origin: Tuple[Any, ...], digest: str) -> "Geometry":
    """The asset of a pickle. Raises InvalidInput if its file has another content than when it was loaded first."""
    geometry = Geometry(*origin)
    if geometry._digest != digest:
        raise _abut.InvalidInput(f"{os.fsdecode(origin[0])}: the asset was made anew after the object that is unpickled "
                                 "had loaded it; load it again, and pickle that")
    return geometry


class Geometry(_abut.Geometry):
    """What a body looks like: an asset (`load`) or a primitive (`sphere`, `box`, ...).

    An immutable handle: copies are the same object, and a pickle of an asset holds its path, levels and the digest of
    its file, which must be there, with the same content, where it is read. Arrays of its parts (`hull`, `surface`,
    `volume`, `points`) are read-only views without copies, lengths in metres, in the geometry's own frame; they keep
    it alive. `spheres` is an array (N, 4): x, y, z and radius of balls that together hold an asset. A part that is
    missing raises InvalidInput.
    """

    def __init__(self, *origin: Any) -> None:
        super().__init__(*origin)
        digest = ""
        if len(origin) == 1 and isinstance(origin[0], Geometry):
            origin, digest = origin[0]._origin, origin[0]._digest
        elif not self.is_primitive and isinstance(origin[0], (str, bytes, os.PathLike)):
            digest = _digest(origin[0])
        self.__dict__.setdefault("_origin", origin)
        self.__dict__.setdefault("_digest", digest)

    @classmethod
    def _loaded(cls, handle: _abut.Geometry, path: str) -> "Geometry":
        """A handle of what was loaded from a file already."""
        geometry = cls(handle)
        geometry._origin, geometry._digest = (path, 0, 0, 0, 0), _digest(path)
        return geometry

    @property
    def mass(self) -> MassProperties:
        return MassProperties(*self._mass)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (_again, (self._origin, self._digest)) if self._digest else (Geometry, self._origin)

    def __copy__(self) -> "Geometry":
        return self

    def __deepcopy__(self, memo: Any) -> "Geometry":
        return self

    def __repr__(self) -> str:
        return f"<abut.Geometry {self.name!r}{' ' + str(tuple(self._sizes)) if self.is_primitive else ''}>"


@dataclasses.dataclass(frozen=True)
class Material:
    """What a body is made of. Each contact model heeds the members that it has a law for.

    `modulus`: Pa, > 0, the pressure where the extent is 1; RIGID of a body that does not give.
    `dissipation`: s, >= 0, chi of [Elandt2019, Eq. 3], by which pressure grows with the speed of approach.
    `friction`: mu, >= 0; None: the Scene's in a Scene, 0 elsewhere.
    `restitution`: speed after over speed before an impact, from 0 to 1; rigid contact alone.
    `patch`: m, >= 0, radius of the patch that a contact in a point or a line has: it resists rolling with up to N patch
    and spinning with up to mu N patch, N its normal force; 0: no resistance; rigid contact alone.

    Friction and restitution of a pair are the harmonic means of its materials' (0 if either is), its patch is the larger.
    """

    modulus: float = 1e7
    dissipation: float = 0.0
    friction: Optional[float] = None
    restitution: float = 0.0
    patch: float = 0.0


class Body(_abut.Body):
    """A geometry and a material; immutable. Raises InvalidInput for a material out of range."""

    def __init__(self, geometry: Geometry, material: Material = Material()) -> None:
        if not isinstance(material, Material):
            raise TypeError(f"Body: material must be a Material, not {type(material).__name__}")
        alone = dataclasses.replace(material, friction=0.0) if material.friction is None else material
        super().__init__(geometry, *(getattr(alone, field.name) for field in dataclasses.fields(alone)))
        self.__dict__.setdefault("_parts", (geometry, material))

    geometry = property(lambda self: self._parts[0], doc="the Geometry")
    material = property(lambda self: self._parts[1], doc="the Material")

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Body, self._parts)

    def __copy__(self) -> "Body":
        return self

    def __deepcopy__(self, memo: Any) -> "Body":
        return self

    def __repr__(self) -> str:
        return f"Body({self.geometry!r}, {self.material!r})"


PathLike = Union[str, os.PathLike[str]]


def absolute(path: Any) -> Any:
    """A path from the root, so that a pickle is read in any folder; what is none, or empty, as it is."""
    if isinstance(path, os.PathLike):
        path = os.fspath(path)
    return os.path.abspath(path) if isinstance(path, (str, bytes)) and path else path


def load(path: PathLike, *, convex: int = 0, surface: int = 0, volume: int = 0, points: int = 0) -> Geometry:
    """The asset of a file that abut-preprocess made.

    `convex`, `surface`, `volume`, `points`: which of its convex pieces and levels of detail stand for it (0: the
    hull; the finest). Raises IoError where the file cannot be read, BadAsset where it is damaged or something
    else, InvalidInput for a level that it has not got. A UserWarning says where its points are too few for thin
    walls, so that soft contact may pull.
    """
    return _loaded(path, convex, surface, volume, points)


def _loaded(path: PathLike, *levels: int) -> Geometry:
    geometry = Geometry(absolute(path), *levels)
    if geometry._warning:
        warnings.warn(geometry._warning, stacklevel=3)
    return geometry


class AssetFolder(Dict[str, Geometry]):
    """The assets of the folder `path` by name, in ascending order, and in `failed` the exception of each that could not
    be loaded, by name. Asking for one of those raises a KeyError that says why; for another, one that names those that
    there are."""

    def __init__(self, path: PathLike = "") -> None:
        super().__init__()
        self.path = os.fspath(path)
        self.failed: Dict[str, _abut.Error] = {}

    def __missing__(self, name: str) -> Geometry:
        if name in self.failed:
            raise KeyError(f"{name}: it could not be loaded: {self.failed[name]}") from self.failed[name]
        raise KeyError(f"no asset {name!r} in {self.path}; there {'are: ' + ', '.join(self) if self else 'are none'}")


def load_folder(path: PathLike, **levels: int) -> AssetFolder:
    """All assets `<name>.h5` of a folder by name. `levels` as `load` has them.

    One that cannot be loaded costs no other: it stands in `.failed` by name with its exception, and a UserWarning
    says so. Raises IoError where `path` is no folder that can be read, InvalidInput where it has no asset, and as
    `load` where none of its assets could be loaded.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"load_folder: path must be a path, not {type(path).__name__}")
    for name in levels.keys() - load.__kwdefaults__.keys():
        raise TypeError(f"load_folder() got an unexpected keyword argument '{name}'")
    folder = pathlib.Path(path)
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise _abut.IoError(f"load_folder: {str(folder)!r} is no folder that can be read: {error.strerror}") from None
    except ValueError:
        raise _abut.InvalidInput(f"load_folder: path {str(folder)!r} has a character that no path can have") from None
    assets = AssetFolder(folder)
    wanted = [levels.get(name, 0) for name in load.__kwdefaults__]
    for file in (folder / name for name in names if name.endswith(".h5")):
        try:
            assets[file.stem] = _loaded(file, *wanted)
        except _abut.Error as error:
            assets.failed[file.stem] = error
    reasons = list(assets.failed.values())
    if not assets and not reasons:
        raise _abut.InvalidInput(f"load_folder: {folder}: no assets; make some with abut-preprocess DATASET {folder}")
    if not assets:
        raise reasons[0]
    if reasons:
        warnings.warn(
            f"load_folder: {len(reasons)} of {len(reasons) + len(assets)} assets in {folder} could not be loaded; "
            f"`.failed` has all reasons. The first: {reasons[0]}", stacklevel=2)
    return assets


def primitive(name: str, *sizes: float, deviation: float = 1e-3) -> Geometry:
    """A primitive by name and sizes (m), as command lines have it: primitive("cylinder", radius, half_height).

    `deviation`: of the triangles and tetrahedra that stand for a round one in pressure-field contact, in units
    of its radius. Raises InvalidInput for an unknown name and for sizes that are not positive.
    """
    return Geometry(name, sizes, deviation)


def sphere(radius: float, *, deviation: float = 1e-3) -> Geometry:
    """A ball about the origin, m."""
    return primitive("sphere", radius, deviation=deviation)


def ellipsoid(x: float, y: float, z: float, *, deviation: float = 1e-3) -> Geometry:
    """An ellipsoid about the origin by its semi-axes, m."""
    return primitive("ellipsoid", x, y, z, deviation=deviation)


def box(x: float, y: float, z: float, *, deviation: float = 1e-3) -> Geometry:
    """A box about the origin by its half sizes, m."""
    return primitive("box", x, y, z, deviation=deviation)


def capsule(radius: float, half_length: float, *, deviation: float = 1e-3) -> Geometry:
    """All points within `radius` of a segment of the z axis, half of which is `half_length`, m."""
    return primitive("capsule", radius, half_length, deviation=deviation)


def cylinder(radius: float, half_height: float, *, deviation: float = 1e-3) -> Geometry:
    """A cylinder about the z axis, m."""
    return primitive("cylinder", radius, half_height, deviation=deviation)


def cone(radius: float, half_height: float, *, deviation: float = 1e-3) -> Geometry:
    """A cone with its tip at (0, 0, half_height) and its disc at z = -half_height, m."""
    return primitive("cone", radius, half_height, deviation=deviation)


def half_space() -> Geometry:
    """The half-space z <= 0."""
    return primitive("half_space")
