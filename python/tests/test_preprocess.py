"""The pipeline from Python."""

import _thread
import pathlib
import subprocess
import tempfile
import threading
import time
import unittest

import numpy as np

import abut

try:
    import abut_preprocess

    abut_preprocess.program()
except (ImportError, OSError):
    raise unittest.SkipTest("the pipeline was not built")


class Preprocess(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(dir=".")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.meshes = pathlib.Path(cls.folder.name, "meshes")
        subprocess.run([abut_preprocess.program(), "synthetic", cls.meshes], check=True, capture_output=True)

    def out(self):
        return pathlib.Path(tempfile.mkdtemp(dir=self.folder.name))

    def test_settings_are_those_of_the_command(self):
        known = abut_preprocess.settings()
        said = subprocess.run([abut_preprocess.program(), "--help"], check=True, capture_output=True, text=True).stdout
        for name, setting in known.items():
            self.assertIn("--" + name.replace("_", "-"), said)
            self.assertTrue(setting.help)
        self.assertTrue(known["fill_voids"].flag and known["only"].repeats and not known["tets"].repeats)
        self.assertIn("tets", abut_preprocess.help_settings())

    def test_makes_assets_with_progress_and_skips_them_then(self):
        out, store, events = self.out(), self.out(), []
        made = abut_preprocess.preprocess(self.meshes, out, progress=events.append, only=["001*"], tets="none", quads="none",
                                          store=store)
        self.assertEqual([object.status.split(",")[0] for object in made.objects], ["ok"])
        self.assertEqual(abut.load(made.objects[0].asset).name, "001_box")
        self.assertTrue(any(store.iterdir()))
        self.assertIn("hull", [event.stage for event in events])
        self.assertEqual((events[-1].finished, events[-1].count, events[-1].object), (1, 1, "001_box"))
        again = abut_preprocess.preprocess(self.meshes, out, only=["001*"], tets="none", quads="none")
        self.assertEqual([object.status for object in again.objects], ["up to date"])
        self.assertEqual(again.failed, [])

    def test_one_mesh_and_counts(self):
        mesh = next(self.meshes.glob("001_box/**/*.obj"))
        made = abut_preprocess.preprocess(mesh, self.out(), tets=np.array([100, 300]), quads=[200])
        asset = abut.load(made.objects[0].asset, volume=1)
        self.assertLess(len(asset.volume.tetrahedra), len(abut.load(made.objects[0].asset).volume.tetrahedra))

    def test_bad_input_is_an_exception(self):
        out, Bad = self.out(), abut_preprocess.InvalidInput
        for call, error, message in [
            (lambda: abut_preprocess.preprocess("nowhere", out), Bad, "nowhere"),
            (lambda: abut_preprocess.preprocess(self.meshes, out, only="nothing"), Bad, "none of which matches 'nothing'"),
            (lambda: abut_preprocess.preprocess(self.meshes, out, tets=[3]), Bad, "--tets 3: '3' is no number"),
            (lambda: abut_preprocess.preprocess(self.meshes, out, core_fraction=2), Bad, "core-fraction"),
            (lambda: abut_preprocess.preprocess(self.meshes, out, jobs="many"), Bad, "jobs"),
            (lambda: abut_preprocess.preprocess(self.meshes, "/dev/null/x"), Bad, "/dev/null/x"),
            (lambda: abut_preprocess.preprocess(self.meshes, out, tetrahedra=3), TypeError, "no setting 'tetrahedra'; there are: jobs"),
            (lambda: abut_preprocess.preprocess(self.meshes, out, force=1), TypeError, "force must be True or False"),
            (lambda: abut_preprocess.preprocess(self.meshes, out, tets=[None]), TypeError, "tets must be"),
            (lambda: abut_preprocess.preprocess(self.meshes, out, tets=[300, True]), TypeError, "tets must be"),
            (lambda: abut_preprocess.preprocess(self.meshes, out, grid=None), TypeError, "grid must be SPACING: .*, not None"),
            (lambda: abut_preprocess.preprocess(self.meshes, out, jobs=b"1"), TypeError, "jobs must be"),
            (lambda: abut_preprocess.preprocess(3, out), TypeError, "dataset must be a path"),
            (lambda: abut_preprocess.preprocess("a\0b", out), Bad, "no path can have"),
        ]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()

    def test_control_c_and_errors_of_progress_end_a_run(self):
        out = self.out()
        timer = threading.Timer(1.0, _thread.interrupt_main)
        self.addCleanup(timer.cancel)
        timer.start()
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            abut_preprocess.preprocess(self.meshes, out, jobs=1)
        self.assertLess(time.monotonic() - begin, 60)
        with self.assertRaises(ZeroDivisionError):
            abut_preprocess.preprocess(self.meshes, self.out(), progress=lambda event: 1 / 0)


if __name__ == "__main__":
    unittest.main()
