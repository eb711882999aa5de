// Any bytes as a robot: one whose tree stands somewhere and has a mass matrix, or an abut::Error.
#include "runtime/core/error.h"
#include "runtime/dynamics/tree/dynamics.h"
#include "runtime/dynamics/tree/urdf.h"
#include "tests/fuzz/scratch_file.h"

// Links in a loop hold each other in urdfdom for ever.
extern "C" const char* __lsan_default_suppressions() { return "leak:liburdfdom_model\n"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut;
  constexpr std::size_t kMaxLinks = 30;  // that are set in motion
  try {
    const dynamics::Robot robot = dynamics::read_urdf(scratch_file(data, size, ".urdf"));
    const dynamics::Tree tree(robot.links, {0, 0, -9.81});
    if (robot.links.size() > kMaxLinks) return 0;
    const Eigen::VectorXd q = tree.neutral();
    if (!q.allFinite()) __builtin_trap();
    dynamics::TreeScratch scratch(tree);
    const Eigen::MatrixXd& M = dynamics::mass_matrix<double>(tree, q, scratch);
    if (M.rows() != tree.nv()) __builtin_trap();
  } catch (const Error&) {
  }
  return 0;
}
