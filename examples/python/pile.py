"""A mug is dropped on a pile of boxes, as a web page: pile.py FOLDER_OF_ASSETS PAGE.html"""
import pathlib
import sys
import tempfile

import abut

SCENE = """
gravity 0 0 -9.81
mu 0.5
plane 0 0 1 0
object mug 005_mug 400  0.01 0 0.36  1 0 0 0  0 0 0  0 0 0
"""
for i in range(3):
    SCENE += f"body box{i} 0.5  1e-3 1e-3 1e-3  0 0 {0.05 + 0.101 * i}  1 0 0 0  0 0 0  0 0 0  1\n"
    SCENE += "  box 0.06 0.06 0.05  0 0 0  1 0 0 0\n"

with tempfile.TemporaryDirectory(dir=pathlib.Path(sys.argv[2]).resolve().parent) as folder:
    scene = pathlib.Path(folder, "pile.scn")
    scene.write_text(SCENE)
    system = abut.read_scene(scene, sys.argv[1])

simulation = abut.Simulation(system, dt=2e-3)
report = simulation.run(500, every=8)
path = simulation.trajectory
print(f"{simulation.time:.2f} s, {report.contacts} contacts, deepest {report.penetration * 1e3:.3f} mm")
for name, end in zip(system.names, path.p_WB[-1]):
    print(f"{name:5} ends at {end}")
simulation.write_page(sys.argv[2])
print(f"open {sys.argv[2]} in a browser")
