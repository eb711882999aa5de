#include "runtime/contact/soft_potential/shared_lattices.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace abut::contact::internal {
namespace {

// The lattices of the process.
struct Registry {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, std::weak_ptr<const SharedLattice>> all;  // by the geometry's id
  std::vector<std::shared_ptr<const SharedLattice>> paused;                   // kept alive during a fork
};

Registry& get_registry() {
  static Registry registry;
  return registry;
}

// Before a fork, waits until no thread is making a lattice or a part of one, since in the child no thread
// would finish it.
void pause() {
  Registry& registry = get_registry();
  registry.mutex.lock();
  for (const auto& [id, lattice] : registry.all)
    if (std::shared_ptr<const SharedLattice> held = lattice.lock()) {
      held->lattice.pause();
      registry.paused.push_back(std::move(held));
    }
}
void resume() {
  Registry& registry = get_registry();
  for (const std::shared_ptr<const SharedLattice>& held : registry.paused) held->lattice.resume();
  registry.paused.clear();
  registry.mutex.unlock();
}

// Done when the library is loaded: a static that one thread is initialising while another forks would stay
// half initialised in the child.
[[maybe_unused]] const int at_forks = (get_registry(), pthread_atfork(pause, resume, resume));

}  // namespace

const ssdf::PointLattice& SharedLattices::of(const body::Geometry& geometry) {
  auto found = held_.find(geometry.id());
  if (found == held_.end()) {
    if (held_.size() == kMax) forget_oldest();
    found = held_.emplace(geometry.id(), Held{share(geometry)}).first;
  }
  found->second.asked = ++questions_;
  return found->second.lattice->lattice;
}

void SharedLattices::forget_oldest() {
  held_.erase(std::min_element(held_.begin(), held_.end(), [](const auto& one, const auto& other) {
    return one.second.asked < other.second.asked;
  }));
}

std::shared_ptr<const SharedLattice> SharedLattices::share(const body::Geometry& geometry) {
  Registry& registry = get_registry();
  const std::lock_guard lock(registry.mutex);
  std::erase_if(registry.all, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<const SharedLattice>& entry = registry.all[geometry.id()];
  std::shared_ptr<const SharedLattice> held = entry.lock();
  if (!held) entry = held = std::make_shared<const SharedLattice>(geometry);
  return held;
}

}  // namespace abut::contact::internal
