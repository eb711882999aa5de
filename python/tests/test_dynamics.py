import _thread
import copy
import pathlib
import pickle
import tempfile
import threading
import time
import unittest

import numpy as np

import abut
from support import ASSETS, asset, needs_assets

BALL = """
gravity 0 0 -10
duration 1
plane 0 0 1 0
body ball 1  0.4 0.4 0.4  0 0 5  1 0 0 0  1 0 0  0 0 0  1
  sphere 1  0 0 0  1 0 0 0
"""


class Scene(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=".")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def system(self, text=BALL, assets=None):
        (self.folder / "scene.scn").write_text(text)
        return abut.read_scene(self.folder / "scene.scn", assets)


class Steps(Scene):
    def test_messages_name_the_call(self):
        system = self.system()
        integrator = abut.Integrator(system, integrator="semi_implicit")
        for name in "step", "step_derivatives":
            for ask in (getattr(integrator, name), lambda *given: getattr(abut, name)(system, *given, integrator="semi_implicit")):
                with self.assertRaisesRegex(abut.InvalidInput, f"^{name}: control has shape"):
                    ask(system.initial_state(), np.zeros(3))

    def test_a_free_fall_in_closed_form(self):
        system = self.system()
        self.assertEqual((system.names, system.duration), (["ball"], 1))
        state = system.initial_state()
        integrator = abut.Integrator(system, dt=1e-3)
        for _ in range(100):
            state = integrator.step(state)
        np.testing.assert_allclose(state.p_WB, [[0.1, 0, 5 - 0.05]], atol=1e-9)
        np.testing.assert_allclose(state.v_WB, [[1, 0, -1]], atol=1e-9)
        np.testing.assert_array_equal(system.initial_state().p_WB, [[0, 0, 5]])  # what was given stays
        np.testing.assert_allclose(system.energy(state), system.energy(system.initial_state()), rtol=1e-9)

    @needs_assets
    def test_assets_touch_by_their_pieces(self):
        system = self.system("gravity 0 0 -9.81\nmu 0.5\nplane 0 0 1 0\nobject mug 005_mug 500  0 0 0.05  1 0 0 0  0 0 0 0 0 0\n", ASSETS)
        simulations = [abut.Simulation(system, model=model) for model in ("pieces", "vertex", None)]
        for simulation in simulations:
            simulation.run(500)
        pieces, vertex, default = [simulation.state.p_WB for simulation in simulations]
        np.testing.assert_array_equal(vertex, default)
        np.testing.assert_allclose(pieces, vertex, atol=6e-3)  # the pieces' error
        self.assertTrue((pieces != vertex).any())
        with self.assertRaisesRegex(abut.InvalidInput, "pieces"):
            abut.Simulation(system, model="pieces", integrator="implicit")

    def test_forces_and_moments_act_on_bodies(self):
        system = self.system()
        lifted = abut.step(system, system.initial_state(), [[0, 0, 0.2, 0, 0, 10]], dt=0.01)
        np.testing.assert_allclose(lifted.v_WB, [[1, 0, 0]], atol=1e-12)
        np.testing.assert_allclose(system.angular_velocity(lifted), [[0, 0, 0.005]], atol=1e-12)

    def test_states_are_arrays_to_read_and_to_set(self):
        system = self.system()
        state = system.initial_state()
        state.p_WB = [[1, 2, 3]]
        state.q_WB = np.array([[0, 0, 0, 1]], np.float32)
        again = pickle.loads(pickle.dumps(copy.deepcopy(state)))
        np.testing.assert_array_equal(again.p_WB, [[1, 2, 3]])
        np.testing.assert_array_equal(again.q_WB, [[0, 0, 0, 1]])
        state.q_WB = [[2, 0, 0, 0]]
        with self.assertRaisesRegex(abut.InvalidInput, "quaternion"):
            abut.step(system, state)

    def test_a_simulation_records_and_goes_on(self):
        system = self.system()
        simulation = abut.Simulation(system, dt=1e-3)
        report = simulation.run(100, every=10)
        self.assertEqual((report.contacts, simulation.steps), (0, 100))
        path = simulation.trajectory
        self.assertEqual(path.p_WB.shape, (11, 1, 3))
        np.testing.assert_allclose(path.p_WB[:, 0, 0], path.time, atol=1e-12)
        np.testing.assert_array_equal(path.q_WB[-1], simulation.state.q_WB)
        other = abut.Simulation(system, dt=1e-3)
        other.run(60)
        other.run(40)
        np.testing.assert_array_equal(other.state.p_WB, simulation.state.p_WB)
        state = system.initial_state()
        other.state = state
        np.testing.assert_array_equal(other.state.p_WB, state.p_WB)
        simulation.write_page(self.folder / "page.html")
        self.assertIn("<html", (self.folder / "page.html").read_text())

    def test_a_thrown_ball_comes_to_roll(self):
        system = self.system("mu 0.5\n" + BALL.replace("0 0 5  1", "0 0 1  1"))
        simulation = abut.Simulation(system)
        report = simulation.run(1000)
        self.assertEqual((report.contacts, report.substeps), (1, 1))
        v, w = simulation.state.v_WB[0], system.angular_velocity(simulation.state)[0]
        self.assertAlmostEqual(v[0], 1 / 1.4, places=2)  # 5/7 of the speed: of moments 2/5 m r^2
        np.testing.assert_allclose(w, (0, v[0], 0), atol=1e-6)  # of radius 1 m

    def test_contact_forces_carry_what_rests(self):
        system = self.system(
            "gravity 0 0 -10\nmodulus 3e5\ndissipation 1\nplane 0 0 1 0\n"
            "body upper 1  0.01 0.01 0.01  0 0 0.3  1 0 0 0  0 0 0  0 0 0  1\n box 0.1 0.1 0.1  0 0 0  1 0 0 0\n"
            "body lower 2  0.01 0.01 0.01  0 0 0.1  1 0 0 0  0 0 0  0 0 0  1\n box 0.1 0.1 0.1  0 0 0  1 0 0 0\n")
        for integrator in set(abut.integrators()) - {"published"}:  # whose solver holds no stack still
            with self.subTest(integrator):
                simulation = abut.Simulation(system, integrator=integrator, dt=5e-4)
                found = simulation.contact_forces
                self.assertEqual((found.pairs.shape, found.contacts.shape, found.F_W.shape, found.names),
                                 ((0, 2), (0,), (0, 2, 6), []))
                simulation.run(2000)
                found = simulation.contact_forces
                self.assertEqual(found.names, [("world", "lower"), ("upper", "lower")])
                np.testing.assert_array_equal(found.pairs, [[-1, 1], [0, 1]])
                self.assertEqual(found.pairs.dtype, np.int32)
                self.assertTrue((found.contacts >= 1).all())
                np.testing.assert_allclose(found.F_W[:, :, 3:], [[[0, 0, -30], [0, 0, 30]], [[0, 0, 10], [0, 0, -10]]], atol=1e-3)
                np.testing.assert_allclose(found.F_W[1, 1, :3], -found.F_W[0, 1, :3], atol=1e-3)  # nothing turns
                self.assertIn("F_W (2, 2, 6)", repr(found))
                one = abut.Integrator(system, integrator=integrator, dt=5e-4)
                self.assertEqual(len(one.contact_forces.pairs), 0)
                one.step(simulation.state)
                np.testing.assert_allclose(one.contact_forces.F_W, found.F_W, atol=1e-3)
                simulation.state = system.initial_state()
                self.assertEqual(simulation.contact_forces.names, [])

    @needs_assets
    def test_assets_come_from_a_folder_a_mapping_or_a_function(self):
        text = BALL + "object mug 005_mug 400  0 0 0.2  1 0 0 0  0 0 0  0 0 0\n"
        mug = asset("005_mug")
        states = []
        for source in (ASSETS, {"005_mug": mug}, lambda name: asset(name)):
            simulation = abut.Simulation(self.system(text, source))
            simulation.run(100)
            states.append(simulation.state.p_WB)
        np.testing.assert_array_equal(states[0], states[1])
        np.testing.assert_array_equal(states[0], states[2])
        with self.assertRaisesRegex(abut.InvalidInput, "no asset '005_mug'"):
            self.system(text, {})
        with self.assertRaisesRegex(ZeroDivisionError, ""):
            self.system(text, lambda name: 1 / 0)

        def endless(name):
            return self.system(text, endless)

        with self.assertRaises(RecursionError):
            self.system(text, endless)

    def test_control_c_ends_a_run(self):
        simulation = abut.Simulation(self.system())
        threading.Timer(0.3, _thread.interrupt_main).start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            simulation.run(10**9)
        self.assertLess(time.monotonic() - begin, 20)
        steps = simulation.steps
        simulation.run(1)  # it goes on
        self.assertEqual(simulation.steps, steps + 1)


class JointsAlone(unittest.TestCase):
    def pendulum(self, **settings):
        scene = abut.Scene(gravity=(0, 0, 0))
        scene.add_body("link", 1, (0.1, 0.1, 0.1))
        scene.add_joint("hinge", "revolute", **settings)
        return scene.system()

    def test_a_limit_in_reach_is_no_kink_of_depth(self):
        system = self.pendulum(lower=-0.02, position=0.02)
        found = abut.step_derivatives(system, system.initial_state(), dt=1e-3, integrator="midpoint")
        self.assertEqual((found.status, found.kinks), (abut.Status.OK, []))

    def test_energy_has_the_armatures_share(self):
        system = self.pendulum(armature=1, velocity=10)
        self.assertAlmostEqual(system.energy(system.initial_state()), (0.1 + 1) / 2 * 10**2, places=12)


if __name__ == "__main__":
    unittest.main()
