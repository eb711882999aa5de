#include "runtime/witness/pair_query.h"

#include <string>

#include "runtime/core/error.h"
#include "runtime/core/parallel.h"

namespace abut::witness {

namespace {

constexpr const char* kWho = "separation";

bool two_hulls(const body::Geometry& A, const body::Geometry& B) {
  return A.primitive() == nullptr && B.primitive() == nullptr;
}

}  // namespace

Core<double> core_of(const body::Geometry& geometry) {
  if (const body::Primitive* primitive = geometry.primitive())
    return std::visit([](const auto& shape) { return Core<double>(shape); }, *primitive);
  return Core<double>(geometry.convex());
}

void require_valid(const body::Pair& pair, const char* who) {
  body::require_valid(pair, body::kConvexPart, who);
  if (pair.A->geometry.half_space() != nullptr && pair.B->geometry.half_space() != nullptr)
    throw InvalidInput(std::string(who) + ": two half-spaces have no witness points");
}

Witness<double> separation(const body::Pair& pair) {
  require_valid(pair, kWho);
  return separation(pair.A->geometry, pair.B->geometry, pair.X_AB, detail::thread_workspace<double>());
}

Witness<double> separation(const body::Geometry& A, const body::Geometry& B, const Pose<double>& X_AB,
                           Workspace<double>& workspace, const Vec3<double>& guess) {
  if (two_hulls(A, B)) return detail::separate_hulls(A.convex(), B.convex(), X_AB, workspace, guess);
  return detail::separate_cores(core_of(A), core_of(B), X_AB, workspace, guess);
}

PairSolver::PairSolver(const body::Geometry& A, const body::Geometry& B) : A_(A), B_(B) {
  const body::Body body_A{A, {}}, body_B{B, {}};
  require_valid({&body_A, &body_B, {}}, kWho);
}

Witness<double> PairSolver::operator()(const Pose<double>& X_AB) {
  if (two_hulls(A_, B_)) return detail::answer_hulls(A_.convex(), B_.convex(), X_AB, memory_);
  return detail::answer_cores(core_of(A_), core_of(B_), X_AB, memory_);
}

BatchSeparation::BatchSeparation(int threads)
    : workspaces_(static_cast<std::size_t>(threads > 0 ? threads : default_threads())) {}

void BatchSeparation::operator()(std::span<const body::Pair> pairs, std::span<Witness<double>> results) {
  body::require_valid_batch(pairs, results.size(), kWho,
                            [](const body::Pair& pair) { require_valid(pair, kWho); });
  parallel_for(
      static_cast<std::int64_t>(pairs.size()), static_cast<int>(workspaces_.size()),
      [&](std::int64_t i, int thread) {
        const body::Pair& pair = pairs[static_cast<std::size_t>(i)];
        results[static_cast<std::size_t>(i)] = separation(pair.A->geometry, pair.B->geometry, pair.X_AB,
                                                          workspaces_[static_cast<std::size_t>(thread)]);
      },
      16);
}

}  // namespace abut::witness
