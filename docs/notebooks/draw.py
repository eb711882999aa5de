"""Pictures for the notebooks of this folder: bodies where their poses say, points and arrows."""

import matplotlib.pyplot as plt
import numpy as np
from abut.gradients import pose_matrix
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

COLOURS = ["tab:blue", "tab:orange", "tab:green"]


def draw(*bodies, points=(), arrows=(), title="", view=(20, -60)):
    """`bodies`: pairs (geometry, pose); `points`: (3,) each; `arrows`: pairs (start, end). Metres."""
    figure = plt.figure(figsize=(6, 5), dpi=80)
    axes = figure.add_subplot(projection="3d")
    axes.set_proj_type("ortho")
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    light = np.array([0.3, -0.5, 0.8]) / np.linalg.norm([0.3, -0.5, 0.8])
    for (geometry, pose), colour in zip(bodies, COLOURS):
        X, surface = pose_matrix("draw", pose), geometry.surface
        corners = (surface.vertices @ X[:3, :3].T + X[:3, 3])[surface.triangles]
        n = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        n /= np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-300)
        rgb = np.array(plt.matplotlib.colors.to_rgb(colour)) * (0.55 + 0.45 * (n @ light)[:, None].clip(-0.5, 1))
        axes.add_collection3d(Poly3DCollection(corners, facecolors=np.hstack([rgb.clip(0, 1), np.full((len(rgb), 1), 0.35)])))
        low, high = np.minimum(low, corners.min(axis=(0, 1))), np.maximum(high, corners.max(axis=(0, 1)))
    for point in points:
        axes.scatter(*point, color="black", s=25)
    for start, end in arrows:
        axes.quiver(*start, *(np.asarray(end) - start), color="red", linewidth=2)
    middle, half = (low + high) / 2, (high - low).max() / 2
    for axis, m in zip("xyz", middle):
        getattr(axes, f"set_{axis}lim")(m - half, m + half)
        getattr(axes, f"set_{axis}label")(f"{axis} (m)")
    axes.locator_params(nbins=4)
    axes.set_box_aspect((1, 1, 1), zoom=0.85)  # leaves room for the labels
    axes.view_init(*view)
    axes.set_title(title)
    plt.show()
