"""Nothing that Python can do to the objects of this module crashes it: objects that were never made, copies, pickles,
subclasses, deletion in any order, threads that outlive the interpreter, and arguments drawn at random.

ABUT_FUZZ_SECONDS=600 python3 -m unittest test_fuzz    draws for ten minutes; ABUT_FUZZ_SEED says with which numbers.
"""

import copy
import gc
import inspect
import os
import pathlib
import pickle
import random
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

import abut
from abut import _abut
from support import raw
from test_systems import pushing

ALLOWED = (TypeError, ValueError, AttributeError, KeyError, IndexError, OverflowError, MemoryError, RecursionError, OSError,
           abut.Error, RuntimeWarning, pickle.PickleError, NotImplementedError)


def compiled():
    return [value for value in vars(_abut).values()
            if inspect.isclass(value) and not issubclass(value, (Exception, int))]


def poke(thing):
    """Asks an object for everything that it has."""
    for name in dir(thing):
        try:
            value = getattr(thing, name)
            if callable(value) and not name.startswith("__"):
                value()
        except ALLOWED:
            pass
    for use in repr, len, copy.copy, copy.deepcopy, pickle.dumps, hash, list, bool, lambda t: t == t, lambda t: t():
        try:
            use(thing)
        except ALLOWED:
            pass


def objects():
    """One of each class, and of answers one and many."""
    A, B = abut.ellipsoid(0.1, 0.2, 0.15), abut.Body(abut.box(0.1, 0.1, 0.1), abut.Material(friction=0.3))
    many, one = np.tile(np.eye(4), (3, 1, 1)), [1, 0, 0, 0, 0.15, 0, 0]
    system = pushing().system()
    simulation = abut.Simulation(system, integrator="semi_implicit", dt=1e-3)
    simulation.run(2, every=1)
    rollout = abut.Rollout(system, integrator="semi_implicit")
    model = abut.Model("soft_minimum")
    return [A, B, A.surface, A.volume, A.points, A.mass, abut.half_space(), abut.Estimator(), model, abut.SoftDistances(A),
            abut.PairSolver(A, B), abut.separation(A, B, one), abut.separation(A, B, many),
            abut.witness_derivative(A, B, many), model.wrench_hessian(A, B, one), abut.wrench(A, B, many),
            abut.contact_points(A, B, one), abut.contact_points(A, B, many, derivatives=True),
            abut.soft_distance(A, [0, 0, 1.0]), system, system.initial_state(), simulation, rollout,
            rollout(system.initial_state(), rows=2), rollout(np.stack([system.vector(system.initial_state())] * 2), rows=1)._run,
            abut.Integrator(system, integrator="semi_implicit"), pushing(), system._coordinates, abut.show(A)]


class Unmade(unittest.TestCase):
    def test_objects_that_were_never_made_say_so(self):
        for made in compiled():
            with self.subTest(made.__name__):
                poke(made.__new__(made))
        for made in abut.Geometry, abut.Body, abut.System, abut.Model:
            with self.subTest(made.__name__):
                poke(made.__new__(made))
        half = abut.Geometry.__new__(abut.Geometry)
        for call in (lambda: half.name, lambda: half.surface, lambda: abut.Body(half), lambda: abut.separation(half, half, np.eye(4)),
                     lambda: abut.separation([half], half, np.eye(4)), lambda: abut.soft_distance(half, [0, 0, 0]),
                     lambda: abut.Simulation(abut.System.__new__(abut.System)),
                     lambda: abut.step(pushing().system(), abut.State.__new__(abut.State), integrator="rk4"),
                     lambda: abut.vjp(abut.WitnessDerivative.__new__(abut.WitnessDerivative), p1=[0, 0, 0])):
            with self.assertRaisesRegex(TypeError, "is not initialised"):
                call()

    def test_subclasses_before_and_without_their_base(self):
        class Early(abut.Geometry):
            def __init__(self):
                self.found = []
                poke(self)
                super().__init__("sphere", (0.1,), 1e-3)

        class Never(abut.Geometry):
            def __init__(self):
                pass

        self.assertEqual(Early().name, "sphere")
        with self.assertRaisesRegex(TypeError, "__init__"):
            Never()

    def test_pickles_that_are_cut_or_changed(self):
        draw = random.Random(0)
        for thing in objects():
            try:
                good = pickle.dumps(thing)
            except (TypeError, AttributeError):
                continue
            for _ in range(20):
                bad = bytearray(good)
                if draw.random() < 0.5:
                    del bad[draw.randrange(len(bad)):]
                else:
                    at = draw.randrange(max(0, len(bad) - 200), len(bad))  # not the names of functions to call
                    bad[at] = draw.randrange(256)
                try:
                    poke(pickle.loads(bytes(bad)))
                except (*ALLOWED, EOFError, ImportError, UnicodeError):
                    pass
        empty = abut.Separation.__new__(abut.Separation)
        with self.assertRaisesRegex(abut.InvalidInput, "pickle"):
            empty.__setstate__((False, b"", 7, b""))
        with self.assertRaises(IndexError):
            abut.State.__new__(abut.State).__setstate__(())

    def test_a_second_init_changes_nothing(self):
        ball = abut.sphere(0.1)
        ball.__init__("box", (1.0, 1.0, 1.0), 1e-3)
        self.assertEqual(ball.name, "sphere")
        self.assertEqual(pickle.loads(pickle.dumps(ball)).name, "sphere")

    def test_parts_outlive_what_they_come_from(self):
        kept = []
        for thing in objects():
            for name in dir(thing):
                if not name.startswith("_"):
                    try:
                        kept.append(getattr(thing, name))
                    except ALLOWED:
                        pass
        del thing
        random.Random(1).shuffle(kept)
        while kept:
            kept.pop()
            if len(kept) % 50 == 0:
                gc.collect()
                sum(float(np.sum(array)) for array in kept if isinstance(array, np.ndarray) and array.dtype.kind in "fiu")


class End(unittest.TestCase):
    def run_script(self, script):
        with tempfile.TemporaryDirectory(dir=".") as folder:
            file = pathlib.Path(folder, "script.py")
            file.write_text(script)
            environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(abut.__file__).resolve().parents[1])}
            return subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True, timeout=120)

    def test_threads_that_still_work_when_python_ends(self):
        for ending in "", "import os; os.environ", "raise SystemExit(0)":
            done = self.run_script(f"""
import threading, numpy as np, abut
A, B, X = abut.cone(0.1, 0.05), abut.cylinder(0.1, 0.05), np.tile([1, 0, 0, 0, 0.1, 0, 0.0], (20000, 1))
def work():
    while True:
        abut.separation(A, B, X, threads=1)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
import time; time.sleep(0.3)
{ending}
""")
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stderr)

    def test_objects_that_are_left_at_the_end(self):
        done = self.run_script("""
import atexit, abut, numpy as np
class Late:
    def __del__(self):
        abut.separation(abut.sphere(0.1), abut.sphere(0.1), np.eye(4))
abut.left, a = Late(), abut.separation(abut.sphere(0.1), abut.sphere(0.1), np.tile(np.eye(4), (5, 1, 1)))
abut.cycle = [a.p1, a]; abut.cycle.append(abut.cycle)
""")
        self.assertEqual(done.returncode, 0, done.stderr)


class Arguments(unittest.TestCase):
    def test_arguments_drawn_at_random(self):
        seconds, seed = float(os.environ.get("ABUT_FUZZ_SECONDS", 5)), int(os.environ.get("ABUT_FUZZ_SEED", 0))
        draw = random.Random(seed)
        things = objects() + [made.__new__(made) for made in compiled()]
        X, huge = np.eye(4), np.eye(4)
        huge[:3, 3] = 1e300
        things += [None, 0, -1, 3, 1.5, float("nan"), float("inf"), 10**30, "x", "gumbel", "point", "pressure_field", "mass", b"z",
                   [], (), {}, [[]], X, huge, X[::-1], np.full((4, 4), np.nan), np.ones((3, 7)), np.ones(7, np.float32),
                   np.empty((0, 7)), np.zeros((0, 0)), np.array(3), np.zeros(30), np.zeros((2, 30)), np.ones((2, 9)), np.ones((2, 8)),
                   np.ones((2, 28)), [("mass", "bar")], True, object(), memoryview(X), np.ma.array(X), np.zeros(3, "M8[s]"),
                   np.broadcast_to(np.ones(3), (4, 3)), "nowhere", lambda *a: None, range(3)]
        functions = [value for name, value in vars(abut).items() if callable(value) and not name.startswith("_")
                     and not (inspect.isclass(value) and issubclass(value, (Exception, int)))]
        names = ["threads", "model", "estimator", "energy", "margin", "derivatives", "order", "rows", "joint_force", "joint_target",
                 "control", "X_AB", "dt", "integrator", "parameters", "p1", "distance", "x", "every", "deviation", "rings"]
        writes = {"save", "write_page", "_write_page"}
        end, count = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            if draw.random() < 0.5:
                call = draw.choice(functions)
            else:
                owner = draw.choice(things)
                try:
                    call = getattr(owner, draw.choice([name for name in dir(owner) if name not in writes]))
                except ALLOWED:
                    continue
                if not callable(call) or not type(owner).__module__.startswith("abut"):
                    continue
            given = [draw.choice(things) for _ in range(draw.choice((0, 1, 1, 2, 2, 3, 3, 3, 4, 5)))]
            more = {draw.choice(names): draw.choice(things) for _ in range(draw.choice((0, 0, 0, 1, 2)))}
            count += 1
            try:
                answer = call(*given, **more)
                if type(answer).__module__.startswith("abut") and len(things) < 400:
                    things.append(answer)
            except ALLOWED as error:
                if not getattr(call, "__name__", "").startswith("_"):  # not public, or Python's own
                    self.assertFalse(raw(error), (call, given, more, error))
            except Exception as error:
                raise AssertionError((call, given, more)) from error
        self.assertGreater(count, 10)


if __name__ == "__main__":
    unittest.main()
