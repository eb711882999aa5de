"""Distances of systems and their derivatives by the velocities."""

import unittest

import numpy as np

import abut


def arm():
    scene = abut.Scene()
    scene.add_plane((0, 0, 1), -0.4)
    scene.add_fixed_box((0.1, 0.1, 0.3), (1, 0, 0, 0, 0.9, 0.2, 0))
    parent = "world"
    for i in range(3):
        name = f"link{i}"
        scene.add_body(name, 1, (1, 1, 1), [(abut.capsule(0.05, 0.1), (np.sqrt(0.5), 0, np.sqrt(0.5), 0, 0.15, 0, 0))],
                       pose=(1, 0, 0, 0, 0.35 * i, 0, 0))
        scene.add_joint(f"turn{i}", "revolute", parent, (1, 0, 0, 0, 0.35 * i, 0, 0), (0, 0, 1) if i % 2 == 0 else (0, 1, 0))
        parent = name
    scene.add_body("ball", 1, (1, 1, 1), [abut.sphere(0.1)], pose=(1, 0, 0, 0, 0.4, 0.3, 0))
    return scene.system()


class Clearance(unittest.TestCase):
    def test_are_those_of_witness_derivative(self):
        system = arm()
        z = system.vector(system.initial_state())
        found = abut.clearances(system, z, margin=10)
        self.assertEqual(found.names.count(("world", "link2")), 2)
        self.assertIn(("link0", "link2"), found.names)
        self.assertNotIn(("link0", "link1"), found.names)
        K = len(found.names)
        self.assertEqual([found.state.shape, found.pairs.shape, found.shapes.shape, found.distance.shape, found.p_A.shape,
                          found.n.shape, found.dd_dv.shape, found.status.shape],
                         [(K,), (K, 2), (K, 2), (K,), (K, 3), (K, 3), (K, system.nx // 2), (K,)])
        np.testing.assert_allclose(found.p_B - found.p_A, found.distance[:, None] * found.n, atol=1e-9)
        for k, (A, B) in enumerate(found.names):
            (a, X_AS), (b, X_BS) = system.shapes[A][found.shapes[k, 0]], system.shapes[B][found.shapes[k, 1]]
            X_WA = X_AS if A == "world" else system.pose(z, A, X_AS)
            one = abut.witness_derivative(a, b, np.linalg.inv(X_WA) @ system.pose(z, B, X_BS))
            self.assertAlmostEqual(one.distance, found.distance[k], delta=1e-12)
            if A == "world":
                np.testing.assert_allclose(found.dd_dv[k], one.dd_dxi_B @ system.jacobian(z, B, X_BS), atol=1e-9)

    def test_slopes_are_differences(self):
        system, random = arm(), np.random.default_rng(1)
        z = system.vector(system.initial_state())
        for joint in system.joints.values():
            z[joint.z_q] = random.uniform(-0.5, 0.5)
        found, h = abut.clearances(system, z, margin=10), 1e-5
        for joint in system.joints.values():
            step = np.zeros(system.nz)
            step[joint.z_q] = h
            up, down = (abut.clearances(system, z + sign * step, margin=10).distance for sign in (1, -1))
            np.testing.assert_allclose(found.dd_dv[:, joint.x_q][:, 0], (up - down) / (2 * h), atol=1e-7)

    def test_batches_are_what_single_states_are(self):
        system, random = arm(), np.random.default_rng(2)
        z = np.tile(system.vector(system.initial_state()), (200, 1))
        z[:, :3] += random.uniform(-1, 1, (200, 3))
        many = abut.clearances(system, z, threads=2)
        for i in range(0, 200, 20):
            one = abut.clearances(system, z[i], threads=2)
            for name in ("pairs", "shapes", "distance", "p_A", "dd_dv"):
                np.testing.assert_array_equal(getattr(one, name), getattr(many, name)[many.state == i])
        self.assertTrue((many.distance <= 0.05).all())
        self.assertEqual(len(abut.clearances(system, z[:0]).names), 0)
        state = system.state(z[3])
        np.testing.assert_array_equal(abut.clearances(system, state).distance, abut.clearances(system, z[3]).distance)

    def test_errors_name_the_argument(self):
        system = arm()
        z = system.vector(system.initial_state())
        for change, words in (({"margin": -1}, "clearances.*margin"), ({"model": "none"}, "clearances.*none"),
                              ({"threads": -1}, "clearances: threads")):
            with self.assertRaisesRegex(abut.InvalidInput, words):
                abut.clearances(system, z, **change)
        with self.assertRaisesRegex(abut.InvalidInput, r"clearances: z has shape .*must be"):
            abut.clearances(system, z[1:])
        with self.assertRaisesRegex(abut.InvalidInput, r"clearances: z\[1\]: .*NaN"):
            abut.clearances(system, [z, z * np.nan])
        with self.assertRaises(TypeError):
            abut.clearances("system", z)


if __name__ == "__main__":
    unittest.main()
