import copy
import pathlib
import pickle
import shutil
import tempfile
import unittest
import warnings

import numpy as np

import abut
from support import ASSETS, asset, exp, matrix, needs_assets, poses, slopes


def pressed():
    """A compliant ball 2 mm deep in a rigid half-space, moving."""
    ground = abut.Body(abut.half_space(), abut.Material(modulus=abut.RIGID, friction=0.5))
    ball = abut.Body(abut.sphere(0.05), abut.Material(modulus=1e6, friction=0.5, dissipation=0.1))
    X_AB = matrix(np.array([0.9, 0.1, 0.2, -0.3, 0, 0, 0.048]))
    return ground, ball, X_AB, np.array([0.1, -0.2, 0.3, 0.02, 0.01, -0.03])


class Wrench(unittest.TestCase):
    def test_messages_name_the_call(self):
        ball, wrong = abut.sphere(0.1), np.eye(3)
        for call in "wrench", "wrench_derivative", "wrench_hessian":
            for ask in getattr(abut, call), getattr(abut.Model("soft_minimum"), call):
                with self.assertRaisesRegex(abut.InvalidInput, f"^{call}: X_AB"):
                    ask(ball, ball, wrong)
        for call in abut.wrench, abut.wrench_derivative:
            with self.assertRaisesRegex(abut.InvalidInput, f"^{call.__name__}: .* offers no energy"):
                call(ball, ball, np.eye(4), model="soft_minimum", energy=True)
        with self.assertRaisesRegex(abut.InvalidInput, "^wrench_hessian: .* offers no Hessian"):
            abut.wrench_hessian(ball, ball, np.eye(4), model="point")

    def test_a_ball_on_the_ground_is_pushed_up(self):
        ground, ball, X_AB, _ = pressed()
        found = abut.wrench(ground, ball, X_AB, energy=True)
        force = X_AB[:3, :3] @ found.F_BBo_B[3:]
        self.assertGreater(force[2], 1)
        np.testing.assert_allclose(force[:2], 0, atol=1e-2 * force[2])
        self.assertGreater(found.energy, 0)
        self.assertFalse(hasattr(found, "dF_dxi_B"))  # not asked for
        apart = abut.wrench(ground, ball, [1, 0, 0, 0, 0, 0, 1])
        self.assertIs(apart.status, abut.Status.NO_OVERLAP)
        np.testing.assert_array_equal(apart.F_BBo_B, 0)

    def test_settings_are_numbers_words_and_truths(self):
        ground, ball, X_AB, _ = pressed()
        plain = abut.wrench(ground, ball, X_AB, fade_pulls=False).F_BBo_B
        for no in "no", np.False_:
            np.testing.assert_array_equal(plain, abut.wrench(ground, ball, X_AB, fade_pulls=no).F_BBo_B)
        np.testing.assert_array_equal(plain, abut.wrench(ground, ball, X_AB, stiction_speed=np.array(1e-3)).F_BBo_B)
        fast = abut.wrench(ground, ball, X_AB, [0, 0, 0, 1, 0, 0], stiction_speed=1).F_BBo_B
        slow = abut.wrench(ground, ball, X_AB, [0, 0, 0, 1, 0, 0], stiction_speed="1e-3").F_BBo_B
        self.assertLess(np.linalg.norm(fast), np.linalg.norm(slow))

    def test_jacobians_are_the_slopes_of_the_wrench(self):
        ground, ball, X_AB, V = pressed()
        for model in "pressure_field", "soft_minimum":
            with self.subTest(model):
                found = abut.wrench_derivative(ground, ball, X_AB, V, model=model)
                expected = slopes(lambda X: abut.wrench(ground, ball, X, V, model=model).F_BBo_B, X_AB)
                scale = np.abs(expected).max()
                np.testing.assert_allclose(found.dF_dxi_B, expected, atol=1e-5 * scale)
                step = 1e-6
                columns = [(abut.wrench(ground, ball, X_AB, V + step * e, model=model).F_BBo_B
                            - abut.wrench(ground, ball, X_AB, V - step * e, model=model).F_BBo_B) / (2 * step)
                           for e in np.eye(6)]
                np.testing.assert_allclose(found.dF_dV_AB_B, np.stack(columns, axis=-1), atol=1e-5 * scale)

    def test_hessians_are_the_second_slopes(self):
        ground, ball, X_AB, V = pressed()
        found = abut.wrench_hessian(ground, ball, X_AB, V, model="soft_minimum")
        model = abut.Model("soft_minimum")
        np.testing.assert_allclose(found.d2F, np.swapaxes(found.d2F, 1, 2), rtol=1e-9)
        step = 1e-5
        for k, e in enumerate(np.eye(6)):
            at = [model.wrench(ground, ball, X_AB @ exp(s * e), V).F_BBo_B for s in (-step, 0, step)]
            second = (at[0] - 2 * at[1] + at[2]) / step**2
            np.testing.assert_allclose(found.d2F[:, k, k], second, atol=1e-3 * max(1, np.abs(found.d2F).max()))

    @needs_assets
    def test_a_batch_has_the_bits_of_single_questions_for_every_model(self):
        mug = abut.Body(asset("005_mug"), abut.Material(friction=0.3))
        box = abut.Body(asset("001_box"), abut.Material(friction=0.4))
        X_AB, V = poses(12, reach=0.1), np.random.default_rng(1).normal(size=(12, 6))
        for name in abut.models():
            with self.subTest(name):
                handle = abut.Model(name, threads=2)
                many = handle.wrench_derivative(mug, box, X_AB, V)
                same = abut.wrench_derivative(mug, box, X_AB, V, model=name, threads=1)
                np.testing.assert_array_equal(many.F_BBo_B, same.F_BBo_B)
                np.testing.assert_array_equal(many.dF_dxi_B, same.dF_dxi_B)
                for i in 0, 5, 11:
                    one = handle.wrench_derivative(mug, box, X_AB[i], V[i])
                    np.testing.assert_array_equal(many.F_BBo_B[i], one.F_BBo_B)
                    np.testing.assert_array_equal(many.dF_dV_AB_B[i], one.dF_dV_AB_B)
                    self.assertEqual(many.status[i], one.status)

    @needs_assets
    def test_contact_points_come_by_pair(self):
        mug, box = asset("005_mug"), asset("001_box")
        X_AB = poses(8, reach=0.1)
        for name in abut.models():
            with self.subTest(name):
                many = abut.contact_points(mug, box, X_AB, margin=0.005, derivatives=True, model=name)
                self.assertEqual(many.offsets.shape, (9,))
                self.assertEqual(len(many), many.offsets[-1])
                self.assertEqual(many.dp_dxi_B.shape, (len(many), 3, 6))
                self.assertGreater(len(many), 0)
                one = abut.contact_points(mug, box, X_AB[3], margin=0.005, model=name)
                rows = slice(many.offsets[3], many.offsets[4])
                np.testing.assert_array_equal(many.p_AC[rows], one.p_AC)
                np.testing.assert_array_equal(many.feature[rows], one.feature)
                self.assertTrue((many.gap <= 0.005).all())


    @needs_assets
    def test_contact_points_are_copied_and_pickled(self):
        mug, box = asset("005_mug"), abut.box(0.05, 0.05, 0.05)
        X_AB = poses(8, reach=0.1)
        names = ["p_AC", "n_A", "gap", "area", "feature", "dp_dxi_B", "dn_dxi_B", "dgap_dxi_B", "offsets", "status"]
        for asked in X_AB, X_AB[0]:
            found = abut.contact_points(mug, box, asked, margin=0.005, derivatives=np.True_)
            for again in pickle.loads(pickle.dumps(found)), copy.deepcopy(found), copy.copy(found):
                for name in names:
                    np.testing.assert_array_equal(getattr(again, name), getattr(found, name), err_msg=name)

    def test_parallel_faces_clamp_the_derivatives_of_points(self):
        box, X_AB = abut.box(0.03, 0.02, 0.04), [1, 0, 0, 0, 0.055, 0.001, 0.002]
        self.assertIs(abut.wrench_derivative(box, box, X_AB, model="point").status, abut.Status.CLAMPED)
        for derivatives, status in (False, abut.Status.OK), (True, abut.Status.CLAMPED):
            found = abut.contact_points(box, box, X_AB, model="point", derivatives=derivatives)
            self.assertIs(found.status, status)
            self.assertEqual(len(found), 1)

    def test_what_the_margin_does_is_the_models(self):
        ground, ball, _, _ = pressed()
        near, deep = [1, 0, 0, 0, 0, 0, 0.0505], [1, 0, 0, 0, 0, 0, 0.0495]

        def found(model, X_AB, margin):
            return abut.contact_points(ground, ball, X_AB, margin=margin, model=model)

        for model in abut.models():
            with self.subTest(model):
                self.assertEqual(len(found(model, near, 0)), 0)
                self.assertEqual(len(found(model, near, 2e-3)) > 0, model != "pressure_field")
                self.assertEqual(np.any(found(model, deep, 2e-3).area > 0), model != "point")
        self.assertEqual(len(found("point", near, 2e-3)), 1)
        field = abut.wrench(ground, ball, deep)
        self.assertGreater(len(found("pressure_field", deep, 0)), 100)
        self.assertAlmostEqual(found("pressure_field", deep, 0).area.sum() / field.area, 1, places=6)
        self.assertEqual(len(found("pressure_field", deep, 2e-3)), len(found("pressure_field", deep, 0)))


class SoftDistance(unittest.TestCase):
    def test_of_a_ball_is_exact(self):
        points = np.random.default_rng(0).normal(size=(100, 3))
        found = abut.soft_distance(abut.sphere(0.3), points, order=2)
        np.testing.assert_allclose(found.value, np.linalg.norm(points, axis=1) - 0.3, atol=1e-14)
        np.testing.assert_allclose(found.gradient, points / np.linalg.norm(points, axis=1, keepdims=True), atol=1e-14)

    def test_no_order_is_taken_for_another(self):
        for order in 2**8, 2**32, 2**32 + 1, 2**61:
            with self.assertRaisesRegex(abut.InvalidInput, "order is more than 2"):
                abut.soft_distance(abut.sphere(0.3), [0, 0, 1], order=order)

    @needs_assets
    def test_derivatives_are_slopes(self):
        mug = abut.SoftDistances(asset("005_mug"))
        p, step = np.array([0.03, 0.04, 0.02]), 1e-6
        found = mug(p, order=2)
        for k, e in enumerate(np.eye(3)):
            ahead, behind = mug(p + step * e), mug(p - step * e)
            self.assertAlmostEqual(found.gradient[k], (ahead.value - behind.value) / (2 * step), places=7)
            np.testing.assert_allclose(found.hessian[k], (ahead.gradient - behind.gradient) / (2 * step), rtol=1e-5,
                                       atol=1e-4)
        self.assertEqual(mug(p, order=0).value, abut.soft_distance(asset("005_mug"), p, order=0).value)

    @needs_assets
    def test_the_number_of_threads_changes_no_bit(self):
        points = np.random.default_rng(0).uniform(-0.1, 0.1, (500, 3)).astype(np.float32)
        one = abut.soft_distance(asset("005_mug"), points, order=2, threads=1, kernel="wall")
        two = abut.soft_distance(asset("005_mug"), points, order=2, threads=2, kernel="wall")
        np.testing.assert_array_equal(one.hessian, two.hessian)


class Points(unittest.TestCase):
    @needs_assets
    def test_points_that_are_too_few_for_thin_walls_are_a_warning(self):
        said = "005_mug: soft distances of its .* points have the wrong sign at .* %.*; make the asset with --quads auto"
        with self.assertWarnsRegex(UserWarning, said) as told:
            abut.load(ASSETS / "005_mug.h5")
        self.assertEqual(told.filename, __file__)
        with tempfile.TemporaryDirectory(dir=".") as folder:
            shutil.copy(ASSETS / "005_mug.h5", folder)
            with self.assertWarnsRegex(UserWarning, said) as told:
                abut.load_folder(folder)
            self.assertEqual(told.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            abut.load(ASSETS / "001_box.h5")


if __name__ == "__main__":
    unittest.main()
