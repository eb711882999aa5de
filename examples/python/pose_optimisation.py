"""A box is moved until it touches a mug at a given place of both: pose_optimisation.py FOLDER_OF_ASSETS"""
import sys

import torch

import abut
import abut.torch

assets = abut.load_folder(sys.argv[1])
mug, box = assets["005_mug"], assets["001_box"]
pose = torch.tensor([1, 0, 0, 0, 0.3, 0.05, 0.1], dtype=torch.float64, requires_grad=True)
wanted = torch.tensor([0.05, 0.0, 0.06], dtype=torch.float64)  # near the mug's wall, m

optimiser = torch.optim.Adam([pose], lr=5e-3)
for step in range(300):
    optimiser.zero_grad()
    found = abut.torch.separation(mug, box, pose)
    loss = (1e2 * found.distance) ** 2 + 1e2 * torch.sum((found.p1 - wanted) ** 2)
    loss.backward()
    optimiser.step()
    if step % 100 == 0:
        print(f"step {step}: distance {found.distance.item() * 1e3:.2f} mm, loss {loss.item():.3g}")

print(f"distance {found.distance.item() * 1e3:.3f} mm, touched at {found.p1.detach().numpy()}")
assert abs(found.distance.item()) < 2e-3
