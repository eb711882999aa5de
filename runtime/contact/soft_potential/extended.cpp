#include "runtime/contact/soft_potential.h"
#include "runtime/contact/soft_potential/pair.h"

namespace abut::contact {

namespace {

// Inner loops for one sample at a time: the reference.
template <class S>
struct ScalarOps {
  template <int kOrder>
  static void add(const internal::Patch<S>& patch, internal::WrenchSums<S, kOrder>& sums) {
    internal::add_patch<kOrder, S, S>(patch, sums);
  }
  static void fields(const internal::Patch<S>& patch, S limit, ssdf::internal::Taylor<S, 3>* phi) {
    internal::fields<S, S>(patch, limit, phi);
  }
  static void descend(const asset::PointBlocksView& field, const S* p, ssdf::internal::Nearby<S>& nearby) {
    ssdf::internal::descend<S>(field, p, nearby);
  }
  static void find_nearest(const asset::PointBlocksView& field, const S* p,
                           ssdf::internal::Nearby<S>& nearby) {
    ssdf::internal::find_nearest<S>(field, p, nearby);
  }
  static void grid_bounds(const internal::PotentialSide<S>& side, const double* numbers, int count,
                          internal::GridBound<S>* bounds) {
    internal::grid_bounds<S>(side, numbers, count, bounds);
  }
  static unsigned feel(const internal::PotentialSide<S>& side, const asset::SampleBall* balls, int count,
                       const internal::GridBound<S>& bound, S limit) {
    return internal::feel<S>(side, balls, count, bound, limit);
  }
  static unsigned feel_lattice(const internal::PotentialSide<S>& side, const double* numbers, int count,
                               S limit) {
    return internal::feel_lattice<S>(side, numbers, count, limit);
  }
  static int gather(const asset::PointBlocksView& field, const S* p, S range2, S scale,
                    std::vector<S>& packs) {
    return ssdf::internal::gather<S, S>(field, p, range2, scale, packs);
  }
  static bool above_all(const S* packs, int count, S range2, S band) {
    return ssdf::internal::above_all<S>(packs, count, range2, band);
  }
  static int look_at(int packs, const S* c, S radius, S limit, S far,
                     ssdf::internal::NearScratch<S>& memory) {
    return internal::look_at<S>(packs, c, radius, limit, far, memory);
  }
};

}  // namespace

void soft_potential_extended(const PotentialPair<long double>& pair, ssdf::Order order,
                             PotentialScratch<long double>& scratch, SoftPotential<long double>& result) {
  using S = long double;
  internal::solve_potential<S, S, ScalarOps<S>>(pair, order, 1, scratch, result);
}

}  // namespace abut::contact
