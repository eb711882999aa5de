"""Threads, signals, copies, pickles, other processes."""

import _thread
import atexit
import concurrent.futures
import copy
import gc
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import weakref

import numpy as np

import abut
from support import ASSETS, asset, needs_assets, poses


def distances(A, B, X_AB):
    return abut.separation(A, B, X_AB, threads=2).distance


class Handles(unittest.TestCase):
    def test_copies_are_the_same_object_and_pickles_of_primitives_are_alike(self):
        body = abut.Body(abut.cylinder(0.1, 0.2, deviation=1e-2), abut.Material(friction=0.3))
        self.assertIs(copy.deepcopy(body), body)
        self.assertIs(copy.copy(body.geometry), body.geometry)
        again = pickle.loads(pickle.dumps([body, body]))
        self.assertIs(again[0], again[1])
        self.assertEqual(again[0].material, body.material)
        np.testing.assert_array_equal(again[0].geometry.surface.vertices, body.geometry.surface.vertices)

    @needs_assets
    def test_pickles_of_assets_are_their_path(self):
        mug = asset("005_mug")
        pickled = pickle.dumps(mug)
        self.assertLess(len(pickled), 1000)
        np.testing.assert_array_equal(pickle.loads(pickled).hull.vertices, mug.hull.vertices)

    def test_handles_and_answers_pickle(self):
        A, B, X_AB = abut.sphere(0.1), abut.box(0.1, 0.1, 0.1), poses(3)
        for handle in abut.Estimator("gumbel", rings=4), abut.Model("point"), abut.SoftDistances(A, eps1=0.3):
            again = pickle.loads(pickle.dumps(handle))
            self.assertIs(type(again), type(handle))
        for answers in (abut.separation(A, B, X_AB), abut.wrench_hessian(A, B, X_AB), abut.soft_distance(A, [0, 0, 1])):
            again = pickle.loads(pickle.dumps(answers))
            np.testing.assert_array_equal(again.status, answers.status)
        np.testing.assert_array_equal(again.gradient, answers.gradient)
        found = abut.wrench_hessian(A, B, X_AB)
        np.testing.assert_array_equal(copy.deepcopy(found).d2F, found.d2F)

    @needs_assets
    def test_arrays_are_views_that_keep_their_geometry(self):
        mug = asset("005_mug")
        vertices, extent, normals = mug.surface.vertices, mug.volume.extent, mug.points.normals
        expected = vertices.copy(), extent.copy(), normals.copy()
        self.assertEqual(mug.surface.vertices.ctypes.data, vertices.ctypes.data)
        for array in vertices, extent, normals, mug.hull.vertices, mug.volume.tetrahedra:
            self.assertFalse(array.flags.writeable or array.flags.owndata)
            with self.assertRaises(ValueError):
                array.setflags(write=True)
        alive = weakref.ref(mug)
        del mug
        gc.collect()
        self.assertIsNone(alive())  # the handle goes, what it shares stays
        for array, before in zip((vertices, extent, normals), expected):
            np.testing.assert_array_equal(array, before)
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-6)
        self.assertEqual((extent.min(), extent.max()), (0, 1))

    @needs_assets
    def test_arrays_are_what_they_say(self):
        mug, ball = asset("005_mug"), abut.sphere(0.3)
        for which in np.min, np.max:  # the hull has the extremes of the surface
            np.testing.assert_allclose(which(mug.hull.vertices, axis=0), which(mug.surface.vertices, axis=0), atol=1e-9)
        np.testing.assert_allclose(np.linalg.norm(ball.points.positions, axis=1), 0.3, rtol=1e-9)
        corners = mug.surface.vertices[mug.surface.triangles]
        volume = np.einsum("ti,ti->", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6
        self.assertAlmostEqual(volume / mug.mass.volume, 1, places=6)
        tetrahedra = mug.volume.vertices[mug.volume.tetrahedra]
        edges = tetrahedra[:, 1:] - tetrahedra[:, :1]
        self.assertTrue((np.linalg.det(edges) > 0).all())
        slopes = np.einsum("tki,ti->tk", edges, mug.volume.gradients)
        extent = mug.volume.extent[mug.volume.tetrahedra]
        np.testing.assert_allclose(slopes, extent[:, 1:] - extent[:, :1], atol=1e-9)


class Processes(unittest.TestCase):
    def test_fork_and_spawn_give_the_same_bits(self):
        A, B, X_AB = abut.box(0.1, 0.2, 0.05), abut.cone(0.1, 0.05), poses(200)
        expected = distances(A, B, X_AB)  # starts threads of this process
        for method in "fork", "spawn":
            with self.subTest(method), multiprocessing.get_context(method).Pool(2) as pool:
                for found in pool.starmap(distances, [(A, B, X_AB)] * 3):
                    np.testing.assert_array_equal(found, expected)

    @needs_assets
    def test_pickled_scenes_are_read_in_any_folder(self):
        home = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ASSETS.resolve(), pathlib.Path(folder, "assets"))
            line = 'object "mug" "005_mug" 400 0 0 0 1 0 0 0 0 0 0 0 0 0\n'
            pathlib.Path(folder, "scene.txt").write_text("gravity 0 0 -9.81\nmu 0.5\nduration 1\n" + line)
            try:
                os.chdir(folder)
                given = abut.load_folder("assets")
                pickled = [pickle.dumps(abut.read_scene("scene.txt", assets)) for assets in ("assets", given, given.get)]
            finally:
                os.chdir(home)
            for one in pickled:
                self.assertEqual(pickle.loads(one).names, ["mug"])
                self.assertLess(len(one), 2000)  # the assets that it has, by their paths

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_forks_beside_a_busy_thread_end_and_refuse_what_it_holds(self):
        A, B, one = abut.box(0.1, 0.2, 0.05), abut.sphere(0.1), poses(1)[0]
        model, stop = abut.Model("pressure_field"), threading.Event()

        def ask():
            while not stop.is_set():
                model.wrench(A, B, one)

        thread = threading.Thread(target=ask)
        thread.start()
        try:
            for _ in range(100):  # often amid an answer, or on the way back from one
                child = os.fork()
                if child == 0:
                    code = 1
                    try:
                        model.wrench(A, B, one)
                        code = 0
                    except RuntimeError as error:
                        code = 0 if "forked" in str(error) else 2
                    except BaseException:
                        code = 3
                    atexit._run_exitfuncs()
                    os._exit(code)
                self.assertEqual(ended(child), 0)
        finally:
            stop.set()
            thread.join()

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    @needs_assets
    def test_forks_beside_the_first_use_of_a_model_of_a_process(self):
        script = ("import os, threading, abut\n"
                  "from test_processes import asset, ended, poses\n"
                  "ask = lambda: abut.Model('soft_potential', field='lattice').wrench(asset('005_mug'), abut.sphere(0.03), X_AB)\n"
                  "X_AB = poses(50, reach=0.1)\n"
                  "thread = threading.Thread(target=ask)\n"
                  "thread.start()\n"
                  "children = []\n"
                  "for _ in range(3):\n"
                  "    children.append(os.fork())\n"
                  "    if children[-1] == 0:\n"
                  "        ask()\n"
                  "        os._exit(0)\n"
                  "thread.join()\n"
                  "assert [ended(child) for child in children] == [0, 0, 0]\n")
        for _ in range(5):
            subprocess.run([sys.executable, "-c", script], cwd=pathlib.Path(__file__).parent, check=True, timeout=200)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    @needs_assets
    def test_forks_beside_a_thread_that_makes_a_lattice_share_it(self):
        X_AB = poses(200, reach=0.1)
        for _ in range(5):
            A, B = asset("005_mug"), abut.sphere(0.03)
            thread = threading.Thread(target=lambda: abut.Model("soft_potential", field="lattice").wrench(A, B, X_AB))
            thread.start()
            children = []
            for _ in range(4):
                child = os.fork()
                if child == 0:
                    code = 1
                    try:
                        abut.Model("soft_potential", field="lattice").wrench(A, B, X_AB)
                        code = 0
                    finally:
                        os._exit(code)
                children.append(child)
            thread.join()
            for child in children:
                self.assertEqual(ended(child), 0)


def ended(child, seconds=60):
    """The exit status of a process, which is killed where it takes longer."""
    for _ in range(100 * seconds):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def falling(geometry):
    scene = abut.Scene(gravity=(0, 0, -9.81), friction=0.5)
    scene.add_plane((0, 0, 1), 0)
    scene.add_object("falls", geometry, 400, (0.9, 0.3, 0.2, 0.1, 0, 0, 0.1))
    return scene


def at_once(ask, times, threads=8):
    """What ask() returns to threads that start together, so many times each."""
    together = threading.Barrier(threads)
    def work():
        together.wait()
        return [ask() for _ in range(times)]
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        found = [pool.submit(work) for _ in range(threads)]
        return [answer for each in found for answer in each.result()]


class Threads(unittest.TestCase):
    def test_eight_threads_share_handles(self):
        A, B, X_AB = abut.box(0.1, 0.2, 0.05), abut.sphere(0.1), poses(400)
        estimator, model = abut.Estimator("gumbel", threads=2), abut.Model("point")
        expected = estimator(A, B, X_AB).dp1_A_dxi_B, model.wrench(A, B, X_AB).F_BBo_B
        def ask():
            return estimator(A, B, X_AB).dp1_A_dxi_B, model.wrench(A, B, X_AB).F_BBo_B
        for found in at_once(ask, 3):
            np.testing.assert_array_equal(found[0], expected[0])
            np.testing.assert_array_equal(found[1], expected[1])

    @needs_assets
    def test_eight_threads_ask_assets_that_nobody_has_asked(self):
        X_AB = poses(40, reach=0.1)
        def questions():
            mug, banana = asset("005_mug"), asset("006_banana")
            lattice, points = abut.Model("soft_potential", field="lattice"), abut.SoftDistances(mug)
            surface, gumbel = abut.DistanceModel("surface"), abut.Estimator("gumbel")
            rollout = abut.Rollout(falling(mug).system(), 5, dt=2e-3, integrator="semi_implicit", model="soft_potential")
            start = rollout.system.initial_state()
            asked = [lambda: lattice.wrench_hessian(mug, banana, X_AB).d2F, lambda: surface(mug, banana, X_AB).dd_dxi_B,
                     lambda: gumbel(mug, banana, X_AB).dp1_A_dxi_B, lambda: abut.wrench_derivative(mug, banana, X_AB).dF_dxi_B,
                     lambda: abut.separation(mug, banana, X_AB, model="pieces").distance,
                     lambda: points(X_AB[:, 4:], order=2).hessian, lambda: rollout(start, rows=4).z]
            return lambda: [ask() for ask in asked]
        expected = questions()()
        for _ in range(3):
            for found in at_once(questions(), 1):  # all of them are the first to ask
                for one, other in zip(found, expected):
                    np.testing.assert_array_equal(one, other)

    def test_eight_threads_run_simulations_of_their_own(self):
        system = falling(abut.box(0.05, 0.05, 0.05)).system()
        def run():
            simulation = abut.Simulation(system, dt=2e-3)
            simulation.run(200)
            return system.vector(simulation.state)
        expected = run()
        for found in at_once(run, 2):
            np.testing.assert_array_equal(found, expected)

    def test_the_interpreter_runs_on_meanwhile(self):
        A, B = abut.Body(abut.cone(0.1, 0.05)), abut.cylinder(0.1, 0.05)
        X_AB = poses(50000)
        done, turns = threading.Event(), 0
        def work():
            abut.separation(A, B, X_AB, threads=1)
            done.set()
        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            turns += 1
            time.sleep(1e-4)
        thread.join()
        self.assertGreater(turns, 10)

    def test_large_cheap_batches_end(self):
        X_AB = np.broadcast_to(poses(1, reach=0.5), (500_000, 7))
        found = abut.separation(abut.sphere(0.1), abut.sphere(0.2), X_AB)
        np.testing.assert_array_equal(found.distance, found.distance[0])

    def test_control_c_ends_a_batch(self):
        A, B = abut.Body(abut.sphere(0.1)), abut.Body(abut.box(0.1, 0.1, 0.1))
        X_AB = np.broadcast_to(poses(1, reach=0.05), (20_000, 7))
        threading.Timer(0.5, _thread.interrupt_main).start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            while time.monotonic() - begin < 60:
                abut.wrench(A, B, X_AB, threads=1)
        self.assertLess(time.monotonic() - begin, 30)

    def test_a_simulation_is_asked_while_it_runs(self):
        scene = abut.Scene(gravity=(0, 0, -9.81), friction=0.5)
        scene.add_plane((0, 0, 1), 0)
        for i in range(10):
            scene.add_body(f"box {i}", 1, (1e-3,) * 3, [abut.box(0.05, 0.05, 0.05)], (1, 0, 0, 0, 0, 0, 0.1 * i + 0.06))
        simulation = abut.Simulation(scene.system(), dt=1e-3)
        done = threading.Event()

        class Asks:
            def __del__(self):
                simulation.steps

        def work():
            simulation.run(500, every=1)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():  # the collector runs within these
            garbage = Asks()
            garbage.me = garbage
            del garbage
            simulation.report, simulation.trajectory
        thread.join()
        self.assertEqual(simulation.steps, 500)


if __name__ == "__main__":
    unittest.main()
