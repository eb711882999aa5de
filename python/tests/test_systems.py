"""Systems with joints: built and read, steps with derivatives, rollouts with gradients."""

import copy
import multiprocessing
import pathlib
import pickle
import tempfile
import unittest

import numpy as np

import abut
from support import asset, matrix, needs_assets

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTACT = dict(model="soft_potential", model_settings={"reach": 2e-3, "stiffness": 1e8})


ARM = """<robot name="arm"><link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/></joint></robot>"""


def pushing():
    """A bar in the plane, on a viscous table, a ball on drives beside it, a ball that flies, a turning one."""
    scene = abut.Scene(gravity=(0, 0, 0), friction=0.4)
    scene.add_body("x", 0, (0, 0, 0))
    scene.add_joint("x", "prismatic", axis=(1, 0, 0), damping=4)
    scene.add_body("y", 0, (0, 0, 0))
    scene.add_joint("y", "prismatic", "x", axis=(0, 1, 0), damping=4)
    scene.add_body("bar", 0.5, (1e-3, 1e-3, 2e-3), [abut.box(0.12, 0.02, 0.02)])
    scene.add_joint("turn", "revolute", "y", damping=0.02)
    scene.add_body("ball_x", 0, (0, 0, 0))
    scene.add_joint("ball_x", "prismatic", axis=(1, 0, 0), damping=12, stiffness=200, position=0.05)
    scene.add_body("ball", 0.2, (1e-5, 1e-5, 1e-5), [abut.sphere(0.02)])
    scene.add_joint("ball_y", "prismatic", "ball_x", axis=(0, 1, 0), damping=12, stiffness=200, position=-0.07)
    scene.add_body("free", 0.3, (1e-4, 2e-4, 2.5e-4), [abut.box(0.02, 0.03, 0.01)], (0.9, 0.1, -0.2, 0.3, 0.3, 0.1, 0.2),
                   (1, -2, 0.5, 0.1, 0.2, -0.1))
    scene.add_body("top", 0.3, (1e-4, 2e-4, 2.5e-4), [(abut.sphere(0.01), (1, 0, 0, 0, 0, 0, 0.03))], (1, 0, 0, 0, 0, 0.5, 0))
    scene.add_joint("top", "spherical", pose=(1, 0, 0, 0, 0, 0.5, 0.1), damping=1e-3)
    return scene


def through(rows=6):
    """Targets that lead the ball to where the bar is."""
    target = np.zeros((rows, 9))
    target[:, 3] = 0.05 - 0.01 * np.arange(rows)
    target[:, 4] = -0.06 + 0.1 * np.arange(1, rows + 1) / rows
    target[:, 5] = 1
    return target


def gradient_elsewhere(run, costates):
    return run.gradient(costates), run


def slopes(f, at, step):
    """Of fourth order, last axis by the numbers of `at`."""
    columns = []
    for e in np.eye(at.size).reshape(-1, *at.shape):
        d = [f(at + k * step * e) for k in (1, -1, 2, -2)]
        columns.append((8 * (d[0] - d[1]) - (d[2] - d[3])) / (12 * step))
    return np.stack(columns, axis=-1)


class Building(unittest.TestCase):
    def test_what_is_built_is_what_a_file_says(self):
        scene = pushing()
        with tempfile.TemporaryDirectory(dir=".") as folder:
            file = pathlib.Path(folder, "scene.scn")
            file.write_text(scene.text)
            read, built = abut.read_scene(file), scene.system()
        self.assertEqual(read.names, built.names)
        np.testing.assert_array_equal(read.vector(read.initial_state()), built.vector(built.initial_state()))
        self.assertEqual(list(built.joints), ["x", "y", "turn", "ball_x", "ball_y", "top"])
        turn = built.joints["turn"]
        self.assertEqual((turn.type, turn.body, turn.q, turn.v, turn.damping), ("revolute", "bar", slice(2, 3), slice(2, 3), 0.02))
        self.assertEqual((built.nz, built.nx), (5 + 7 + 4 + 5 + 6 + 3, 2 * 14))

    def test_joints_of_several_coordinates_start_where_they_are_told(self):
        scene = abut.Scene()
        scene.add_body("top", 0.3, (1e-4, 2e-4, 2.5e-4), [abut.sphere(0.01)])
        scene.add_joint("top", "spherical", position=(0.6, 0, 0.8, 0), velocity=(1, 2, 3))
        scene.add_body("other", 0.3, (1e-4, 2e-4, 2.5e-4), [abut.sphere(0.01)])
        scene.keep_apart("top", "other")
        scene.set_contact("top", "world", "point", stiffness=1e5)
        scene.set_contact("other", "world", "pressure_field", fade_pulls=True)
        system = scene.system()
        np.testing.assert_allclose(system.initial_state().q, [0.6, 0, 0.8, 0])
        np.testing.assert_allclose(system.initial_state().v, [1, 2, 3])

    def test_systems_pickle(self):
        system = pushing().system().with_values([("mass", "bar")], [0.7])
        again = pickle.loads(pickle.dumps(system))
        np.testing.assert_array_equal(again.masses, system.masses)
        np.testing.assert_array_equal(again.values([("mass", "bar"), ("friction", "ball")]), [0.7, 0.4])
        self.assertIs(copy.deepcopy(system), system)

    def test_states_and_vectors_invert_each_other(self):
        system = pushing().system()
        z = np.random.default_rng(0).normal(size=system.nz)
        state = system.state(z)
        again = system.vector(state)
        for quaternion in slice(5, 9), slice(12, 16):
            z[quaternion] /= np.linalg.norm(z[quaternion])
        np.testing.assert_allclose(again, z, atol=1e-12)
        np.testing.assert_allclose(state.p_WB[2, :2], z[:2], atol=1e-12)
        state.q = np.concatenate([[1, 2], state.q[2:]])
        np.testing.assert_allclose(system.placed(state).p_WB[2, :2], [1, 2], atol=1e-12)
        copied = pickle.loads(pickle.dumps(state))
        np.testing.assert_array_equal(copied.q, state.q)
        np.testing.assert_array_equal(copied.v, state.v)

    def test_gradients_go_between_vectors_and_changes(self):
        system, random = pushing().system(), np.random.default_rng(1)
        z = random.normal(size=system.nz)
        weights = random.normal(size=system.nz)
        start = system.state(z)
        g_z = slopes(lambda y: weights @ system.vector(system.state(y)), z, 1e-3)
        g_x = system.gradient_by_x(system.vector(start), weights)
        np.testing.assert_allclose(system.gradient_by_z(z, g_x), g_z, atol=1e-9)
        along = slopes(lambda y: g_x @ system.difference(start, system.state(y)), z, 1e-4)
        np.testing.assert_allclose(along, g_z, atol=1e-7)

    def test_objects_that_are_primitives_are_read_from_files_too(self):
        scene = abut.Scene(gravity=(0, 0, -9.81), friction=0.5)
        pose, twist = (0.9, 0.1, 0.2, 0.3, 1, 2, 3), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
        shapes = [abut.box(0.1, 0.2, 0.3), abut.cylinder(0.1, 0.2), abut.sphere(0.1)]
        for shape in shapes:
            scene.add_object(shape.name, shape, 700, pose, twist, abut.Material(friction=0.3))
        with tempfile.TemporaryDirectory(dir=".") as folder:
            file = pathlib.Path(folder, "scene.scn")
            file.write_text(scene.text)
            read, built = abut.read_scene(file), scene.system()
        np.testing.assert_array_equal(read.vector(read.initial_state()), built.vector(built.initial_state()))
        np.testing.assert_allclose(read.masses, [700 * shape.mass.volume for shape in shapes], rtol=1e-12)
        self.assertEqual(read.values([("friction", "sphere")]), [0.3])
        state = read.initial_state()
        np.testing.assert_allclose(read.angular_velocity(state), [twist[:3]] * 3, atol=1e-12)
        np.testing.assert_allclose(state.v_WB, [twist[3:]] * 3)
        spin = read.energy(state) - sum(m * (np.dot(twist[3:], twist[3:]) / 2 + 9.81 * 3) for m in read.masses)
        turned = [matrix(np.array(pose))[:3, :3] @ shape.mass.inertia @ matrix(np.array(pose))[:3, :3].T for shape in shapes]
        self.assertAlmostEqual(spin, sum(350 * np.dot(twist[:3], J @ twist[:3]) for J in turned), places=9)
        with self.assertRaisesRegex(abut.InvalidInput, "add_object: shapes are boxes, cylinders, spheres and assets, not a cap"):
            scene.add_object("pill", abut.capsule(0.05, 0.1), 700)
        scene.add_robot("arm", "arm.urdf", assets={"link": shapes[0]})
        with self.assertRaisesRegex(abut.InvalidInput, "text: a file has no word for a box as a robot's mesh 'link'"):
            scene.text

    @needs_assets
    def test_objects_are_assets(self):
        mug = asset("005_mug")
        scene = abut.Scene(gravity=(0, 0, -9.81), friction=0.5)
        scene.add_plane((0, 0, 1), 0, abut.Material(modulus=abut.RIGID, friction=0.3))
        scene.add_object("a", mug, 400, (1, 0, 0, 0, 0, 0, 0.2))
        scene.add_object("b", mug, 400, [[1, 0, 0, 0.5], [0, 0, -1, 0], [0, 1, 0, 0.2], [0, 0, 0, 1]], (0, 0, 0, 0, 0, -1))
        simulation = abut.Simulation(scene.system())
        simulation.run(300)
        self.assertLess(simulation.state.p_WB[:, 2].max(), 0.2)

    def test_robots_come_from_urdf_files(self):
        with tempfile.TemporaryDirectory(dir=".") as folder:
            file = pathlib.Path(folder, "arm's.urdf")
            file.write_text(ARM)
            scene = abut.Scene(gravity=(0, 0, -9.81))
            scene.add_robot("r", file, (1, 0, 0, 0, 0, 0, 1))
            scene.set_joint("r/shoulder", stiffness=1000, damping=20, position=0.3)
            system = scene.system()
        self.assertEqual(system.names, ["r/base", "r/upper"])
        self.assertEqual(system.joints["r/shoulder"].lower, -1)
        simulation = abut.Simulation(system, integrator="implicit", dt=5e-3)
        simulation.run(400, joint_target=[0.3])
        held = simulation.state.q[0]
        self.assertAlmostEqual(1000 * (held - 0.3), 2 * 9.81 * 0.2 * np.sin(held), places=4)

    def test_robots_are_looked_for_beside_the_scene_then_in_the_folder_of_assets(self):
        with tempfile.TemporaryDirectory(dir=".") as name:
            folder = pathlib.Path(name)
            robots, scene = folder / "robots", folder / "pick.scn"
            robots.mkdir()
            (robots / "arm.urdf").write_text(ARM)
            scene.write_text("robot r arm.urdf  0 0 0  1 0 0 0\n")
            for assets in robots, str(robots), abut.AssetFolder(robots):
                system = abut.read_scene(scene, assets)
                self.assertEqual(system.names, ["r/base", "r/upper"])
                self.assertEqual(pickle.loads(pickle.dumps(system)).names, system.names)
            for assets in None, {}, lambda name: None:
                with self.assertRaisesRegex(abut.InvalidInput, "there is no robot's file 'arm.urdf'; it was looked for as"):
                    abut.read_scene(scene, assets)
            (folder / "arm.urdf").write_text(ARM.replace('"upper"', '"lower"'))
            self.assertEqual(abut.read_scene(scene, robots).names, ["r/base", "r/lower"])

    def test_what_is_no_scene_is_refused(self):
        for add, error, message in [
            (lambda s: s.add_body("a", 1, (1, 1)), abut.InvalidInput, "moments has shape"),
            (lambda s: s.add_body("a", "one", (1, 1, 1)), TypeError, "mass must be"),
            (lambda s: s.add_body(3, 1, (1, 1, 1)), TypeError, "name must be a str"),
            (lambda s: s.add_body("a\nb", 1, (1, 1, 1)), abut.InvalidInput, "end of line"),
            (lambda s: s.add_body("a", 1, (1, 1, 1), [abut.cone(1, 1)]), abut.InvalidInput, "not a cone"),
            (lambda s: s.add_body("a", 1, (1, 1, 1), ["mug"]), TypeError, "geometry must be a Geometry"),
            (lambda s: s.add_body("a", 1, (1, 1, 1), pose=np.zeros((4, 4))), abut.InvalidInput, "3x3 part is not orthonormal|its last row"),
            (lambda s: s.add_plane((0, 0, 1), 0, "wood"), TypeError, "material must be a Material"),
            (lambda s: s.add_object("a", None, 1), TypeError, "geometry must be a Geometry"),
            (lambda s: (s.add_joint("j", "revolute"), s.system()), abut.InvalidInput, "scene:4: 'joint' stands below"),
            (lambda s: (s.add_body("a", 1, (1, 1, 1)), s.add_joint("j", "screw"), s.system()), abut.InvalidInput, "'screw' is no type"),
            (lambda s: (s.add_robot("r", "nowhere.urdf"), s.system()), abut.InvalidInput, "nowhere.urdf"),
            (lambda s: s.add_robot("r", "arm.urdf", assets="LINKS"), TypeError, "assets must be a mapping .*, not str"),
            (lambda s: (s.add_body("a", np.nan, (1, 1, 1)), s.system()), abut.InvalidInput, "'nan' is no finite number"),
        ]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                add(abut.Scene())


class Steps(unittest.TestCase):
    def test_derivatives_of_a_step_are_slopes(self):
        system = pushing().system()
        parameters = [("mass", "bar"), ("moment_z", "free"), ("friction", "ball")]
        z = system.vector(system.initial_state())
        z[:5] = 0.01, -0.02, 0.1, 0.05, -0.0385  # the ball presses on the bar
        z[-14:] = 0.1 * np.random.default_rng(0).normal(size=14)
        state, target = system.state(z), through()[0]
        for name in "semi_implicit", "rk4", "implicit":
            settings = {"tolerance": 1e-12} if name == "implicit" else {}
            config = dict(dt=2e-3, integrator=name, integrator_settings=settings, **CONTACT)
            with self.subTest(name):
                integrator = abut.Integrator(system, parameters=parameters, **config)
                found = integrator.step_derivatives(state, joint_target=target)
                plain = integrator.step(state, joint_target=target)
                np.testing.assert_array_equal(system.vector(found.next), system.vector(plain))
                np.testing.assert_allclose(found.x, system.difference(state, plain), atol=1e-15)

                def after(y):
                    return system.difference(plain, integrator.step(system.state(y), joint_target=target))

                by_z = slopes(after, z, 1e-5)
                expected = np.stack([system.gradient_by_z(z, row) for row in found.dx_dx])
                np.testing.assert_allclose(by_z, expected, atol=1e-6 * np.abs(expected).max())
                values = system.values(parameters)
                for k, value in enumerate(values):
                    def other(p):
                        there = system.with_values(parameters, np.where(np.arange(3) == k, p, values))
                        moved = abut.step(there, there.state(z), joint_target=target, **config)
                        return system.difference(plain, system.state(there.vector(moved)))

                    by_p = slopes(other, np.array([value]), 1e-3 * value)[:, 0]
                    np.testing.assert_allclose(found.dx_dp[:, k], by_p, atol=1e-6 * np.abs(by_p).max() + 1e-12)
                drive = system.joints["ball_y"]
                by_target = slopes(lambda t: system.difference(
                    plain, integrator.step(state, joint_target=np.where(np.arange(9) == 4, t, target))), target[4:5], 1e-3)
                np.testing.assert_allclose(by_target[:, 0], drive.stiffness * found.dx_df[:, 4], atol=1e-9)
                g = np.ones(system.nx)
                self.assertAlmostEqual(abut.vjp(found, x=g)[:system.nx] @ z[:system.nx],
                                       g @ abut.jvp(found, np.concatenate([z[:system.nx], np.zeros(14 + 3)]))["x"], places=9)

    def test_integrators_without_derivatives_say_so(self):
        system = pushing().system()
        with self.assertRaisesRegex(abut.InvalidInput, "takes no joints"):
            abut.Integrator(system, integrator="published")
        with self.assertRaisesRegex(abut.InvalidInput, "has no derivatives; take one of: midpoint, implicit"):
            abut.Rollout(system, integrator="published")
        scene = abut.Scene()
        scene.add_body("a", 1, (1, 1, 1), [abut.sphere(0.1)])
        free = scene.system()
        with self.assertRaisesRegex(abut.InvalidInput, "step_derivatives: .*take one of: midpoint, implicit, semi_implicit, rk4"):
            abut.step_derivatives(free, free.initial_state(), integrator="published")
        with self.assertRaisesRegex(abut.InvalidInput, "this contact solver have no derivatives; take one of: coupled"):
            abut.step_derivatives(free, free.initial_state(), solver="published")
        for integrator in "midpoint", "implicit", "semi_implicit", "rk4":
            abut.step_derivatives(free, free.initial_state(), integrator=integrator)


class RigidContact(unittest.TestCase):
    def test_derivatives_of_a_sliding_box_and_of_one_at_rest(self):
        scene = abut.Scene(gravity=(0, 0, -10), friction=0.5)
        scene.add_plane((0, 0, 1))
        scene.add_body("box", 2, (1e-2, 1e-2, 1e-2), [abut.box(0.1, 0.1, 0.05)], (1, 0, 0, 0, 0, 0, 0.05 - 1e-6),
                       (0, 0, 0, 1, 0, -1e-3))
        system = scene.system()
        found = abut.step_derivatives(system, system.initial_state(), dt=1e-3, parameters=[("friction", "box")])
        self.assertEqual((found.status, found.kinks), (abut.Status.OK, []))
        np.testing.assert_allclose(found.dx_dp[9:, 0], (-(1e-3 + 10 * 1e-3) / 2, 0, 0), atol=1e-9)
        np.testing.assert_allclose(found.dx_dx[9, 9:], (1, 0, 0.5), atol=1e-9)
        at_rest = abut.Scene(gravity=(0, 0, -10), friction=0.5)
        at_rest.add_plane((0, 0, 1))
        at_rest.add_body("box", 2, (1e-2, 1e-2, 1e-2), [abut.box(0.1, 0.1, 0.05)], (1, 0, 0, 0, 0, 0, 0.05))
        system = at_rest.system()
        found = abut.step_derivatives(system, system.initial_state())
        self.assertEqual(found.status, abut.Status.CLAMPED)
        self.assertIn(("target", 0), found.kinks)
        run = abut.Rollout(system, 2, integrator="midpoint")(system.initial_state(), joint_force=np.zeros((3, 0)))
        self.assertEqual(run.gradient(np.ones((3, 12))).kinks, 6)


class Rollouts(unittest.TestCase):
    def test_from_a_state_contacts_begin_where_they_were(self):
        scene = abut.Scene(gravity=(0, 0, -9.81), friction=0.5)
        scene.add_plane((0, 0, 1), 0)
        for i in range(4):
            scene.add_body(f"box {i}", 1, (1e-3,) * 3, [abut.box(0.05, 0.05, 0.05)], (1, 0, 0, 0, 0, 0, 0.1 * i + 0.05))
        system = scene.system()
        simulation = abut.Simulation(system, dt=2e-3, integrator="midpoint")
        simulation.run(20)
        state = simulation.state
        rollout = abut.Rollout(system, integrator="midpoint", dt=2e-3)
        simulation.run(1)
        found = rollout(state, rows=1).state(0)
        np.testing.assert_array_equal(system.vector(found), system.vector(simulation.state))

    def rollout(self, **more):
        return abut.Rollout(pushing().system(), 10, dt=2e-3, integrator_settings={"tolerance": 1e-12}, **CONTACT, **more)

    def test_forwards_backwards_and_differences_agree(self):
        parameters = [("mass", "bar"), ("friction", "bar")]
        rollout = self.rollout(parameters=parameters)
        system, target = rollout.system, through()
        force = 0.1 * np.sin(np.arange(6 * 8)).reshape(6, 8)
        start = system.vector(system.initial_state())
        run = rollout(system.initial_state(), joint_force=force, joint_target=target)
        self.assertEqual(run.z.shape, (6, system.nz))
        self.assertEqual(run.errors, [""])
        np.testing.assert_array_equal(system.vector(run.state(5)), run.z[5])
        self.assertGreater(np.abs(run.z[-1][:3]).max(), 1e-3)  # the bar was pushed
        costates = np.zeros((6, system.nx))
        costates[-1] = np.random.default_rng(0).normal(size=system.nx)
        backwards, forwards = run.gradient(costates), run.jacobian()
        self.assertEqual((backwards.kinks, forwards.kinks), (0, 0))
        for name in backwards._fields[:-1]:
            expected = np.tensordot(costates[-1], getattr(forwards, name), 1)
            np.testing.assert_allclose(getattr(backwards, name), expected, atol=1e-9 * np.abs(expected).max(), err_msg=name)
        change = np.random.default_rng(1).normal(size=target.shape)
        np.testing.assert_allclose(run.jvp(joint_target=change), np.tensordot(forwards.joint_target, change, 2))

        def cost(t):
            moved = rollout(start, joint_force=force, joint_target=target + t[0] * change)
            return costates[-1] @ system.difference(run.state(5), moved.state(5))

        self.assertAlmostEqual(slopes(cost, np.zeros(1), 1e-6)[0] / np.sum(backwards.joint_target * change), 1, places=5)

    def test_many_have_the_bits_of_one_on_any_number_of_threads(self):
        targets = through() + 0.01 * np.random.default_rng(0).normal(size=(5, 6, 9)) * (np.arange(9) < 5)
        runs = []
        for threads in 1, 2:
            rollout = self.rollout(threads=threads)
            start = rollout.system.initial_state()
            run = rollout(start, joint_target=targets)
            costates = np.ones((5, 6, rollout.system.nx))
            runs.append((run.z, *run.gradient(costates)))
            one = rollout(start, joint_target=targets[3])
            np.testing.assert_array_equal(one.z, run.z[3])
            np.testing.assert_array_equal(one.gradient(costates[3]).joint_target, run.gradient(costates).joint_target[3])
        for first, second in zip(*runs):
            np.testing.assert_array_equal(first, second)

    def test_one_of_many_that_fails_says_so(self):
        rollout = self.rollout()
        for wrong in 1e308, np.nan:
            z = np.stack([rollout.system.vector(rollout.system.initial_state())] * 2)
            z[1, -1] = wrong
            run = rollout(z, rows=2)
            self.assertEqual(run.errors[0], "")
            self.assertTrue(run.errors[1])
            self.assertEqual(run.not_converged, [0, 0])
            self.assertTrue(np.isfinite(run.z[0]).all() and np.isnan(run.z[1]).all())
            gradient = run.gradient(np.ones((2, 2, rollout.system.nx)))
            self.assertTrue(np.isfinite(gradient.start[0]).all() and np.isnan(gradient.start[1]).all())
            with self.assertRaises(abut.InvalidInput):
                rollout(z[1], rows=2)

    def test_jacobians_of_no_rows_have_the_shapes_of_many(self):
        rollout = self.rollout()
        none, two = (rollout(rollout.system.initial_state(), rows=rows).jacobian() for rows in (0, 2))
        np.testing.assert_array_equal(none.start, np.eye(rollout.system.nx))
        for name in "joint_force", "joint_target", "parameter":
            shape = np.array(getattr(two, name).shape)
            if name != "parameter":
                shape[1] = 0
            np.testing.assert_array_equal(getattr(none, name).shape, shape, err_msg=name)

    def test_bad_input_is_an_exception(self):
        rollout = self.rollout()
        start, ones = rollout.system.initial_state(), np.ones
        for call, error, message in [
            (lambda: rollout(start), abut.InvalidInput, "rows is missing"),
            (lambda: rollout(ones(3), rows=1), abut.InvalidInput, r"start has shape \(3,\); it must be \(30,\)"),
            (lambda: rollout("start", rows=1), TypeError, "start must be an array"),
            (lambda: rollout(start, joint_force=ones((2, 3))), abut.InvalidInput, r"joint_force has shape \(2, 3\)"),
            (lambda: rollout(start, joint_force=ones((2, 8)), joint_target=ones((3, 9))), abut.InvalidInput, "2 rows"),
            (lambda: rollout(ones((4, 30)), joint_force=ones((3, 2, 8))), abut.InvalidInput, "different numbers"),
            (lambda: rollout(start, rows=2, joint_force=ones((3, 8))), abut.InvalidInput, "rows is 2"),
            (lambda: rollout(np.zeros(30), rows=1), abut.InvalidInput, "quaternion of length zero"),
            (lambda: rollout(np.full(30, np.nan), rows=1), abut.InvalidInput, "NaN"),
            (lambda: rollout(start, rows=2).gradient(ones((3, 28))), abut.InvalidInput, "costates must be"),
            (lambda: rollout(start, rows=2).jvp(), TypeError, "give a change"),
            (lambda: rollout(start, rows=2).state(2), abut.InvalidInput, "beyond the last row"),
            (lambda: abut.Rollout(rollout.system, 0), abut.InvalidInput, "steps_per_control is 0"),
            (lambda: abut.Rollout(rollout.system, parameters=[("weight", "bar")]), abut.InvalidInput, "weight"),
            (lambda: abut.Rollout(rollout.system, parameters=[("mass", "mug")]), abut.InvalidInput, "'mug'"),
            (lambda: abut.Rollout(rollout.system, parameters="mass"), TypeError, "parameters must be"),
            (lambda: rollout.system.with_values([("mass", "bar")], [1, 2]), abut.InvalidInput, "values has shape"),
            (lambda: rollout.system.with_values([("mass", "bar")], [-1]), abut.InvalidInput, "bar"),
        ]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()

    def test_what_has_no_joint_is_pushed_by_one_of_type_free(self):
        def ball(free):
            scene = abut.Scene(gravity=(0, 0, 0))
            scene.add_object("ball", abut.sphere(0.1), 1000)
            if free:
                scene.add_joint("float", "free")
            return scene.system()

        system, push = ball(False), np.tile([0, 0, 0, 1.0, 0, 0], (12, 1))
        rollout = abut.Rollout(system)
        with self.assertRaisesRegex(abut.InvalidInput, r"joint_force has shape \(12, 6\); it must be \(rows, 0\) or \(N, rows, "
                                                       r"0\): no body has a joint; give one of type free \(add_joint\)"):
            rollout(system.initial_state(), joint_force=push)
        with self.assertRaisesRegex(abut.InvalidInput, r"it must be \(0,\): no body has a joint; `control` has forces"):
            abut.step(system, system.initial_state(), joint_force=push[0])
        system = ball(True)
        run = abut.Rollout(system)(system.initial_state(), joint_force=push)
        self.assertAlmostEqual(run.state(11).v[3] * system.masses[0], 12 * 2e-3, places=9)

    def test_rollouts_pickle(self):
        rollout = pickle.loads(pickle.dumps(self.rollout(parameters=[("mass", "bar")])))
        target = through()
        expected = self.rollout()(rollout.system.initial_state(), joint_target=target).z
        np.testing.assert_array_equal(rollout(rollout.system.initial_state(), joint_target=target).z, expected)

    def test_runs_pickle_with_what_their_gradients_take(self):
        rollout = self.rollout(parameters=[("mass", "bar")])
        system, targets = rollout.system, np.stack([through(), 0.5 * through()])
        bad = system.vector(system.initial_state())
        bad[0] = np.nan
        force = 0.1 * np.sin(np.arange(6 * 8)).reshape(6, 8)
        for run in (rollout(system.initial_state(), joint_force=force, joint_target=targets[0]),
                    rollout(system.initial_state(), joint_target=targets),
                    rollout(np.stack([system.vector(system.initial_state()), bad]), rows=2),
                    rollout(system.initial_state(), rows=0)):
            costates = np.cos(np.arange(run.z.size // system.nz * system.nx)).reshape(run.z.shape[:-1] + (system.nx,))
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                found, back = pool.apply(gradient_elsewhere, (run, costates))
            for again in back, copy.deepcopy(run):
                self.assertEqual((again.errors, again.not_converged), (run.errors, run.not_converged))
                np.testing.assert_array_equal(again.z, run.z)
            for name, value in run.gradient(costates)._asdict().items():
                np.testing.assert_array_equal(getattr(found, name), value, err_msg=name)
        parts = run._run._parts()
        for i, other in ((1, 2), (2, ()), (2, [abut.State.__new__(abut.State)]), (3, [np.ones((0, 3))]), (6, ["no", "no"])):
            with self.subTest(i), self.assertRaises((abut.InvalidInput, TypeError, RuntimeError)):
                rollout._restored(parts[:i] + (other,) + parts[i + 1:])

    def test_the_shipped_scene_of_pushing(self):
        system = abut.read_scene(ROOT / "examples" / "scenes" / "pushing.scn")
        target = np.zeros((10, 5))
        target[:, 4] = -0.02 * np.arange(10)
        run = abut.Rollout(system, 10, dt=0.008, model="soft_potential")(system.initial_state(), joint_target=target)
        self.assertLess(run.z[-1][1], -0.01)  # the T was pushed back
        simulation = abut.Simulation(system, dt=0.008, integrator="implicit", model="soft_potential")
        for row in target:
            simulation.run(10, joint_target=row)
        np.testing.assert_array_equal(system.vector(simulation.state), run.z[-1])


if __name__ == "__main__":
    unittest.main()
