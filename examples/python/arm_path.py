"""The path of an arm past three balls, bent clear of them by distances and their derivatives: arm_path.py [PAGE.html]"""
import pathlib
import sys

import numpy as np

import abut

scene = abut.Scene()
scene.add_robot("arm", pathlib.Path(__file__).resolve().parents[1] / "scenes" / "arm.urdf")
for place in ([0.62, 0.20, 0.36], [0.42, 0.42, 0.22], [0.18, 0.46, 0.15]):
    scene.add_fixed(abut.sphere(0.08), [1, 0, 0, 0, *place])
system = scene.system()
N, WISHED, SIGHT = 41, 0.03, 0.08  # states on the path; the distance to keep and the one to look within, m
start = system.vector(system.initial_state())
q = slice(0, system.nz // 2)  # the angles in z; the rest are velocities

z = np.tile(start, (N, 1))
z[:, q] += np.linspace(0, 1, N)[:, None] * ([1.6, 0.9, 0, 0.5, 0, 0.3, 0] - start[q]) + [0, 0.3, 0, 0.5, 0, 0, 0]
n = z[0, q].size
bend = np.diff(np.eye(N), 2, axis=0)  # the second differences of a path
smooth = np.kron(bend.T @ bend, np.eye(n))


def least():
    return abut.clearances(system, z, margin=1.0).distance.min()


STIFFNESS, DAMPING = 1e-3, 1e-4  # of the path against bending, and of a step
before = least()
for step in range(60):
    near = abut.clearances(system, z, margin=SIGHT)
    short = np.maximum(WISHED + 1e-3 - near.distance, 0)  # (K,) m
    if not (near.distance < WISHED).any():
        break
    # Gauss-Newton: min |J dx - short|^2 + STIFFNESS |bending of the new path|^2 + DAMPING |dx|^2, the ends fixed.
    J = np.zeros((len(short), N * n))
    for row, (state, slopes) in enumerate(zip(near.state, near.dd_dv)):
        J[row, state * n:(state + 1) * n] = slopes * (short[row] > 0)  # those too near alone
    H = J.T @ J + STIFFNESS * smooth + DAMPING * np.eye(N * n)
    g = J.T @ short - STIFFNESS * smooth @ z[:, q].ravel()
    inner = slice(n, -n)
    z[1:-1, q] += np.linalg.solve(H[inner, inner], g[inner]).reshape(N - 2, n)
    print(f"step {step}: the nearest ball is {least() * 1e3:.1f} mm away")

print(f"{before * 1e3:.1f} mm -> {least() * 1e3:.1f} mm")
assert least() >= WISHED

if len(sys.argv) > 1:
    abut.show(system, z, dt=0.1).save(sys.argv[1])
