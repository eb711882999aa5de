import importlib.machinery
import importlib.util
import json
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

import abut
from support import ASSETS, needs_assets, poses

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


@needs_assets
class Examples(unittest.TestCase):
    def test_every_example_runs_and_is_short(self):
        environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(abut.__file__).resolve().parents[1])}
        scripts = sorted(EXAMPLES.glob("*.py"))
        self.assertEqual(len(scripts), 13)
        arguments = {"push_optimisation": ["page.html"], "arm_path": ["page.html"],
                     "preprocess_dataset": [ASSETS.resolve() / "meshes", "OUT"]}
        for script in scripts:
            with self.subTest(script.name), tempfile.TemporaryDirectory(dir=".") as folder:
                source = script.read_text()
                self.assertLess(len(source.splitlines()), 60)
                try:
                    import torch  # noqa: F401
                except ImportError:
                    if "import torch" in source:
                        self.skipTest("PyTorch is not installed")
                run = subprocess.run([sys.executable, "-B", script, *arguments.get(script.stem, [ASSETS.resolve(), "page.html"])],
                                     cwd=folder, capture_output=True, text=True, env=environment, timeout=200)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                self.assertTrue(run.stdout)
                if script.stem in ("pile", "push_optimisation", "arm_path"):
                    self.assertGreater((pathlib.Path(folder) / "page.html").stat().st_size, 10_000)

    def test_casadi_gets_numbers_and_their_jacobian(self):
        """By a stand-in for CasADi: with CasADi itself the script runs where that is installed, in the test above."""
        script = EXAMPLES / "casadi_contact.py"
        modules = {name: module for name, module in sys.modules.items() if name != "casadi"}
        with mock.patch.dict(sys.modules, modules, clear=True), \
                mock.patch.object(sys, "path", [str(pathlib.Path(__file__).parent / "stubs"), *sys.path]), \
                mock.patch.object(sys, "argv", [str(script), str(ASSETS)]), mock.patch("builtins.print") as told:
            names = runpy.run_path(str(script))
        self.assertIn("2.00 mm at", told.call_args.args[0])
        casadi, distance = names["casadi"], names["distance"]
        for pose in poses(20, reach=0.1):
            value, step = distance.numbers(casadi.DM(pose)), 1e-7
            self.assertEqual(value.full(), abut.separation(names["mug"], names["box"], pose).distance)
            slopes = [(distance.numbers(casadi.DM(pose + step * e)).full() - distance.numbers(casadi.DM(pose - step * e)).full())
                      / (2 * step) for e in np.eye(7)]
            jacobian = distance.jacobian().numbers(casadi.DM(pose), value).full()
            np.testing.assert_allclose(jacobian, np.reshape(slopes, (1, 7)), atol=1e-6)


class Notebooks(unittest.TestCase):
    def test_notebooks_are_those_of_the_scripts(self):
        path = EXAMPLES.parents[1] / "scripts" / "notebooks"
        loader = importlib.machinery.SourceFileLoader("notebooks", str(path))
        maker = importlib.util.module_from_spec(importlib.util.spec_from_loader("notebooks", loader))
        loader.exec_module(maker)
        self.assertEqual({file.stem for file in maker.OUT.glob("*.ipynb")}, set(maker.PICTURES))
        for name in maker.PICTURES:
            with self.subTest(name):
                _, expected = maker.paragraphs((EXAMPLES / f"{name}.py").read_text())
                cells = json.loads((maker.OUT / f"{name}.ipynb").read_text())["cells"]
                code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
                self.assertEqual(code[1:-1], expected)  # run scripts/notebooks where they differ
                self.assertTrue(any("image/png" in output.get("data", {}) for output in cells[-1]["outputs"]))


if __name__ == "__main__":
    unittest.main()
