"""A stand-in for the part of CasADi that examples/python/casadi_contact.py takes, for its test on machines without CasADi.

The protocol of casadi.Callback as CasADi 3.6 has it: shapes are told before the first call and held to, a Jacobian is a
function of the inputs and the output, and nothing but the caller keeps it alive. Expressions are functions of one symbol.
"""

import weakref

import numpy as np

inf = np.inf


class Sparsity:
    """All zero as it is made; dense by `dense`."""

    def __init__(self, rows, columns):
        self.shape, self.is_dense = (rows, columns), False

    @staticmethod
    def dense(rows, columns):
        made = Sparsity(rows, columns)
        made.is_dense = True
        return made


class DM:
    def __init__(self, numbers):
        array = np.array(numbers, dtype=float)
        self.numbers = array.reshape(-1, 1) if array.ndim < 2 else array

    def full(self):
        return self.numbers.copy()


class MX:
    """`at(x)`: the value (m,) and its Jacobian (m, n) at numbers of the symbol."""

    def __init__(self, at):
        self.at = at

    @staticmethod
    def sym(_name, n):
        return MX(lambda x: (x, np.eye(n)))

    def __sub__(self, other):
        return MX(lambda x: (self.at(x)[0] - other.full().ravel(), self.at(x)[1]))

    def __getitem__(self, rows):
        return MX(lambda x: tuple(part[rows] for part in self.at(x)))


def sumsqr(a):
    return MX(lambda x: (np.array([np.sum(a.at(x)[0] ** 2)]), 2 * a.at(x)[0][None] @ a.at(x)[1]))


def vertcat(*parts):
    return MX(lambda x: tuple(np.concatenate(values) for values in zip(*(part.at(x) for part in parts))))


class Callback:
    def construct(self, name, _options):
        self.name = name
        self.shapes = [self.get_sparsity_in(i) for i in range(self.get_n_in())]
        self.result = self.get_sparsity_out(0)
        assert self.get_n_out() == 1 and self.result.is_dense

    def numbers(self, *inputs):
        assert len(inputs) == len(self.shapes)
        for given, shape in zip(inputs, self.shapes):
            assert given.numbers.shape == shape.shape
        (answer,) = self.eval([given if shape.is_dense else DM(np.zeros(shape.shape))
                               for given, shape in zip(inputs, self.shapes)])
        assert answer.numbers.shape == self.result.shape
        return answer

    def jacobian(self):
        assert self.has_jacobian()
        made = weakref.ref(self.get_jacobian("jac_" + self.name, ["i0", "out_o0"], ["jac_o0_i0"], {}))
        assert made() is not None, "nothing keeps the Jacobian's callback alive"
        return made()

    def __call__(self, a):
        slope = self.jacobian()

        def at(x):
            value, by_x = a.at(x)
            out = self.numbers(DM(value))
            return out.full().ravel(), slope.numbers(DM(value), out).full() @ by_x

        return MX(at)


def nlpsol(_name, _plugin, problem, _options):
    """Newton's method on the conditions of an optimum of sumsqr(x - wanted), all constraints at their lower bounds."""

    def solve(x0, lbg, ubg):
        x = x0.full().ravel()
        for _ in range(50):
            g, J = problem["g"].at(x)
            gradient = problem["f"].at(x)[1].ravel()
            system = np.block([[2 * np.eye(x.size), -J.T], [J, np.zeros((g.size, g.size))]])
            x = x + np.linalg.solve(system, np.concatenate([-gradient, lbg.full().ravel() - g]))[: x.size]
        assert (problem["g"].at(x)[0] < ubg.full().ravel() + 1e-6).all()
        return {"x": DM(x)}

    return solve
