#include "runtime/dynamics/frictional/recording.h"

#include <algorithm>

#include "runtime/asset/container.h"
#include "runtime/asset/hdf5_image.h"
#include "runtime/core/input_file.h"

namespace abut::dynamics {
namespace {

using asset::checked;
using asset::Handle;

const std::string kFailed = "HDF5: cannot lay out the recording";

hid_t file_type(double) { return H5T_IEEE_F64LE; }
hid_t file_type(std::int64_t) { return H5T_STD_I64LE; }
hid_t file_type(std::uint64_t) { return H5T_STD_U64LE; }
hid_t memory_type(double) { return H5T_NATIVE_DOUBLE; }
hid_t memory_type(std::int64_t) { return H5T_NATIVE_INT64; }
hid_t memory_type(std::uint64_t) { return H5T_NATIVE_UINT64; }

// The state as arrays of plain numbers.
struct EndArrays {
  std::vector<std::int64_t> step;
  std::vector<double> dt, position, quaternion, velocity, angular_momentum, contact_impulse;
  std::vector<std::uint64_t> contact_key;
};

// One list of all arrays for writer and reader: visit(path, array, numbers of one body or 0, unit).
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
  visit("end/contact_key", end.contact_key, 0, "1");
  visit("end/contact_impulse", end.contact_impulse, 3, "N s");
}

void append(std::vector<double>& to, const Vec3<double>& v) { to.insert(to.end(), {v.x(), v.y(), v.z()}); }
void append(std::vector<double>& to, const Eigen::Quaterniond& q) {
  to.insert(to.end(), {q.w(), q.x(), q.y(), q.z()});
}

EndArrays end_arrays(const Recording& recording) {
  EndArrays end;
  end.step = {recording.end_steps};
  end.dt = {recording.dt};
  for (const BodyState& state : recording.states) {
    append(end.position, state.p_WB);
    append(end.quaternion, state.q_WB);
    append(end.velocity, state.v_WB);
    append(end.angular_momentum, state.L_W);
  }
  for (const ContactImpulse& contact : recording.impulses) {
    end.contact_key.push_back(contact.key);
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
    recording.states.push_back({vector(end.position, i), Eigen::Quaterniond(q[0], q[1], q[2], q[3]),
                                vector(end.velocity, i), vector(end.angular_momentum, i)});
  }
  for (std::size_t i = 0; i < end.contact_key.size(); ++i)
    recording.impulses.push_back({end.contact_key[i], vector(end.contact_impulse, i)});
}

void write_text(hid_t object, const char* name, const std::string& text) {
  const Handle type(checked(H5Tcopy(H5T_C_S1), kFailed), H5Tclose);
  checked(H5Tset_size(type, text.size() + 1), kFailed);
  checked(H5Tset_cset(type, H5T_CSET_UTF8), kFailed);
  const Handle space(checked(H5Screate(H5S_SCALAR), kFailed), H5Sclose);
  const Handle attribute(checked(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), kFailed),
                         H5Aclose);
  checked(H5Awrite(attribute, type, text.c_str()), kFailed);
}

template <class T>
void write_array(hid_t file, const char* path, const std::vector<T>& data, const std::vector<hsize_t>& dims,
                 const char* unit) {
  const Handle space(checked(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), kFailed),
                     H5Sclose);
  const Handle links(checked(H5Pcreate(H5P_LINK_CREATE), kFailed), H5Pclose);
  checked(H5Pset_create_intermediate_group(links, 1), kFailed);
  const Handle create(checked(H5Pcreate(H5P_DATASET_CREATE), kFailed), H5Pclose);
  checked(H5Pset_obj_track_times(create, false), kFailed);
  const Handle set(
      checked(H5Dcreate2(file, path, file_type(T{}), space, links, create, H5P_DEFAULT), kFailed), H5Dclose);
  if (!data.empty())
    checked(H5Dwrite(set, memory_type(T{}), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()), kFailed);
  write_text(set, "unit", unit);
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file)
      : name_(file.string()), bytes_(read_file(file)), file_(open(bytes_, name_)) {}

  std::string text(const char* name) const {
    const Handle attribute(must(H5Aopen(file_, name, H5P_DEFAULT), name), H5Aclose);
    const Handle type(must(H5Aget_type(attribute), name), H5Tclose);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) fail(name);
    std::string result(H5Tget_size(type), '\0');
    must(H5Aread(attribute, type, result.data()), name);
    result.resize(std::min(result.size(), result.find('\0')));
    return result;
  }

  template <class T>
  void array(const char* path, std::vector<T>& data) const {
    const Handle set(must(H5Dopen2(file_, path, H5P_DEFAULT), path), H5Dclose);
    const Handle space(must(H5Dget_space(set), path), H5Sclose);
    data.resize(static_cast<std::size_t>(must(H5Sget_simple_extent_npoints(space), path)));
    if (!data.empty()) must(H5Dread(set, memory_type(T{}), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()), path);
  }

  [[noreturn]] void fail(const char* element) const {
    throw BadAsset(name_ + ": " + element + ": missing or unreadable; this is no recording of abut-sim");
  }

 private:
  static Handle open(const std::vector<std::byte>& bytes, const std::string& name) {
    if (bytes.empty()) throw BadAsset(name + ": the file is empty");
    return asset::open_image(bytes, name);
  }
  template <class Code>
  Code must(Code code, const char* element) const {
    if (code < 0) fail(element);
    return code;
  }

  std::string name_;
  std::vector<std::byte> bytes_;
  Handle file_;
};

}  // namespace

void Recording::add_frame(const Simulation& simulation) {
  if (bodies.empty())
    for (const Body& body : simulation.scene().bodies) bodies.push_back(body.name);
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
  dt = simulation.config().dt;
  end_steps = simulation.steps();
  states.assign(simulation.states().begin(), simulation.states().end());
  impulses.assign(simulation.impulses().begin(), simulation.impulses().end());
}

std::vector<std::byte> to_hdf5(const Recording& recording) {
  const asset::Session session;
  const Handle file = asset::create_image();
  std::string names;
  for (const std::string& name : recording.bodies) names += name + "\n";
  write_text(file, "settings", recording.settings);
  const EndArrays end = end_arrays(recording);
  visit_arrays(recording, end, [&](const char* path, const auto& data, hsize_t width, const char* unit) {
    std::vector<hsize_t> dims{data.size()};
    if (width > 0) {
      const bool frames = std::string_view(path).starts_with("frames/");
      dims = frames ? std::vector<hsize_t>{recording.steps.size(), recording.bodies.size(), width}
                    : std::vector<hsize_t>{data.size() / width, width};
    }
    write_array(file, path, data, dims, unit);
  });
  // Names may be longer than an attribute can be (64 KiB): a dataset of bytes.
  const hsize_t size = names.size();
  const Handle space(checked(H5Screate_simple(1, &size, nullptr), kFailed), H5Sclose);
  const Handle create(checked(H5Pcreate(H5P_DATASET_CREATE), kFailed), H5Pclose);
  checked(H5Pset_obj_track_times(create, false), kFailed);
  const Handle set(
      checked(H5Dcreate2(file, "bodies", H5T_STD_U8LE, space, H5P_DEFAULT, create, H5P_DEFAULT), kFailed),
      H5Dclose);
  checked(H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, names.data()), kFailed);
  return asset::image_bytes(file);
}

Recording read_recording(const std::filesystem::path& file) {
  const asset::Session session;
  const Reader reader(file);
  Recording result;
  result.settings = reader.text("settings");
  std::vector<std::uint64_t> letters;  // HDF5 widens them
  reader.array("bodies", letters);
  std::string name;
  for (const std::uint64_t letter : letters) {
    if (letter != '\n') {
      name += static_cast<char>(letter);
      continue;
    }
    result.bodies.push_back(name);
    name.clear();
  }
  EndArrays end;
  const std::size_t bodies = result.bodies.size();
  visit_arrays(result, end, [&](const char* path, auto& data, std::size_t width, const char*) {
    reader.array(path, data);
    const std::string_view name_of(path);
    std::size_t expected = data.size();
    if (name_of == "end/step" || name_of == "end/dt")
      expected = 1;
    else if (name_of == "end/contact_impulse")
      expected = 3 * end.contact_key.size();
    else if (name_of.starts_with("end/") && width > 0)
      expected = width * bodies;
    else if (name_of == "frames/time" || width > 0)
      expected = result.steps.size() * (width > 0 ? width * bodies : 1);
    if (data.size() != expected) reader.fail(path);
  });
  set_end_arrays(end, result);
  return result;
}

}  // namespace abut::dynamics
