"""Differentiable contact between real meshes.

    import abut
    mug, box = abut.load("assets/005_mug.h5"), abut.load("assets/001_box.h5")
    d = abut.witness_derivative(mug, box, [1, 0, 0, 0, 0.2, 0, 0])
    d.distance, d.p1, d.dd_dxi_B

SI units; poses X_AB are of B in A; twists and wrenches have the angular part first. docs/python.md.
"""

from ._abut import (
    BadAsset,
    Error,
    InvalidInput,
    IoError,
    Separation,
    SmoothedWitness,
    Status,
    WitnessDerivative,
    default_threads,
)
from .bodies import (
    RIGID,
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
from .tables import Row, Setting, estimators, integrators, models, soft_distance_settings, solvers
from .witness import Estimator, PairSolver, separation, smoothed_witness, witness_derivative
