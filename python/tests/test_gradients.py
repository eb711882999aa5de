import importlib
import pathlib
import sys
import unittest
from unittest import mock

import numpy as np

import abut
from support import asset, exp, matrix, needs_assets, poses, slopes
from test_systems import pushing


class Products(unittest.TestCase):
    def setUp(self):
        self.A, self.B = abut.ellipsoid(0.1, 0.2, 0.15), abut.sphere(0.05)
        self.X_AB = poses(5, reach=0.3)

    def test_vjp_and_jvp_are_adjoint(self):
        random = np.random.default_rng(0)
        found = abut.witness_derivative(self.A, self.B, self.X_AB)
        xi, g = random.normal(size=(5, 6)), random.normal(size=(5, 3))
        h = random.normal(size=5)
        change = abut.jvp(found, xi)
        expected = np.sum(g * change["p1"]) + np.sum(h * change["distance"])
        self.assertAlmostEqual(np.sum(abut.vjp(found, p1=g, distance=h) * xi), expected, places=12)

    def test_numbers_are_real(self):
        found = abut.witness_derivative(self.A, self.B, self.X_AB[0])
        system = pushing().system()
        for wrong in ([1j] * 6, np.ones(6, complex), ["1"] * 6, np.array(["1"] * 6), [True] * 6, np.ones(6, bool), [None] * 6,
                      np.ones(6, object)):
            for name, call in (("jvp: tangent", lambda: abut.jvp(found, wrong)), ("vjp: p1", lambda: abut.vjp(found, p1=wrong[:3])),
                               ("pose_gradient: gradient", lambda: abut.pose_gradient(np.eye(4), wrong)),
                               ("with_values: values", lambda: system.with_values([("mass", "bar")], wrong[:1]))):
                with self.assertRaisesRegex(TypeError, f"^{name} must be an array of numbers(, not of |; it holds something else)"):
                    call()
        with self.assertRaisesRegex(TypeError, "^vjp: distance must be an array of numbers, not bool$"):
            abut.vjp(found, distance=True)
        for fine in np.ones(6, np.float32), np.ones(6, np.uint8), [1] * 6:
            np.testing.assert_array_equal(abut.jvp(found, fine)["p1"], found.dp1_A_dxi_B.sum(axis=-1))
        none = abut.witness_derivative([], self.B, np.eye(4))
        self.assertEqual(abut.vjp(none, distance=[]).shape, (0, 6))

    def test_what_was_not_asked_for_is_no_derivative(self):
        by_value = abut.soft_distance(self.A, [[0.3, 0.1, 0.2]], order=1)
        self.assertEqual(list(abut.jvp(by_value, [[1, 0, 0]])), ["value"])
        with self.assertRaisesRegex(abut.NotAsked, "SoftDistance.hessian was not asked for; give order=2"):
            by_value.hessian
        wrench = abut.wrench(self.A, self.B, self.X_AB, model="soft_minimum")
        for asked, cotangents in ((by_value, {"gradient": np.ones((1, 3))}), (wrench, {"F_BBo_B": np.ones((5, 6))}),
                                  (abut.soft_distance(self.A, [0.3, 0.1, 0.2], order=0), {"value": 1.0})):
            with self.assertRaisesRegex(abut.InvalidInput, "vjp: .* was not asked for"):
                abut.vjp(asked, **cotangents)

    def test_of_one_pair_and_of_wrenches(self):
        one = abut.witness_derivative(self.A, self.B, self.X_AB[0])
        np.testing.assert_allclose(abut.vjp(one, distance=2.0), 2 * one.dd_dxi_B)
        wrench = abut.wrench_derivative(self.A, self.B, self.X_AB, model="soft_minimum")
        g = np.random.default_rng(0).normal(size=(5, 6))
        expected = np.einsum("nm,nmk->nk", g, wrench.dF_dV_AB_B)
        np.testing.assert_allclose(abut.vjp(wrench, F_BBo_B=g)[:, 6:], expected)

    def test_gradients_by_the_numbers_of_a_pose_are_slopes(self):
        pose = self.X_AB[0] * np.array([1.3] * 4 + [1] * 3)  # a quaternion that is not unit
        distance = lambda p: abut.separation(self.A, self.B, p).distance
        g = abut.vjp(abut.witness_derivative(self.A, self.B, pose), distance=1.0)
        step = 1e-6
        expected = [(distance(pose + step * e) - distance(pose - step * e)) / (2 * step) for e in np.eye(7)]
        np.testing.assert_allclose(abut.pose_gradient(pose, g), expected, atol=1e-8)

    def test_quaternions_are_of_any_length(self):
        X, xi = np.array([0.6, 0.8, 0, 0, 0.3, 0.1, 0.2]), np.arange(1.0, 7)
        for length in 1e-200, 1e200:
            scales = np.array([length] * 4 + [1] * 3)
            by_scaled = abut.pose_gradient(X * scales, xi)
            np.testing.assert_allclose(by_scaled * scales, abut.pose_gradient(X, xi), rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(abut.pose_tangent(X * scales, X[::-1] * scales), abut.pose_tangent(X, X[::-1]), rtol=1e-12)
            np.testing.assert_allclose(abut.gradients.pose_as_seven("pose", "X", X * scales), X, rtol=1e-12)

    @needs_assets
    def test_of_volumes_in_common_and_contact_points(self):
        mug, box, X = asset("005_mug"), asset("001_box"), matrix(np.array([1, 0.1, 0.2, 0.1, 0.03, 0, 0.05]))
        xi = 1e-6 * np.array([1, -2, 3, 0.2, 0.1, -0.3])
        found = abut.overlap_volume(mug, box, X)
        self.assertGreater(found.volume, 0)
        np.testing.assert_array_equal(abut.vjp(found, volume=2.0), 2 * found.dvolume_dxi_B)
        self.assertEqual(abut.jvp(found, xi)["volume"], found.dvolume_dxi_B @ xi)
        ball, ground = abut.sphere(0.05), abut.half_space()
        points = abut.contact_points(ground, ball, [1, 0, 0, 0, 0, 0, 0.048], derivatives=True)
        K = len(points.gap)
        changes = abut.jvp(points, np.tile(xi, (K, 1)))
        np.testing.assert_allclose(changes["gap"], points.dgap_dxi_B @ xi)
        np.testing.assert_allclose(changes["p_AC"], points.dp_dxi_B @ xi)
        np.testing.assert_allclose(abut.vjp(points, gap=np.ones(K)), points.dgap_dxi_B)

    def test_gradients_by_a_matrix_are_slopes_along_rotations(self):
        X = matrix(self.X_AB[0])
        g = abut.vjp(abut.witness_derivative(self.A, self.B, X), distance=1.0)
        xi = np.array([0.3, -0.2, 0.5, 0.1, 0.7, -0.4])
        step = 1e-6
        dX = (X @ exp(step * xi) - X @ exp(-step * xi)) / (2 * step)
        self.assertAlmostEqual(np.sum(abut.pose_gradient(X, g) * dX), g @ xi, places=8)
        np.testing.assert_allclose(abut.pose_tangent(X, dX), xi, atol=1e-8)

    def test_tangents_invert_gradients(self):
        xi = np.random.default_rng(0).normal(size=(5, 6))
        for X in self.X_AB, np.stack([matrix(p) for p in self.X_AB]):
            dX = np.random.default_rng(1).normal(size=X.shape)
            self.assertAlmostEqual(np.sum(abut.pose_gradient(X, xi) * dX), np.sum(xi * abut.pose_tangent(X, dX)),
                                   places=12)

    def test_slopes_of_the_distance(self):
        X = matrix(self.X_AB[0])
        found = abut.witness_derivative(self.A, self.B, X)
        expected = slopes(lambda Y: abut.witness_derivative(self.A, self.B, Y).dd_dxi_B, X)
        np.testing.assert_allclose(abut.gradients.distance_slopes(X, found), expected, atol=1e-7)

    def test_slopes_of_a_wrench(self):
        X, V = matrix(np.array([0.9, 0.1, 0.2, -0.3, 0, 0, 0.195])), np.full(6, 0.1)
        found = abut.wrench_hessian(self.A, self.B, X, V, model="soft_minimum")
        expected = slopes(
            lambda Y: abut.wrench_derivative(self.A, self.B, Y, V, model="soft_minimum").dF_dxi_B, X, 1e-5)
        J = np.concatenate([found.dF_dxi_B, found.dF_dV_AB_B], axis=1)
        ours = abut.gradients.slopes_of_jacobian(J, found.d2F)[:, :6, :6]
        np.testing.assert_allclose(ours, expected, atol=1e-6 * np.abs(expected).max())


class Jax(unittest.TestCase):
    def test_gradients_have_the_types_of_their_arrays_and_batches_are_called_one_by_one(self):
        """By a stand-in for JAX: test_jax.py asks JAX itself where that is installed."""
        others = {name: module for name, module in sys.modules.items() if name.split(".")[0] != "jax" and name != "abut.jax"}
        stubs = str(pathlib.Path(__file__).parent / "stubs")
        with mock.patch.dict(sys.modules, others, clear=True), mock.patch.object(sys, "path", [stubs, *sys.path]), \
                mock.patch.object(abut, "jax", None, create=True):
            jax, ours = importlib.import_module("jax"), importlib.import_module("abut.jax")
            X, V = np.array([1, 0, 0, 0, 0, 0, 0.048], dtype=np.float32), np.full(6, 0.1)
            self.assertEqual(ours.wrench(abut.half_space(), abut.sphere(0.05), X, V).dtype, np.float32)
            by_X, by_V = jax.gradients_of_last(np.ones(6, dtype=np.float32))
        self.assertEqual((by_X.dtype, by_V.dtype), (np.float32, np.float64))
        found = abut.wrench_derivative(abut.half_space(), abut.sphere(0.05), X, V)
        np.testing.assert_array_equal(by_V, found.dF_dV_AB_B.sum(axis=0))


if __name__ == "__main__":
    unittest.main()
