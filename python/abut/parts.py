"""What a system's dictionaries say of its joints, bodies and shapes."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np

from .bodies import Geometry


class Joint(NamedTuple):
    """What carries a body that does not move freely."""

    type: str  # fixed, revolute, prismatic, planar, spherical, free
    body: str  # that it carries
    q: slice  # of State.q and joint_target
    v: slice  # of State.v and joint_force
    z_q: slice  # of its coordinates in a vector z; empty: it mimics another joint
    z_v: slice  # of its velocities there
    x_q: slice  # of the tangent of its coordinates in x, which are its columns of System.jacobian, too
    x_v: slice  # of its velocities in x
    lower: float  # rad or m
    upper: float
    stiffness: float  # of its spring or drive, N m/rad or N/m
    damping: float  # N m s/rad or N s/m


class Place(NamedTuple):
    """Where a body's numbers are in a vector z and in changes of state x."""

    joint: Optional[str]  # that carries it; None: it moves freely
    z_q: slice  # quaternion (w, x, y, z), position in the world, m; on a joint its coordinates; empty: it mimics another
    z_v: slice  # twist (w; v) in its own axes, rad/s, m/s; on a joint its velocities
    x_q: slice  # turn, rad, and shift, m, both along its own axes, not the world's; also its columns of System.jacobian
    x_v: slice  # change of z_v


class Shape(NamedTuple):
    """A part of a body."""

    geometry: Geometry
    X_BS: np.ndarray  # (4, 4) in the body's frame, m; in the world's of what is fixed; read-only
