"""What the tests share: assets, poses, differences."""

import os
import pathlib
import unittest

import numpy as np

import abut

ASSETS = pathlib.Path(os.environ.get("ABUT_TEST_ASSETS", "assets"))
needs_assets = unittest.skipUnless((ASSETS / "005_mug.h5").exists(), "no assets: the pipeline was not built")


def raw(error):
    """Whether a message is not for people: it lists C++ signatures."""
    return any(word in str(error) for word in ("incompatible function", "arg0", "pybind11", "C++"))


def asset(name):
    return abut.load(ASSETS / f"{name}.h5")


def poses(count, seed=0, reach=0.2):
    """(count, 7) random ones, translations within `reach` m along each axis."""
    random = np.random.default_rng(seed)
    q = random.normal(size=(count, 4))
    return np.hstack([q / np.linalg.norm(q, axis=1, keepdims=True), random.uniform(-reach, reach, (count, 3))])


def exp(xi):
    """exp of a twist (6,) as a matrix (4, 4)."""
    w, v = xi[:3], xi[3:]
    angle = np.linalg.norm(w)
    W = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    a, b, c = (1, 0.5, 1 / 6) if angle < 1e-12 else (
        np.sin(angle) / angle, (1 - np.cos(angle)) / angle**2, (angle - np.sin(angle)) / angle**3)
    X = np.eye(4)
    X[:3, :3] = np.eye(3) + a * W + b * W @ W
    X[:3, 3] = (np.eye(3) + b * W + c * W @ W) @ v
    return X


def matrix(pose):
    """(7,) as (4, 4)."""
    w, x, y, z = pose[:4] / np.linalg.norm(pose[:4])
    X = np.eye(4)
    X[:3, :3] = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                 [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                 [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    X[:3, 3] = pose[4:]
    return X


def slopes(f, X_AB, step=1e-6):
    """Central differences of f(X_AB exp(xi)) by xi, last axis 6."""
    columns = [(f(X_AB @ exp(step * e)) - f(X_AB @ exp(-step * e))) / (2 * step) for e in np.eye(6)]
    return np.stack(columns, axis=-1)
