# Proves that the runtime stands alone: builds and installs it by itself, shows that it neither included nor linked
# CGAL or TetGen (nor their GMP and MPFR), then builds and runs a user's project against the installed prefix.
#   cmake -DSOURCE=<project root> -DWORK=<scratch folder> -P check.cmake
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
