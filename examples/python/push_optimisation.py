"""A finger pushes a T to a goal: its path is found by gradients through the rollout: push_optimisation.py [PAGE.html]"""
import pathlib
import sys

import torch

import abut
import abut.torch

SCENE = pathlib.Path(__file__).resolve().parents[1] / "scenes" / "pushing.scn"
CONFIG = dict(dt=8e-3, integrator="implicit", model="soft_potential")
system = abut.read_scene(SCENE)
rollout = abut.Rollout(system, 10, **CONFIG)  # a target for each 80 ms
start = torch.tensor(system.vector(system.initial_state()))
goal = torch.tensor([0.05, -0.10, -0.5])  # x and y of the T, m, and its turn, rad

ROWS, KNOTS = 25, 5
spread = torch.nn.functional.interpolate(torch.eye(KNOTS)[None], ROWS, mode="linear", align_corners=True)[0].T.double()
knots = torch.stack([torch.linspace(0, 0.02, KNOTS), torch.linspace(-0.04, -0.24, KNOTS)], dim=1).double().requires_grad_()


def final():
    path = spread @ knots  # (ROWS, 2) of the finger's x and y
    targets = torch.cat([torch.zeros(ROWS, 3, dtype=torch.float64), path], dim=1)
    return abut.torch.rollout(rollout, start, joint_target=targets)[-1], targets


optimiser = torch.optim.Adam([knots], lr=6e-3)
costs = []
for step in range(60):
    optimiser.zero_grad()
    z, targets = final()
    cost = torch.sum((z[:2] - goal[:2]) ** 2) + 0.07**2 * (z[2] - goal[2]) ** 2 + 1e-3 * torch.sum(z[5:8] ** 2)
    cost.backward()
    optimiser.step()
    costs.append(cost.item())
    if step % 20 == 0:
        print(f"step {step}: T at x {z[0]:.4f} m, y {z[1]:.4f} m, turned {z[2]:.3f}, cost {cost.item():.2e}")
print(f"cost {costs[0]:.2e} -> {min(costs):.2e}")
assert min(costs) < 0.2 * costs[0]

if len(sys.argv) > 1:
    simulation = abut.Simulation(system, **CONFIG)
    for row in targets.detach().numpy():
        simulation.run(10, joint_target=row, every=5)
    abut.show(simulation).save(sys.argv[1])
