#include "runtime/witness/separation.h"

#include "runtime/core/simd.h"
#include "runtime/witness/solver.h"

namespace abut::witness {

namespace {

// All that these call is compiled into them, for each instruction set; the exceptions are rarely called.
ABUT_CLONES [[gnu::flatten]] Witness<double> separate_hulls(const asset::ConvexView& A,
                                                            const asset::ConvexView& B,
                                                            const Pose<double>& X_AB,
                                                            Workspace<double>& workspace,
                                                            const Vec3<double>& guess) {
  return detail::separate<double>(A, B, X_AB, workspace, guess);
}

ABUT_CLONES [[gnu::flatten]] bool answer_hulls_from_memory(const asset::ConvexView& A,
                                                           const asset::ConvexView& B,
                                                           const Pose<double>& X_AB,
                                                           SolverMemory<double>& memory) {
  return detail::WarmQuery<double, asset::ConvexView, asset::ConvexView>(A, B, X_AB, memory).run();
}

}  // namespace

template <>
Witness<double> separation(const asset::ConvexView& A, const asset::ConvexView& B, const Pose<double>& X_AB,
                           Workspace<double>& workspace, const Vec3<double>& guess) {
  return separate_hulls(A, B, X_AB, workspace, guess);
}

template <>
bool detail::answer_from_memory(const asset::ConvexView& A, const asset::ConvexView& B,
                                const Pose<double>& X_AB, SolverMemory<double>& memory) {
  return answer_hulls_from_memory(A, B, X_AB, memory);
}

}  // namespace abut::witness
