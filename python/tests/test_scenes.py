"""What is refused as a scene, with what words, and what that leaves."""

import pathlib
import shutil
import tempfile
import unittest

import numpy as np

import abut
from support import ASSETS, asset, needs_assets
from test_systems import ARM, pushing


class Refusals(unittest.TestCase):
    def test_what_is_no_scene_is_refused(self):
        for add, error, message in [
            (lambda s: s.add_body("a", 1, (1, 1)), abut.InvalidInput, "moments has shape"),
            (lambda s: s.add_body("a", "one", (1, 1, 1)), TypeError, "mass must be"),
            (lambda s: s.add_body(3, 1, (1, 1, 1)), TypeError, "name must be a str"),
            (lambda s: s.add_body("a\nb", 1, (1, 1, 1)), abut.InvalidInput, "end of line"),
            (lambda s: s.add_body("a", 1, (1, 1, 1), [abut.half_space()]), abut.InvalidInput, "a half-space is no shape of a body; add_plane"),
            (lambda s: s.add_fixed(abut.half_space()), abut.InvalidInput, "add_fixed: a half-space is no shape"),
            (lambda s: s.add_joint("j", "revolute", **{"damping 1\nplane 1 0 0 0 #": 3}), abut.InvalidInput, "is no name of a setting"),
            (lambda s: s.set_contact("a", "world", "point", **{"stiffness 7 eps": 3}), abut.InvalidInput, "set_contact: 'stiffness 7 eps' is no"),
            (lambda s: s.add_fixed("mug"), TypeError, "add_fixed: geometry must be a Geometry"),
            (lambda s: s.add_fixed(abut.box(1, 1, 1), "here"), TypeError, "add_fixed: pose"),
            (lambda s: s.add_body("a", 1, (1, 1, 1), ["mug"]), TypeError, "geometry must be a Geometry"),
            (lambda s: s.add_body("a", 1, (1, 1, 1), pose=np.zeros((4, 4))), abut.InvalidInput, "3x3 part is not orthonormal|its last row"),
            (lambda s: s.add_plane((0, 0, 1), 0, "wood"), TypeError, "material must be a Material"),
            (lambda s: s.add_body("a", 1, (1, 1, 1), [abut.sphere(1, deviation=0.2)]), abut.InvalidInput,
             "add_body: geometry has the deviation 0.2; a scene has sizes of a sphere alone, and makes it with 0.001"),
            (lambda s: s.add_object("a", abut.cylinder(1, 1, deviation=0.2), 1), abut.InvalidInput, "add_object: geometry has the dev"),
            (lambda s: s.add_body("a", 1, (1, 1, 1), material=abut.Material()), abut.InvalidInput, "add_body: material: a body without shapes"),
            (lambda s: s.add_object("a", None, 1), TypeError, "geometry must be a Geometry"),
            (lambda s: (s.add_joint("j", "revolute"), s.system()), abut.InvalidInput, "scene:3: 'joint' stands below"),
            (lambda s: (s.add_body("a", 1, (1, 1, 1)), s.add_joint("j", "screw"), s.system()), abut.InvalidInput, "'screw' is no type"),
            (lambda s: (s.add_robot("r", "nowhere.urdf"), s.system()), abut.InvalidInput, "nowhere.urdf"),
            (lambda s: s.add_robot("r", "arm.urdf", assets="LINKS"), TypeError, "assets must be a mapping .*, not str"),
            (lambda s: (s.add_body("a", np.nan, (1, 1, 1)), s.system()), abut.InvalidInput, "'nan' is no finite number"),
        ]:
            with self.subTest(message), self.assertRaisesRegex(error, message):
                add(abut.Scene())

    def test_assets_that_there_are_not_are_told_with_file_and_line(self):
        with tempfile.TemporaryDirectory(dir=".") as name:
            folder = pathlib.Path(name).resolve()
            scene, robot, arm = folder / "pick.scn", folder / "hold.scn", folder / "arm.urdf"
            scene.write_text("gravity 0 0 -10\nobject mug 005_mug 400  0 0 0  1 0 0 0  0 0 0  0 0 0\n")
            mesh = '</inertial><collision><geometry><mesh filename="link.stl"/></geometry></collision>'
            arm.write_text(ARM.replace("</inertial>", mesh))
            (folder / "link.stl").write_text("solid\nendsolid\n")
            robot.write_text("gravity 0 0 -10\nrobot r arm.urdf  0 0 0  1 0 0 0\n")
            broken = abut.AssetFolder(folder)
            broken.failed["005_mug"] = abut.BadAsset("it is damaged")

            def of_a_function(name):
                raise abut.InvalidInput("none today")

            for file, assets, message in ((scene, {}, "no asset '005_mug'; there are none"),
                                          (scene, {"a": None, "b": None}, "no asset '005_mug'; there are: a, b"),
                                          (scene, None, "the scene has an asset '005_mug'; say where they are"),
                                          (scene, broken, "asset '005_mug' was not loaded: it is damaged"),
                                          (scene, of_a_function, "none today"),
                                          (robot, {}, ".*link.stl: no asset 'link'; there are none; make its .*/arm.urdf OUT`, .* OUT/arm.urdf instead"),
                                          (robot, folder, ".*link.h5")):
                with self.assertRaisesRegex(abut.InvalidInput, f"^{file}:2: {message}"):
                    abut.read_scene(file, assets)
            with self.assertRaisesRegex(abut.IoError, "005_mug.h5"):
                abut.read_scene(scene, folder)
            built = abut.Scene()
            built.add_robot("r", arm)
            with self.assertRaisesRegex(abut.InvalidInput, "^scene:3: .*link.stl: no asset 'link'; there are none"):
                built.system()

    def test_what_is_refused_leaves_a_scene_as_it_was(self):
        ball = abut.sphere(0.1)
        for add in (
            lambda s: s.add_plane((0, 0, 1), 0, "wood"),
            lambda s: s.add_fixed_box((1, 1, 1), material="wood"),
            lambda s: s.add_object("a", ball, 1, material="wood"),
            lambda s: s.add_body("a", 1, (1, 1, 1), [ball], material="wood"),
            lambda s: s.add_body("a", 1, (1, 1, 1), [ball, abut.half_space()]),
            lambda s: s.add_fixed(ball, material="wood"),
            lambda s: s.add_robot("r", "arm.urdf", assets={"link": ball, "other": None}),
            lambda s: s.add_robot("r", "arm.urdf", [1, 2], {"link": ball}),
            lambda s: s.add_joint("j", "revolute", damping="much"),
            lambda s: s.keep_apart("a", "b", 3),
        ):
            scene = pushing()
            before = scene.text
            with self.assertRaises((abut.InvalidInput, TypeError)):
                add(scene)
            self.assertEqual(scene.text, before)  # which raises where a robot's mesh is a primitive

    def test_a_duration_of_zero_is_no_line(self):
        self.assertEqual(abut.Scene().text, "gravity 0.0 0.0 0.0\nmu 0.0\n")
        self.assertEqual(abut.Scene(duration=2).text, "gravity 0.0 0.0 0.0\nmu 0.0\nduration 2.0\n")

    def test_a_material_without_friction_has_the_scenes(self):
        ball, stiff = abut.sphere(0.1), abut.Material(modulus=2e7, restitution=0.1)
        scene = abut.Scene(friction=0.5)
        scene.add_plane((0, 0, 1), 0, stiff)
        scene.add_object("a", ball, 400, material=stiff)
        scene.add_body("b", 1, (1, 1, 1), [ball, ball], material=stiff)
        scene.add_object("c", ball, 400, material=abut.Material(friction=0.3))
        scene.add_object("d", ball, 400, material=abut.Material(friction=0))
        scene.add_object("e", ball, 400)
        self.assertEqual(scene.text.count("modulus 20000000.0"), 3)
        self.assertEqual(scene.text.count(" mu "), 2)
        with tempfile.TemporaryDirectory(dir=".") as folder:
            file = pathlib.Path(folder, "scene.scn")
            file.write_text(scene.text)
            read = abut.read_scene(file)
        for system in scene.system(), read:
            np.testing.assert_array_equal(system.values([("friction", name) for name in "abcde"]), [0.5, 0.5, 0.3, 0, 0.5])
            np.testing.assert_array_equal(system.values([("modulus", name) for name in "abcde"]), [2e7, 2e7, 1e7, 1e7, 1e7])

    def test_friction_brakes_what_has_another_modulus(self):
        def travel(material):
            scene = abut.Scene(gravity=(0, 0, -9.81), friction=0.5)
            scene.add_plane((0, 0, 1))
            scene.add_object("box", abut.box(0.02, 0.02, 0.02), 1000, (1, 0, 0, 0, 0, 0, 0.02), (0, 0, 0, 1, 0, 0), material)
            simulation = abut.Simulation(scene.system())
            simulation.run(500)
            return simulation.state.p_WB[0, 0]

        self.assertAlmostEqual(travel(None), 1 / (2 * 0.5 * 9.81), delta=1e-3)
        self.assertEqual(travel(abut.Material(modulus=1e7)), travel(None))
        self.assertAlmostEqual(travel(abut.Material(friction=0)), 1, places=6)

    def test_copies_of_primitives_are_shapes(self):
        scene = abut.Scene()
        scene.add_object("a", abut.Geometry(abut.sphere(0.1)), 400)
        with self.assertRaisesRegex(abut.InvalidInput, "deviation 0.2"):
            scene.add_fixed(abut.Geometry(abut.sphere(0.1, deviation=0.2)))
        self.assertIn("sphere 0.1", scene.text)

    @needs_assets
    def test_assets_that_were_loaded_twice_are_one(self):
        scene = abut.Scene()
        for name in "abc":
            scene.add_object(name, abut.Geometry(asset("006_banana")) if name == "c" else asset("006_banana"), 400)
        self.assertEqual(scene.text.count('"006_banana" 400'), 3)
        with tempfile.TemporaryDirectory(dir=".") as folder:
            file = pathlib.Path(folder, "scene.scn")
            file.write_text(scene.text)
            read = abut.read_scene(file, ASSETS)
        geometries = {shape.geometry.id for system in (scene.system(), read) for name in "abc" for shape in system.shapes[name]}
        self.assertEqual(len(geometries), 2)  # one of each system

    @needs_assets
    def test_assets_are_called_as_their_files_or_there_is_no_text(self):
        with tempfile.TemporaryDirectory(dir=".") as folder:
            for place in "mine.h5", "there/mine.h5", "there/mine'.h5":
                file = pathlib.Path(folder, place)
                file.parent.mkdir(exist_ok=True)
                shutil.copy(ASSETS / "006_banana.h5", file)
            mine, other, third = (abut.load(pathlib.Path(folder, place)) for place in ("mine.h5", "there/mine.h5", "there/mine'.h5"))
            scene = abut.Scene()
            scene.add_object("a", mine, 400)
            scene.add_object("b", third, 400)
            self.assertIn('object "b" "mine\'" 400', scene.text)
            scene.add_object("c", other, 400)
            self.assertEqual(len({scene.system().shapes[name][0].geometry.id for name in "abc"}), 3)
            with self.assertRaisesRegex(abut.InvalidInput, "Scene: text: two assets are called 'mine'; .* that of '.*there/mine.h5'"):
                scene.text

    @needs_assets
    def test_a_level_of_detail_is_a_word_of_its_own(self):
        for add in (lambda s, g: s.add_object("a", g, 400), lambda s, g: s.add_body("a", 1, (1, 1, 1), [g])):
            fine, plain = abut.Scene(), abut.Scene()
            add(plain, asset("006_banana"))
            self.assertIn('"006_banana" ', plain.text)
            add(fine, abut.load(ASSETS / "006_banana.h5", convex=1))
            self.assertIn('"006_banana:convex=1" ', fine.text)
            hull = fine.system().shapes["a"][0].geometry.hull
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "fine.scene")
                file.write_text(fine.text)
                for source in (ASSETS, abut.load_folder(ASSETS)):
                    read = abut.read_scene(file, source).shapes["a"][0].geometry.hull
                    self.assertTrue(np.array_equal(read.vertices, hull.vertices))
                file.write_text(fine.text.replace("convex=1", "convex=1000"))
                with self.assertRaisesRegex(abut.InvalidInput, "fine.scene:[34]: .* convex piece 1000 is asked for; it has"):
                    abut.read_scene(file, ASSETS)
                file.write_text(fine.text.replace("convex=1", "level=1"))
                with self.assertRaisesRegex(abut.InvalidInput, "no part 'level'; there are convex .a piece., surface, volume, points"):
                    abut.read_scene(file, ASSETS)
        robot = abut.Scene()
        robot.add_robot("a", "arm.urdf", assets={"link": abut.load(ASSETS / "006_banana.h5", convex=1)})
        with self.assertRaisesRegex(abut.InvalidInput, r"no word for the level of detail \(convex=1\) of a robot's mesh 'link'"):
            robot.text
        both = abut.Scene()  # a level is another asset
        both.add_object("a", asset("006_banana"), 400)
        both.add_object("b", abut.load(ASSETS / "006_banana.h5", convex=1), 400)
        shapes = both.system().shapes
        self.assertNotEqual(shapes["a"][0].geometry.id, shapes["b"][0].geometry.id)

    @needs_assets
    def test_robots_may_have_links_that_were_loaded_twice(self):
        scene = abut.Scene()
        for name in "left", "right":
            scene.add_robot(name, "arm.urdf", assets={"link": asset("005_mug")})
        self.assertEqual(scene.text.count("robot"), 2)
        with self.assertRaisesRegex(abut.InvalidInput, "another asset is called 'link' already"):
            scene.add_robot("third", "arm.urdf", assets={"link": asset("001_box")})

    @needs_assets
    def test_assets_of_what_is_refused_are_not_in_a_scene(self):
        for refuse in (lambda s, mug: s.add_object("a", mug, 400, material="wood"),
                       lambda s, mug: s.add_object("a", mug, "much"),
                       lambda s, mug: s.add_body("a", 1, (1, 1, 1), [mug, abut.half_space()]),
                       lambda s, mug: s.add_fixed(mug, material="wood")):
            scene = abut.Scene()
            with self.assertRaises((abut.InvalidInput, TypeError)):
                refuse(scene, asset("005_mug"))
            scene.add_object("a", asset("005_mug"), 400)  # not called 005_mug' beside another
            self.assertEqual(scene.text.count("object"), 1)
            self.assertIn('object "a" "005_mug" 400', scene.text)


if __name__ == "__main__":
    unittest.main()
