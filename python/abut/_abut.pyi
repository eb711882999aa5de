"""The compiled part. Results of one question have the shapes below without N; then numbers are float and int."""

import enum
from typing import Any, Callable, Dict, List, NoReturn, Tuple, Union

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Whole = NDArray[np.int32]
Scalar = Any  # float, or (N,) of many
Word = Any  # Status, or (N,) uint8 of many

__version__: str

WANT_VALUE: int
WANT_JACOBIAN: int
WANT_HESSIAN: int
WANT_ENERGY: int

class Error(Exception): ...
class InvalidInput(Error, ValueError): ...
class NotAsked(InvalidInput, AttributeError): ...
class BadAsset(Error, ValueError): ...
class IoError(Error, OSError): ...

class Status(enum.IntEnum):
    OK = 0
    TOUCHING = 1
    CLAMPED = 2
    NOT_CONVERGED = 3
    NO_OVERLAP = 4
    INVALID_INPUT = 5

class Hull:
    vertices: Numbers  # (V, 3) m
    triangles: Whole  # (T, 3)

class Surface:
    vertices: Numbers  # (V, 3) m
    triangles: Whole  # (T, 3)
    neighbours: Whole  # (T, 3)
    normals: Numbers  # (V, 3)

class Volume:
    vertices: Numbers  # (V, 3) m
    tetrahedra: Whole  # (T, 4)
    neighbours: Whole  # (T, 4)
    extent: Numbers  # (V,)
    gradients: Numbers  # (T, 3) 1/m

class Points:
    positions: Numbers  # (P, 3) m
    normals: Numbers  # (P, 3)
    areas: Numbers  # (P,) m^2
    quads: Whole  # (P, 4)
    quad_vertices: Numbers  # (V, 3) m
    spacing: float  # m

class Geometry:
    def __init__(self, *origin: Any) -> None: ...
    name: str
    id: int
    is_primitive: bool
    hull: Hull
    surface: Surface
    volume: Volume
    points: Points
    spheres: Numbers  # (N, 4) m
    _sizes: List[float]
    _warning: str
    _mass: Tuple[float, float, Numbers, Numbers]

class Body:
    def __init__(
        self, geometry: Geometry, modulus: float, dissipation: float, friction: float, restitution: float, patch: float
    ) -> None: ...

class _Witness:
    distance: Scalar  # (N,) m
    p1: Numbers  # (N, 3) m
    p2: Numbers  # (N, 3) m
    n: Numbers  # (N, 3)
    lower_bound: Scalar  # (N,) m
    upper_bound: Scalar  # (N,) m
    iterations: Scalar  # (N,)
    status: Word
    def __len__(self) -> int: ...

class _Simplex(_Witness):
    simplex_size: Scalar  # (N,)
    vertex_A: Whole  # (N, 3)
    vertex_B: Whole  # (N, 3)
    weight: Numbers  # (N, 3)

class _Derivatives(_Witness):
    dp1_A_dxi_B: Numbers  # (N, 3, 6) m/rad, 1
    dp2_A_dxi_B: Numbers  # (N, 3, 6)
    dn_A_dxi_B: Numbers  # (N, 3, 6) 1/rad, 1/m
    dd_dxi_B: Numbers  # (N, 6) m/rad, 1
    clamped_count: Scalar  # (N,)
    clamped_A: Numbers  # (N, 2, 3)

class Separation(_Simplex):
    depth_lower: Scalar  # (N,) m; NaN but of pieces that overlap
    depth_upper: Scalar  # (N,) m
    @property
    def dp1_A_dxi_B(self) -> NoReturn: ...  # NotAsked: witness_derivative gives them
    @property
    def dp2_A_dxi_B(self) -> NoReturn: ...
    @property
    def dn_A_dxi_B(self) -> NoReturn: ...
    @property
    def dd_dxi_B(self) -> NoReturn: ...

class WitnessDerivative(_Derivatives, _Simplex): ...

class SmoothedWitness(_Derivatives):
    exact_distance: Scalar  # (N,) m
    d2p1_A_dxi_B: Numbers  # (N, 3, 6, 6)
    d2p2_A_dxi_B: Numbers  # (N, 3, 6, 6)
    d2n_A_dxi_B: Numbers  # (N, 3, 6, 6)
    d2d_dxi_B: Numbers  # (N, 6, 6)

class ContactRegions(_Derivatives):
    feature_A: NDArray[np.uint32]  # (K,)
    feature_B: NDArray[np.uint32]  # (K,)
    offsets: NDArray[np.int64]  # (N + 1,)

class OverlapVolume:
    volume: Scalar  # (N,) m^3
    error: Scalar  # (N,) m^3
    dvolume_dxi_B: Numbers  # (N, 6) m^3/rad, m^2
    status: Word
    def __len__(self) -> int: ...

class Wrench:
    F_BBo_B: Numbers  # (N, 6) N m, N
    dF_dxi_B: Numbers  # (N, 6, 6)
    dF_dV_AB_B: Numbers  # (N, 6, 6)
    d2F: Numbers  # (N, 6, 12, 12)
    energy: Scalar  # (N,) J
    area: Scalar  # (N,) m^2
    status: Word
    def __len__(self) -> int: ...

class ContactPoints:
    p_AC: Numbers  # (K, 3) m
    n_A: Numbers  # (K, 3)
    gap: Numbers  # (K,) m
    area: Numbers  # (K,) m^2
    feature: NDArray[np.uint64]  # (K,)
    dp_dxi_B: Numbers  # (K, 3, 6)
    dn_dxi_B: Numbers  # (K, 3, 6)
    dgap_dxi_B: Numbers  # (K, 6)
    offsets: NDArray[np.int64]  # (N + 1,)
    status: Word
    def __len__(self) -> int: ...

class SoftDistance:
    value: Scalar  # (N,) m
    gradient: Numbers  # (N, 3)
    hessian: Numbers  # (N, 3, 3) 1/m
    status: Word
    def __len__(self) -> int: ...

class PairSolver:
    def __init__(self, A: Any, B: Any) -> None: ...
    def __call__(self, X_AB: Any) -> Separation: ...
    def forget(self) -> None: ...

class Estimator:
    name: str
    def __init__(self, name: str, settings: Dict[str, Any], threads: int) -> None: ...
    def __call__(self, A: Any, B: Any, X_AB: Any) -> WitnessDerivative: ...
    def smoothed(self, A: Any, B: Any, X_AB: Any, hessian: bool) -> SmoothedWitness: ...

class DistanceModel:
    name: str
    def __init__(self, name: str, method: Any, settings: Dict[str, Any], threads: int) -> None: ...
    def __call__(self, A: Any, B: Any, X_AB: Any) -> WitnessDerivative: ...
    def separation(self, A: Any, B: Any, X_AB: Any) -> Separation: ...
    def smoothed(self, A: Any, B: Any, X_AB: Any, hessian: bool) -> SmoothedWitness: ...
    def _all_contacts(self, A: Any, B: Any, X_AB: Any, margin: float, derivatives: bool) -> ContactRegions: ...

class Model:
    name: str
    def __init__(self, name: str, settings: Dict[str, Any], threads: int) -> None: ...
    def _wrench(self, A: Any, B: Any, X_AB: Any, V_AB_B: Any, want: int) -> Wrench: ...
    def _contact_points(self, A: Any, B: Any, X_AB: Any, margin: float, derivatives: bool) -> ContactPoints: ...

class SoftDistances:
    def __init__(self, geometry: Any, settings: Dict[str, Any], threads: int) -> None: ...
    def _ask(self, points: Any, order: int) -> SoftDistance: ...

class State:
    p_WB: Numbers  # (N, 3) m
    q_WB: Numbers  # (N, 4)
    v_WB: Numbers  # (N, 3) m/s
    L_W: Numbers  # (N, 3) kg m^2/s
    q: Numbers  # (nq,) coordinates of joints
    v: Numbers  # (nv,) velocities of joints
    def __len__(self) -> int: ...
    def copy(self) -> State: ...

class System:
    names: List[str]
    masses: Numbers  # (N,) kg
    duration: float  # s
    _bodies: List[Tuple[Any, ...]]
    _shapes: List[Tuple[str, Geometry, Numbers]]
    _robot_assets: Dict[int, str]
    def __init__(self, *origin: Any) -> None: ...
    def _values(self, parameters: Any) -> List[float]: ...
    def initial_state(self) -> State: ...
    def angular_velocity(self, state: State) -> Numbers: ...  # (N, 3) rad/s
    def energy(self, state: State) -> float: ...  # J

class Coordinates:
    nz: int
    nx: int
    nq: int
    def __init__(self, system: System) -> None: ...
    def pack(self, state: State) -> Numbers: ...
    def unpack(self, z: Any, function: str) -> State: ...
    def difference(self, start: State, end: State) -> Numbers: ...
    def jacobian(self, state: State, body: int) -> Numbers: ...  # (6, nx / 2)
    def gradients(self, z: Any, gradient: Any, to_tangent: bool) -> Numbers: ...

class Clearances:
    def __init__(self, system: System, model: str, within_robots: bool, threads: int) -> None: ...
    def _find(
        self, coordinates: Coordinates, z: Any, margin: float
    ) -> Tuple[Whole, Whole, Whole, Numbers, Numbers, Numbers, Numbers, Numbers, Whole]: ...

class Simulation:
    state: State
    steps: int
    time: float  # s
    _report: Dict[str, Any]
    _contact_forces: Tuple[Whole, Whole, Numbers, List[Tuple[str, str]]]
    _frames: Tuple[Numbers, Numbers, Numbers, Numbers, Numbers]
    def __init__(self, system: System, config: Dict[str, Any]) -> None: ...
    def _run(self, steps: int, control: Any, joint_force: Any, joint_target: Any, every: int) -> None: ...
    def _page(self) -> str: ...
    def _write_page(self, path: Any) -> None: ...

class Integrator:
    _contact_forces: Tuple[Whole, Whole, Numbers, List[Tuple[str, str]]]
    def __init__(self, system: System, config: Dict[str, Any]) -> None: ...
    def _step(self, state: State, control: Any, joint_force: Any, joint_target: Any) -> State: ...
    def _differentiate(
        self, state: State, control: Any, joint_force: Any, joint_target: Any
    ) -> Tuple[State, Numbers, Numbers, Numbers, Numbers, Status, List[Tuple[str, int]]]: ...

class RolloutRun:
    z: Numbers  # (N, rows, nz)
    errors: List[str]
    not_converged: List[int]
    def _state(self, row: int, item: int) -> State: ...
    def _gradient(self, costates: Any) -> Tuple[Numbers, Numbers, Numbers, Numbers, Numbers]: ...
    def _jacobian(self, every_row: bool) -> Tuple[Numbers, Numbers, Numbers, Numbers, Any]: ...
    def _parts(self) -> Tuple[Any, ...]: ...

class Rollout:
    def __init__(self, system: System, config: Dict[str, Any], steps_per_control: int, threads: int) -> None: ...
    def _run(self, start: Any, joint_force: Any, joint_target: Any, rows: Any, whole: Any) -> RolloutRun: ...
    def _restored(self, parts: Tuple[Any, ...]) -> RolloutRun: ...

def asset_choice(text: str) -> Tuple[str, int, int, int, int]: ...
def separation(A: Any, B: Any, X_AB: Any, threads: int) -> Separation: ...
def overlap_volume(A: Any, B: Any, X_AB: Any, threads: int) -> OverlapVolume: ...
def page_of_geometries(items: List[Any], marks: List[Any]) -> str: ...
def page_of_states(system: System, states: List[State], dt: float) -> str: ...
def write_page(path: Any, page: str) -> None: ...
def tables() -> Dict[str, Any]: ...
def default_threads() -> int: ...
