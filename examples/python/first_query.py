"""Distance, witness points and normal of a mug's handle and a box: first_query.py FOLDER_OF_ASSETS"""
import sys

import abut

assets = abut.load_folder(sys.argv[1])
mug, box = assets["005_mug"], assets["001_box"]
X_AB = [1, 0, 0, 0, 0.2, 0, 0]  # pose of the box in the mug's frame: quaternion (w, x, y, z), translation, m

d = abut.witness_derivative(mug, box, X_AB)
print(f"distance {d.distance:.6f} m, from {d.p1} on the mug to {d.p2} on the box ({d.status.name.lower()})")
print(f"it grows by {d.dd_dxi_B[3]:.4f} m for every metre that the box moves along its x axis")
