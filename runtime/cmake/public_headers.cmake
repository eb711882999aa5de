# The headers as a consumer has them: include/abut/contact/model.h for runtime/contact/model.h, which include one
# another as "abut/contact/model.h".
#   cmake -DFROM=<runtime> -DTO=<folder, made anew> -P public_headers.cmake
file(REMOVE_RECURSE ${TO})
file(GLOB_RECURSE headers RELATIVE ${FROM} ${FROM}/*.h)
list(FILTER headers EXCLUDE REGEX "^cli/|/hdf5_[^/]*$")
foreach(header ${headers})
  file(READ ${FROM}/${header} text)
  string(REPLACE "#include \"runtime/" "#include \"abut/" text "${text}")
  file(WRITE ${TO}/abut/${header} "${text}")
endforeach()
