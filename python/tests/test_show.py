"""Views: what is in the page, and what a browser draws of it."""

import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest
import warnings
import zlib

import numpy as np

import abut
from test_systems import pushing

CHROMIUM = shutil.which("chromium")
GROUND = abut.Body(abut.half_space(), abut.Material(modulus=abut.RIGID))
BALL = abut.Body(abut.sphere(0.05), abut.Material(modulus=1e6))
PRESSED, APART = [1, 0, 0, 0, 0, 0, 0.045], [1, 0, 0, 0, 0, 0, 0.3]


def pixels(file):
    """(height, width, channels) of a PNG of 8 bits without interlacing."""
    data, at, packed = file.read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        packed += body if kind == b"IDAT" else b""
        at += size + 12
    channels = {2: 3, 6: 4}[colour]
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    rows, above = [], np.zeros(width * channels, int)
    for kind, row in zip(raw[:, 0], raw[:, 1:].astype(int)):
        row = row.copy()
        for k in range(len(row)):
            left, corner = (row[k - channels], above[k - channels]) if k >= channels else (0, 0)
            guess = left + above[k] - corner
            nearest = min((abs(guess - v), n, v) for n, v in enumerate((left, above[k], corner)))[2]
            row[k] = (row[k] + (0, left, above[k], (left + above[k]) // 2, nearest)[kind]) % 256
        rows.append(row)
        above = row
    return np.array(rows).reshape(height, width, channels)


def drawn(view):
    """Red, green and blue, (height, width) each, of a view in a browser."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        page, picture = pathlib.Path(folder, "view.html").resolve(), pathlib.Path(folder, "view.png").resolve()
        view.save(page)
        subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=300,300",
                        "--virtual-time-budget=2000", f"--user-data-dir={folder}/profile", f"--screenshot={picture}",
                        page.as_uri()], check=True, capture_output=True, timeout=120)
        return np.moveaxis(pixels(picture)[..., :3], -1, 0)


class Show(unittest.TestCase):
    def test_pages_need_nothing_else(self):
        simulation = abut.Simulation(pushing().system(), integrator="semi_implicit")
        simulation.run(4, every=2)
        for view in (abut.show(abut.cone(0.1, 0.2)), abut.show(BALL), abut.show(GROUND, BALL, PRESSED),
                     abut.show(abut.box(0.1, 0.1, 0.1), BALL, np.eye(4), model="soft_potential"),
                     abut.show(GROUND, BALL, APART), abut.show(pushing().system()), abut.show(simulation)):
            self.assertNotIn("http", view.page)
            self.assertIn("<canvas", view.page)
            self.assertIn("srcdoc=", view._repr_html_())
            self.assertNotIn("<canvas", view._repr_html_())  # it is escaped
        with tempfile.TemporaryDirectory(dir=".") as folder:
            file = pathlib.Path(folder, "view.html")
            view.save(file)
            self.assertEqual(file.read_text(), view.page)
            view.save(file)  # a page is written over
            with self.assertRaisesRegex(abut.IoError, "cannot write: it is a folder"):
                view.save(folder)
            asset = pathlib.Path(folder, "asset.h5")
            asset.write_bytes(b"precious")
            with self.assertRaisesRegex(abut.IoError, "is there and no page"):
                view.save(asset)
            self.assertEqual(asset.read_bytes(), b"precious")

    def test_marks_are_of_the_contact(self):
        self.assertEqual(abut.show(BALL).page.count("[255,214,0]"), 0)
        self.assertEqual(abut.show(GROUND, BALL, PRESSED).page.count("[255,214,0]"), 1)
        self.assertEqual(abut.show(GROUND, BALL, PRESSED).page.count("[220,30,30]"), 1)
        apart = abut.show(GROUND, BALL, APART).page
        self.assertEqual((apart.count("[255,214,0]"), apart.count("[30,60,220]")), (0, 3))

    def test_what_cannot_be_shown_is_refused(self):
        for call, error, message in [
            (lambda: abut.show("mug"), TypeError, "show: a Geometry, a Body, a pair"),
            (lambda: abut.show(BALL, BALL), TypeError, r"show\(A, B, X_AB\)"),
            (lambda: abut.show(BALL, 3, APART), TypeError, r"show\(A, B, X_AB\)"),
            (lambda: abut.show(BALL, model="point", foo=3), TypeError, "show: model does not go with one body"),
            (lambda: abut.show(BALL, foo=None), TypeError, "show: foo does not go with one body"),
            (lambda: abut.show(BALL, BALL, APART, model=""), abut.InvalidInput, "''"),
            (lambda: abut.show(pushing().system(), None, APART), TypeError, "show: X_AB does not go with a system"),
            (lambda: abut.show(pushing().system(), stiffness=3), TypeError, "show: stiffness does not go with a system"),
            (lambda: abut.show(abut.Simulation(pushing().system(), integrator="rk4"), BALL), TypeError, "show: other does not go with a sim"),
            (lambda: abut.show(BALL, BALL, np.eye(3)), abut.InvalidInput, "X_AB has shape"),
            (lambda: abut.show(GROUND, GROUND, APART), abut.InvalidInput, "half-space"),
            (lambda: abut.show(BALL, BALL, APART, model="glue"), abut.InvalidInput, "'glue'"),
            (lambda: abut.show(pushing().system(), 3), TypeError, "state must be a State"),
            (lambda: abut.show(abut.Simulation(pushing().system(), integrator="rk4")), abut.InvalidInput, "no frame"),
        ]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()

    def test_points_that_are_one_have_no_rod(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            page = abut.show(GROUND, abut.box(0.1, 0.1, 0.1), [1, 0, 0, 0, 0, 0, 0.1]).page
        self.assertEqual(page.count("[30,60,220]"), 2)  # the balls of the witness points

    def test_bodies_on_joints_stand_where_the_joints_are(self):
        system = pushing().system()
        state = system.initial_state()
        state.q = state.q + 0.1 * (np.arange(len(state.q)) < 3)
        self.assertEqual(abut.show(system, state).page, abut.show(system, system.placed(state)).page)
        self.assertNotEqual(abut.show(system, state).page, abut.show(system).page)

    def test_a_path_is_played(self):
        system = pushing().system()
        z = np.tile(system.vector(system.initial_state()), (5, 1))
        z[:, 0] += 0.01 * np.arange(5)
        page = abut.show(system, z, dt=0.25).page
        self.assertIn("[0,0.25,0.5,0.75,1]", page)
        self.assertIn("[0,0.1,0.2", abut.show(system, z).page)
        self.assertEqual(abut.show(system, z[:1]).page, abut.show(system, z[0]).page)
        for given, dt, error, message in [
            (z[:0], None, abut.InvalidInput, "no rows"),
            (z[:, :3], None, abut.InvalidInput, "show: state has shape"),
            (z, -1.0, abut.InvalidInput, "a positive number, in s"),
            (z, [1, 2], abut.InvalidInput, "a positive number, in s"),
            (z[0], 0.1, TypeError, "show: dt does not go with one state"),
            (None, 0.1, TypeError, "show: dt does not go with one state"),
        ]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                abut.show(system, given, dt=dt)

    @unittest.skipUnless(CHROMIUM, "no browser")
    def test_a_browser_draws_the_ball_the_patch_and_the_force(self):
        r, g, b = drawn(abut.show(GROUND, BALL, PRESSED))
        self.assertGreater(np.sum((r > 180) & (g > 140) & (b < 60)), 100)  # yellow: the patch
        self.assertGreater(np.sum((r > 120) & (g < 45) & (b < 45)), 100)  # red: the force
        self.assertGreater(np.mean((r > 120) & (g < 120) & (b < 110)), 0.1)  # the ball

    @unittest.skipUnless(CHROMIUM, "no browser")
    def test_a_browser_shows_witness_points_that_are_far_apart(self):
        r, g, b = drawn(abut.show(GROUND, BALL, APART))
        rows = np.flatnonzero(np.any((b > 90) & (r < 60) & (g < 90), axis=1))
        self.assertTrue(0 < rows[0] < rows[-1] < len(r) - 1, rows)  # from ball to ground, within the picture
        self.assertGreater(rows[-1] - rows[0], len(r) // 3)


if __name__ == "__main__":
    unittest.main()
