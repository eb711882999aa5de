"""Systems with joints: built and read, steps with derivatives."""

import copy
import pathlib
import pickle
import tempfile
import unittest

import numpy as np

import abut
from support import asset, matrix, needs_assets

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Friction that differences of 1e-6 m/s see as smooth; at the 3e-7 m/s of `implicit` what sticks also leaves rounding
# of 1e-12 m/s in a step.
CONTACT = dict(model="soft_potential", model_settings={"reach": 2e-3, "stiffness": 1e8, "stiction_speed": 1e-4})


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

    def test_joints_say_where_they_are_in_z(self):
        scene = abut.Scene()
        scene.add_body("mug", 0.3, (1e-4, 2e-4, 2.5e-4), [abut.sphere(0.01)])  # free: seven numbers of z, none of State.q
        for name, kind in ("a", "revolute"), ("b", "spherical"), ("c", "revolute"), ("d", "prismatic"):
            scene.add_body(name, 0.3, (1e-4, 2e-4, 2.5e-4), [])
            scene.add_joint(name, kind, **({} if kind == "spherical" else {"axis": (0, 0, 1)}))
        scene.mimic("c", "a", -2)
        system = scene.system()
        state = system.initial_state()
        state.q, state.v = [0.1, 0.6, 0, 0.8, 0, -0.2, 0.3], [1, 2, 3, 4, -2, 5]
        z = system.vector(state)
        for name, joint in system.joints.items():
            expected = ([], []) if name == "c" else (state.q[joint.q], state.v[joint.v])
            np.testing.assert_array_equal(z[joint.z_q], expected[0], name)
            np.testing.assert_array_equal(z[joint.z_v], expected[1], name)
            self.assertEqual(system.bodies[joint.body], (name, joint.z_q, joint.z_v, joint.x_q, joint.x_v))
        self.assertEqual((list(system.bodies), system.bodies["mug"].joint), (system.names, None))

    def test_systems_pickle(self):
        system = pushing().system().with_values([("mass", "bar")], [0.7])
        again = pickle.loads(pickle.dumps(system))
        np.testing.assert_array_equal(again.masses, system.masses)
        np.testing.assert_array_equal(again.values([("mass", "bar"), ("friction", "ball")]), [0.7, 0.4])
        self.assertIs(copy.deepcopy(system), system)

    def test_systems_with_other_values_keep_none_in_between(self):
        base = system = pushing().system()
        for k in range(1500):
            system = system.with_values([["mass", "bar"], ["friction", "ball"]], [0.5 + 1e-3 * k, 0.3])
            system = system.with_values([("mass", "top")], [1 + k])
        self.assertIs(system._origin[0], base)
        again = pickle.loads(pickle.dumps(system))
        for one in system, again:
            np.testing.assert_array_equal(one.values([("mass", "bar"), ("friction", "ball"), ("mass", "top")]), [1.999, 0.3, 1500])
        with self.assertRaisesRegex(abut.InvalidInput, r"with_values: values has shape \(2,\); it must be \(1,\)"):
            system.with_values([("mass", "top")], [1, 2])

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
        for name in "q", "v", "p_WB", "v_WB", "L_W", "q_WB":  # not lost without a word
            with self.assertRaisesRegex(ValueError, "read-only"):
                getattr(state, name)[0] = 0
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
        scales = np.ones(system.nz)
        scales[5:9] = scales[12:16] = 1e-200  # quaternions, whose squares vanish
        np.testing.assert_allclose(system.gradient_by_z(scales * z, g_x) * scales, g_z, atol=1e-9)
        rollouts = np.tile(z, (2, 3, 1))  # as Rollout has z: (N, rows, nz)
        many = system.gradient_by_x(rollouts, np.tile(weights, (2, 3, 1)))
        np.testing.assert_array_equal(many, np.tile(system.gradient_by_x(z, weights), (2, 3, 1)))
        np.testing.assert_array_equal(system.gradient_by_z(rollouts, many)[1, 2], system.gradient_by_z(z, many[0, 0]))
        with self.assertRaisesRegex(abut.InvalidInput, "gradient_by_x: gradient"):
            system.gradient_by_x(rollouts, np.tile(weights, (3, 2, 1)))

    def test_objects_that_are_primitives_are_read_from_files_too(self):
        scene = abut.Scene(gravity=(0, 0, -9.81), friction=0.5)
        pose, twist = (0.9, 0.1, 0.2, 0.3, 1, 2, 3), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
        shapes = [abut.box(0.1, 0.2, 0.3), abut.cylinder(0.1, 0.2), abut.sphere(0.1), abut.capsule(0.1, 0.2),
                  abut.ellipsoid(0.1, 0.2, 0.3)]
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
        np.testing.assert_allclose(read.angular_velocity(state), [twist[:3]] * len(shapes), atol=1e-12)
        np.testing.assert_allclose(state.v_WB, [twist[3:]] * len(shapes))
        spin = read.energy(state) - sum(m * (np.dot(twist[3:], twist[3:]) / 2 + 9.81 * 3) for m in read.masses)
        turned = [matrix(np.array(pose))[:3, :3] @ shape.mass.inertia @ matrix(np.array(pose))[:3, :3].T for shape in shapes]
        self.assertAlmostEqual(spin, sum(350 * np.dot(twist[:3], J @ twist[:3]) for J in turned), places=9)
        scene.add_robot("arm", "arm.urdf", assets={"link": shapes[0]})
        with self.assertRaisesRegex(abut.InvalidInput, "text: a file has no word for a box as a robot's mesh 'link'"):
            scene.text

    def test_a_cone_stands_where_its_own_frame_is_put(self):
        scene = abut.Scene(gravity=(0, 0, -9.81), friction=0.5)
        scene.add_plane((0, 0, 1))
        scene.add_fixed(abut.capsule(0.05, 0.3), (1, 0, 0, 0, 1, 0, 0))
        scene.add_object("cone", abut.cone(0.1, 0.2), 700, (1, 0, 0, 0, 0, 0, 0.2))
        simulation = abut.Simulation(scene.system())
        np.testing.assert_allclose(simulation.state.p_WB, [[0, 0, 0.1]], atol=1e-15)  # a quarter of its height
        simulation.run(500)
        np.testing.assert_allclose(simulation.state.p_WB, [[0, 0, 0.1]], atol=1e-5)

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

    def test_moments_that_no_solid_has_are_a_warning(self):
        with tempfile.TemporaryDirectory(dir=".") as folder:
            file = pathlib.Path(folder, "arm.urdf")
            file.write_text(ARM.replace('ixx="0.02"', 'ixx="9"'))
            scene = abut.Scene()
            scene.add_robot("r", file)
            with self.assertWarnsRegex(UserWarning, "Scene: robot 'r': link 'upper': its principal moments .* triangle"):
                scene.system()

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

    def test_values_are_set_whatever_they_are(self):
        scene = abut.Scene()
        scene.add_body("ice", 1, (1, 1, 1), [abut.sphere(0.1)], material=abut.Material(modulus=abut.RIGID))
        scene.add_body("rod", 1, (1, 1, 1))
        scene.add_joint("rod", "revolute")
        system = scene.system()
        given = [("friction", "ice"), ("modulus", "ice"), ("dissipation", "ice")]
        np.testing.assert_array_equal(system.values(given), [0, np.inf, 0])
        rough = system.with_values(given, [0.3, 1e6, 0.1])
        np.testing.assert_array_equal(rough.values(given), [0.3, 1e6, 0.1])
        np.testing.assert_array_equal(rough.with_values(given, [0, np.inf, 0]).values(given), [0, np.inf, 0])
        abut.Rollout(rough, parameters=given)
        for ask, message in ((lambda: abut.Rollout(system, parameters=given), "is not positive and finite: there is no derivative"),
                             (lambda: system.with_values(given[:1], [-1]), "friction"),
                             (lambda: system.with_values([("mass", "ice")], [np.nan]), "mass"),
                             (lambda: system.values([("friction", "rod")]), "body 'rod', which has no shapes"),
                             (lambda: system.values([("colour", "ice")]), "colour"),
                             (lambda: system.values([("mass", "fire")]), "'fire', which the system has not"),
                             (lambda: system.values([("shape_turn_x", "ice")]), "has no one number")):
            with self.subTest(message), self.assertRaisesRegex(abut.InvalidInput, message):
                ask()

    def test_axes_of_joints_are_in_the_axes_of_their_poses(self):
        def at(type, pose, axis, position):
            scene = abut.Scene()
            scene.add_body("a", 1, (1, 1, 1), [abut.sphere(0.1)])
            scene.add_joint("j", type, pose=pose, axis=axis, position=position)
            return scene.system().initial_state().p_WB[0]

        half = np.sqrt(0.5)
        np.testing.assert_allclose(at("prismatic", (half, 0, 0, half, 0, 0, 0), (1, 0, 0), 2), (0, 2, 0), atol=1e-15)
        for axis, first, second in (((0, 0, 1), (1, 0, 0), (0, 1, 0)), ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
                                    ((0, 1, 0), (1, 0, 0), (0, 0, -1))):
            for position, expected in (((0, 1, 0), first), ((0, 0, 1), second)):
                np.testing.assert_allclose(at("planar", (1, 0, 0, 0, 0, 0, 0), axis, position), expected, atol=1e-15)


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


if __name__ == "__main__":
    unittest.main()
