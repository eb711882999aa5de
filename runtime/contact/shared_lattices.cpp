#include "runtime/contact/shared_lattices.h"

#include <pthread.h>

#include <mutex>
#include <vector>

namespace abut::contact::internal {
namespace {

// Those of the process. A fork waits until no thread makes one, or a part of one: in the child no thread
// would ever finish it.
template <class Held>
struct Registry {
  std::mutex mutex;
  std::unordered_map<std::uint64_t, std::weak_ptr<const Held>> all;  // by the geometry's id
  std::vector<std::shared_ptr<const Held>> paused;                   // during a fork

  static Registry& get() {
    static Registry registry;
    static const int handled = pthread_atfork(pause, resume, resume);
    static_cast<void>(handled);
    return registry;
  }
  static void pause() {
    Registry& registry = get();
    registry.mutex.lock();
    for (const auto& [id, lattice] : registry.all)
      if (std::shared_ptr<const Held> held = lattice.lock()) {
        held->lattice.pause();
        registry.paused.push_back(std::move(held));
      }
  }
  static void resume() {
    Registry& registry = get();
    for (const std::shared_ptr<const Held>& held : registry.paused) held->lattice.resume();
    registry.paused.clear();
    registry.mutex.unlock();
  }
};

}  // namespace

const ssdf::PointLattice& SharedLattices::of(const body::Geometry& geometry) {
  const auto found = held_.find(geometry.id());
  if (found != held_.end()) return found->second->lattice;
  return held_.emplace(geometry.id(), share(geometry)).first->second->lattice;
}

std::shared_ptr<const SharedLattices::Held> SharedLattices::share(const body::Geometry& geometry) {
  auto& registry = Registry<Held>::get();
  const std::lock_guard lock(registry.mutex);
  std::erase_if(registry.all, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<const Held>& entry = registry.all[geometry.id()];
  std::shared_ptr<const Held> held = entry.lock();
  if (!held) entry = held = std::make_shared<const Held>(geometry);
  return held;
}

}  // namespace abut::contact::internal
