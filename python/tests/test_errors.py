"""Every bad input is a Python exception whose message names the argument."""

import pathlib
import random
import tempfile
import unittest

import numpy as np

import abut
from support import ASSETS, needs_assets, raw

A, B, GROUND = abut.sphere(0.1), abut.box(0.1, 0.1, 0.1), abut.half_space()
X = np.eye(4)
BATCH = np.tile(X, (5, 1, 1))
NAN, MIRROR, LAST_ROW, LONG = X.copy(), X.copy(), X.copy(), X.copy()
NAN[0, 3] = np.nan
MIRROR[0, 0] = -1
LAST_ROW[3, 0] = 1
LONG[:3, :3] *= 2
THIRD_NAN = BATCH.copy()
THIRD_NAN[3, 1, 3] = np.inf
V = np.zeros(6)
Bad = abut.InvalidInput


def closed_file():
    with open(__file__) as file:
        return file


class Raises:
    def __init__(self, error):
        self.error = error

    def __array__(self, *_, **__):
        raise self.error

    def __index__(self):
        raise self.error

    def __float__(self):
        raise self.error

    def __fspath__(self):
        raise self.error


class Resizes:
    """Twists (5, 6) that, read, leave an array with one row."""

    def __init__(self, array):
        self.array = array

    def __array__(self, *_, **__):
        self.array.resize((1, 7), refcheck=False)
        return np.zeros((5, 6))


def resized():
    X_AB = np.tile([1.0, 0, 0, 0, 1, 0, 0], (5, 1)).copy()
    return abut.wrench(A, B, X_AB, Resizes(X_AB))


MASKED = np.ma.masked_array(BATCH, mask=np.zeros(BATCH.shape))
MASKED[2, 0, 3] = np.ma.masked

# What is called, what it raises, and what its message has.
CASES = [
    # poses
    (lambda: abut.separation(A, B, np.eye(3)), Bad, r"separation: X_AB has shape \(3, 3\)"),
    (lambda: abut.separation(A, B, np.zeros(6)), Bad, r"X_AB has shape \(6,\)"),
    (lambda: abut.separation(A, B, np.zeros((2, 2, 4, 4))), Bad, r"X_AB has shape \(2, 2, 4, 4\)"),
    (lambda: abut.separation(A, B, np.zeros((3, 6))), Bad, "X_AB has shape"),
    (lambda: abut.separation(A, B, 1.0), Bad, r"X_AB has shape \(\)"),
    (lambda: abut.separation(A, B, None), TypeError, "X_AB must be an array of numbers, not NoneType"),
    (lambda: abut.separation(A, B, "pose"), TypeError, "X_AB must be an array of numbers, not str"),
    (lambda: abut.separation(A, B, X.astype(complex)), TypeError, "X_AB must be an array of real numbers, not of complex"),
    (lambda: abut.separation(A, B, X.astype(bool)), TypeError, "X_AB must be an array of real numbers, not of bool"),
    (lambda: abut.separation(A, B, X.astype(object)), TypeError, "X_AB must be an array of real numbers, not of object"),
    (lambda: abut.separation(A, B, X.astype("U4")), TypeError, "X_AB must be an array of real numbers"),
    (lambda: abut.separation(A, B, {"pose": 1}), TypeError, "X_AB"),
    (lambda: abut.separation(A, B, [[1, 2], [3]]), (Bad, TypeError), "X_AB"),
    (lambda: abut.separation(A, B, NAN), Bad, "X_AB has an entry that is NaN or infinite"),
    (lambda: abut.separation(A, B, THIRD_NAN), Bad, r"X_AB\[3\] has an entry that is NaN"),
    (lambda: abut.separation(A, B, MIRROR), Bad, r"X_AB is no pose: its 3x3 part is not orthonormal with determinant \+1 "
                                                 r"\(\|R'R - I\| = 0, determinant -1\)"),
    (lambda: abut.separation(A, B, LONG), Bad, "X_AB is no pose: its 3x3 part is not orthonormal"),
    (lambda: abut.separation(A, B, LAST_ROW), Bad, r"X_AB is no pose: its last row"),
    (lambda: abut.separation(A, B, [0, 0, 0, 0, 1, 0, 0]), Bad, "X_AB has a quaternion of length zero"),
    (lambda: abut.separation(A, B, [np.nan, 0, 0, 0, 1, 0, 0]), Bad, "X_AB has an entry that is NaN"),
    (lambda: abut.separation(A, B), TypeError, "X_AB"),
    (lambda: abut.separation(A, B, MASKED), Bad, "X_AB has masked entries"),
    (lambda: abut.separation(([A], np.ma.masked_array([0, 0], mask=[0, 1])), B, X), Bad, "A's indices has masked entries"),
    (lambda: abut.vjp(abut.witness_derivative(A, B, X), distance=np.ma.masked), Bad, "distance has masked entries"),
    (resized, Bad, "X_AB has 1 entries but V_AB_B has 5"),
    # what the argument's own code raises
    (lambda: abut.separation(A, B, Raises(KeyError("mine"))), KeyError, "mine"),
    (lambda: abut.separation(A, B, Raises(RuntimeError("use detach()"))), Bad, "X_AB is no array of numbers.*use detach"),
    (lambda: abut.separation(A, B, X, threads=Raises(KeyError("mine"))), KeyError, "mine"),
    (lambda: abut.Estimator("gumbel", rings=Raises(KeyError("mine"))), KeyError, "mine"),
    (lambda: abut.contact_points(A, B, X, margin=Raises(KeyError("mine"))), KeyError, "mine"),
    (lambda: abut.load(Raises(KeyError("mine"))), KeyError, "mine"),
    # bodies
    (lambda: abut.separation(None, B, X), TypeError, "separation: A must be a Body.* not NoneType"),
    (lambda: abut.separation(A, 3, X), TypeError, "B must be a Body.* not int"),
    (lambda: abut.separation("mug", B, X), TypeError, "A must be a Body"),
    (lambda: abut.separation([A, None], B, X), TypeError, r"A\[1\] must be a Body or a Geometry, not NoneType"),
    (lambda: abut.separation([A, A], B, BATCH), Bad, "A has 2 entries but X_AB has 5"),
    (lambda: abut.separation([A, A], [B, B, B], X), Bad, "A has 2 entries but B has 3"),
    (lambda: abut.separation(([A], [0, 0, 1, 0, 0]), B, BATCH), Bad, "A's indices have 1 at 2; there are 1 bodies"),
    (lambda: abut.separation(([A], [-1] * 5), B, BATCH), Bad, "A's indices have -1 at 0"),
    (lambda: abut.separation(([A], [0.5]), B, X), TypeError, "A's indices must be an array of whole numbers"),
    (lambda: abut.separation(([A], [[0]]), B, X), Bad, r"A's indices have shape \(1, 1\)"),
    (lambda: abut.separation((3, [0]), B, X), TypeError, "A must be"),
    (lambda: abut.separation(memoryview(X), B, X), TypeError, "A must be a Body.* not memoryview"),
    (lambda: abut.separation(GROUND, GROUND, X), Bad, "half-space"),
    (lambda: abut.separation([A, A, GROUND], GROUND, X), Bad, "pair 2: .*half-space"),
    (lambda: abut.PairSolver(A, "mug"), TypeError, "B must be a Body or a Geometry"),
    (lambda: abut.PairSolver(GROUND, GROUND), Bad, "half-space"),
    # threads and settings
    (lambda: abut.separation(A, B, X, threads=-1), Bad, "threads is -1; it must be 0 or more"),
    (lambda: abut.separation(A, B, X, threads=100000), Bad, "threads is 100000; it must be at most 1024"),
    (lambda: abut.separation(A, B, X, threads=1.5), TypeError, "threads must be a whole number, not float"),
    (lambda: abut.separation(A, B, X, threads="two"), TypeError, "threads must be a whole number, not str"),
    (lambda: abut.separation(A, B, X, thread=2), TypeError, "thread"),
    (lambda: abut.witness_derivative(A, B, X, estimator="magic"), Bad,
     "witness_derivative: no derivative estimator is called 'magic'; there are: gumbel"),
    (lambda: abut.witness_derivative(A, B, X, estimator=7), TypeError, "witness_derivative: estimator must be a str, not int"),
    (lambda: abut.witness_derivative(A, B, X, ring=3), Bad, "has no setting 'ring'; it has: rings"),
    (lambda: abut.witness_derivative(A, B, X, rings=-3), Bad, "rings is '-3' edges; it must be"),
    (lambda: abut.witness_derivative(A, B, X, rings=2.5), Bad, "rings"),
    (lambda: abut.witness_derivative(A, B, X, eps=np.nan), Bad, "eps"),
    (lambda: abut.witness_derivative(A, B, X, eps=True), Bad, "eps is 'yes'"),
    (lambda: abut.witness_derivative(A, B, X, eps=[1]), TypeError, "setting 'eps' must be a number, not list"),
    (lambda: abut.witness_derivative(A, B, X, eps=np.ones(2)), TypeError, "setting 'eps' must be a number, not ndarray"),
    (lambda: abut.separation(A, B, X, threads=np.ones(2)), TypeError, "threads must be a whole number, not ndarray"),
    (lambda: abut.smoothed_witness(A, B, X), Bad, "primitive"),
    (lambda: abut.smoothed_witness(A, B, X, estimator="gumbel"), Bad, "'gumbel' smooths nothing"),
    (lambda: abut.smoothed_witness(A, B, X, hessian="yes"), TypeError, "hessian must be True or False, not str"),
    # wrenches and contact points
    *((lambda ask=ask: ask(A, B, X, model="surfce"), Bad, f"^{ask.__name__}: no distance model is called 'surfce'; there are: hull")
      for ask in (abut.separation, abut.witness_derivative, abut.smoothed_witness, abut.all_contacts)),
    (lambda: abut.witness_derivative(A, B, X, model="surface", estimator="magic"), Bad,
     "^witness_derivative: distance model surface: no method is called 'magic'"),
    (lambda: abut.Estimator("magic"), Bad, "^Estimator: no derivative estimator is called 'magic'"),
    (lambda: abut.DistanceModel("magic"), Bad, "^DistanceModel: no distance model is called 'magic'"),
    (lambda: abut.Model("glue"), Bad, "^Model: no contact model is called 'glue'"),
    (lambda: abut.show(A, B, X, model="glue"), Bad, "^show: no contact model is called 'glue'"),
    *((lambda ask=ask: ask(A, B, X, model="glue"), Bad, f"^{ask.__name__}: no contact model is called 'glue'; there are: press")
      for ask in (abut.wrench, abut.wrench_derivative, abut.wrench_hessian, abut.contact_points)),
    (lambda: abut.wrench(A, B, X, model=None), TypeError, "model must be a str, not NoneType"),
    (lambda: abut.wrench(A, B, X, stiffness=1), Bad, "no setting 'stiffness'"),
    (lambda: abut.wrench(A, B, X, np.zeros(5)), Bad, r"V_AB_B has shape \(5,\); it must be \(6,\)"),
    (lambda: abut.wrench(A, B, X, [np.inf, 0, 0, 0, 0, 0]), Bad, "V_AB_B has an entry that is NaN"),
    (lambda: abut.wrench(A, B, BATCH, np.zeros((4, 6))), Bad, "X_AB has 5 entries but V_AB_B has 4"),
    (lambda: abut.wrench_hessian(A, B, X, model="pressure_field"), Bad, "wrench_hessian: .*'pressure_field' offers no Hessian; these do: soft_potential, soft_minimum"),
    (lambda: abut.wrench(A, B, X, model="soft_minimum", energy=True), Bad, "'soft_minimum' offers no energy"),
    (lambda: abut.wrench_derivative(A, B, BATCH, model="soft_minimum").d2F, Bad, "Wrench.d2F was not asked for; wrench_hessian gives it"),
    (lambda: abut.wrench(A, B, X, model="point").dF_dxi_B, abut.NotAsked, "dF_dxi_B was not asked for; wrench_derivative gives it"),
    (lambda: abut.wrench(A, B, X, model="point").energy, AttributeError, "Wrench.energy was not asked for; give energy=True"),
    (lambda: abut.wrench(GROUND, GROUND, X), Bad, "half-space"),
    (lambda: abut.contact_points(A, B, X, margin=-1), Bad, "margin"),
    (lambda: abut.contact_points(A, B, X, margin="wide"), TypeError, "margin must be a number, not str"),
    (lambda: abut.contact_points(A, B, X, margin=np.nan), Bad, "margin"),
    (lambda: abut.contact_points(A, B, X, margin=-1e300), Bad, "the margin is -1e.?300 m; it must be 0 or more"),
    (lambda: abut.contact_points(A, B, X, margin=10**400), Bad, "margin is larger than any number"),
    (lambda: abut.contact_points(A, B, X, derivatives="yes"), TypeError, "derivatives must be True or False, not str"),
    (lambda: abut.contact_points(A, B, [1, 0, 0, 0, 0.15, 0, 0]).dp_dxi_B, abut.NotAsked, "dp_dxi_B was not asked for; give derivatives=True"),
    # soft distances
    (lambda: abut.soft_distance(3, [0, 0, 0]), TypeError, "geometry must be a Geometry or a Body, not int"),
    (lambda: abut.soft_distance(A, [0, 0]), Bad, r"points has shape \(2,\); it must be \(3,\) or \(N, 3\)"),
    (lambda: abut.soft_distance(A, [[0, 0, 0], [0, np.nan, 0]]), Bad, r"points\[1\] has a coordinate that is NaN"),
    (lambda: abut.soft_distance(A, [0, 0, 0], order=3), Bad, "order is more than 2"),
    (lambda: abut.soft_distance(A, [0, 0, 0], order=0.5), TypeError, "order must be a whole number"),
    (lambda: abut.soft_distance(A, [0, 0, 0], eps1=-1), Bad, "eps1"),
    (lambda: abut.soft_distance(A, [0, 0, 0], kernel="round"), Bad, "kernel is 'round'; it must be one of"),
    # geometries, materials, files
    (lambda: abut.load("nowhere.h5"), abut.IoError, "nowhere.h5: cannot open"),
    (lambda: abut.load("."), abut.IoError, "folder|directory|regular"),
    (lambda: abut.load("no\udcff.h5"), abut.IoError, r"no\\xff.h5: cannot open: No such file"),
    (lambda: abut.read_scene("no\udcff.scn"), abut.IoError, r"no\\xff.scn: cannot open: No such file"),
    (lambda: abut.load(3), TypeError, "load: path must be a path"),
    (lambda: abut.load(closed_file()), TypeError, "load: path must be a path"),
    (lambda: abut.load("a\0b"), Bad, "path has a character that no path can have"),
    (lambda: abut.load(__file__), abut.BadAsset, "test_errors.py"),
    (lambda: abut.load(__file__, surface=-1), Bad, "surface is -1"),
    (lambda: abut.load(__file__, points="fine"), TypeError, "points must be a whole number"),
    (lambda: abut.load_folder(None), TypeError, "load_folder: path must be a path, not NoneType"),
    (lambda: abut.load_folder(b"OUT"), TypeError, "load_folder: path must be a path, not bytes"),
    (lambda: abut.load_folder("nowhere"), abut.IoError, "'nowhere' is no folder that can be read: No such file"),
    (lambda: abut.load_folder(__file__), abut.IoError, "is no folder that can be read: Not a directory"),
    (lambda: abut.load_folder("a\0b"), Bad, "path .* has a character that no path can have"),
    (lambda: abut.sphere(-1), Bad, "sphere"),
    (lambda: abut.sphere(np.nan), Bad, "sphere"),
    (lambda: abut.sphere("wide"), TypeError, r"sizes\[0\] must be a number, not str"),
    (lambda: abut.primitive("torus", 1, 2), Bad, "torus.*is no primitive"),
    (lambda: abut.primitive("sphere", 1, 2), Bad, "is no primitive"),
    (lambda: abut.primitive("sphere:1"), Bad, "name has a colon"),
    (lambda: abut.primitive("\ud800", 1), Bad, "name has a lone surrogate"),
    (lambda: abut.wrench(A, B, X, fade_pulls="\ud800"), Bad, "setting 'fade_pulls' has a lone surrogate"),
    (lambda: abut.sphere(np.True_), TypeError, r"sizes\[0\] must be a number, not bool"),
    (lambda: abut.sphere(1, deviation=0), Bad, "deviation"),
    (lambda: GROUND.surface, Bad, "has no surface"),
    (lambda: GROUND.volume, Bad, "has no tetrahedra"),
    (lambda: A.hull, Bad, "primitive"),
    (lambda: A.surface.normals, Bad, "has no such array"),
    (lambda: abut.Body("mug"), TypeError, "Body: geometry must be a Geometry, not str"),
    (lambda: abut.Body(A, 0.5), TypeError, "material must be a Material, not float"),
    (lambda: abut.Body(A, abut.Material(friction=-1)), Bad, "friction"),
    (lambda: abut.Body(A, abut.Material(modulus=0)), Bad, "modulus"),
    (lambda: abut.Body(A, abut.Material(restitution="none")), TypeError, "restitution must be a number"),
    # products
    (lambda: abut.vjp(abut.separation(A, B, X), distance=1.0), TypeError, "Separation has no derivatives"),
    (lambda: abut.vjp(abut.witness_derivative(A, B, X), p1=1.0), Bad, r"p1 has shape \(\); it must be \(3,\)"),
    (lambda: abut.vjp(abut.witness_derivative(A, B, X), speed=1.0), TypeError, "no derivative of 'speed'"),
    (lambda: abut.vjp(abut.witness_derivative(A, B, X)), TypeError, "give a cotangent"),
    (lambda: abut.jvp(abut.witness_derivative(A, B, X), V[:3]), Bad, r"tangent has shape \(3,\)"),
    (lambda: abut.pose_gradient(np.eye(3), V), Bad, r"X_AB has shape \(3, 3\)"),
    (lambda: abut.pose_gradient(X, V[:5]), Bad, r"gradient has shape \(5,\)"),
    (lambda: abut.pose_tangent(X, V), Bad, r"change has shape \(6,\)"),
    (lambda: abut.pose_gradient("pose", V), TypeError, "pose_gradient: X_AB must be an array of numbers"),
    (lambda: abut.jvp(abut.witness_derivative(A, B, X), "xi"), TypeError, "jvp: tangent must be an array of numbers"),
    # systems
    (lambda: abut.read_scene("nowhere.scn"), abut.IoError, "nowhere.scn"),
    (lambda: abut.read_scene(None), TypeError, "read_scene: path must be a path"),
    (lambda: abut.Simulation("pile.scn"), TypeError, "system must be a System"),
    (lambda: abut.Rollout("pile.scn"), TypeError, "system must be a System"),
    (lambda: abut.Scene(gravity=(0, 0)), Bad, r"gravity has shape \(2,\)"),
    (lambda: abut.Scene(gravity="down"), TypeError, "gravity must be an array of numbers, not str"),
    (lambda: abut.Scene().add_object("a", "mug", 400), TypeError, "geometry must be a Geometry, not str"),
    (lambda: abut.Scene().add_object("", A, 400), Bad, "name is empty"),
    (lambda: abut.Scene().add_object("a", A, 400, pose=np.eye(3)), Bad, r"pose has shape \(3, 3\)"),
    (lambda: abut.Scene().add_body("a", 1, (1, 1)), Bad, r"moments has shape \(2,\)"),
    (lambda: abut.show(A, B), TypeError, r"show\(A, B, X_AB\)"),
    (lambda: abut.show(3), TypeError, "show: a Geometry.* not int"),
    (lambda: abut.show(A, B, BATCH), Bad, "give one pose"),
    # arguments that no form of a function takes
    (lambda: abut.Estimator()(A, B), TypeError, r"Estimator.__call__ takes \(A, B, X_AB\), and cannot take \(Geometry, Geometry\)"),
    (lambda: abut.Estimator()(A, B, X, 3), TypeError, "Estimator.__call__ takes"),
    (lambda: abut.Estimator()(A, B, X, threads=3), TypeError, "threads=int"),
    (lambda: abut.DistanceModel("hull")(A), TypeError, r"DistanceModel.__call__ takes \(A, B, X_AB\)"),
    (lambda: abut.DistanceModel("hull").separation(A, B, pose=X), TypeError, r"takes \(A, B, X_AB\).* pose=ndarray"),
    (lambda: abut.PairSolver(A, B)(), TypeError, r"PairSolver.__call__ takes \(X_AB\), and cannot take \(\)"),
    (lambda: abut.PairSolver(A, B).forget(1), TypeError, r"PairSolver.forget takes \(\), and cannot take \(int\)"),
    (lambda: abut.State(1), TypeError, "State"),
    (lambda: abut.default_threads(2), TypeError, r"default_threads takes \(\), and cannot take \(int\)"),
]


class Errors(unittest.TestCase):
    def refuses(self, call, error, message):
        with self.assertRaisesRegex(error, message) as caught:
            call()
        self.assertFalse(raw(caught.exception), caught.exception)

    def test_every_bad_input_is_an_exception(self):
        self.assertGreaterEqual(len(CASES), 120)
        for i, (call, error, message) in enumerate(CASES):
            with self.subTest(i, message=message):
                self.refuses(call, error, message)

    def test_no_objects_crash_anything(self):
        things = [None, 0, -1, 1.5, float("nan"), 10**30, "x", "gumbel", "point", b"z", [], (), {}, [A, B], [A] * 3,
                  ([A, B], [0, 1, 1]), ([], []), ([A], np.zeros(3)), A, GROUND, abut.Body(B), X, X[:3], BATCH[::-1],
                  np.ones((3, 7)), np.ones(7), np.empty((0, 7)), np.zeros((3, 6)), np.zeros((3, 3)), np.array(3),
                  np.zeros((0, 0)), object(), True, X.astype(np.float16), np.ma.array(X), memoryview(X), iter([1]), {1, 2},
                  np.recarray((3,), dtype=[("a", float)]), np.zeros(3, "M8[s]"), abut.separation(A, B, BATCH)]
        calls = [value for name, value in vars(abut).items() if callable(value) and not name.startswith("_")
                 and not (isinstance(value, type) and issubclass(value, (Exception, int)))]
        calls += [abut.Estimator(), abut.Model("soft_minimum").wrench_hessian, abut.Model("point").contact_points,
                  abut.SoftDistances(A), abut.PairSolver(A, B), abut.Estimator("soft_bodies").smoothed]
        choose = random.Random(0).choice
        for _ in range(3000):
            call, arguments = choose(calls), [choose(things) for _ in range(choose(range(5)))]
            try:
                call(*arguments)
            except (TypeError, abut.Error) as error:
                self.assertFalse(raw(error), (call, arguments, error))

    def test_of_systems(self):
        with tempfile.TemporaryDirectory(dir=".") as folder:
            file = pathlib.Path(folder, "scene.scn")
            file.write_text("gravity 0 0 -10\nbody a 1  1 1 1  0 0 0  1 0 0 0  0 0 0  0 0 0  1\nsphere 1 0 0 0 1 0 0 0\n")
            system = abut.read_scene(file)
            state, two = system.initial_state(), np.zeros((2, 6))
            simulation = abut.Simulation(system)

            def assign(name, value):
                setattr(state.copy(), name, value)

            for call, error, message in [
                (lambda: abut.Simulation(system, dt=-1), Bad, "time step|dt"),
                (lambda: abut.Simulation(system, dt="fast"), TypeError, "dt must be a number, not str"),
                (lambda: abut.Simulation(system, solver="magic"), Bad, "magic"),
                (lambda: abut.Simulation(system, integrator="magic"), Bad, "magic"),
                (lambda: abut.Simulation(system, model=3), TypeError, "model must be a str"),
                (lambda: abut.Simulation(system, solver_settings={"speed": 1}), Bad, "no setting 'speed'"),
                (lambda: abut.Rollout(system, reach=0.01), TypeError, "model_settings={'reach': ...}"),
                (lambda: abut.Simulation(system, solver_settings=3), TypeError, "solver_settings must be a mapping"),
                (lambda: abut.step(system, 3), TypeError, "step: state must be a State or a vector of 13 numbers, not int"),
                (lambda: abut.step(system, None), TypeError, "step: state must be a State or a vector of 13 numbers, not None"),
                (lambda: abut.step(system, np.zeros(12)), Bad, r"step: state has shape \(12,\); it must be \(13,\)"),
                (lambda: abut.step(system, np.zeros((2, 13))), Bad, "step: state is of many states; give one"),
                (lambda: abut.step(system, np.zeros(13)), Bad, "quaternion of length zero"),
                (lambda: abut.step_derivatives(system, "rest"), TypeError, "step_derivatives: state must be an array of numbers"),
                (lambda: abut.show(system, np.zeros(3)), Bad, r"show: state has shape \(3,\)"),
                (lambda: system.energy(), TypeError, "state"),
                (lambda: system.energy({}), TypeError, "energy: state must be a State or a vector"),
                (lambda: system.difference(state, 3.0), TypeError, "difference: state must be a State or a vector"),
                (lambda: setattr(simulation, "state", 3), TypeError, "Simulation: state must be a State, not int"),
                (lambda: abut.Simulation(system, solver_settings={1: 2}), TypeError, "settings' name must be a str, not int"),
                (lambda: abut.step(system, state, two), Bad, r"control has shape \(2, 6\); it must be \(1, 6\)"),
                (lambda: abut.step(system, state, [[np.nan] * 6]), Bad, "finite|NaN"),
                (lambda: simulation.run(-1), Bad, "steps is -1"),
                (lambda: simulation.run(1.5), TypeError, "steps must be a whole number"),
                (lambda: simulation.write_page(str(file.with_suffix(".html"))), Bad,
                 r"write_page: the simulation has recorded no frame; run\(steps, every=k\)"),
                (lambda: abut.show(simulation), Bad, r"show: the simulation has recorded no frame; run\(steps, every=k\)"),
                (lambda: simulation.write_page("nowhere/page.html"), (Bad, abut.IoError), ""),
                (lambda: assign("p_WB", np.zeros((2, 3))), Bad, r"p_WB has shape \(2, 3\); it must be \(1, 3\)"),
                (lambda: assign("q_WB", "unit"), TypeError, "q_WB must be an array of numbers"),
                (lambda: abut.read_scene(__file__), Bad, "test_errors.py"),
            ]:
                with self.subTest(message):
                    self.refuses(call, error, message)

    @needs_assets
    def test_of_damaged_assets(self):
        good = (ASSETS / "001_box.h5").read_bytes()
        with tempfile.TemporaryDirectory(dir=".") as folder:
            file = pathlib.Path(folder, "box.h5")
            for bad in (good[:-1], good[:100], b"", good[:5000] + b"x" + good[5001:]):
                file.write_bytes(bad)
                with self.assertRaisesRegex(abut.BadAsset, "box.h5"):
                    abut.load(file)
        for level, said in ({"surface": 7}, "surface level 7"), ({"volume": 2**31}, "load: volume is beyond the levels of any"):
            with self.assertRaisesRegex(Bad, said):
                abut.load(ASSETS / "001_box.h5", **level)

    @needs_assets
    def test_one_damaged_asset_of_a_folder_costs_no_other(self):
        good = (ASSETS / "001_box.h5").read_bytes()
        with tempfile.TemporaryDirectory(dir=".") as folder:
            for name, content in ("b.h5", good), ("a.h5", good), ("bad.h5", good[:100]), ("note.txt", b""):
                pathlib.Path(folder, name).write_bytes(content)
            pathlib.Path(folder, "sub.h5").mkdir()
            with self.assertWarnsRegex(UserWarning, "2 of 4 assets in .* could not be loaded.*bad.h5") as told:
                assets = abut.load_folder(folder)
            self.assertEqual(told.filename, __file__)
            self.assertEqual(list(assets), ["a", "b"])
            self.assertEqual(list(assets.failed), ["bad", "sub"])
            self.assertIsInstance(assets.failed["bad"], abut.BadAsset)
            self.assertIsInstance(assets.failed["sub"], abut.IoError)
            with self.assertRaisesRegex(KeyError, "bad: it could not be loaded: .*bad.h5"):
                assets["bad"]
            with self.assertRaisesRegex(KeyError, "no asset 'mug' in .*; there are: a, b"):
                assets["mug"]
            with self.assertRaisesRegex(Bad, "surface"):
                abut.load_folder(folder, surface=7)

    def test_a_folder_without_assets_is_told(self):
        with tempfile.TemporaryDirectory(dir=".") as folder:
            pathlib.Path(folder, "mug.obj").write_bytes(b"v 0 0 0")
            with self.assertRaisesRegex(Bad, "load_folder: .*: no assets; make some with abut-preprocess DATASET"):
                abut.load_folder(folder)
        self.assertEqual(abut.AssetFolder(), {})

    @needs_assets
    def test_handles_heed_what_stands_beside_them_or_refuse_it(self):
        A, B, X = abut.load(ASSETS / "001_box.h5"), abut.load(ASSETS / "005_mug.h5"), [1, 0, 0, 0, 0.3, 0, 0]
        gumbel, surface = abut.Estimator("gumbel"), abut.DistanceModel("surface")
        for told, arguments in (
                ("an Estimator is of hulls, but model is 'surface'", {"model": "surface", "estimator": gumbel}),
                ("a DistanceModel has its method", {"model": surface, "estimator": "patch"}),
                ("a handle has its own settings; 'rings' goes with a name", {"estimator": gumbel, "rings": 1}),
                ("a handle has its own settings; 'typo' goes with a name", {"model": surface, "typo": 1})):
            with self.assertRaisesRegex(abut.InvalidInput, told):
                abut.witness_derivative(A, B, X, **arguments)
        self.assertEqual(abut.witness_derivative(A, B, X, model=surface).distance,
                         abut.separation(A, B, X, model="surface").distance)

    @needs_assets
    def test_messages_name_what_was_called(self):
        with self.assertRaisesRegex(TypeError, "load_folder\\(\\) got an unexpected keyword argument 'bogus'"):
            abut.load_folder(ASSETS, bogus=1)
        page = abut.show(abut.load(ASSETS / "001_box.h5"))
        for name in "a\0.html", "\ud800.html":
            with self.assertRaisesRegex(abut.InvalidInput, "save: path has a character that no path can have"):
                page.save(name)
        with self.assertRaisesRegex(TypeError, "save: path must be a path, not NoneType"):
            page.save(None)

    def test_exceptions_are_pythons_own_kinds_too(self):
        self.assertTrue(issubclass(abut.InvalidInput, ValueError) and issubclass(abut.InvalidInput, abut.Error))
        self.assertTrue(issubclass(abut.IoError, OSError) and issubclass(abut.BadAsset, ValueError))


if __name__ == "__main__":
    unittest.main()
