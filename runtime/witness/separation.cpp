#include "runtime/witness/separation.h"

#include "runtime/core/simd.h"
#include "runtime/witness/warm_query.h"

// The cold and warm-started queries of two hulls in double precision.
namespace abut::witness::detail {

// Everything that these two call is inlined into them, once for each instruction set, except for functions
// marked noinline, which are rarely called.
ABUT_CLONES [[gnu::flatten]] Witness<double> separate_hulls(const asset::ConvexView& A,
                                                            const asset::ConvexView& B,
                                                            const Pose<double>& X_AB,
                                                            Workspace<double>& workspace,
                                                            const Vec3<double>& guess, double limit) {
  return separate<double>(A, B, X_AB, workspace, guess, limit);
}

ABUT_CLONES [[gnu::flatten]] static bool answer_hulls_from_memory(const asset::ConvexView& A,
                                                                  const asset::ConvexView& B,
                                                                  const Pose<double>& X_AB,
                                                                  SolverMemory<double>& memory) {
  return answer_from_memory(A, B, X_AB, memory);
}

Witness<double> answer_hulls(const asset::ConvexView& A, const asset::ConvexView& B, const Pose<double>& X_AB,
                             SolverMemory<double>& memory) {
  const auto cold = [](auto&&... query) { return separate_hulls(query...); };
  return answer_by(answer_hulls_from_memory, cold, A, B, X_AB, memory);
}

}  // namespace abut::witness::detail
