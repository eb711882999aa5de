"""Systems of bodies: built, or read from scene and URDF files."""

from __future__ import annotations

import functools
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _abut
from .bodies import AssetFolder, Geometry, Material, PathLike, absolute, primitive
from .gradients import as_numbers, pose_as_matrix
from .parts import Joint, Place, Shape
from .scene_words import (
    as_geometry,
    asset_named,
    asset_word,
    is_same,
    key_word,
    material_lines,
    name_word,
    number_words,
    pose_words,
    require_words,
    setting_word,
    setting_words,
    shape_words,
)
from .tables import made

Assets = Union[None, PathLike, Mapping[str, Geometry], Callable[[str], Geometry]]
Parameters = Sequence[Tuple[str, str]]
Numbers = npt.ArrayLike
StateLike = Union[_abut.State, npt.ArrayLike]  # a State, or a vector z of a System's nz numbers
IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def _source(assets: Assets) -> Callable[[str], Geometry]:
    if assets is None:
        def none(name: str) -> Geometry:
            raise _abut.InvalidInput(f"the scene has an asset '{name}'; say where they are with assets=FOLDER")
        return none
    if callable(assets):
        return assets
    if isinstance(assets, Mapping):
        def known(name: str) -> Geometry:
            if error := getattr(assets, "failed", {}).get(name):
                raise _abut.InvalidInput(f"asset '{name}' was not loaded: {error}") from error
            if name in assets:
                return assets[name]
            if isinstance(assets, AssetFolder) and _abut.asset_choice(name)[0] in assets:
                return asset_named(assets.path, name)
            raise _abut.InvalidInput(f"no asset '{name}'; there {'are: ' + ', '.join(assets) if assets else 'are none'}")
        return known
    return lambda name: asset_named(assets, name)


def _folder(assets: Assets) -> Optional[PathLike]:
    """Where assets lie, if that is known."""
    if isinstance(assets, AssetFolder):
        return absolute(assets.path) or None
    return absolute(assets) if isinstance(assets, (str, os.PathLike)) else None


class System(_abut.System):
    """What does not move of a scene: bodies, shapes, materials, joints. Immutable. See Scene and read_scene.

    A state is a State, or a vector z = (q; v) of `nz` numbers: coordinates and velocities of all joints that mimic no
    other, in the order of the bodies, a body without a joint standing on a free one: quaternion (w, x, y, z) and
    position; then its twist (w; v) in its own axes. Derivatives are by x = (tangent of q; v) of `nx` numbers, a
    turn in place of each quaternion.
    """

    def __init__(self, *origin: Any) -> None:
        # A scene: (its file or text, assets, is text[, folder of robots]); or (system, parameters, values).
        if len(origin) in (3, 4) and isinstance(origin[2], bool):
            source, assets, is_text, *folder = origin
            find, used = _source(assets), {}

            def asked(name: str) -> Geometry:
                if name not in used:
                    used[name] = find(name)
                return used[name]

            origin = (source if is_text else absolute(source), used, is_text, *(folder or [_folder(assets)]))
            super().__init__(origin[0], asked, *origin[2:])
        else:
            super().__init__(*origin)
        self.__dict__.setdefault("_origin", origin)

    @functools.cached_property
    def _coordinates(self) -> _abut.Coordinates:
        return _abut.Coordinates(self)

    @property
    def nz(self) -> int:
        """Numbers of a state's vector."""
        return self._coordinates.nz

    @property
    def nx(self) -> int:
        """Numbers of a change of state."""
        return self._coordinates.nx

    @functools.cached_property
    def bodies(self) -> Dict[str, Place]:
        """Where each body is in vectors z and x, by name: a free one, whose numbers are those of the class, or one on a
        joint, whose numbers are the joint's.
        """
        n = self.nx // 2
        first = self.nz - n  # of the velocities in z
        return {name: Place(joint and joint[0], slice(z_q, z_q_end), slice(z_v, z_v_end), slice(z_v - first, z_v_end - first),
                            slice(z_v - first + n, z_v_end - first + n))
                for name, z_q, z_q_end, z_v, z_v_end, joint in self._bodies}

    @functools.cached_property
    def joints(self) -> Dict[str, Joint]:
        """By name, in the order of State.q."""
        return {joint[0]: Joint(joint[1], body, slice(*joint[2:4]), slice(*joint[4:6]), *self.bodies[body][1:], *joint[6:])
                for body, *_, joint in self._bodies if joint}

    @functools.cached_property
    def shapes(self) -> Dict[str, List[Shape]]:
        """By the body's name; of what is fixed under `world`."""
        known, files = self._geometries(), self._robot_assets
        found: Dict[str, List[Shape]] = {name: [] for name in ("world", *self.names)}
        for name, handle, X_BS in self._shapes:
            if handle.id not in known:
                known[handle.id] = (primitive(handle.name, *handle._sizes) if handle.is_primitive
                                    else Geometry._loaded(handle, files[handle.id]))
            X_BS.setflags(write=False)
            found[name].append(Shape(known[handle.id], X_BS))
        return found

    def _geometries(self) -> Dict[int, Geometry]:
        """The assets that it was made of, by id."""
        base = self._origin[0] if isinstance(self._origin[0], System) else self
        return {geometry.id: geometry for geometry in base._origin[1].values()}

    def _index(self, function: str, body: str) -> int:
        if body not in self.names:
            raise _abut.InvalidInput(f"{function}: the system has no body {body!r}; there are: {', '.join(self.names)}")
        return self.names.index(body)

    def pose(self, state: StateLike, body: str, X_BF: Numbers = IDENTITY) -> np.ndarray:
        """X_WF, (4, 4), of a frame F at X_BF in a body whose joints stand at the state's `q`."""
        i, placed = self._index("pose", body), self.placed(state)
        X_WB = pose_as_matrix("pose", "state", [*placed.q_WB[i], *placed.p_WB[i]])
        return X_WB @ pose_as_matrix("pose", "X_BF", X_BF)

    def jacobian(self, state: StateLike, body: str, X_BF: Numbers = IDENTITY) -> np.ndarray:
        """J, (6, nx / 2), of a frame F at X_BF in a body: its twist (w; v) at its origin in its own axes is J v, v the
        velocities in z, in rad/s and m/s. So `dd_dxi_B @ J` is the derivative of a distance by joint angles; the columns of a
        joint are its `x_q`.
        """
        J = self._coordinates.jacobian(self._state("jacobian", state), self._index("jacobian", body))
        X = pose_as_matrix("jacobian", "X_BF", X_BF)
        R, p = X[:3, :3], X[:3, 3]
        return np.concatenate([R.T @ J[:3], R.T @ (J[3:] + np.cross(J[:3], p, axisa=0, axisc=0))])

    def _state(self, function: str, given: StateLike) -> _abut.State:
        return given if isinstance(given, _abut.State) else self._coordinates.unpack(given, function)

    def vector(self, state: StateLike) -> np.ndarray:
        """A state as z, (nz,)."""
        return self._coordinates.pack(self._state("vector", state))

    def state(self, z: StateLike) -> _abut.State:
        """The state of z, (nz,); its quaternions are normalised."""
        return self._state("state", z)

    def placed(self, state: StateLike) -> _abut.State:
        """The state whose bodies on joints stand where its `q` and `v` put them."""
        return self.state(self.vector(state))

    def difference(self, start: StateLike, end: StateLike) -> np.ndarray:
        """One state over another as x, (nx,). A planar joint's part grows without bound towards whole turns."""
        return self._coordinates.difference(self._state("difference", start), self._state("difference", end))

    def angular_velocity(self, state: StateLike) -> np.ndarray:
        """(N, 3) of a state's bodies, in the world's axes, rad/s."""
        return super().angular_velocity(self._state("angular_velocity", state))

    def energy(self, state: StateLike) -> float:
        """Kinetic and potential, of a state, J."""
        return super().energy(self._state("energy", state))

    def gradient_by_x(self, z: Numbers, gradient: Numbers) -> np.ndarray:
        """A gradient by the numbers of z, (..., nz), as one by x, (..., nx): of a state, of rows, of many rollouts."""
        return self._gradients("gradient_by_x", z, gradient, True)

    def gradient_by_z(self, z: Numbers, gradient: Numbers) -> np.ndarray:
        """A gradient by x as one by the numbers of z: across quaternions, which are normalised on use."""
        return self._gradients("gradient_by_z", z, gradient, False)

    def _gradients(self, function: str, z: Numbers, gradient: Numbers, to_tangent: bool) -> np.ndarray:
        z, gradient = as_numbers(function, "z", z), as_numbers(function, "gradient", gradient)
        rows = z.shape[:-1]
        if z.ndim > 2:
            if gradient.shape[:-1] != rows:
                raise _abut.InvalidInput(f"{function}: gradient has shape {gradient.shape} and z has {z.shape}; rows must be the same")
            z, gradient = z.reshape(-1, z.shape[-1]), gradient.reshape(-1, gradient.shape[-1])
        found = self._coordinates.gradients(z, gradient, to_tangent)
        return found.reshape(rows + found.shape[-1:])

    def values(self, parameters: Parameters) -> np.ndarray:
        """Of parameters [(quantity, body), ...]: mass, kg; moment_x, moment_y, moment_z, kg m^2; friction; modulus, Pa;
        dissipation, s. Raises InvalidInput for unknown ones. Derivatives are by those alone that are positive and finite.
        """
        return np.array(self._values(parameters), dtype=float)

    def with_values(self, parameters: Parameters, values: Numbers) -> "System":
        """The system with other values of parameters, the last of each. State.L_W is another spin in it: give it vectors z."""
        parameters, numbers = list(parameters), np.array(as_numbers("with_values", "values", values))
        if not isinstance(self._origin[0], System) or numbers.shape != self.values(parameters).shape:
            return System(self, parameters, numbers)
        base, *changes = self._origin  # no systems in between are kept
        merged = {(quantity, body): value for given, by in (changes, (parameters, numbers))
                  for (quantity, body), value in zip(given, by)}
        return System(base, list(merged), np.array(list(merged.values())))

    def __reduce__(self) -> Tuple[Any, ...]:
        return (System, self._origin)

    def __copy__(self) -> "System":
        return self

    def __deepcopy__(self, memo: Any) -> "System":
        return self

    def __repr__(self) -> str:
        return f"<abut.System of {len(self.names)} bodies>"


def read_scene(path: PathLike, assets: Assets = None) -> System:
    """The system of a scene file (docs/scene_files.md).

    `assets`: of a scene that has some, their folder, a mapping by name, or a function of the name. A robot's file is
    looked for beside the scene, then in the folder (also that of what load_folder gives). Raises IoError where a file
    cannot be read, InvalidInput naming file and line.
    """
    return System(path, assets, False)


class Scene:
    """Bodies and joints, added one by one: what a System is made of.

    Without arguments there is neither gravity nor friction, unlike in MuJoCo or Drake: give both. `gravity` is in m/s^2;
    `friction` is mu of every shape whose material has none of its own; `duration`, s, is how long abut-sim runs it.

        scene = abut.Scene(gravity=(0, 0, -9.81), friction=0.5)
        scene.add_plane((0, 0, 1), 0)
        scene.add_object("mug", mug, density=400, pose=(1, 0, 0, 0, 0, 0, 0.2))
        scene.add_robot("arm", "arm.urdf", assets=abut.load_folder("LINKS"))
        system = scene.system()

    Poses are of bodies in the world, (7,) or (4, 4). `text` is the scene as a file has it
    (docs/scene_files.md); what it says is checked by `system()`, whose messages name its line. Assets are
    in it by the names of their files and, if they are not the default, their levels and pieces ("mug:volume=1"): it
    raises InvalidInput for two of one name, and for primitives, levels and pieces as meshes of a robot.
    """

    def __init__(self, gravity: Numbers = (0, 0, 0), *, friction: float = 0.0, duration: float = 0.0) -> None:
        self._lines = [f"gravity {number_words('Scene', 'gravity', gravity, 3)}",
                       f"mu {number_words('Scene', 'friction', [friction], 1)}"]
        if (words := number_words("Scene", "duration", [duration], 1)) != "0.0":
            self._lines.append(f"duration {words}")
        self._assets: Dict[str, Geometry] = {}

    @property
    def text(self) -> str:
        for name, geometry in self._assets.items():
            require_words(name, geometry)
        return "\n".join(self._lines) + "\n"

    def add_plane(self, normal: Numbers, offset: float = 0.0, material: Optional[Material] = None) -> None:
        """The half-space normal . x <= offset, fixed."""
        plane = f"plane {number_words('add_plane', 'normal', normal, 3)} {number_words('add_plane', 'offset', [offset], 1)}"
        self._lines += [plane, *material_lines("add_plane", material)]

    def add_fixed_box(self, half: Numbers, pose: Numbers = IDENTITY, material: Optional[Material] = None) -> None:
        """A box by its half sizes, m, that stays where it is."""
        box = f"sbox {pose_words('add_fixed_box', pose)} {number_words('add_fixed_box', 'half', half, 3)}"
        self._lines += [box, *material_lines("add_fixed_box", material)]

    def add_fixed(self, geometry: Geometry, pose: Numbers = IDENTITY, material: Optional[Material] = None) -> None:
        """A primitive or an asset that stays where it is; `pose` is of its own frame."""
        assets = dict(self._assets)
        shape = f"fixed {shape_words('add_fixed', geometry, assets)} {pose_words('add_fixed', pose)}"
        self._lines += [shape, *material_lines("add_fixed", material)]
        self._assets = assets

    def add_object(
        self, name: str, geometry: Geometry, density: float, pose: Numbers = IDENTITY, twist: Numbers = (0,) * 6,
        material: Optional[Material] = None
    ) -> None:
        """A body that is one asset or primitive of even density, kg/m^3; `pose` is of its own frame, `twist` (w; v) of its
        centre of mass in the world's axes. Raises InvalidInput for a deviation of its own, as add_body.
        """
        if as_geometry("add_object", geometry).is_primitive:
            rho, unit = float(number_words("add_object", "density", [density], 1)), geometry.mass
            center = unit.center_of_mass
            shape: Any = geometry
            if center.any():  # a cone's: the body's frame lies there
                pose = pose_as_matrix("add_object", "pose", pose)
                pose[:3, 3] += pose[:3, :3] @ center
                shape = (geometry, (1, 0, 0, 0, *-center))
            made("add_object", self.add_body, name, rho * unit.volume, rho * np.diag(unit.inertia), [shape], pose, twist,
                 material)
            return
        twist = number_words("add_object", "twist", twist, 6).split()
        assets = dict(self._assets)
        body = (f"object {name_word('add_object', name)} {asset_word('add_object', geometry, assets)} "
                f"{number_words('add_object', 'density', [density], 1)} {pose_words('add_object', pose)} "
                + " ".join(twist[3:] + twist[:3]))
        self._lines += [body, *material_lines("add_object", material)]
        self._assets = assets

    def add_body(
        self, name: str, mass: float, moments: Numbers, shapes: Sequence[Any] = (), pose: Numbers = IDENTITY,
        twist: Numbers = (0,) * 6, material: Optional[Material] = None
    ) -> None:
        """A body in its centre of mass along its principal axes: `moments` (3,), kg m^2; `shapes`: geometries, or pairs
        (geometry, pose in the body) of primitives and assets; `twist` (w; v) in the world's axes. One that a
        joint carries may have neither mass nor shapes. Raises InvalidInput for a primitive whose deviation is not the
        default, since a scene has its sizes alone, and for a material of a body without shapes.
        """
        twist = number_words("add_body", "twist", twist, 6).split()
        lines: List[str] = []
        assets = dict(self._assets)
        for shape in shapes:
            geometry, X_BS = shape if isinstance(shape, tuple) and len(shape) == 2 else (shape, IDENTITY)
            lines.append(f" {shape_words('add_body', geometry, assets)} {pose_words('add_body', X_BS)}")
        if material is not None and not lines:
            raise _abut.InvalidInput("add_body: material: a body without shapes has none")
        body = (f"body {name_word('add_body', name)} {number_words('add_body', 'mass', [mass], 1)} "
                f"{number_words('add_body', 'moments', moments, 3)} {pose_words('add_body', pose)} "
                + " ".join(twist[3:] + twist[:3]) + f" {len(lines)}")
        self._lines += [body, *material_lines("add_body", material), *lines]
        self._assets = assets

    def add_joint(
        self, name: str, type: str, parent: str = "world", pose: Numbers = IDENTITY, axis: Numbers = (0, 0, 1),
        **settings: Numbers
    ) -> None:
        """What carries the body added last: `parent` ("world" or a body's name) by a joint of `type` (fixed, revolute,
        prismatic, planar, spherical, free) at `pose` in the world, where all joints are at zero, about or along `axis` in
        the axes of `pose`. The coordinates of a planar one are its angle about `axis` and shifts along two tangents, t1 x t2 =
        `axis`: of z, x and y; of x, -z and y; of y, x and -z (runtime/math/tangent_basis.h). `settings`: lower, upper, rad or
        m; damping, stiffness, friction, armature; position and velocity where it starts, a number for each of its
        coordinates and velocities.
        """
        self._lines.append(f"joint {name_word('add_joint', name)} {name_word('add_joint', type)} {name_word('add_joint', parent)} "
                           f"{pose_words('add_joint', pose)} {number_words('add_joint', 'axis', axis, 3)} "
                           + setting_words("add_joint", settings))

    def add_robot(
        self, name: str, path: PathLike, pose: Numbers = IDENTITY, assets: Optional[Mapping[str, Geometry]] = None
    ) -> None:
        """A robot of a URDF file, its root fixed at `pose`: bodies NAME/LINK, joints NAME/JOINT. A mesh FILE.stl is
        `assets["FILE"]`: abut-preprocess makes them from a folder of meshes, load_folder reads them.
        """
        if not isinstance(assets, (Mapping, type(None))):
            raise TypeError(f"add_robot: assets must be a mapping (load_folder), not {type(assets).__name__}")
        for mesh, geometry in (assets or {}).items():
            if not is_same(self._assets.get(mesh, as_geometry("add_robot", geometry)), geometry):
                raise _abut.InvalidInput(f"add_robot: another asset is called '{mesh}' already")
        file = os.path.abspath(os.fsdecode(path))
        self._lines.append(f"robot {name_word('add_robot', name)} {name_word('add_robot', file)} {pose_words('add_robot', pose)}")
        self._assets = {**(assets or {}), **self._assets}

    def set_joint(self, name: str, **settings: Numbers) -> None:
        """Other settings of a joint, as add_joint has them."""
        self._lines.append(f"set {name_word('set_joint', name)} {setting_words('set_joint', settings)}")

    def mimic(self, joint: str, other: str, multiplier: float = 1.0, offset: float = 0.0) -> None:
        """The position of a joint is `multiplier` times that of the other, plus `offset`, rad or m."""
        self._lines.append(f"mimic {name_word('mimic', joint)} {name_word('mimic', other)} "
                           f"{number_words('mimic', 'multiplier', [multiplier], 1)} {number_words('mimic', 'offset', [offset], 1)}")

    def keep_apart(self, *bodies: str) -> None:
        """No two of these bodies meet."""
        if len(bodies) < 2:
            raise TypeError("keep_apart: name two bodies or more")
        self._lines += [f"apart {name_word('keep_apart', other)} {name_word('keep_apart', body)}"
                        for i, body in enumerate(bodies) for other in bodies[:i]]

    def set_contact(self, A: str, B: str, model: str, **settings: Any) -> None:
        """The contact model between A and B, each a body, a robot or `world` (what is fixed), and its settings, for
        integrators with forces of a contact model; of what several calls mean, the last one counts.
        """
        words = "".join(f" {key_word('set_contact', key)} {setting_word(key, value)}" for key, value in settings.items())
        self._lines.append(f"contact {name_word('set_contact', A)} {name_word('set_contact', B)} {name_word('set_contact', model)}{words}")

    def system(self) -> System:
        """Raises InvalidInput, naming the line of `text`, for what no scene can be."""
        return System("\n".join(self._lines) + "\n", dict(self._assets), True)
