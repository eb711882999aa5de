import unittest

import numpy as np

import abut
from support import poses

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    raise unittest.SkipTest("JAX is not installed: abut.jax is not tested")

import abut.jax

jax.config.update("jax_enable_x64", True)


class Gradients(unittest.TestCase):
    def setUp(self):
        self.A, self.B = abut.ellipsoid(0.1, 0.2, 0.15), abut.sphere(0.05)
        self.X_AB = jnp.asarray(poses(3, reach=0.3))

    def check(self, f, x, step=1e-6):
        """The gradient of f against central differences, also when compiled."""
        x = np.asarray(x)
        slopes = np.zeros(x.size)
        for k in range(x.size):
            e = np.zeros(x.size)
            e[k] = step
            e = e.reshape(x.shape)
            slopes[k] = (f(jnp.asarray(x + e)) - f(jnp.asarray(x - e))) / (2 * step)
        for gradient in jax.grad(f), jax.jit(jax.grad(f)):
            np.testing.assert_allclose(np.ravel(gradient(jnp.asarray(x))), slopes, atol=1e-6, rtol=1e-5)

    def test_witness_points(self):
        self.check(lambda X: sum(jnp.sum(part**2) for part in abut.jax.separation(self.A, self.B, X)), self.X_AB)
        self.check(lambda X: abut.jax.distance(self.A, self.B, X), self.X_AB[0])
        self.check(lambda X: jnp.sum(abut.jax.distance([self.A, self.B], self.B, X)), self.X_AB[0])

    def test_batches_and_jacobians(self):
        distance = lambda X: abut.jax.distance(self.A, self.B, X)
        np.testing.assert_array_equal(jax.vmap(distance)(self.X_AB), distance(self.X_AB))
        rows = jax.jacrev(lambda X: abut.jax.separation(self.A, self.B, X).p1)(self.X_AB[0])
        self.check(lambda X: abut.jax.separation(self.A, self.B, X).p1[1], self.X_AB[0])
        gradient = jax.grad(lambda X: abut.jax.separation(self.A, self.B, X).p1[1])(self.X_AB[0])
        np.testing.assert_allclose(rows[1], gradient, atol=1e-12)

    def test_gradients_have_the_types_of_their_arrays(self):
        X, V = jnp.asarray(self.X_AB[0], jnp.float32), jnp.zeros(6)
        by_X, by_V = jax.grad(lambda X, V: jnp.sum(abut.jax.wrench(self.A, self.B, X, V)), (0, 1))(X, V)
        self.assertEqual((by_X.dtype, by_V.dtype), (jnp.float32, jnp.float64))

    def test_values_are_those_of_numpy(self):
        np.testing.assert_array_equal(abut.jax.separation(self.A, self.B, self.X_AB).p1,
                                      abut.separation(self.A, self.B, np.asarray(self.X_AB)).p1)

    def test_wrenches(self):
        ground = abut.Body(abut.half_space(), abut.Material(modulus=abut.RIGID, friction=0.3))
        ball = abut.Body(abut.sphere(0.05), abut.Material(modulus=1e4, friction=0.3))
        X = jnp.array([[0.9, 0.1, 0.2, -0.3, 0, 0, 0.048]] * 2)
        V = jnp.array([0.1, -0.2, 0.3, 0.02, 0.01, -0.03])
        self.check(lambda X: jnp.sum(abut.jax.wrench(ground, ball, X, V)), X)
        self.check(lambda V: jnp.sum(abut.jax.wrench(ground, ball, X, V)), V)

    def test_soft_distances(self):
        points = np.random.default_rng(0).normal(size=(2, 3, 3))
        self.check(lambda p: jnp.sum(abut.jax.soft_distance(abut.sphere(0.3), p) ** 2), points)
        self.assertEqual(abut.jax.soft_distance(abut.sphere(0.3), jnp.asarray(points[0, 0])).shape, ())


if __name__ == "__main__":
    unittest.main()
