import tempfile
import unittest

import numpy as np

import abut
from support import ASSETS, asset, needs_assets, poses
from test_systems import CONTACT, pushing, through

try:
    import torch
    import abut.torch
except ImportError:
    raise unittest.SkipTest("PyTorch is not installed")


def hat(xi):
    """The matrices (N, 4, 4) of twists (N, 6)."""
    zero = torch.zeros_like(xi[:, 0])
    w, v = xi[:, :3], xi[:, 3:]
    return torch.stack([torch.stack([zero, -w[:, 2], w[:, 1], v[:, 0]], 1), torch.stack([w[:, 2], zero, -w[:, 0], v[:, 1]], 1),
                        torch.stack([-w[:, 1], w[:, 0], zero, v[:, 2]], 1), torch.stack([zero] * 4, 1)], 1)


def tensor(array, grad=True):
    return torch.tensor(np.asarray(array), dtype=torch.float64, requires_grad=grad)


class Gradients(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)  # gradgradcheck draws cotangents
        self.A, self.B = abut.ellipsoid(0.1, 0.2, 0.15), abut.sphere(0.05)
        self.seven = tensor(poses(3, reach=0.3))
        self.X = abut.torch.pose_matrix(self.seven.detach())

    def check(self, f, *inputs, second=False):
        self.assertTrue(torch.autograd.gradcheck(f, inputs, eps=1e-6, atol=1e-6, rtol=1e-5))
        if second:
            self.assertTrue(torch.autograd.gradgradcheck(f, inputs, eps=1e-6, atol=1e-5, rtol=1e-4))

    @needs_assets
    def test_depths_of_surfaces_have_no_second_derivative(self):
        mug, X = asset("005_mug"), tensor([[1, 0.2, 0.1, 0.3, 0.3, 0.02, 0.01], [1, 0.2, 0.1, 0.3, 0.02, 0.02, 0.01]])
        d = abut.torch.distance(mug, asset("001_box"), X, model="surface")
        self.assertTrue(d[0] > 0 > d[1])
        (first,) = torch.autograd.grad(d.sum(), X, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), X)
        self.assertTrue(torch.isfinite(first).all() and torch.isfinite(second[0]).all())
        self.assertTrue(torch.isnan(second[1]).any())

    def test_indices_that_are_none_are_named(self):
        with self.assertRaisesRegex(TypeError, "indices beside a sequence must be an array"):
            abut.torch.distance(([self.A], 0), self.B, self.seven)

    def by_twist(self, f):
        """f of poses X exp(xi), a function of xi."""
        return lambda xi: f(self.X @ torch.linalg.matrix_exp(hat(xi)))

    def test_values_are_those_of_numpy(self):
        found = abut.torch.separation(self.A, self.B, self.X)
        expected = abut.separation(self.A, self.B, self.X.numpy())
        for name in found._fields:
            np.testing.assert_array_equal(getattr(found, name).numpy(), getattr(expected, name))

    def test_witness_points_by_both_kinds_of_poses(self):
        f = lambda X: tuple(abut.torch.separation(self.A, self.B, X))
        self.check(f, self.seven)
        self.check(self.by_twist(f), tensor(np.zeros((3, 6))))

    def test_the_distance_is_twice_differentiable(self):
        f = lambda X: abut.torch.distance(self.A, self.B, X)
        self.check(f, self.seven, second=True)
        self.check(self.by_twist(f), tensor(np.full((3, 6), 0.1)), second=True)

    def test_wrenches_of_soft_minimum_are_twice_differentiable(self):
        ground = abut.Body(abut.half_space(), abut.Material(friction=0.3))
        ball = abut.Body(abut.sphere(0.05), abut.Material(friction=0.3))
        seven = tensor([[0.9, 0.1, 0.2, -0.3, 0, 0, 0.048]])
        V = tensor([[0.1, -0.2, 0.3, 0.02, 0.01, -0.03]])
        f = lambda X, V: 1e-3 * abut.torch.wrench(ground, ball, X, V, model="soft_minimum", load=1.0)  # kN
        self.check(f, seven, V, second=True)
        self.check(lambda X: f(X, None), seven, second=True)

    def test_wrenches_of_soft_potential_are_twice_differentiable(self):
        ground, ball = abut.Body(abut.half_space()), abut.Body(abut.sphere(0.05))
        for height in 0.0495, 0.0505:  # pressed, and apart within reach
            seven = tensor([[0.9, 0.1, 0.2, -0.3, 0, 0, height]])
            f = lambda X: abut.torch.wrench(ground, ball, X, model="soft_potential", reach=2e-3, stiffness=1e6)
            self.check(f, seven, second=True)

    def test_wrenches_of_pressure_fields_are_differentiable(self):
        ground = abut.Body(abut.half_space(), abut.Material(modulus=abut.RIGID))
        ball = abut.Body(abut.sphere(0.05), abut.Material(modulus=1e4))
        model = abut.Model("pressure_field")
        f = lambda X: abut.torch.wrench(ground, ball, X, model=model)
        self.check(f, tensor([[0.9, 0.1, 0.2, -0.3, 0, 0, 0.048]]))
        value = f(self.seven)
        (g,) = torch.autograd.grad(value.sum(), self.seven, create_graph=True)
        with self.assertRaisesRegex(RuntimeError, "'pressure_field' has no second derivatives"):
            g.sum().backward()

    def test_soft_distances_are_twice_differentiable(self):
        points = tensor(np.random.default_rng(0).normal(size=(2, 3, 3)))
        self.check(lambda p: abut.torch.soft_distance(abut.sphere(0.3), p), points, second=True)

    @needs_assets
    def test_of_assets(self):
        mug, box = asset("005_mug"), asset("001_box")
        points = tensor([[0.03, 0.04, 0.02], [0.1, 0, 0]])
        distances = abut.SoftDistances(mug)
        self.check(lambda p: abut.torch.soft_distance(distances, p), points)
        self.check(lambda X: abut.torch.distance(mug, box, X), tensor(poses(3, reach=0.4)))
        f = lambda X: tuple(abut.torch.smoothed_separation(mug, box, X))
        self.check(f, tensor(poses(1, reach=0.4)), second=True)
        exact = lambda X: tuple(abut.torch.separation(mug, box, X, estimator="analytic"))
        self.check(exact, tensor(poses(2, reach=0.4)))

    def apart_and_overlapping(self, A, B, model):
        """Two poses of each, tensors, whose distances have two derivatives."""
        X_AB = poses(60, reach=0.12)
        found = abut.separation(A, B, X_AB, model=model)
        clear = found.status == abut.Status.OK
        return [tensor(X_AB[clear & which][:2]) for which in (found.distance > 2e-3, found.distance < -2e-3)]

    @needs_assets
    def test_distances_of_assets_are_twice_differentiable(self):
        mug, banana = asset("005_mug"), asset("006_banana")
        for model in "hull", "pieces":
            f = lambda X: abut.torch.distance(mug, banana, X, model=model, estimator="analytic")
            for X in self.apart_and_overlapping(mug, banana, model):
                self.check(f, X, second=True)
        f = lambda X: tuple(abut.torch.smoothed_separation(mug, banana, X))
        for X in self.apart_and_overlapping(mug, banana, "hull"):
            self.check(f, X, second=True)

    def check_wrenches(self, A, B, model, twist=None, **settings):
        """Wrenches of bodies 1 mm deep and 0.5 mm apart: derivatives in units of the largest."""
        handle, X_AB = abut.Model(model, **settings), poses(60, reach=0.12)
        found = abut.separation(A, B, X_AB, model="surface")
        nearest = np.abs(found.distance).argmin()
        for distance in -1e-3, 5e-4:
            X = X_AB[nearest].copy()
            X[4:] += (distance - found.distance[nearest]) * found.n[nearest]
            there = handle.wrench_hessian(A, B, X, twist)
            inputs = [tensor([X])] + ([] if twist is None else [tensor([twist])])
            k = 6 if twist is None else 12
            first, second = np.abs(there.dF_dxi_B).max(), np.abs(there.d2F[:, :k, :k]).max()
            self.assertGreater(first, 0)
            f = lambda unit: lambda X, *V: abut.torch.wrench(A, B, X, *V, model=handle) / unit
            self.check(f(first), *inputs)
            self.assertTrue(torch.autograd.gradgradcheck(f(second), inputs, eps=1e-6, atol=1e-5, rtol=1e-4))

    @needs_assets
    def test_soft_potentials_of_assets_are_twice_differentiable(self):
        mug, banana = asset("005_mug"), asset("006_banana")
        ball, ground = abut.sphere(0.03), abut.half_space()
        for field in "points", "lattice":
            for B in banana, ball, ground:
                with self.subTest(field=field, B=B):
                    self.check_wrenches(mug, B, "soft_potential", field=field, reach=3e-4)

    @needs_assets
    def test_soft_minima_of_assets_are_twice_differentiable(self):
        mug, banana = asset("005_mug"), asset("006_banana")
        ball, ground = abut.sphere(0.03), abut.half_space()
        for B in banana, ball, ground:
            with self.subTest(B=B):
                self.check_wrenches(mug, B, "soft_minimum")

    @needs_assets
    def test_wrenches_of_sliding_assets_are_twice_differentiable(self):
        rough = abut.Material(friction=0.3)
        mug, banana = abut.Body(asset("005_mug"), rough), abut.Body(asset("006_banana"), rough)
        for model, settings in ("soft_potential", {"field": "points", "reach": 3e-4, "dissipation": 1.0}), ("soft_minimum", {}):
            with self.subTest(model):
                self.check_wrenches(mug, banana, model, (0.1, -0.2, 0.3, 0.02, 0.01, -0.03), **settings)

    def check_soft_distances(self, geometry, **settings):
        """Soft distances of points 3 mm inside and outside the surface, and 2 cm outside."""
        distances, points = abut.SoftDistances(geometry, **settings), geometry.points
        some = slice(None, None, len(points.positions) // 3)
        for height in -3e-3, 3e-3, 2e-2:
            Q = points.positions[some] + height * points.normals[some]
            self.check(lambda p: abut.torch.soft_distance(distances, p), tensor(Q), second=True)

    @needs_assets
    def test_soft_distances_of_assets_are_twice_differentiable(self):
        for kernel in "gaussian", "wall", "two_stage":
            with self.subTest(kernel):
                self.check_soft_distances(asset("005_mug"), kernel=kernel)

    @needs_assets
    def test_fields_of_grids_are_twice_differentiable(self):
        import abut_preprocess
        with tempfile.TemporaryDirectory() as folder:
            made = abut_preprocess.preprocess(ASSETS / "meshes", folder, only=["005*"], quads=[400], tets="none", grid="auto")
            mug = abut.load(made.objects[0].asset)
            self.check_soft_distances(mug, field="grid")
            for B in abut.sphere(0.03), abut.half_space(), mug:
                with self.subTest(B=B):
                    self.check_wrenches(mug, B, "soft_potential", field="grid", reach=3e-4)

    @needs_assets
    def test_of_surfaces_and_pieces(self):
        mug, banana = asset("005_mug"), asset("006_banana")
        X_AB = poses(40, reach=0.15)
        found = abut.separation(mug, banana, X_AB, model="surface")
        apart = X_AB[(found.distance > 1e-3) & (found.status == abut.Status.OK)][:3]
        deep = X_AB[(found.distance < -1e-3) & (found.status == abut.Status.OK)][:2]
        self.check(lambda X: abut.torch.distance(mug, banana, X, model="surface"), tensor(deep))
        surface = abut.DistanceModel("surface")
        self.check(lambda X: tuple(abut.torch.separation(mug, banana, X, model=surface)), tensor(apart))
        self.check(lambda X: abut.torch.distance(mug, banana, X, model="surface"), tensor(apart[:2]), second=True)
        self.check(lambda X: abut.torch.smoothed_separation(mug, banana, X, model=surface).distance, tensor(apart[:2]))
        exact = lambda X: tuple(abut.torch.separation(mug, banana, X, model="pieces", estimator="analytic"))
        self.check(exact, tensor(apart))
        value = abut.torch.separation(mug, banana, tensor(apart), model=surface)
        np.testing.assert_array_equal(value.p1.detach(), surface(mug, banana, abut.torch.pose_matrix(tensor(apart)).detach()).p1)
        with self.assertRaisesRegex(RuntimeError, "distance model 'surface' has no second derivatives"):
            pose = tensor(apart)
            (g,) = torch.autograd.grad(abut.torch.separation(mug, banana, pose, model=surface).p1.sum(), pose, create_graph=True)
            g.sum().backward()

    def test_rollouts_and_steps(self):
        rollout = abut.Rollout(pushing().system(), 3, dt=2e-3, integrator_settings={"tolerance": 1e-12},
                               parameters=[("mass", "bar"), ("moment_x", "free")], **CONTACT)
        system, targets = rollout.system, through(3)
        z = system.vector(system.initial_state())
        z[:5] = 0.01, -0.02, 0.1, 0.05, -0.0385  # the ball presses on the bar
        z[-14:] = 0.1 * np.random.default_rng(0).normal(size=14)
        z = np.stack([z, system.vector(system.initial_state())])
        force = 0.1 * np.sin(np.arange(3 * 8)).reshape(3, 8)
        values = tensor(system.values(rollout.parameters), grad=False)
        self.check(lambda z, f, t, p: abut.torch.rollout(rollout, z, joint_force=f, joint_target=t, parameters=values * p),
                   tensor(z), tensor(force), tensor(targets), tensor(np.ones(2)))
        one = abut.Integrator(system, dt=2e-3, integrator="semi_implicit", **CONTACT)
        self.check(lambda z, t: abut.torch.step(one, z, joint_target=t), tensor(z[0]), tensor(targets[0]))
        after = one.step(system.state(z[0]), joint_target=targets[0])
        found = abut.torch.step(one, tensor(z[0]), joint_target=tensor(targets[0]))
        np.testing.assert_array_equal(found.detach().numpy(), system.vector(after))
        with self.assertRaisesRegex(abut.InvalidInput, "how many rows"):
            abut.torch.rollout(rollout, tensor(z))
        with self.assertRaisesRegex(TypeError, "^step: start must be a torch.Tensor"):
            abut.torch.step(one, z)
        for name, width in ("joint_force", 8), ("joint_target", 9):
            with self.assertRaisesRegex(TypeError, f"^step: {name} must be a torch.Tensor, not ndarray"):
                abut.torch.step(one, tensor(z[0]), **{name: np.zeros(width)})
            with self.assertRaisesRegex(abut.InvalidInput, rf"^step: {name} has shape \(\)"):
                abut.torch.step(one, tensor(z[0]), **{name: tensor(0)})

    def test_shapes_are_told_as_they_were_given(self):
        scene = abut.Scene()
        scene.add_object("ball", abut.sphere(0.1), 1000)
        rollout, push = abut.Rollout(scene.system()), torch.zeros((12, 6), dtype=torch.float64)
        start = tensor(rollout.system.vector(rollout.system.initial_state()))
        with self.assertRaisesRegex(abut.InvalidInput, r"^rollout: joint_force has shape \(12, 6\); .*no body has a joint"):
            abut.torch.rollout(rollout, start, joint_force=push)
        with self.assertRaisesRegex(abut.InvalidInput, r"^step: joint_force has shape \(6,\); .*no body has a joint"):
            abut.torch.step(rollout, start, joint_force=push[0])
        with self.assertRaisesRegex(abut.InvalidInput, "^step: integrator: this Rollout takes 10 steps a row; give one of 1"):
            abut.torch.step(abut.Rollout(rollout.system, 10), start)

    def test_no_rollouts_have_no_states(self):
        rollout = abut.Rollout(pushing().system(), dt=2e-3, **CONTACT)
        start = torch.zeros((0, rollout.system.nz), dtype=torch.float64, requires_grad=True)
        z = abut.torch.rollout(rollout, start, rows=3)
        self.assertEqual(z.shape, (0, 3, rollout.system.nz))
        (by_start,) = torch.autograd.grad(z.sum(), start)
        self.assertEqual(by_start.shape, start.shape)

    def test_rollouts_that_fail_spoil_no_others_gradients(self):
        system, targets = pushing().system(), torch.tensor(through(3))
        rollout = abut.Rollout(system, dt=2e-3, integrator="semi_implicit", parameters=[("mass", "bar")], **CONTACT)
        start = system.vector(system.initial_state())
        values = tensor(system.values(rollout.parameters))
        z = abut.torch.rollout(rollout, tensor(start), joint_target=targets, parameters=values)
        (expected,) = torch.autograd.grad(z.square().sum(), values)
        bad = start.copy()
        bad[0] = np.nan
        z = abut.torch.rollout(rollout, tensor([start, bad]), joint_target=targets, parameters=values)
        self.assertTrue(torch.isnan(z[1]).all())
        (found,) = torch.autograd.grad(z[0].square().sum(), values)
        np.testing.assert_array_equal(found.numpy(), expected.numpy())
        with self.assertRaisesRegex(abut.InvalidInput, "NaN"):
            abut.torch.rollout(rollout, tensor(bad), joint_target=targets)

    def test_gradients_that_are_not_finite_spoil_no_others(self):
        system, targets = pushing().system(), tensor(through(3))
        rollout = abut.Rollout(system, dt=2e-3, integrator="semi_implicit", parameters=[("mass", "bar")], **CONTACT)
        start = tensor([system.vector(system.initial_state())] * 3)
        values = tensor(system.values(rollout.parameters))
        z = abut.torch.rollout(rollout, start, joint_target=targets, parameters=values)
        (expected,) = torch.autograd.grad(z[1].square().sum(), start, retain_graph=True)
        costs = torch.stack([z[0].square().sum() * torch.inf, z[1].square().sum(), z[2].square().sum() * torch.nan])
        found = torch.autograd.grad(costs.sum(), (start, targets, values), retain_graph=True)
        np.testing.assert_array_equal(found[0][1], expected[1])
        for array in found[0][0], found[0][2], *found[1:]:
            self.assertTrue(torch.isnan(array).all())
        one = abut.torch.rollout(rollout, start[0], joint_target=targets)
        self.assertTrue(torch.isnan(torch.autograd.grad(one.sum() * torch.inf, start)[0][0]).all())

    def test_rollouts_are_not_changed_by_what_is_done_to_their_states(self):
        system, targets = pushing().system(), torch.tensor(through(3))
        rollout = abut.Rollout(system, dt=2e-3, integrator="semi_implicit", **CONTACT)
        start = tensor(system.vector(system.initial_state()))
        (expected,) = torch.autograd.grad((abut.torch.rollout(rollout, start, joint_target=targets) - 1).square().sum(), start)
        z = abut.torch.rollout(rollout, start, joint_target=targets)
        z -= 1
        (found,) = torch.autograd.grad(z.square().sum(), start)
        np.testing.assert_array_equal(found.numpy(), expected.numpy())
        z = abut.torch.rollout(rollout, start, joint_target=targets)
        with torch.no_grad():
            start += 0.1
        with self.assertRaisesRegex(RuntimeError, "inplace"):
            z.sum().backward()

    def test_single_precision_and_single_poses(self):
        one = torch.tensor([1.0, 0, 0, 0, 0.4, 0, 0], requires_grad=True)
        distance = abut.torch.distance(self.A, self.B, one)
        distance.backward()
        self.assertEqual(distance.shape, ())
        self.assertEqual(distance.dtype, torch.float32)
        self.assertAlmostEqual(one.grad[4].item(), 1, places=6)
        many = abut.torch.distance([self.A, self.B], self.B, one)
        self.assertEqual(many.shape, (2,))

    def test_quaternions_are_of_any_length(self):
        unit = np.array([0.6, 0.8, 0, 0, 0.3, 0.1, 0.2])
        expected = tensor(unit)
        abut.torch.distance(self.A, self.B, expected).backward()
        for length in 1e-200, 1e200:
            scales = np.array([length] * 4 + [1] * 3)
            X = tensor(unit * scales)
            abut.torch.distance(self.A, self.B, X).backward()
            np.testing.assert_allclose(X.grad.numpy() * scales, expected.grad.numpy(), rtol=1e-9, atol=1e-12)

    def test_errors_name_what_was_called_and_the_pose_that_was_given(self):
        none, twice = [0.0, 0, 0, 0, 0.4, 0, 0], np.diag([2.0, 2, 2, 1])
        nan = [np.nan, 0, 0, 0, 0.4, 0, 0]
        for name in "distance", "separation", "smoothed_separation", "wrench":
            ask = getattr(abut.torch, name)
            for pose, words in ((none, "X_AB has a quaternion of length zero"), (nan, "X_AB has an entry that is NaN"),
                                ([[1.0, 0, 0, 0, 1, 0, 0], none], r"X_AB\[1\] has a quaternion of length zero"),
                                (twice, "X_AB is no pose: its 3x3 part"), ([twice], r"X_AB\[0\] is no pose: its 3x3 part")):
                with self.subTest(name=name, words=words), self.assertRaisesRegex(abut.InvalidInput, f"^{name}: {words}"):
                    ask(self.A, self.B, tensor(np.array(pose)))
            with self.assertRaisesRegex(abut.InvalidInput, f"^{name}: no (distance|contact) model is called 'magic'"):
                ask(self.A, self.B, tensor(np.eye(4)), model="magic")

    def test_what_is_no_tensor_is_refused(self):
        with self.assertRaisesRegex(TypeError, "X_AB must be a torch.Tensor"):
            abut.torch.distance(self.A, self.B, np.eye(4))
        with self.assertRaisesRegex(abut.InvalidInput, "X_AB has shape"):
            abut.torch.distance(self.A, self.B, torch.zeros(3, 3))
        with self.assertRaisesRegex(TypeError, "floating-point"):
            abut.torch.distance(self.A, self.B, torch.eye(4, dtype=torch.int64))


if __name__ == "__main__":
    unittest.main()
