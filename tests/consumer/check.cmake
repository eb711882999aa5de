# Proves that the runtime stands alone: builds and installs it by itself, shows that it neither included nor linked
# CGAL or TetGen (nor their GMP and MPFR), then builds and runs a user's project against the installed prefix.
# The README's own example is such a project too: it is taken from there as printed, and where PREPROCESS is given (the
# program abut-preprocess) run on assets made by the README's commands. Another is examples/cpp: all of it builds, and
# its first_query runs.
#   cmake -DSOURCE=<project root> -DWORK=<scratch folder> [-DPREPROCESS=<program>] -P check.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(must_not_name what text)
  string(REGEX MATCH "[^ \n]*(CGAL|tetgen|libtet|gmp|mpfr|boost)[^ \n]*" found "${text}")
  if(found)
    message(FATAL_ERROR "${what}: found ${found}")
  endif()
endfunction()

# The README's code block of one language.
function(write_block language file)
  file(READ ${SOURCE}/README.md readme)
  string(FIND "${readme}" "```${language}\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "README.md has no block ```${language}")
  endif()
  string(LENGTH "```${language}\n" fence)
  math(EXPR begin "${begin} + ${fence}")
  string(SUBSTRING "${readme}" ${begin} -1 rest)
  string(FIND "${rest}" "```" length)
  string(SUBSTRING "${rest}" 0 ${length} block)
  file(WRITE ${file} "${block}")
endfunction()

file(REMOVE_RECURSE ${WORK})
set(build ${WORK}/runtime)
run(${CMAKE_COMMAND} -S ${SOURCE}/runtime -B ${build} -G Ninja -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${build})
run(ninja -C ${build} -t deps)
must_not_name("headers that the runtime includes" "${output}")
run(${CMAKE_COMMAND} --install ${build} --prefix ${WORK}/prefix)

run(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer -B ${WORK}/consumer -G Ninja -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
foreach(program ${WORK}/consumer/consumer ${WORK}/prefix/bin/abut-query)
  run(readelf -d ${program})  # what is linked directly; Debian's HDF5 itself pulls in GMP through libcurl
  must_not_name("libraries that ${program} links" "${output}")
endforeach()
run(${WORK}/consumer/consumer)
message(STATUS "${output}")

# A user's own instruction set leaves the layout of what is exchanged alone.
set(flags "")
if(EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo flags REGEX "^flags.* avx2 .* fma |^flags.* fma .* avx2 " LIMIT_COUNT 1)
endif()
if(flags)
  run(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer -B ${WORK}/avx_consumer -G Ninja -DCMAKE_BUILD_TYPE=Release
      -DCMAKE_PREFIX_PATH=${WORK}/prefix "-DCMAKE_CXX_FLAGS=-mavx2 -mfma")
  run(${CMAKE_COMMAND} --build ${WORK}/avx_consumer --target consumer)
  run(${WORK}/avx_consumer/consumer)
endif()

# The same with a shared library.
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/shared -G Ninja -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=Release
    -DABUT_BUILD_PREPROCESS=OFF -DABUT_BUILD_TESTS=OFF -DABUT_BUILD_BENCHMARKS=OFF)
run(${CMAKE_COMMAND} --build ${WORK}/shared)
run(${CMAKE_COMMAND} --install ${WORK}/shared --prefix ${WORK}/shared_prefix)
run(${WORK}/shared_prefix/bin/abut-query --version)
file(STRINGS ${WORK}/shared/CMakeCache.txt python REGEX "^ABUT_PYTHON:")
if(python)  # the module was built for it
  string(REGEX REPLACE "^[^=]*=" "" python "${python}")
  file(GLOB modules ${WORK}/shared_prefix/lib/python3.*/dist-packages)  # as below /usr/local: of one version
  run(${CMAKE_COMMAND} -E env PYTHONPATH=${modules}
      ${python} -B -c "import abut; abut.separation")
endif()
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/consumer -B ${WORK}/shared_consumer -G Ninja -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${WORK}/shared_prefix)
run(${CMAKE_COMMAND} --build ${WORK}/shared_consumer --target consumer)
run(readelf -d ${WORK}/shared_consumer/consumer)
if(NOT output MATCHES "libabut\\.so\\.[0-9]+\\.[0-9]+\\]")
  message(FATAL_ERROR "the consumer does not link the shared library:\n${output}")
endif()
run(${WORK}/shared_consumer/consumer)

# The examples are a project of their own.
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/cpp -B ${WORK}/examples -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/examples)

write_block(cmake ${WORK}/contact/CMakeLists.txt)
write_block(cpp ${WORK}/contact/main.cpp)
run(${CMAKE_COMMAND} -S ${WORK}/contact -B ${WORK}/contact/build -G Ninja -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/contact/build)
if(PREPROCESS)
  run(${PREPROCESS} synthetic ${WORK}/meshes)
  run(${PREPROCESS} ${WORK}/meshes ${WORK}/assets --only 001_box --only 005_mug --tets none --quads none)
  run(${WORK}/contact/build/contact ${WORK}/assets/005_mug.h5 ${WORK}/assets/001_box.h5)
  message(STATUS "${output}")
  run(${WORK}/examples/first_query ${WORK}/assets/005_mug.h5 ${WORK}/assets/001_box.h5)
endif()
