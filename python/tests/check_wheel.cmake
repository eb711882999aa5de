# Installs the module into a new environment in WORK with the commands of docs/python.md, and asks it a question from
# there. Called with -DSOURCE, -DWORK, -DPYTHON.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(ENV{PYTHONPATH} "")
execute_process(COMMAND ${PYTHON} -m venv --system-site-packages ${WORK}/env COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/env/bin/pip install --quiet --no-build-isolation --no-index ${SOURCE}
                WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${WORK}/ask.py [=[
import importlib.metadata, importlib.resources, pathlib, sys
import abut
distance = abut.separation(abut.sphere(0.1), abut.sphere(0.2), [1, 0, 0, 0, 0, 0, 1]).distance
assert abs(distance - 0.7) < 1e-12, distance
assert pathlib.Path(abut.__file__).is_relative_to(sys.prefix), abut.__file__
files = {file.name for file in pathlib.Path(abut.__file__).parent.iterdir()}
assert {"py.typed", "_abut.pyi", "torch.py", "jax.py"} <= files, files
assert importlib.metadata.version("abut") == sys.argv[1].strip(), sys.argv
]=])
file(READ ${SOURCE}/runtime/VERSION version)
execute_process(COMMAND ${WORK}/env/bin/python ${WORK}/ask.py ${version} WORKING_DIRECTORY ${WORK}
                COMMAND_ERROR_IS_FATAL ANY)
