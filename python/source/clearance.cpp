#include "runtime/dynamics/collide/clearance.h"

#include <pybind11/pybind11.h>

#include <mutex>
#include <string>
#include <vector>

#include "python/source/batch.h"
#include "python/source/coordinates.h"
#include "python/source/module.h"

namespace abut::python {
namespace {

using dynamics::Clearance;
using dynamics::ClearanceList;

// Clearances of one system, with their memory. One call at a time; other threads wait.
class ClearancesHandle {
 public:
  ClearancesHandle(const dynamics::System& system, py::handle model, py::handle within_robots,
                   py::handle threads)
      : clearances_(system, {.model = text({kWho, "model"}, model),
                             .within_groups = truth({kWho, "within_robots"}, within_robots),
                             .threads = thread_count(kWho, threads)}) {}

  // Returns (state, pairs, shapes, distance, p_A, p_B, n, dd_dv, status) of K pairs.
  py::tuple find(const Coordinates& coordinates, py::handle given, py::handle margin) {
    const double reach = number({kWho, "margin"}, margin);
    proximity::require_margin(kWho, reach);
    const py::object all = ready({kWho, "z"}, given);
    const Vectors z({kWho, "z"}, all, coordinates.nz());
    std::vector<dynamics::VecX<double>> q(z.count());
    std::vector<double> row(static_cast<std::size_t>(coordinates.nz()));
    for (std::size_t i = 0; i < q.size(); ++i) {
      for (std::size_t k = 0; k < row.size(); ++k) row[k] = z(i, static_cast<py::ssize_t>(k));
      try {
        q[i] = coordinates.configuration(row.data());
      } catch (const InvalidInput& error) {
        throw InvalidInput(std::string(kWho) + ": " + (z.many() ? "z[" + std::to_string(i) + "]: " : "") +
                           error.what());
      }
    }
    ClearanceList found;
    found.velocities = coordinates.nx() / 2;
    in_pieces(static_cast<std::int64_t>(q.size()), [&](std::int64_t begin, std::int64_t end) {
      const std::lock_guard lock(mutex_);
      const auto piece = std::span<const dynamics::VecX<double>>(q).subspan(
          static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
      const ClearanceList& more = clearances_.find(piece, reach);
      for (Clearance pair : more.pairs) {
        pair.state += static_cast<std::int32_t>(begin);
        found.pairs.push_back(pair);
      }
      found.slopes.insert(found.slopes.end(), more.slopes.begin(), more.slopes.end());
    });
    return arrays(found);
  }

 private:
  static constexpr const char* kWho = "clearances";

  static py::tuple arrays(const ClearanceList& found) {
    const auto count = static_cast<py::ssize_t>(found.pairs.size());
    const auto two = [&] { return py::array_t<std::int32_t>({count, py::ssize_t{2}}); };
    const auto three = [&] { return py::array_t<double>({count, py::ssize_t{3}}); };
    py::array_t<std::int32_t> state(count), pairs = two(), shapes = two();
    py::array_t<double> distance(count), p_A = three(), p_B = three(), n = three();
    py::array_t<std::uint8_t> status(count);
    for (py::ssize_t k = 0; k < count; ++k) {
      const Clearance& pair = found.pairs[static_cast<std::size_t>(k)];
      state.mutable_at(k) = pair.state;
      pairs.mutable_at(k, 0) = pair.A;
      pairs.mutable_at(k, 1) = pair.B;
      shapes.mutable_at(k, 0) = pair.shape_A;
      shapes.mutable_at(k, 1) = pair.shape_B;
      distance.mutable_at(k) = pair.distance;
      status.mutable_at(k) = static_cast<std::uint8_t>(pair.status);
      for (py::ssize_t i = 0; i < 3; ++i) {
        p_A.mutable_at(k, i) = pair.p_A_W[i];
        p_B.mutable_at(k, i) = pair.p_B_W[i];
        n.mutable_at(k, i) = pair.n_W[i];
      }
    }
    const py::array_t<double> dd_dv({count, static_cast<py::ssize_t>(found.velocities)}, found.slopes.data());
    return py::make_tuple(state, pairs, shapes, distance, p_A, p_B, n, dd_dv, status);
  }

  dynamics::Clearances clearances_;
  HandleMutex mutex_;
};

}  // namespace

void bind_clearance(py::module_& module) {
  py::class_<ClearancesHandle>(module, "Clearances")
      .def(py::init<const dynamics::System&, py::handle, py::handle, py::handle>())
      .def("_find", &ClearancesHandle::find);
}

}  // namespace abut::python
