# Compiler flags that every target of the project shares: call abut_flags(target).
#
# ABUT_ARCH picks the instruction set: empty for the compiler's portable default, "native" for this machine,
# "x86-64-v3" for AVX2 and FMA. Floating-point contraction is off so that an answer does not depend on it.
set(ABUT_ARCH "" CACHE STRING "Value of -march; empty: the compiler's portable default")
set(ABUT_SANITIZE "" CACHE STRING "Value of -fsanitize; empty: none")

function(abut_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -ffp-contract=off)
  # GCC 12 takes std::string's operator+ for an overlapping or endless copy (GCC bugs 105651 and 105329).
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow>)
  if(ABUT_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(ABUT_ARCH)
    target_compile_options(${target} PUBLIC $<BUILD_INTERFACE:-march=${ABUT_ARCH}>)
  endif()
  if(ABUT_SANITIZE)
    target_compile_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${ABUT_SANITIZE}>
                                            $<BUILD_INTERFACE:-fno-sanitize-recover=all>
                                            $<BUILD_INTERFACE:-fno-omit-frame-pointer>)
    # Numbers that are read before they are set are NaN.
    target_compile_definitions(${target} PUBLIC $<BUILD_INTERFACE:ABUT_SANITIZED>
                                                $<BUILD_INTERFACE:EIGEN_INITIALIZE_MATRICES_BY_NAN>)
    target_link_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${ABUT_SANITIZE}>)
  endif()
endfunction()

# Code whose own speed nobody waits for, the tests and the command lines: -O1 takes half the compiler's time. What
# they call in the libraries has the flags of those.
function(abut_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
