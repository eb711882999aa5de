"""How results, statuses and the module itself present themselves."""

import copy
import inspect
import pathlib
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import abut
from abut import _abut
from support import asset, needs_assets, poses
from test_systems import pushing

ROOT = pathlib.Path(__file__).resolve().parents[2]
BALL, BOX = abut.sphere(0.1), abut.box(0.1, 0.1, 0.1)
PRESSED = [1, 0, 0, 0, 0.15, 0, 0]


class Results(unittest.TestCase):
    def test_one_answer_shows_its_numbers_and_the_shapes_of_its_matrices(self):
        words = repr(abut.wrench_derivative(BALL, BOX, PRESSED, model="point", energy=True))
        self.assertRegex(words, r"^<abut.Wrench F_BBo_B=\[.*\], dF_dxi_B \(6, 6\), .*energy=[\d.]+.*, status=OK>$")
        self.assertNotIn("area", words)  # the model has none
        plain = abut.wrench(BALL, BOX, PRESSED, model="point")
        for same in plain, pickle.loads(pickle.dumps(plain)), copy.deepcopy(plain):
            self.assertNotIn("dF_dxi_B", repr(same))  # not asked for
            self.assertIsNone(getattr(same, "energy", None))
        self.assertRegex(repr(abut.separation(BALL, BOX, PRESSED)), r"distance=-0.05, p1=\[0.1, ")

    def test_distances_without_derivatives_name_the_call_that_gives_them(self):
        for found in abut.separation(BALL, BOX, PRESSED), abut.separation([BALL], BOX, PRESSED):
            for name in "dd_dxi_B", "dp1_A_dxi_B", "dp2_A_dxi_B", "dn_A_dxi_B":
                with self.assertRaisesRegex(abut.NotAsked, f"Separation.{name} was not asked for; witness_derivative gives it"):
                    getattr(found, name)
                self.assertFalse(hasattr(found, name))
                self.assertNotIn(name, repr(found))

    def test_many_show_their_shapes_and_how_many_have_which_status(self):
        X_AB = np.vstack([np.tile(PRESSED, (9, 1)), [[1, 0, 0, 0, 9, 0, 0]]])
        words = repr(abut.wrench(BALL, BOX, X_AB))
        self.assertIn("F_BBo_B (10, 6)", words)
        self.assertIn("status=(9 OK, 1 NO_OVERLAP)", words)
        self.assertLess(len(words), 400)
        self.assertIn("distance (0,)", repr(abut.separation(BALL, BOX, np.empty((0, 7)))))

    def test_every_result_has_words_for_itself(self):
        system = pushing().system()
        simulation = abut.Simulation(system, integrator="semi_implicit")
        simulation.run(4, every=2)
        state, X_AB = system.initial_state(), poses(8, reach=0.1)
        run = abut.Rollout(system, integrator="semi_implicit")(state, rows=2)
        costates = np.zeros((2, system.nx))
        for found in (abut.separation(BALL, BOX, X_AB), abut.witness_derivative(BALL, BOX, X_AB),
                      abut.wrench_hessian(BALL, BOX, X_AB), abut.contact_points(BALL, BOX, X_AB),
                      abut.soft_distance(BALL, np.ones((8, 3))), BALL.surface, BALL.volume, BALL.points, state,
                      simulation.trajectory, run, run.gradient(costates), run.jacobian(),
                      abut.step_derivatives(system, state, integrator="semi_implicit")):
            words = repr(found)
            with self.subTest(words):
                self.assertTrue(words.startswith(f"<abut.{type(found).__name__} "))
                self.assertRegex(words, r"\w+ \(\d+,")  # a shape
                self.assertNotIn("0x", words)
                self.assertLess(len(words), 700)

    def test_compiled_classes_without_a_constructor_are_results_with_words(self):
        for name, kind in vars(_abut).items():
            made_by_the_library = inspect.isclass(kind) and "made by the library" in self.refusal(kind)
            if made_by_the_library and name != "RolloutRun":  # abut.RolloutRun holds it
                with self.subTest(name):
                    self.assertEqual(repr(kind.__new__(kind)), f"<abut.{name}>")  # and of one that was never made

    @staticmethod
    def refusal(kind):
        try:
            kind()
        except Exception as error:
            return str(error)
        return ""

    @needs_assets
    def test_answers_of_assets_and_their_parts(self):
        mug, box, X_AB = asset("005_mug"), asset("001_box"), poses(8, reach=0.1)
        self.assertRegex(repr(mug.hull), r"^<abut.Hull vertices \(\d+, 3\), triangles \(\d+, 3\)>$")
        self.assertRegex(repr(abut.overlap_volume(mug, box, X_AB)), r"^<abut.OverlapVolume volume \(8,\), ")
        self.assertRegex(repr(abut.smoothed_witness(mug, box, X_AB)), r"^<abut.SmoothedWitness distance \(8,\), ")
        self.assertRegex(repr(abut.all_contacts(mug, box, X_AB)), r"^<abut.ContactRegions distance\b.*, offsets \(9,\)>$")

    def test_statuses_are_named(self):
        apart = abut.wrench(BALL, BOX, [1, 0, 0, 0, 9, 0, 0]).status
        self.assertEqual((str(apart), f"{apart}"), ("NO_OVERLAP", "NO_OVERLAP"))
        self.assertEqual(int(apart), 4)
        self.assertEqual(apart, 4)

    def test_materials_say_what_they_are_and_are_those_of_the_library(self):
        self.assertEqual(repr(abut.Material(friction=0.5)),
                         "Material(modulus=10000000.0, dissipation=0.0, friction=0.5, restitution=0.0, patch=0.0)")
        header = (ROOT / "runtime" / "body" / "body.h").read_text()
        struct = re.search(r"struct Material \{(.*?)\n\};", header, re.S).group(1)
        fields = {name: (float(value), comment) for name, value, comment in
                  re.findall(r"double (\w+) = (\S+?);(?: *// (.*))?", struct)}
        self.assertIsNone(abut.Material().friction)  # a scene's in a scene, else that of the library
        self.assertEqual({name: value for name, (value, _) in fields.items()}, vars(abut.Material(friction=0.0)))
        for name, (_, comment) in fields.items():
            line = re.search(rf"`{name}`: (.*)", abut.Material.__doc__).group(1)
            for unit in re.findall(r"\b(Pa|s), >", comment):
                self.assertIn(f"{unit}, >", line)
        self.assertRegex(abut.Material.__doc__, "`patch`: m, >= 0, .*patch that a contact in a point or a line has")


class Module(unittest.TestCase):
    def test_the_version_is_the_projects(self):
        self.assertEqual(abut.__version__, (ROOT / "runtime" / "VERSION").read_text().strip())

    def test_without_its_compiled_part_it_says_what_to_do(self):
        with tempfile.TemporaryDirectory(dir=".") as folder:
            package = pathlib.Path(folder).resolve() / "abut"
            package.mkdir()
            for file in (ROOT / "python" / "abut").glob("*.py"):
                shutil.copy(file, package)

            def trouble():
                return subprocess.run([sys.executable, "-B", "-c", "import abut"], env={"PYTHONPATH": str(package.parent)},
                                      capture_output=True, text=True).stderr

            told = trouble()
            self.assertIn("\nImportError: abut: its compiled part is missing", told)
            self.assertIn("cmake --build --preset release --target abut_python", told)
            self.assertEqual(told.count("Traceback"), 1)
            (package / "_abut.py").write_text("import no_such_module_at_all\n")  # other trouble stays what it is
            self.assertIn("ModuleNotFoundError: No module named 'no_such_module_at_all'", trouble())


if __name__ == "__main__":
    unittest.main()
