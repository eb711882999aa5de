"""The force between a mug's handle and the wall of a box that it slides on, and its Jacobian: contact_force.py ASSETS"""
import sys

import numpy as np

import abut

assets = abut.load_folder(sys.argv[1])
mug = abut.Body(assets["005_mug"], abut.Material(modulus=1e7, friction=0.5))
box = abut.Body(assets["001_box"], abut.Material(modulus=1e7, friction=0.5))
X_AB = [1, 0, 0, 0, 0.072, -0.079, -0.05]  # the handle is pressed 0.45 mm deep into a wall of the box
V_AB_B = [0, 0, 0, 0, 0.1, 0]  # the box slides along its y axis, m/s

w = abut.wrench_derivative(mug, box, X_AB, V_AB_B)
np.set_printoptions(precision=3, suppress=True)
print(f"status {w.status.name.lower()}, patch {w.area * 1e6:.1f} mm^2")
print(f"torque {w.F_BBo_B[:3]} N m, force {w.F_BBo_B[3:]} N on the box, in its frame")
print(f"change of the force by shifts along the box's axes, N/mm:\n{w.dF_dxi_B[3:, 3:] / 1e3}")

points = abut.contact_points(mug, box, X_AB)
print(f"{len(points)} contact points, the deepest {-points.gap.min() * 1e3:.3f} mm")
assert w.F_BBo_B[3] > 0
