"""Where the links of robots are, and how they move with the joints."""

import copy
import pathlib
import pickle
import shutil
import tempfile
import unittest

import numpy as np

import abut
from support import asset, needs_assets
from test_systems import ARM, pushing, slopes


def moved(X, x):
    """log(inv(X0) X1) of poses a hair apart is what slopes make of this: (w; v) at the origin, in X's axes."""
    M = np.linalg.inv(X) @ x
    return np.array([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1], 2 * M[0, 3], 2 * M[1, 3], 2 * M[2, 3]]) / 2


class Kinematics(unittest.TestCase):
    def test_shapes_are_those_of_the_scene(self):
        scene = pushing()
        scene.add_plane((0, 0, 1), -1)
        ball = abut.sphere(0.01)
        system = scene.system()
        self.assertEqual(list(system.shapes), ["world", *system.names])
        self.assertEqual([len(system.shapes[name]) for name in ("world", "x", "bar", "top")], [1, 0, 1, 1])
        (top,) = system.shapes["top"]
        self.assertEqual((top.geometry.name, tuple(top.geometry._sizes)), (ball.name, tuple(ball._sizes)))
        np.testing.assert_array_equal(top.X_BS, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.03], [0, 0, 0, 1]])
        with self.assertRaisesRegex(ValueError, "read-only"):
            top.X_BS[:3, 3] += 1

    @needs_assets
    def test_assets_of_a_function_are_asked_for_once(self):
        object_line = 'object "{}" "005_mug" 400 0 0 {} 1 0 0 0 0 0 0 0 0 0\n'
        with tempfile.TemporaryDirectory(dir=".") as folder:
            file = pathlib.Path(folder, "scene.scn")
            file.write_text("gravity 0 0 -9.81\nmu 0.5\nduration 1\n" + object_line.format("a", 1) + object_line.format("b", 2))
            system = abut.read_scene(file, asset)
        self.assertIs(system.shapes["a"][0].geometry, system.shapes["b"][0].geometry)
        self.assertEqual(system.shapes["a"][0].geometry.name, "005_mug")

    @needs_assets
    def test_assets_that_a_robots_file_names_are_among_its_shapes(self):
        link = '<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>' \
               '</inertial><collision><geometry><mesh filename="mine.h5"/></geometry></collision></link>'
        joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
        with tempfile.TemporaryDirectory(dir=".") as folder:
            folder = pathlib.Path(folder)
            (folder / "mine.h5").symlink_to(asset("005_mug")._origin[0])
            (folder / "r.urdf").write_text('<robot name="r">' + link.format("a") + link.format("b") + joint + "</robot>")
            file = folder / "scene.scn"
            file.write_text("gravity 0 0 -9.81\nmu 0.5\nduration 1\nrobot r r.urdf 0 0 0 1 0 0 0\n")
            system = abut.read_scene(file)
            (a,), (b,) = system.shapes["r/a"], system.shapes["r/b"]
            self.assertIs(a.geometry, b.geometry)
            again = pickle.loads(pickle.dumps(a.geometry))
        self.assertEqual(abut.separation(a.geometry, again, np.eye(4)).distance,
                         abut.separation(again, again, np.eye(4)).distance)

    @needs_assets
    def test_a_pickle_is_of_the_asset_that_was_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "a.h5")
            shutil.copy(asset("005_mug")._origin[0], file)
            loaded = abut.load(file)
            words = [pickle.dumps(thing) for thing in (loaded, abut.Body(loaded), copy.copy(loaded))]
            for word in words:
                self.assertEqual(getattr(pickle.loads(word), "name", "005_mug"), "005_mug")
            shutil.copy(asset("001_box")._origin[0], file)
            for word in words:
                with self.assertRaisesRegex(abut.InvalidInput, "a.h5: the asset was made anew after .* load it again"):
                    pickle.loads(word)
            file.unlink()
            for word in words:
                with self.assertRaises(abut.IoError):
                    pickle.loads(word)

    def test_limits_of_a_system_can_be_given_back_and_removed(self):
        scene = pushing()
        scene.set_joint("turn", lower=-1, upper=2)
        self.assertEqual([scene.system().joints["turn"].lower, scene.system().joints["turn"].upper], [-1, 2])
        scene.set_joint("turn", lower=-np.inf, upper=np.inf)
        turn = scene.system().joints["turn"]
        self.assertEqual([turn.lower, turn.upper], [-np.inf, np.inf])
        for wrong in {"lower": np.inf}, {"upper": -np.inf}, {"damping": np.inf}:
            scene = pushing()
            scene.set_joint("turn", **wrong)
            with self.assertRaisesRegex(abut.InvalidInput, "no finite number"):
                scene.system()

    def test_jacobians_are_differences_of_poses(self):
        system, random = pushing().system(), np.random.default_rng(3)
        z = system.vector(system.state(random.normal(size=system.nz)))
        X_BF = [*random.normal(size=4), 0.1, -0.2, 0.05]
        for body in system.names:
            X = system.pose(z, body, X_BF)
            by_z = slopes(lambda y: moved(X, system.pose(y, body, X_BF)), z, 1e-3)  # (6, nz)
            J = np.stack([system.gradient_by_x(z, row)[: system.nx // 2] for row in by_z])
            np.testing.assert_allclose(system.jacobian(z, body, X_BF), J, atol=1e-9, err_msg=body)

    def test_joints_have_their_places_in_changes_of_state(self):
        scene = pushing()
        for name, kind in ("knee", "spherical"), ("float", "free"), ("slab", "planar"):
            scene.add_body(name, 1, (1, 1, 1), [abut.sphere(0.1)])
            scene.add_joint(name, kind)
        system = scene.system()
        z = system.vector(system.state(np.random.default_rng(3).normal(size=system.nz)))
        places = []
        for joint in system.joints.values():
            for in_z, in_x in (joint.z_q, joint.x_q), (joint.z_v, joint.x_v):
                there = z.copy()
                there[in_z] += 1e-3 * np.arange(1, 1 + len(z[in_z]))
                changed = np.flatnonzero(np.abs(system.difference(z, there)) > 1e-12)
                np.testing.assert_array_equal(changed, np.arange(system.nx)[in_x], err_msg=joint.body)
                places += [*changed]
            J = system.jacobian(z, joint.body)
            np.testing.assert_array_equal(J[:, joint.x_q], J[:, np.arange(system.nx)[joint.x_v] - system.nx // 2])
        self.assertEqual(len(places), len(set(places)))

    def test_free_bodies_have_their_places_in_states_and_changes_of_state(self):
        scene = abut.Scene()
        scene.add_body("lid", 1, (1, 1, 1), [abut.sphere(0.1)])
        scene.add_joint("hinge", "revolute", velocity=0.4)
        for name, position in ("mug", (1, 2, 3)), ("box", (4, 5, 6)):
            scene.add_body(name, 1, (1, 1, 1), [abut.sphere(0.1)], (0.6, 0, 0, 0.8, *position), (7, 8, 9, *position))
        system = scene.system()
        start = system.initial_state()
        z = system.vector(start)
        for i, name in ((1, "mug"), (2, "box")):
            place = system.bodies[name]
            R = system.pose(z, name)[:3, :3]
            np.testing.assert_allclose(z[place.z_q], [0.6, 0, 0, 0.8, *start.p_WB[i]], rtol=1e-15)
            np.testing.assert_allclose(z[place.z_v], [*R.T @ [7, 8, 9], *R.T @ start.v_WB[i]], atol=1e-12)
            there = z.copy()
            there[place.z_q][4:] += (1e-3, 2e-3, 0)  # in the world's axes
            there[place.z_v] += np.arange(6)
            change = np.zeros(system.nx)
            change[place.x_q] = [0, 0, 0, *R.T @ (1e-3, 2e-3, 0)]  # in the body's
            change[place.x_v] = np.arange(6)
            np.testing.assert_allclose(system.difference(z, there), change, atol=1e-12)
            J = system.jacobian(z, name)
            np.testing.assert_allclose(J[:, place.x_q], np.eye(6), atol=1e-15)
            self.assertEqual(np.count_nonzero(J), 6)

    def test_twists_are_the_jacobian_times_velocities(self):
        system = pushing().system()
        z = system.vector(system.state(np.random.default_rng(4).normal(size=system.nz)))
        state = system.state(z)
        for i, body in enumerate(system.names):
            w, v = np.split(system.jacobian(z, body) @ z[-system.nx // 2 :], 2)
            R = system.pose(z, body)[:3, :3]
            np.testing.assert_allclose(R @ w, system.angular_velocity(state)[i], atol=1e-12)
            np.testing.assert_allclose(R @ v, state.v_WB[i], atol=1e-12)

    def test_distances_of_a_robots_links_have_derivatives_by_joint_angles(self):
        with tempfile.TemporaryDirectory(dir=".") as folder:
            file = pathlib.Path(folder, "arm.urdf")
            file.write_text(ARM.replace("</inertial>", '</inertial><collision><origin xyz="0.02 0 0.3"/><geometry>'
                                        '<box size="0.04 0.06 0.2"/></geometry></collision>'))
            scene = abut.Scene()
            scene.add_robot("r", file, (1, 0, 0, 0, 0.1, 0, 1))
            system = scene.system()
        ball, X_WA = abut.sphere(0.05), np.eye(4)
        X_WA[:3, 3] = 0.6, 0.1, 1.5
        ((box, X_BS),) = system.shapes["r/upper"]

        def distance(z, ask=abut.separation):
            return ask(ball, box, np.linalg.inv(X_WA) @ system.pose(z, "r/upper", X_BS))

        z = np.array([0.4, 0])
        slope = distance(z, abut.witness_derivative).dd_dxi_B @ system.jacobian(z, "r/upper", X_BS)
        self.assertEqual(slope[system.joints["r/shoulder"].x_q], slope)
        np.testing.assert_allclose(slope, slopes(lambda q: distance(np.append(q, 0)).distance, z[:1], 1e-4), rtol=1e-7)

    def test_joints_that_mimic_move_with_theirs(self):
        scene = abut.Scene()
        for name in "ab":
            scene.add_body(name, 1, (1, 1, 1), [abut.box(0.1, 0.1, 0.1)])
            scene.add_joint(name, "prismatic", axis=(0, 1, 0))
        scene.mimic("b", "a", -2, 0.1)
        system = scene.system()
        np.testing.assert_allclose(system.pose([0.3, 0], "b")[:3, 3], [0, -0.5, 0], atol=1e-15)
        np.testing.assert_allclose(system.jacobian([0.3, 0], "b"), np.transpose([[0, 0, 0, 0, -2, 0]]), atol=1e-15)
        self.assertEqual([[np.arange(2)[part].tolist() for part in (joint.x_q, joint.x_v)] for joint in system.joints.values()],
                         [[[0], [1]], [[], []]])

    def test_what_is_none_of_the_system_is_refused(self):
        system = pushing().system()
        for ask in system.pose, system.jacobian:
            with self.assertRaisesRegex(abut.InvalidInput, "no body 'ba'; there are: x, y, bar"):
                ask(system.initial_state(), "ba")
            with self.assertRaisesRegex(abut.InvalidInput, "X_BF"):
                ask(system.initial_state(), "bar", np.zeros((4, 4)))


if __name__ == "__main__":
    unittest.main()
