"""A hundred thousand poses at once: batch.py FOLDER_OF_ASSETS"""
import sys
import time

import numpy as np

import abut

assets = abut.load_folder(sys.argv[1])
shapes = [assets["005_mug"], assets["001_box"], abut.cylinder(0.03, 0.1)]
random, N = np.random.default_rng(0), 100_000
X_AB = np.hstack([random.normal(size=(N, 4)), random.uniform(-0.3, 0.3, (N, 3))])  # quaternions of any length
which = random.integers(0, len(shapes), (2, N))

start = time.perf_counter()
d = abut.witness_derivative((shapes, which[0]), (shapes, which[1]), X_AB)
seconds = time.perf_counter() - start
print(f"{N} distances with derivatives in {seconds:.2f} s; {np.mean(d.distance < 0):.0%} of the pairs overlap")

deep = np.argmin(d.distance)
print(f"deepest: {-d.distance[deep] * 1e3:.1f} mm, dp1_A_dxi_B has shape {d.dp1_A_dxi_B.shape}")
