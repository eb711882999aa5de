# cmake -DROOT=... -DSOURCES=a;b;... -DTEMPLATE=... -DOUTPUT=... -DVERSION=... -P make_versions.cmake
# Writes a source that tells versions: with a digest of SOURCES, so that a change of the code shows, and makes assets out
# of date, without anyone having to remember to say so.
set(digests "")
foreach(source ${SOURCES})
  file(SHA256 ${ROOT}/${source} digest)
  string(APPEND digests "${source} ${digest}\n")
endforeach()
string(SHA256 CODE "${digests}")
string(SUBSTRING ${CODE} 0 16 CODE)
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
