import importlib.machinery
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import abut
from support import ASSETS, needs_assets

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


@needs_assets
class Examples(unittest.TestCase):
    def test_every_example_runs_and_is_short(self):
        environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(abut.__file__).resolve().parents[1])}
        scripts = sorted(EXAMPLES.glob("*.py"))
        self.assertEqual(len(scripts), 11)
        arguments = {"push_optimisation": ["page.html"], "preprocess_dataset": [ASSETS.resolve() / "meshes", "OUT"]}
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
                if script.stem in ("pile", "push_optimisation"):
                    self.assertGreater((pathlib.Path(folder) / "page.html").stat().st_size, 10_000)


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
