"""Points are drawn onto a mug's surface by its soft distance as a loss: soft_distance_loss.py FOLDER_OF_ASSETS"""
import sys

import torch

import abut
import abut.torch

mug = abut.load_folder(sys.argv[1])["005_mug"]
distances = abut.SoftDistances(mug)  # made ready once

torch.manual_seed(0)
points = (0.06 * torch.randn(500, 3, dtype=torch.float64)).requires_grad_()
print(f"before: {abut.torch.soft_distance(distances, points).abs().mean().item() * 1e3:.2f} mm from the surface")

optimiser = torch.optim.LBFGS([points], lr=0.5, max_iter=50)


def loss():
    optimiser.zero_grad()
    value = 1e4 * torch.mean(abut.torch.soft_distance(distances, points) ** 2)
    value.backward()
    return value


optimiser.step(loss)
after = abut.torch.soft_distance(distances, points).abs().mean().item()
print(f"after:  {after * 1e3:.2f} mm")
assert after < 5e-3
