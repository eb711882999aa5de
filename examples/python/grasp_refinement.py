"""Two finger tips are moved until their normals are opposed through a mug's middle: grasp_refinement.py ASSETS"""
import sys

import torch

import abut
import abut.torch

mug = abut.load_folder(sys.argv[1])["005_mug"]
tip, center = abut.sphere(0.008), torch.tensor(mug.mass.center_of_mass)
fingers = torch.tensor([[1, 0, 0, 0, 0.09, 0.05, 0.02], [1, 0, 0, 0, -0.08, 0.03, -0.03]], dtype=torch.float64) + torch.cat(
    [torch.zeros(4), center])  # poses of the tips in the mug's frame
fingers.requires_grad_()


def cost(poses):
    found = abut.torch.separation(mug, tip, poses)
    touch = torch.sum((100 * found.distance) ** 2)
    opposed = torch.sum((found.n[0] + found.n[1]) ** 2)
    arm = found.p1 - center
    torque = torch.sum(torch.cross(arm, found.n, dim=1) ** 2) / 0.05**2  # of equal pushes along the normals
    return touch + opposed + torque, found


before, _ = cost(fingers.detach())
optimiser = torch.optim.Adam([fingers], lr=2e-3)
for step in range(300):
    optimiser.zero_grad()
    value, found = cost(fingers)
    value.backward()
    optimiser.step()

print(f"cost {before.item():.3f} -> {value.item():.5f}; distances {found.distance.detach().numpy() * 1e3} mm")
print(f"normals {found.n[0].detach().numpy()} and {found.n[1].detach().numpy()}")
assert value.item() < 0.05 * before.item()
