"""A stand-in for the part of JAX that abut.jax takes, for its test on machines without JAX.

The protocol of JAX 0.4.34 and newer: what is called back has the shapes and types that were told; within vmap it is called
only where `vmap_method` says how; and gradients by an array have its shape and type.
"""


class ShapeDtypeStruct:
    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


def pure_callback(callback, result_shape_dtypes, *args, sharding=None, vmap_method=None):
    if vmap_method is None:
        raise ValueError("vmap of a pure_callback without vmap_method")
    found = callback(*args)
    require_alike(found, result_shape_dtypes)
    return found


def require_alike(found, told):
    assert [(one.shape, one.dtype) for one in found] == [(one.shape, one.dtype) for one in told]


class custom_vjp:
    last = None  # the call made last: the function and its inputs

    def __init__(self, function):
        self.function = function

    def defvjp(self, forward, backward):
        self.forward, self.backward = forward, backward

    def __call__(self, *inputs):
        custom_vjp.last = self, inputs
        return self.function(*inputs)


def gradients_of_last(cotangent):
    """Of the last call's values times `cotangent`, by its inputs."""
    function, inputs = custom_vjp.last
    found = function.backward(function.forward(*inputs)[1], cotangent)
    require_alike(found, inputs)
    return found
