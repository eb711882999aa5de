"""Differentiable contact between real meshes.

    import abut
    mug, box = abut.load("assets/005_mug.h5"), abut.load("assets/001_box.h5")
    d = abut.witness_derivative(mug, box, [1, 0, 0, 0, 0.2, 0, 0])
    d.distance, d.p1, d.dd_dxi_B

SI units; poses X_AB are of B in A; twists and wrenches have the angular part first. docs/python.md.
"""

try:
    from ._abut import (
        BadAsset,
        ContactPoints,
        ContactRegions,
        Error,
        InvalidInput,
        IoError,
        NotAsked,
        Separation,
        SmoothedWitness,
        SoftDistance,
        State,
        Status,
        WitnessDerivative,
        Wrench,
        __version__,
        default_threads,
    )
except ModuleNotFoundError as error:
    if error.name != f"{__name__}._abut":
        raise
    raise ImportError(
        f"abut: its compiled part is missing in {__path__[0]}, or was built for another Python than this one. "
        "In the build tree: cmake --build --preset release --target abut_python; else install the package again",
        name=error.name) from None
from .bodies import (
    RIGID,
    AssetFolder,
    Body,
    Geometry,
    MassProperties,
    Material,
    box,
    capsule,
    cone,
    cylinder,
    ellipsoid,
    half_space,
    load,
    load_folder,
    primitive,
    sphere,
)
from .clearance import Clearances, clearances
from .contact import (
    Model,
    SoftDistances,
    contact_points,
    soft_distance,
    wrench,
    wrench_derivative,
    wrench_hessian,
)
from .dynamics import ContactForces, Integrator, Report, Simulation, Trajectory, step, step_derivatives
from .gradients import StepDerivatives, jvp, pose_gradient, pose_tangent, vjp
from .parts import Joint, Place, Shape
from .rollout import Rollout, RolloutGradient, RolloutJacobian, RolloutRun
from .scene import Scene, System, read_scene
from .show import View, show
from .step_config import StepConfig
from .tables import Row, Setting, distance_models, estimators, integrators, models, soft_distance_settings, solvers
from .witness import (
    DistanceModel,
    Estimator,
    PairSolver,
    all_contacts,
    overlap_volume,
    separation,
    smoothed_witness,
    witness_derivative,
)
