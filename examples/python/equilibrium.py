"""Where a compliant ball comes to rest on the ground, by Newton's method on its pose: equilibrium.py"""
import numpy as np

import abut

ground = abut.Body(abut.half_space(), abut.Material(modulus=abut.RIGID))
ball = abut.Body(abut.sphere(0.05), abut.Material(modulus=1e5))
weight = 9.81 * 1000 * ball.geometry.mass.volume  # N: of water

X_AB = np.array([1, 0, 0, 0, 0, 0, 0.049])  # a millimetre deep
for step in range(20):
    w = abut.wrench_derivative(ground, ball, X_AB)
    residual = w.F_BBo_B[5] - weight  # the ball is not turned: its axes are the ground's
    print(f"step {step}: height {X_AB[6] * 1e3:.6f} mm, force {w.F_BBo_B[5]:.6f} N of {weight:.6f} N")
    if abs(residual) < 1e-10 * weight:
        break
    X_AB[6] -= residual / w.dF_dxi_B[5, 5]

assert abs(residual) < 1e-9 * weight
