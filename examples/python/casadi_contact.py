"""A box is put as near to a wanted pose as 2 mm of clearance from a mug allow, by CasADi: casadi_contact.py FOLDER_OF_ASSETS"""
import sys

import abut

try:
    import casadi
except ImportError:
    print("casadi is not installed: there is nothing to show (pip install casadi)")
    sys.exit(0)

POSE = casadi.Sparsity.dense(7, 1)  # quaternion (w, x, y, z), then translation, m
NUMBER = casadi.Sparsity.dense(1, 1)


class NumpyFunction(casadi.Callback):
    """`value(pose)` with as many numbers out as the sparsity `out` has; CasADi keeps no reference to what is made here."""

    def __init__(self, name, value, inputs, out, jacobian=None):
        casadi.Callback.__init__(self)
        self.value, self.inputs, self.out, self.jacobian_function = value, inputs, out, jacobian
        self.construct(name, {})

    def get_n_in(self): return len(self.inputs)
    def get_n_out(self): return 1
    def get_sparsity_in(self, i): return self.inputs[i]
    def get_sparsity_out(self, i): return self.out
    def eval(self, arguments): return [casadi.DM(self.value(arguments[0].full().ravel()))]
    def has_jacobian(self): return self.jacobian_function is not None

    def get_jacobian(self, name, inames, onames, opts):  # of (pose, the value there): a row by the pose's numbers
        self.slope = NumpyFunction(name, self.jacobian_function, [POSE, casadi.Sparsity(1, 1)], casadi.Sparsity.dense(1, 7))
        return self.slope


assets = abut.load_folder(sys.argv[1])
mug, box = assets["005_mug"], assets["001_box"]


def slope(pose):
    found = abut.witness_derivative(mug, box, pose)
    return abut.pose_gradient(pose, abut.vjp(found, distance=1.0)).reshape(1, 7)  # from the twist to the pose's numbers


distance = NumpyFunction("distance", lambda pose: abut.separation(mug, box, pose).distance, [POSE], NUMBER, slope)
wanted = casadi.DM([0.9, 0.3, 0.2, 0.24, 0.02, 0.01, 0.06])  # there they overlap

pose = casadi.MX.sym("pose", 7)
problem = {"x": pose, "f": casadi.sumsqr(pose - wanted), "g": casadi.vertcat(distance(pose), casadi.sumsqr(pose[:4]))}
solver = casadi.nlpsol("solver", "ipopt", problem, {"ipopt.hessian_approximation": "limited-memory", "ipopt.print_level": 0})
found = solver(x0=wanted, lbg=casadi.DM([2e-3, 1]), ubg=casadi.DM([casadi.inf, 1]))["x"].full().ravel()

print(f"distance {abut.separation(mug, box, wanted.full().ravel()).distance * 1e3:.2f} mm as wanted, "
      f"{abut.separation(mug, box, found).distance * 1e3:.2f} mm at {found}")
assert abs(abut.separation(mug, box, found).distance - 2e-3) < 1e-5
