#pragma once

#include "runtime/witness/warm_query.h"

// Queries of two cores; each scalar is compiled in a file of its own.
namespace abut::witness::detail {

template <class S>
Witness<S> separate_cores(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, Workspace<S>& workspace,
                          const Vec3<S>& guess) {
  return separate<S>(A, B, X_AB, workspace, guess);
}

template <class S>
Witness<S> answer_cores(const Core<S>& A, const Core<S>& B, const Pose<S>& X_AB, SolverMemory<S>& memory) {
  return answer_by<S>(answer_from_memory<S, Core<S>>, separate_cores<S>, A, B, X_AB, memory);
}

template <class S>
Workspace<S>& thread_workspace() {
  thread_local Workspace<S> workspace;
  return workspace;
}

}  // namespace abut::witness::detail

#define ABUT_COMPILE_CORES(S)                                                                         \
  namespace abut::witness::detail {                                                                   \
  template Witness<S> separate_cores(const Core<S>&, const Core<S>&, const Pose<S>&, Workspace<S>&,   \
                                     const Vec3<S>&);                                                 \
  template Witness<S> answer_cores(const Core<S>&, const Core<S>&, const Pose<S>&, SolverMemory<S>&); \
  template Workspace<S>& thread_workspace();                                                          \
  }
