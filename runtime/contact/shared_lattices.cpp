#include "runtime/contact/shared_lattices.h"

#include <mutex>

namespace abut::contact::internal {

const ssdf::PointLattice& SharedLattices::of(const body::Geometry& geometry) {
  const auto found = held_.find(geometry.id());
  if (found != held_.end()) return found->second->lattice;
  return held_.emplace(geometry.id(), share(geometry)).first->second->lattice;
}

std::shared_ptr<const SharedLattices::Held> SharedLattices::share(const body::Geometry& geometry) {
  static std::mutex mutex;
  static std::unordered_map<std::uint64_t, std::weak_ptr<const Held>> all;
  const std::lock_guard lock(mutex);
  std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<const Held>& entry = all[geometry.id()];
  std::shared_ptr<const Held> held = entry.lock();
  if (!held) entry = held = std::make_shared<const Held>(geometry);
  return held;
}

}  // namespace abut::contact::internal
