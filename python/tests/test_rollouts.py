"""Rollouts of systems with joints, with gradients."""

import _thread
import copy
import multiprocessing
import pickle
import threading
import time
import unittest

import numpy as np

import abut
from test_systems import CONTACT, ROOT, pushing, slopes, through


def gradient_elsewhere(run, costates):
    return run.gradient(costates), run


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
        costates = np.ones((2, 2, rollout.system.nx))
        costates[1] = 1e308
        gradient = rollout(z[[0, 0]], rows=2).gradient(costates)
        self.assertTrue(np.isfinite(gradient.start[0]).all() and np.isnan(gradient.start[1]).all())

    def test_jacobians_of_every_row_are_those_of_shorter_rollouts(self):
        rollout, targets = self.rollout(parameters=[("mass", "bar")]), through()
        start = rollout.system.initial_state()
        run = rollout(start, joint_target=targets)
        all_rows = run.jacobian(every_row=True)
        self.assertEqual(all_rows.kinks.shape, (6,))
        for rows in 1, 4, 6:
            one = rollout(start, joint_target=targets[:rows]).jacobian()
            for name in one._fields[:-1]:
                of_row = getattr(all_rows, name)[rows - 1]
                if name.startswith("joint"):
                    self.assertFalse(of_row[:, rows:].any())  # what comes later has no effect
                    of_row = of_row[:, :rows]
                np.testing.assert_array_equal(of_row, getattr(one, name), err_msg=name)
        change = np.random.default_rng(2).normal(size=targets.shape)
        moved = run.jvp(joint_target=change, every_row=True)
        self.assertEqual(moved.shape, (6, rollout.system.nx))
        np.testing.assert_allclose(moved[-1], run.jvp(joint_target=change))
        with self.assertRaises(abut.InvalidInput):
            run.jvp(joint_target=change[:-1], every_row=True)
        self.assertEqual(rollout(start, rows=0).jacobian(every_row=True).start.shape, (0,) + 2 * (rollout.system.nx,))

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
            (lambda: rollout(start, rows=2).gradient(ones((2, 28)) * 1e308), abut.InvalidInput, "left the finite numbers"),
            (lambda: rollout(start, rows=2).jvp(ones(28) * 1e308), abut.InvalidInput, "left the finite numbers"),
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

    def test_what_was_given_may_change_later(self):
        parameters, settings, choice = [["mass", "bar"]], {"tolerance": 1e-9}, dict(CONTACT["model_settings"])
        config = dict(dt=2e-3, integrator="implicit", parameters=parameters, integrator_settings=settings,
                      model=CONTACT["model"], model_settings=choice)
        system = pushing().system()
        made = [abut.Integrator(system, **config), abut.Rollout(system, **config)]
        before = [pickle.dumps(handle) for handle in made]
        parameters[0][1] = "free"
        parameters.append(("mass", "ball"))
        settings["tolerance"], choice["stiffness"] = 1, 1
        self.assertEqual([pickle.dumps(handle) for handle in made], before)
        self.assertEqual(made[1].with_values([0.7]).system.values([("mass", "bar"), ("mass", "free")]).tolist(), [0.7, 0.3])

    def test_control_c_ends_one_rollout_and_its_gradients(self):
        rollout = self.rollout()
        start = rollout.system.initial_state()
        run = rollout(start, rows=200)

        def interrupted(call):
            threading.Timer(0.2, _thread.interrupt_main).start()
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                call()
            self.assertLess(time.monotonic() - begin, 10)

        interrupted(lambda: rollout(start, rows=10**6))
        interrupted(lambda: [run.gradient(np.ones((200, rollout.system.nx))) for _ in range(10**6)])
        interrupted(lambda: [run.jacobian() for _ in range(10**6)])
        np.testing.assert_array_equal(rollout(start, rows=200).z, run.z)  # it goes on

    def test_a_pickle_with_other_parts_is_refused(self):
        with self.assertRaisesRegex(abut.InvalidInput, "another version"):
            self.rollout()._restored(())

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
