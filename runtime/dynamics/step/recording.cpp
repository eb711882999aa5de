#include "runtime/dynamics/step/recording.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "runtime/asset/container.h"
#include "runtime/asset/hdf5_image.h"
#include "runtime/asset/hdf5_parser.h"
#include "runtime/core/counted.h"
#include "runtime/core/input_file.h"
#include "runtime/core/settings.h"
#include "runtime/dynamics/system/scene_digest.h"

namespace abut::dynamics {
namespace {

using asset::Handle;
using asset::Hdf5Array;
using asset::Hdf5Type;

constexpr double kUnitTolerance = 1e-9;  // of a quaternion's length

// The state at the end as arrays of plain numbers.
struct EndArrays {
  std::vector<std::int64_t> step;
  std::vector<double> dt, position, quaternion, velocity, angular_momentum, contact_impulse, joint_position,
      joint_velocity;
  std::vector<std::uint64_t> contact_feature, contact_shapes;
};

// The one list of all arrays, for both writer and reader: calls visit(path, array, numbers per body or 0,
// unit).
template <class R, class E, class Visit>
void visit_arrays(R& recording, E& end, Visit&& visit) {
  visit("frames/step", recording.steps, 0, "1");
  visit("frames/time", recording.times, 0, "s");
  visit("frames/position", recording.positions, 3, "m");
  visit("frames/quaternion", recording.quaternions, 4, "1");
  visit("frames/velocity", recording.velocities, 3, "m/s");
  visit("frames/angular_velocity", recording.angular_velocities, 3, "rad/s");
  visit("end/step", end.step, 0, "1");
  visit("end/dt", end.dt, 0, "s");
  visit("end/position", end.position, 3, "m");
  visit("end/quaternion", end.quaternion, 4, "1");
  visit("end/velocity", end.velocity, 3, "m/s");
  visit("end/angular_momentum", end.angular_momentum, 3, "kg m^2/s");
  visit("end/joint_position", end.joint_position, 0, "rad, m, 1");
  visit("end/joint_velocity", end.joint_velocity, 0, "rad/s, m/s");
  visit("end/contact_feature", end.contact_feature, 0, "1");
  visit("end/contact_shapes", end.contact_shapes, 2, "1");
  visit("end/contact_impulse", end.contact_impulse, 3, "N s");
}

// Returns the extents of an array with `width` numbers per body or contact.
std::vector<std::uint64_t> extents_of(std::string_view path, std::uint64_t width, const Recording& recording,
                                      const EndArrays& end) {
  const std::uint64_t frames = recording.steps.size(), bodies = recording.bodies.size(),
                      contacts = end.contact_feature.size();
  if (path == "end/step" || path == "end/dt") return {1};
  if (path == "end/contact_feature") return {contacts};
  if (path == "end/joint_position") return {end.joint_position.size()};
  if (path == "end/joint_velocity") return {end.joint_velocity.size()};
  if (path.starts_with("end/contact_")) return {contacts, width};
  if (path.starts_with("end/")) return {bodies, width};
  if (width == 0) return {frames};
  return {frames, bodies, width};
}

void append(std::vector<double>& to, const Vec3<double>& v) { to.insert(to.end(), {v.x(), v.y(), v.z()}); }
void append(std::vector<double>& to, const Eigen::Quaterniond& q) {
  to.insert(to.end(), {q.w(), q.x(), q.y(), q.z()});
}

EndArrays end_arrays(const Recording& recording) {
  EndArrays end;
  end.step = {recording.end_steps};
  end.dt = {recording.dt};
  for (const BodyState& state : recording.end.bodies) {
    append(end.position, state.p_WB);
    append(end.quaternion, state.q_WB);
    append(end.velocity, state.v_WB);
    append(end.angular_momentum, state.L_W);
  }
  end.joint_position.assign(recording.end.q.begin(), recording.end.q.end());
  end.joint_velocity.assign(recording.end.v.begin(), recording.end.v.end());
  for (const ContactImpulse& contact : recording.end.impulses) {
    end.contact_feature.push_back(contact.key.feature);
    end.contact_shapes.insert(end.contact_shapes.end(), {contact.key.shape_A, contact.key.shape_B});
    append(end.contact_impulse, contact.J_B_W);
  }
  return end;
}

void set_end_arrays(const EndArrays& end, Recording& recording) {
  recording.end_steps = end.step[0];
  recording.dt = end.dt[0];
  const auto vector = [](const std::vector<double>& from, std::size_t i) -> Vec3<double> {
    return {from[3 * i], from[3 * i + 1], from[3 * i + 2]};
  };
  for (std::size_t i = 0; i < recording.bodies.size(); ++i) {
    const double* q = &end.quaternion[4 * i];
    recording.end.bodies.push_back({vector(end.position, i), Eigen::Quaterniond(q[0], q[1], q[2], q[3]),
                                    vector(end.velocity, i), vector(end.angular_momentum, i)});
  }
  const auto numbers = [](const std::vector<double>& from) {
    return Eigen::Map<const VecX<double>>(from.data(), static_cast<Eigen::Index>(from.size()));
  };
  recording.end.q = numbers(end.joint_position);
  recording.end.v = numbers(end.joint_velocity);
  for (std::size_t i = 0; i < end.contact_feature.size(); ++i) {
    const auto shape = [&](std::size_t k) {
      return static_cast<std::uint32_t>(
          std::min<std::uint64_t>(end.contact_shapes[2 * i + k], std::numeric_limits<std::uint32_t>::max()));
    };
    recording.end.impulses.push_back(
        {{shape(0), shape(1), end.contact_feature[i]}, vector(end.contact_impulse, i)});
  }
}

void write_names(hid_t file, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].find('\0') != std::string::npos)
      throw InvalidInput("recording: the name of body " + std::to_string(i) + " has a zero byte");
  asset::write_texts(file, "bodies", names);
}

class Reader {
 public:
  Reader(std::span<const std::byte> body, const std::string& name) : name_(name), file_(body, name) {}

  // Returns a text attribute of the object at `path`, or of the root without one.
  std::string text(const std::string& key, const std::string& path = "") {
    const std::string element = path.empty() ? key : path + ": the " + key;
    for (const asset::Hdf5Attribute& attribute : file_.attributes(path)) {
      if (attribute.name != key) continue;
      const Hdf5Array& value = attribute.value;
      if (value.type != Hdf5Type::kText || value.count() != 1) fail(element, "is not a text");
      return value.text();
    }
    fail(element, "is missing");
  }

  void expect_unit(const std::string& path, const std::string& unit) {
    const std::string found = text("unit", path);
    if (found != unit) fail(path, "is in the unit '" + found + "', not '" + unit + "'");
  }

  std::vector<std::string> names(const std::string& path) {
    const Hdf5Array array = file_.array(path);
    if (array.type != Hdf5Type::kTexts) fail(path, "is not a list of texts");
    return file_.texts(array);
  }

  // Reads an array; with empty `extents`, a list of any length.
  template <class T>
  void array(const std::string& path, std::vector<T>& data, const std::vector<std::uint64_t>& extents) {
    const Hdf5Array array = file_.array(path);
    if (array.type != asset::hdf5_type<T>()) fail(path, "is of another type");
    if (extents.empty() ? array.extents.size() != 1 : array.extents != extents)
      fail(path, "has the wrong shape");
    data.resize(array.count());
    array.copy_to(data.data());
  }

 private:
  [[noreturn]] void fail(const std::string& element, const std::string& what) const {
    throw BadAsset(name_ + ": " + element + " " + what + "; " + std::string(kRecordingKind.remedy));
  }

  std::string name_;
  asset::Hdf5File file_;
};

// Refuses a recording that no simulation can have made. The extents of its arrays are checked already.
class Checker {
 public:
  Checker(const Recording& recording, const std::string& name) : recording_(recording), name_(name) {}

  void check() const {
    if (recording_.bodies.empty()) refuse("bodies", "there are none");
    if (!(recording_.dt >= kLeastTimeStep && recording_.dt <= kGreatestTimeStep))
      refuse("end/dt", "a time step of " + number_text(recording_.dt) + " s");
    check_steps();
    check_finite("frames/position", recording_.positions);
    check_finite("frames/velocity", recording_.velocities);
    check_finite("frames/angular_velocity", recording_.angular_velocities);
    for (std::size_t i = 0; i < recording_.quaternions.size(); i += 4)
      check_unit("frames/quaternion", i / 4, &recording_.quaternions[i]);
    for (std::size_t i = 0; i < recording_.end.bodies.size(); ++i) {
      const BodyState& state = recording_.end.bodies[i];
      const Eigen::Quaterniond& q = state.q_WB;
      const double wxyz[] = {q.w(), q.x(), q.y(), q.z()};
      check_unit("end/quaternion", i, wxyz);
      if (!state.p_WB.allFinite()) refuse("end/position", i, "is not finite");
      if (!state.v_WB.allFinite()) refuse("end/velocity", i, "is not finite");
      if (!state.L_W.allFinite()) refuse("end/angular_momentum", i, "is not finite");
    }
    if (!recording_.end.q.allFinite()) refuse("end/joint_position", "is not finite");
    if (!recording_.end.v.allFinite()) refuse("end/joint_velocity", "is not finite");
    for (std::size_t i = 0; i < recording_.end.impulses.size(); ++i) {
      if (!recording_.end.impulses[i].J_B_W.allFinite()) refuse("end/contact_impulse", i, "is not finite");
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& path, const std::string& what) const {
    throw BadAsset(name_ + ": " + path + ": " + what + "; " + std::string(kRecordingKind.remedy));
  }
  [[noreturn]] void refuse(const std::string& path, std::size_t row, const std::string& what) const {
    refuse(path, "row " + std::to_string(row) + " " + what);
  }

  void check_steps() const {
    std::int64_t last = -1;
    for (std::size_t i = 0; i < recording_.steps.size(); ++i) {
      const std::int64_t step = recording_.steps[i];
      if (step <= last) refuse("frames/step", i, "is " + std::to_string(step) + "; steps ascend from 0 on");
      if (recording_.times[i] != static_cast<double>(step) * recording_.dt)
        refuse("frames/time", i, "is not that of its step");
      last = step;
    }
    if (recording_.end_steps < std::max<std::int64_t>(last, 0) || recording_.end_steps > kMaxSteps)
      refuse("end/step", std::to_string(recording_.end_steps) +
                             " steps; there are those of the last frame or more, and no more than " +
                             std::to_string(kMaxSteps));
  }

  // Rows are the three numbers of a body.
  void check_finite(const std::string& path, const std::vector<double>& values) const {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (!std::isfinite(values[i])) refuse(path, i / 3, "is not finite");
  }

  void check_unit(const std::string& path, std::size_t row, const double* q) const {
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(std::abs(length - 1) <= kUnitTolerance))
      refuse(path, row, "has the length " + number_text(length) + "; it must be 1");
  }

  const Recording& recording_;
  const std::string& name_;
};

}  // namespace

void Recording::set_scene(const Simulation& simulation) {
  if (!bodies.empty()) return;
  for (const Body& body : simulation.scene().bodies) bodies.push_back(body.name);
  scene_digest = digest(simulation.scene());
}

void Recording::add_frame(const Simulation& simulation) {
  set_scene(simulation);
  steps.push_back(simulation.steps());
  times.push_back(simulation.time());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyState& state = simulation.states()[i];
    append(positions, state.p_WB);
    append(quaternions, state.q_WB);
    append(velocities, state.v_WB);
    append(angular_velocities, simulation.angular_velocity(i));
  }
}

void Recording::set_end(const Simulation& simulation) {
  set_scene(simulation);
  dt = simulation.config().dt;
  end_steps = simulation.steps();
  end = simulation.state();
}

namespace {

std::vector<std::byte> body_of(const Recording& recording) {
  const asset::Session session;
  const Handle file = asset::create_image();
  write_text(file, "settings", recording.settings);
  write_text(file, "scene", recording.scene_digest);
  const EndArrays end = end_arrays(recording);
  visit_arrays(recording, end,
               [&](const char* path, const auto& data, std::uint64_t width, const char* unit) {
                 const std::vector<std::uint64_t> extents = extents_of(path, width, recording, end);
                 const std::uint64_t count =
                     std::accumulate(extents.begin(), extents.end(), std::uint64_t{1}, std::multiplies<>());
                 if (data.size() != count)
                   throw InvalidInput("recording: " + std::string(path) + " has " +
                                      counted(data.size(), "number") + ", not " + std::to_string(count));
                 const Handle set = asset::write_array(file, path, data, {extents.begin(), extents.end()});
                 write_text(set, "unit", unit);
               });
  write_names(file, recording.bodies);
  return asset::image_bytes(file);
}

}  // namespace

std::vector<std::byte> to_hdf5(const Recording& recording) {
  return asset::pack_container(kRecordingKind, body_of(recording));
}

namespace {

// The recording in the bytes of a checked file.
Recording recording_in(std::span<const std::byte> bytes, const std::string& name) {
  Reader reader(bytes.subspan(asset::kHeaderBytes), name);
  Recording result;
  result.settings = reader.text("settings");
  result.scene_digest = reader.text("scene");
  result.bodies = reader.names("bodies");
  EndArrays end;
  visit_arrays(result, end, [&](const char* path, auto& data, std::uint64_t width, const char* unit) {
    const bool is_counted = std::string_view(path) != "frames/step" &&
                            std::string_view(path) != "end/contact_feature" &&
                            !std::string_view(path).starts_with("end/joint_");
    reader.array(path, data,
                 is_counted ? extents_of(path, width, result, end) : std::vector<std::uint64_t>{});
    reader.expect_unit(path, unit);
  });
  set_end_arrays(end, result);
  Checker(result, name).check();
  return result;
}

}  // namespace

Recording parse_recording(std::span<const std::byte> bytes, const std::string& name) {
  asset::check_container(kRecordingKind, name, bytes);
  return recording_in(bytes, name);
}

Recording read_recording(const std::filesystem::path& file) {
  return within_memory(
      file, [&] { return recording_in(asset::read_container(kRecordingKind, file), file.string()); });
}

}  // namespace abut::dynamics
