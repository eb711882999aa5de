"""A banana is let down into a mug until it is 2 mm from it: clearance.py FOLDER_OF_ASSETS

The hull of a mug is full to the brim; its surface is not (docs/distances.md). Assets made with --pieces auto.
"""
import sys

import numpy as np
import torch

import abut
import abut.torch

assets = abut.load_folder(sys.argv[1])
mug, banana = assets["005_mug"], assets["006_banana"]
surface = abut.DistanceModel("surface")

# Above the mug, an end of the banana down: its axes and the place of that end, in the mug's frame.
x = banana.surface.vertices[:, 0]
end, neck = (banana.surface.vertices[np.abs(x - part * x.max()) < 0.1 * x.max()].mean(axis=0) for part in (1, 0.6))
up = (neck - end) / np.linalg.norm(neck - end)
X = np.eye(4)
X[:3, :3] = np.cross([0, 0, 1], up), [0, 0, 1], up
X[:3, 3] = [0, 0, 0.12] - X[:3, :3] @ end
start = torch.tensor(X)

move = torch.zeros(6, dtype=torch.float64, requires_grad=True)  # twist of the banana, in its axes, about its end
optimiser = torch.optim.Adam([move], lr=2e-3)
slower = torch.optim.lr_scheduler.LinearLR(optimiser, 1, 0.01, total_iters=300)
arm, zero = torch.tensor(end), torch.zeros((), dtype=torch.float64)


def pose():
    (a, b, c), shift = move[:3], move[3:]
    turn = torch.matrix_exp(torch.stack([zero, -c, b, c, zero, -a, -b, a, zero]).reshape(3, 3))
    return start @ torch.cat([torch.cat([turn, (arm + shift - turn @ arm)[:, None]], dim=1), start[3:]])


for step in range(300):
    optimiser.zero_grad()
    X_AB = pose()
    distance = abut.torch.distance(mug, banana, X_AB, model=surface)
    height = (X_AB[:3, :3] @ arm + X_AB[:3, 3])[2]  # of the banana's end
    (height + 5 * torch.relu(2e-3 - distance) + 1e-2 * torch.sum(move[:3] ** 2)).backward()
    optimiser.step()
    slower.step()
    if step % 100 == 0:
        print(f"step {step}: end at {height.item() * 1e3:.1f} mm, {distance.item() * 1e3:.2f} mm from the mug")

X_AB = X_AB.detach().numpy()
for name in abut.distance_models():
    print(f"{name}: {abut.separation(mug, banana, X_AB, model=name).distance * 1e3:.2f} mm")
near = surface.all_contacts(mug, banana, X_AB, margin=5e-3)
print(f"{len(near)} regions within 5 mm: {near.distance * 1e3} mm at {near.p1.tolist()}")
assert distance.item() > 0.5e-3 and height.item() < 0.02
