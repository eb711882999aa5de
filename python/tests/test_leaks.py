"""Calls leave nothing behind: memory that Python counts, and that of the process. ABUT_LEAK_CALLS of each kind, 2,000
if it is not set; scripts/test --full has a million in all.
"""

import gc
import os
import pickle
import sys
import tracemalloc
import unittest

import numpy as np

import abut
from support import asset, needs_assets, poses
from test_systems import pushing

CALLS = int(os.environ.get("ABUT_LEAK_CALLS", "2000"))


def resident():
    """Of this process and no file's, bytes."""
    with open("/proc/self/status") as status:
        return next(1024 * int(line.split()[1]) for line in status if line.startswith("RssAnon"))


def settle():
    """Frees what the interpreter alone keeps: cycles, and the names that its cache of attributes holds, by address."""
    gc.collect()
    getattr(sys, "_clear_type_cache", lambda: None)()


def refused(call):
    try:
        call()
    except abut.Error:
        return
    raise AssertionError("nothing was raised")


@unittest.skipUnless(os.path.exists("/proc/self/status"), "no /proc")
class Leaks(unittest.TestCase):
    def check(self, call, of=1):
        """`of`: so many times fewer calls of what is dear."""
        warm, calls = max(50, CALLS // (10 * of)), max(100, CALLS // of)
        for _ in range(warm):
            call()
        settle()
        tracemalloc.start()
        call()
        before, pages = tracemalloc.get_traced_memory()[0], resident()
        for _ in range(calls):
            call()
        settle()
        counted, grown = tracemalloc.get_traced_memory()[0] - before, resident() - pages
        tracemalloc.stop()
        self.assertLess(counted, 4096)
        # Pages that allocators keep at hand in a short run, and less than 8 bytes a call in a long one.
        self.assertLess(grown, (4 << 20) + 8 * calls)

    @needs_assets
    def test_questions_of_one_pair_and_of_many(self):
        mug, box, X, many = asset("005_mug"), abut.Body(abut.box(0.05, 0.05, 0.05)), poses(1)[0], poses(4)
        model, field, distances = abut.DistanceModel("surface"), abut.Model("pressure_field"), abut.SoftDistances(mug)
        self.check(lambda: abut.separation(mug, box, X).p1)
        self.check(lambda: abut.witness_derivative(mug, box, X).dd_dxi_B)
        self.check(lambda: model.separation(mug, mug, X).n, of=10)
        self.check(lambda: field.wrench(box, abut.Body(mug), X).F_BBo_B, of=2)
        self.check(lambda: abut.separation([mug, mug, mug, mug], box, many, threads=2).distance, of=5)
        self.check(lambda: distances(np.zeros(3)).gradient, of=2)

    @needs_assets
    def test_handles_views_copies_and_refusals(self):
        mug, X = asset("005_mug"), poses(1)[0]
        found = abut.separation(mug, mug, poses(3))
        self.check(lambda: mug.hull.vertices[0])
        self.check(lambda: abut.sphere(0.1).name)
        self.check(lambda: abut.Model("point"), of=2)
        self.check(lambda: pickle.loads(pickle.dumps(found)).p1, of=2)
        self.check(lambda: refused(lambda: abut.separation(mug, mug, X * np.nan)))
        self.check(lambda: refused(lambda: abut.sphere(-1)))

    def test_scenes_and_steps(self):
        scene = pushing()
        system = scene.system()
        integrator, state = abut.Integrator(system, dt=2e-3), system.initial_state()
        z = system.vector(state)
        self.check(lambda: integrator.step(state).v)
        self.check(lambda: integrator.contact_forces.F_W)
        self.check(lambda: integrator.step_derivatives(state).dx_dx, of=10)
        self.check(lambda: system.jacobian(z, "bar"))
        self.check(lambda: scene.system().names, of=10)


if __name__ == "__main__":
    unittest.main()
