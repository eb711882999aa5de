#include <cmath>
#include <limits>
#include <numeric>

#include "runtime/contact/soft_potential.h"
#include "runtime/contact/soft_potential/pair.h"

namespace abut::contact {

namespace {

using internal::GridBound;
using internal::Patch;
using internal::PotentialSide;
using internal::WrenchSums;
using simd::Four;

// Inner loops for four samples at a time.
ABUT_CLONES_FUSED
void forces_by_fours(const Patch<double>& patch, WrenchSums<Four, 0>& sums) {
  internal::add_patch<0, Four, double>(patch, sums);
}
ABUT_CLONES_FUSED
void slopes_by_fours(const Patch<double>& patch, WrenchSums<Four, 1>& sums) {
  internal::add_patch<1, Four, double>(patch, sums);
}
ABUT_CLONES_FUSED
void bends_by_fours(const Patch<double>& patch, WrenchSums<Four, 2>& sums) {
  internal::add_patch<2, Four, double>(patch, sums);
}
ABUT_CLONES_FUSED
void fields_by_fours(const Patch<double>& patch, double limit, ssdf::internal::Taylor<double, 3>* phi) {
  internal::fields<Four, double>(patch, limit, phi);
}
ABUT_CLONES_FUSED
void nearest_by_fours(const asset::PointBlocksView& field, const double* p,
                      ssdf::internal::Nearby<double>& nearby) {
  ssdf::internal::find_nearest<Four>(field, p, nearby);
}
ABUT_CLONES_FUSED
int gather_by_fours(const asset::PointBlocksView& field, const double* p, double range2, double scale,
                    std::vector<double>& packs) {
  return ssdf::internal::gather<Four, double>(field, p, range2, scale, packs);
}
ABUT_CLONES_FUSED
bool above_all_by_fours(const double* packs, int count, double range2, double band) {
  return ssdf::internal::above_all<Four>(packs, count, range2, band);
}
ABUT_CLONES_FUSED
int look_at_by_fours(int packs, const double* c, double radius, double limit, double far,
                     ssdf::internal::NearScratch<double>& memory) {
  return internal::look_at<Four>(packs, c, radius, limit, far, memory);
}
ABUT_CLONES_FUSED
void grid_bounds_by_fours(const PotentialSide<double>& side, const double* numbers, int count,
                          GridBound<double>* bounds) {
  internal::grid_bounds<Four>(side, numbers, count, bounds);
}
ABUT_CLONES_FUSED
unsigned feel_by_fours(const PotentialSide<double>& side, const asset::SampleBall* balls, int count,
                       const GridBound<double>& bound, double limit) {
  return internal::feel<Four>(side, balls, count, bound, limit);
}
ABUT_CLONES_FUSED
unsigned feel_lattice_by_fours(const PotentialSide<double>& side, const double* numbers, int count,
                               double limit) {
  return internal::feel_lattice<Four>(side, numbers, count, limit);
}

struct FourOps {
  template <int kOrder>
  static void add(const Patch<double>& patch, WrenchSums<Four, kOrder>& sums) {
    if constexpr (kOrder == 0)
      forces_by_fours(patch, sums);
    else if constexpr (kOrder == 1)
      slopes_by_fours(patch, sums);
    else
      bends_by_fours(patch, sums);
  }
  static void fields(const Patch<double>& patch, double limit, ssdf::internal::Taylor<double, 3>* phi) {
    fields_by_fours(patch, limit, phi);
  }
  static void descend(const asset::PointBlocksView& field, const double* p,
                      ssdf::internal::Nearby<double>& nearby) {
    ssdf::internal::descend<Four>(field, p, nearby);
  }
  static void find_nearest(const asset::PointBlocksView& field, const double* p,
                           ssdf::internal::Nearby<double>& nearby) {
    nearest_by_fours(field, p, nearby);
  }
  static void grid_bounds(const PotentialSide<double>& side, const double* numbers, int count,
                          GridBound<double>* bounds) {
    grid_bounds_by_fours(side, numbers, count, bounds);
  }
  static unsigned feel(const PotentialSide<double>& side, const asset::SampleBall* balls, int count,
                       const GridBound<double>& bound, double limit) {
    return feel_by_fours(side, balls, count, bound, limit);
  }
  static unsigned feel_lattice(const PotentialSide<double>& side, const double* numbers, int count,
                               double limit) {
    return feel_lattice_by_fours(side, numbers, count, limit);
  }
  static int gather(const asset::PointBlocksView& field, const double* p, double range2, double scale,
                    std::vector<double>& packs) {
    return gather_by_fours(field, p, range2, scale, packs);
  }
  static bool above_all(const double* packs, int count, double range2, double band) {
    return above_all_by_fours(packs, count, range2, band);
  }
  static int look_at(int packs, const double* c, double radius, double limit, double far,
                     ssdf::internal::NearScratch<double>& memory) {
    return look_at_by_fours(packs, c, radius, limit, far, memory);
  }
};

}  // namespace

void soft_potential(const PotentialPair<double>& pair, ssdf::Order order, int threads,
                    PotentialScratch<double>& scratch, SoftPotential<double>& result) {
  internal::solve_potential<double, Four, FourOps>(pair, order, threads, scratch, result);
}

void potential_samples(const PotentialPair<double>& pair, double margin,
                       ssdf::internal::NearScratch<double>& near, std::vector<PotentialSample>& samples) {
  internal::PotentialWalk<double, Four, FourOps> solver(ssdf::Order::kGradient, near);
  const double limit = std::nextafter(margin, std::numeric_limits<double>::infinity());
  samples.clear();
  for (const bool of_A : {true, false})
    solver.middles(pair, of_A, limit, [&](const internal::Piece& piece, const auto& phi) {
      PotentialSample sample{of_A,
                             piece.feature,
                             Vec3<double>::Map(piece.ball->center),
                             of_A ? pair.share_A : pair.share_B,
                             phi.value,
                             Vec3<double>::Map(phi.first),
                             {}};
      const double* const areas = piece.numbers + 3 * internal::kSamples;
      sample.area *= std::accumulate(areas, areas + internal::kSamples, 0.0);
      for (int m = 0; m < phi.kSecond; ++m) {
        const int k = internal::kSecondPlaces[m][0], l = internal::kSecondPlaces[m][1];
        sample.hessian(k, l) = sample.hessian(l, k) = phi.second[m];
      }
      samples.push_back(sample);
    });
}

}  // namespace abut::contact
