# Makes the wheels of both modules with the command of docs/python.md, installs them into a new environment in WORK, and
# asks a question from there. Called with -DSOURCE, -DWORK, -DPYTHON.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(ENV{PYTHONPATH} "")
execute_process(COMMAND ${PYTHON} -m venv --system-site-packages ${WORK}/env COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/env/bin/pip wheel --quiet --no-build-isolation --no-index --no-deps
                        --wheel-dir ${WORK}/wheels ${SOURCE} ${SOURCE}/python/preprocess
                WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
file(GLOB wheels ${WORK}/wheels/*.whl)
list(LENGTH wheels count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "two wheels were to be made: ${wheels}")
endif()
foreach(wheel ${wheels})
  file(SIZE ${wheel} size)
  message(STATUS "${wheel}: ${size} bytes")
  if(size GREATER 20000000)
    message(FATAL_ERROR "${wheel} is larger than 20 MB")
  endif()
endforeach()
execute_process(COMMAND ${WORK}/env/bin/pip install --quiet --no-index ${wheels}
                WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${WORK}/ask.py [=[
import importlib.metadata, importlib.resources, pathlib, sys
import abut, abut_preprocess
distance = abut.separation(abut.sphere(0.1), abut.sphere(0.2), [1, 0, 0, 0, 0, 0, 1]).distance
assert abs(distance - 0.7) < 1e-12, distance
assert pathlib.Path(abut.__file__).is_relative_to(sys.prefix), abut.__file__
files = {file.name for file in pathlib.Path(abut.__file__).parent.iterdir()}
assert {"py.typed", "_abut.pyi", "torch.py", "jax.py"} <= files, files
assert pathlib.Path(abut_preprocess.__file__).is_relative_to(sys.prefix), abut_preprocess.__file__
assert importlib.metadata.version("abut") == importlib.metadata.version("abut-preprocess") == sys.argv[1].strip(), sys.argv
]=])
file(READ ${SOURCE}/runtime/VERSION version)
execute_process(COMMAND ${WORK}/env/bin/python ${WORK}/ask.py ${version} WORKING_DIRECTORY ${WORK}
                COMMAND_ERROR_IS_FATAL ANY)
