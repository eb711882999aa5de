"""Distance models: every row of the table, so that one that is added is tested by being there."""

import copy
import pickle
import unittest

import numpy as np

import abut
from support import asset, exp, matrix, needs_assets, poses, slopes

VALUES = {"distance": "dd_dxi_B", "p1": "dp1_A_dxi_B", "p2": "dp2_A_dxi_B", "n": "dn_A_dxi_B"}


def same(test, one, other, names):
    for name in names:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=f"{test}: {name}")


@needs_assets
class Rows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.A, cls.B, cls.X_AB = asset("005_mug"), asset("006_banana"), poses(40, reach=0.15)
        cls.models = [(model, method) for model, row in abut.distance_models().items() for method in row.capabilities["methods"]]

    def test_a_batch_has_the_bits_of_single_questions_on_any_number_of_threads(self):
        for model, method in self.models:
            with self.subTest(model, method=method):
                handle = abut.DistanceModel(model, method, threads=3)
                many, values = handle(self.A, self.B, self.X_AB), [*VALUES, *VALUES.values(), "status", "lower_bound"]
                same(model, many, abut.witness_derivative(self.A, self.B, self.X_AB, model=model, estimator=method, threads=1),
                     values)
                apart = handle.separation(self.A, self.B, self.X_AB)
                same(model, many, apart, VALUES)
                same(model, abut.separation(self.A, self.B, self.X_AB, model=model, threads=1), apart, VALUES)
                for i in range(0, 40, 13):
                    one = handle(self.A, self.B, self.X_AB[i])
                    for name in VALUES:
                        np.testing.assert_array_equal(getattr(many, name)[i], getattr(one, name))
                        np.testing.assert_array_equal(getattr(many, VALUES[name])[i], getattr(one, VALUES[name]))
                    self.assertEqual(apart.distance[i], handle.separation(self.A, self.B, self.X_AB[i]).distance)

    def test_volumes_in_common_and_their_slopes(self):
        X_AB = np.stack([matrix(pose) for pose in self.X_AB[:12]])
        X_AB[:, :3, 3] /= 10
        found, back = abut.overlap_volume(self.A, self.A, X_AB), abut.overlap_volume(self.A, self.A, np.linalg.inv(X_AB))
        self.assertTrue((np.abs(back.volume - found.volume) <= found.error + back.error).all())
        ok = np.asarray(found.status) == int(abut.Status.OK)
        self.assertGreater(ok.sum(), 2)
        h = 1e-5
        for k, xi in enumerate(np.eye(6)):
            ends = [abut.overlap_volume(self.A, self.A, X_AB @ exp(s * h * xi)).volume for s in (1, -1)]
            np.testing.assert_allclose(found.dvolume_dxi_B[ok, k], ((ends[0] - ends[1]) / (2 * h))[ok], atol=1e-8)
        one = abut.overlap_volume(self.A, self.A, X_AB[0])
        self.assertEqual((one.volume, one.dvolume_dxi_B.shape), (found.volume[0], (6,)))
        with self.assertRaises(abut.InvalidInput):
            abut.overlap_volume(self.A, abut.sphere(0.1), X_AB[0])

    def test_surfaces_take_primitives(self):
        ball, X_AB = abut.sphere(0.02), self.X_AB[0]
        found = abut.witness_derivative(self.A, ball, X_AB, model="surface")
        back = abut.separation(ball, self.A, np.linalg.inv(matrix(X_AB)), model="surface")
        self.assertAlmostEqual(found.distance, back.distance, places=12)
        with self.assertRaises(abut.InvalidInput):
            abut.separation(ball, ball, X_AB, model="surface")

    def test_exchanged_bodies_have_the_same_distance_the_other_way_round(self):
        for model in abut.distance_models():
            with self.subTest(model):
                X_AB = np.stack([matrix(pose) for pose in self.X_AB])
                found = abut.separation(self.A, self.B, X_AB, model=model)
                back = abut.separation(self.B, self.A, np.linalg.inv(X_AB), model=model)
                np.testing.assert_allclose(back.distance, found.distance, atol=1e-6)
                np.testing.assert_allclose(found.p2 - found.p1, found.distance[:, None] * found.n, atol=1e-9)

    def test_bodies_are_one_or_many_or_indices(self):
        for model in abut.distance_models():
            with self.subTest(model):
                one = abut.separation(self.A, self.B, self.X_AB[:4], model=model)
                each = abut.separation([self.A] * 4, ([self.A, abut.Body(self.B)], [1, 1, 1, 1]), self.X_AB[:4], model=model)
                same(model, one, each, VALUES)
                none = abut.separation(self.A, self.B, np.empty((0, 7)), model=model)
                self.assertEqual((none.distance.shape, none.p1.shape), ((0,), (0, 3)))

    def test_regions_start_with_the_answer_to_separation_and_grow_with_the_margin(self):
        for model in abut.distance_models():
            with self.subTest(model):
                found = abut.separation(self.A, self.B, self.X_AB, model=model)
                narrow, wide = (abut.all_contacts(self.A, self.B, self.X_AB, margin=margin, model=model) for margin in (0.01, 0.03))
                for margin, regions in (0.01, narrow), (0.03, wide):
                    self.assertEqual(len(regions), regions.offsets[-1])
                    np.testing.assert_array_equal(np.diff(regions.offsets) > 0, found.distance <= margin)
                    first = regions.offsets[:-1][found.distance <= margin]
                    ok = regions.status[first] == abut.Status.OK
                    np.testing.assert_allclose(regions.distance[first][ok], found.distance[found.distance <= margin][ok], atol=1e-4)
                    for begin, end in zip(regions.offsets, regions.offsets[1:]):
                        self.assertTrue((np.diff(regions.distance[begin:end]) >= 0).all())
                    self.assertFalse(hasattr(regions, "dd_dxi_B"))  # not asked for
                self.assertGreaterEqual(len(wide), len(narrow))
                one = abut.all_contacts(self.A, self.B, self.X_AB[3], margin=0.03, model=model, threads=2)
                begin, end = wide.offsets[3:5]
                np.testing.assert_array_equal(one.distance, wide.distance[begin:end])

    def test_answers_and_handles_are_copied_and_pickled(self):
        handle = abut.DistanceModel("surface", temperature=1e-3)
        regions = handle.all_contacts(self.A, self.B, self.X_AB, margin=0.02, derivatives=True)
        for again in pickle.loads(pickle.dumps(regions)), copy.deepcopy(regions):
            same("copy", regions, again, ["distance", "p1", "dn_A_dxi_B", "offsets", "feature_A", "status"])
        other = pickle.loads(pickle.dumps(handle))
        same("handle", handle.smoothed(self.A, self.B, self.X_AB), other.smoothed(self.A, self.B, self.X_AB), VALUES)

    def test_derivatives_of_surfaces_are_the_slopes_of_the_answers(self):
        model = abut.DistanceModel("surface")
        X_AB = [X for X in map(matrix, self.X_AB) if model(self.A, self.B, X).distance > 1e-3][:5]
        self.assertEqual(len(X_AB), 5)
        for X in X_AB:
            found = model(self.A, self.B, X)
            self.assertEqual(found.status, abut.Status.OK)
            for value, derivative in VALUES.items():
                expected = slopes(lambda X: np.asarray(getattr(model.separation(self.A, self.B, X), value)), X, step=1e-7)
                np.testing.assert_allclose(getattr(found, derivative), expected, atol=1e-5)
            smooth = model.smoothed(self.A, self.B, X)
            if smooth.status != abut.Status.OK:  # not all terms were taken
                continue
            expected = slopes(lambda X: model.smoothed(self.A, self.B, X).distance, X, step=1e-6)
            np.testing.assert_allclose(smooth.dd_dxi_B, expected, atol=1e-6)
            self.assertLessEqual(smooth.distance, smooth.exact_distance)

    def test_derivatives_of_regions_are_the_slopes_of_theirs(self):
        xi, margin, followed = 1e-7 * np.array([1, -2, 0.5, 0.3, 1, -1]), 0.004, 0
        X_AB = np.stack([matrix(pose) for pose in poses(12, seed=1, reach=0.15)])
        start = abut.separation(self.A, self.B, X_AB)
        X_AB[:, :3, 3] += (0.002 - start.distance)[:, None] * start.n  # apart by 2 mm and more
        regions = abut.all_contacts(self.A, self.B, X_AB, margin=margin, derivatives=True)
        ends = [abut.all_contacts(self.A, self.B, X_AB @ exp(s * xi), margin=margin) for s in (1, -1)]
        change = abut.jvp(regions, np.tile(xi, (len(regions), 1)))["distance"]
        for i in range(len(X_AB)):
            for k in range(*regions.offsets[i:i + 2]):
                at = [end.offsets[i] + np.flatnonzero(
                    (end.feature_A == regions.feature_A[k])[slice(*end.offsets[i:i + 2])] &
                    (end.feature_B == regions.feature_B[k])[slice(*end.offsets[i:i + 2])]) for end in ends]
                if regions.status[k] == abut.Status.OK and all(len(found) == 1 for found in at):
                    slope = (ends[0].distance[at[0][0]] - ends[1].distance[at[1][0]]) / 2
                    self.assertAlmostEqual(slope, change[k], delta=1e-12)
                    followed += 1
        self.assertGreater(followed, 5)

    def test_a_mug_is_open_where_its_hull_is_not(self):
        vertices = self.B.surface.vertices  # of a banana about the origin in the plane z = 0, an end at x = 0.08
        end, neck = vertices[vertices[:, 0] > 0.078].mean(axis=0), vertices[np.abs(vertices[:, 0] - 0.05) < 0.01].mean(axis=0)
        up, X = (neck - end) / np.linalg.norm(neck - end), np.eye(4)
        X[:3, :3] = np.cross([0, 0, 1], up), [0, 0, 1], up
        X[:3, 3] = [0, 0, 0.03] - X[:3, :3] @ end  # it stands in the mug
        self.assertLess(abut.separation(self.A, self.B, X).distance, -0.05)
        self.assertGreater(abut.separation(self.A, self.B, X, model="surface").distance, 0.01)
        self.assertGreater(abut.separation(self.A, self.B, X, model="pieces").distance, 0)  # of eight pieces each

    def test_separations_of_pieces_bound_the_translational_depth(self):
        X_AB = np.copy(self.X_AB)
        X_AB[::2, 4:] /= 4
        found = abut.separation(self.A, self.B, X_AB, model="pieces")
        overlap = found.distance < 0
        self.assertTrue(0 < overlap.sum() < len(found))
        for bound in found.depth_lower, found.depth_upper:
            np.testing.assert_array_equal(np.isnan(bound), ~overlap)
        lower, upper = found.depth_lower[overlap], found.depth_upper[overlap]
        np.testing.assert_allclose(lower, -found.distance[overlap], rtol=0, atol=1e-7)
        self.assertTrue((lower <= upper).all())
        # The hulls' shortest translation is the upper bound, and separates the pieces.
        hull = abut.separation(self.A, self.B, X_AB)
        np.testing.assert_allclose(upper, -hull.distance[overlap], rtol=0, atol=1e-7)
        moved = np.copy(X_AB[overlap])
        moved[:, 4:] += hull.n[overlap] * (upper + 1e-7)[:, None]
        self.assertTrue((abut.separation(self.A, self.B, moved, model="pieces").distance > 0).all())
        i = int(np.flatnonzero(overlap)[0])
        one = abut.separation(self.A, self.B, X_AB[i], model="pieces")
        self.assertEqual((one.depth_lower, one.depth_upper), (found.depth_lower[i], found.depth_upper[i]))
        for again in pickle.loads(pickle.dumps(found)), copy.deepcopy(found):
            same("copy", found, again, ["depth_lower", "depth_upper", "distance"])
        for other in hull, abut.separation(self.A, self.B, X_AB, model="surface"), pickle.loads(pickle.dumps(hull)):
            self.assertTrue(np.isnan(other.depth_lower).all() and np.isnan(other.depth_upper).all())
            self.assertNotIn("depth", repr(other))
        self.assertIn("depth_lower", repr(one))

    def test_pieces_are_smoothed_with_the_slopes_of_the_answers(self):
        self.assertTrue(abut.distance_models()["pieces"].capabilities["has_smoothed"])
        self.assertIn("temperature", abut.smoothed_witness.__doc__.split("'pieces'")[1])
        model, compared = abut.DistanceModel("pieces", temperature=1e-3), 0
        for X in map(matrix, self.X_AB[:12]):
            found = model.smoothed(self.A, self.B, X)
            same("pieces", found, abut.smoothed_witness(self.A, self.B, X, model="pieces", temperature=1e-3), VALUES)
            self.assertLessEqual(found.distance, found.exact_distance + 1e-12)
            if found.exact_distance < 1e-3 or found.status != abut.Status.OK:
                continue
            compared += 1
            expected = slopes(lambda X: model.smoothed(self.A, self.B, X).distance, X, step=1e-6)
            np.testing.assert_allclose(found.dd_dxi_B, expected, atol=1e-6)
        self.assertGreater(compared, 3)
        many = model.smoothed(self.A, self.B, self.X_AB)
        np.testing.assert_array_equal(many.distance[11], found.distance)


class Words(unittest.TestCase):
    def test_rows_and_their_settings_are_documented(self):
        for call in abut.separation, abut.witness_derivative, abut.smoothed_witness, abut.all_contacts:
            for name, row in abut.distance_models().items():
                self.assertIn(repr(name), call.__doc__)
                self.assertIn(row.summary, call.__doc__)
        for setting in abut.distance_models()["surface"].settings:
            self.assertIn(setting.help, abut.separation.__doc__)

    def test_primitives_of_hulls_and_what_surfaces_say_of_them(self):
        A, B, X = abut.sphere(0.1), abut.box(0.1, 0.2, 0.05), poses(20, reach=0.4)
        same("hull", abut.separation(A, B, X), abut.DistanceModel("hull").separation(A, B, X), VALUES)
        with self.assertRaisesRegex(abut.InvalidInput, "separation: .*surface"):
            abut.separation(A, B, X, model="surface")

    def test_bad_questions_are_exceptions_that_name_the_argument(self):
        A, B, X, Bad = abut.sphere(0.1), abut.box(0.1, 0.2, 0.05), np.eye(4), abut.InvalidInput
        for call, error, message in [
            (lambda: abut.separation(A, B, X, model="skin"), Bad, "'skin'.*hull, surface"),
            (lambda: abut.separation(A, B, X, model=3), TypeError, "model must be a str, not int"),
            (lambda: abut.witness_derivative(A, B, X, rings=3, model="surface"), Bad, "no setting 'rings'"),
            (lambda: abut.smoothed_witness(A, B, X, model="surface", temperature=0), Bad, "temperature"),
            (lambda: abut.smoothed_witness(A, B, X, model="surface", temperature=[1]), TypeError, "'temperature' must be a number"),
            (lambda: abut.witness_derivative(A, B, X, model="surface", estimator="gumbel"), Bad, "no method is called 'gumbel'"),
            (lambda: abut.witness_derivative(A, B, X, model="hull", estimator="magic"), Bad, "'magic'"),
            (lambda: abut.witness_derivative(A, B, X, model="pieces", estimator=1.5), TypeError, "method must be a str"),
            (lambda: abut.DistanceModel("hull", threads=-1), Bad, "threads is -1"),
            (lambda: abut.DistanceModel("hull")(A, B, np.eye(3)), Bad, r"X_AB has shape \(3, 3\)"),
            (lambda: abut.DistanceModel("hull")(A, None, X), TypeError, "B must be a Body"),
            (lambda: abut.DistanceModel("hull").smoothed(A, B, X), Bad, "'hull' has no smoothed form of its own; abut.smoothed_witness"),
            (lambda: abut.smoothed_witness(A, B, X, model="surface", hessian=True), Bad, "'surface' has no second derivatives"),
            (lambda: abut.smoothed_witness(A, B, X, model="surface", hessian="no"), TypeError, "hessian must be True or False"),
            (lambda: abut.smoothed_witness(A, B, X, model="surface"), Bad, "smoothed_witness: .*surfaces of two assets"),
            (lambda: abut.all_contacts(A, B, X, model="hull", margin=-1), Bad, "margin"),
            (lambda: abut.all_contacts(A, B, X, model="hull", margin=np.inf), Bad, "margin"),
            (lambda: abut.all_contacts(A, B, X, model="hull", margin="wide"), TypeError, "margin must be a number"),
            (lambda: abut.all_contacts(A, B, X, model="hull", derivatives=1), TypeError, "derivatives must be True or False"),
            (lambda: abut.all_contacts([A, A], B, np.tile(X, (3, 1, 1)), model="hull"), Bad, "A has 2 entries but X_AB has 3"),
            (lambda: abut.all_contacts(abut.half_space(), abut.half_space(), X, model="hull"), Bad, "half-space"),
            (lambda: abut.all_contacts(A, B, X), Bad, "all_contacts: .*surface"),
        ]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()


if __name__ == "__main__":
    unittest.main()
