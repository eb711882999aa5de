"""How the module presents itself."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import abut

ROOT = pathlib.Path(__file__).resolve().parents[2]


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
