import csv
import os
import subprocess
import tempfile
import unittest

import numpy as np

import abut
from support import ASSETS, asset, exp, matrix, needs_assets, poses, slopes


class Separation(unittest.TestCase):
    def test_spheres_in_closed_form(self):
        A, B = abut.sphere(0.1), abut.sphere(0.2)
        found = abut.separation(A, B, [1, 0, 0, 0, 0, 0, 1])
        self.assertAlmostEqual(found.distance, 0.7, places=14)
        np.testing.assert_allclose(found.p1, [0, 0, 0.1], atol=1e-15)
        np.testing.assert_allclose(found.n, [0, 0, 1], atol=1e-15)
        self.assertIs(found.status, abut.Status.OK)

    def test_what_does_not_fit_into_memory_is_a_memory_error(self):
        ball = abut.sphere(0.1)
        many = np.broadcast_to(np.array([1, 0, 0, 0, 0.3, 0, 0], np.float32), (2**44, 7))
        with self.assertRaises(MemoryError):
            abut.separation(ball, ball, many)
        with self.assertRaises(MemoryError):
            abut.separation(([ball], np.broadcast_to(np.int32(0), (2**45,))), ball, many[0])

    def test_a_batch_has_the_bits_of_single_questions_on_any_number_of_threads(self):
        A, B = abut.box(0.1, 0.2, 0.05), abut.cone(0.1, 0.05)
        X_AB = poses(300)
        one = abut.separation(A, B, X_AB, threads=1)
        three = abut.separation(A, B, X_AB, threads=3)
        for name in "distance", "p1", "p2", "n", "status", "lower_bound":
            np.testing.assert_array_equal(getattr(one, name), getattr(three, name))
        for i in range(0, 300, 37):
            single = abut.separation(A, B, X_AB[i])
            self.assertEqual(single.distance, one.distance[i])
            np.testing.assert_array_equal(single.p1, one.p1[i])
        self.assertEqual(len(one), 300)

    def test_bodies_are_one_or_many_or_indices_into_a_list(self):
        shapes = [abut.sphere(r) for r in (0.01, 0.02, 0.03)]
        X_AB = np.tile(np.eye(4), (4, 1, 1))
        X_AB[:, 2, 3] = 1
        by_index = abut.separation(shapes[0], (shapes, np.array([0, 1, 2, 1])), X_AB)
        np.testing.assert_allclose(by_index.distance, 0.99 - np.array([0.01, 0.02, 0.03, 0.02]), atol=1e-14)
        each = abut.separation(shapes, shapes[::-1], X_AB[0])
        np.testing.assert_allclose(each.distance, 0.96, atol=1e-14)

    def test_arrays_of_any_layout_give_the_same_bits(self):
        A, B = abut.box(0.1, 0.2, 0.05), abut.sphere(0.1)
        X_AB = np.stack([matrix(pose) for pose in poses(20)])
        expected = abut.separation(A, B, X_AB).distance
        frozen = X_AB.copy()
        frozen.setflags(write=False)
        unaligned = np.frombuffer(b"x" + X_AB.tobytes(), np.uint8)[1:].view(np.float64).reshape(X_AB.shape)
        for same in (np.asfortranarray(X_AB), frozen, X_AB[::-1][::-1], X_AB.tolist(), unaligned,
                     X_AB.astype(">f8"), np.repeat(X_AB, 2, axis=0)[::2]):
            np.testing.assert_array_equal(abut.separation(A, B, same).distance, expected)
        rounded = X_AB.astype(np.float32)
        np.testing.assert_array_equal(abut.separation(A, B, rounded).distance,
                                      abut.separation(A, B, rounded.astype(float)).distance)

    def test_answers_outlive_their_object(self):
        p1 = abut.separation(abut.sphere(0.1), abut.sphere(0.2), poses(50)).p1
        self.assertTrue(np.isfinite(p1).all())
        p1[:] = 0  # they are the caller's

    def test_no_questions_have_no_answers(self):
        found = abut.separation(abut.sphere(0.1), abut.sphere(0.2), np.empty((0, 7)))
        self.assertEqual(found.distance.shape, (0,))
        self.assertEqual(found.p1.shape, (0, 3))

    def test_a_solver_for_one_pair_gives_the_same_distances(self):
        A, B = abut.box(0.1, 0.2, 0.05), abut.cylinder(0.1, 0.05)
        X_AB = poses(50, reach=0.5)
        solver = abut.PairSolver(A, B)
        np.testing.assert_allclose(solver(X_AB).distance, abut.separation(A, B, X_AB).distance, atol=1e-9)
        solver.forget()
        self.assertEqual(solver(X_AB[0]).p1.shape, (3,))

    @needs_assets
    def test_the_command_line_says_the_same(self):
        program = os.environ.get("ABUT_QUERY")
        if not program:
            self.skipTest("abut-query was not built")
        X_AB = poses(20)
        X_AB[:, :4] = np.resize([[1, 0, 0, 0], [0.5, 0.5, 0.5, 0.5], [0, 0, 1, 0]], (20, 4))  # exact rotations
        with tempfile.TemporaryDirectory(dir=".") as folder:
            questions, answers = f"{folder}/poses.csv", f"{folder}/answers.csv"
            with open(questions, "w") as file:
                print("objA,objB,qw,qx,qy,qz,tx,ty,tz", file=file)
                for pose in X_AB:
                    print("005_mug,001_box," + ",".join(repr(float(x)) for x in pose), file=file)
            subprocess.run([program, str(ASSETS), questions, "--out", answers], check=True, capture_output=True)
            with open(answers) as file:
                rows = list(csv.DictReader(file))
        found = abut.separation(asset("005_mug"), asset("001_box"), X_AB)
        for i, row in enumerate(rows):
            self.assertEqual(float(row["sd"]), found.distance[i])
            self.assertEqual(float(row["p1x"]), found.p1[i, 0])


class WitnessDerivative(unittest.TestCase):
    def test_of_primitives_is_the_slope_of_the_answers(self):
        A, B = abut.ellipsoid(0.1, 0.2, 0.15), abut.sphere(0.05)
        X_AB = matrix(np.array([0.9, 0.1, 0.2, -0.3, 0.2, 0.15, 0.1]))
        found = abut.witness_derivative(A, B, X_AB)
        for value, derivative in ("p1", "dp1_A_dxi_B"), ("p2", "dp2_A_dxi_B"), ("n", "dn_A_dxi_B"), ("distance", "dd_dxi_B"):
            expected = slopes(lambda X: np.asarray(getattr(abut.separation(A, B, X), value)), X_AB)
            np.testing.assert_allclose(getattr(found, derivative), expected, atol=1e-7)

    @needs_assets
    def test_a_batch_has_the_bits_of_single_questions_for_every_estimator(self):
        A, B, X_AB = asset("005_mug"), asset("001_box"), poses(20)
        for name in abut.estimators():
            with self.subTest(name):
                handle = abut.Estimator(name, threads=2)
                many = handle(A, B, X_AB)
                one = handle(A, B, X_AB[7])
                np.testing.assert_array_equal(many.dp1_A_dxi_B[7], one.dp1_A_dxi_B)
                np.testing.assert_array_equal(
                    many.dd_dxi_B, abut.witness_derivative(A, B, X_AB, estimator=name, threads=1).dd_dxi_B)

    def test_calls_in_a_row_do_not_take_one_anothers_settings(self):
        A, B, X_AB = abut.ellipsoid(0.1, 0.2, 0.15), abut.sphere(0.05), poses(1, reach=0.4)[0]
        abut.witness_derivative(A, B, X_AB, eps=1)
        with self.assertRaisesRegex(abut.InvalidInput, "eps is 'yes'"):
            abut.witness_derivative(A, B, X_AB, eps=True)
        first = abut.witness_derivative(A, B, X_AB, estimator="finite_difference")
        abut.witness_derivative(A, B, X_AB)
        again = abut.witness_derivative(A, B, X_AB, estimator="finite_difference")
        np.testing.assert_array_equal(first.dp1_A_dxi_B, again.dp1_A_dxi_B)

    @needs_assets
    def test_settings_reach_the_estimator(self):
        A, B, X_AB = asset("005_mug"), asset("001_box"), poses(1)[0]
        few = abut.witness_derivative(A, B, X_AB, rings=2, eps=1e-3)
        same = abut.witness_derivative(A, B, X_AB, rings=np.int32(2), eps="1e-3")
        more = abut.witness_derivative(A, B, X_AB, rings=9, eps=1e-1)
        np.testing.assert_array_equal(few.dn_A_dxi_B, same.dn_A_dxi_B)
        self.assertTrue((few.dn_A_dxi_B != more.dn_A_dxi_B).any())

    @needs_assets
    def test_smoothed_witnesses_have_second_derivatives(self):
        A, B, X_AB = asset("005_mug"), asset("001_box"), matrix(poses(1, reach=0.4)[0])
        found = abut.smoothed_witness(A, B, X_AB, hessian=True)
        step = 1e-4  # the diagonal of the Hessian in the chart X_AB exp(xi)
        for k, e in enumerate(np.eye(6)):
            at = [abut.smoothed_witness(A, B, X_AB @ exp(s * e)).distance for s in (-step, 0, step)]
            self.assertAlmostEqual(found.d2d_dxi_B[k, k], (at[0] - 2 * at[1] + at[2]) / step**2, places=4)
        with self.assertRaisesRegex(abut.NotAsked, "SmoothedWitness.d2d_dxi_B was not asked for; give hessian=True"):
            abut.smoothed_witness(A, B, X_AB).d2d_dxi_B

    def test_settings_are_documented_from_the_tables(self):
        for name, row in abut.estimators().items():
            self.assertIn(repr(name), abut.witness_derivative.__doc__)
            for setting in row.settings:
                self.assertIn(setting.help, abut.witness_derivative.__doc__)


if __name__ == "__main__":
    unittest.main()
