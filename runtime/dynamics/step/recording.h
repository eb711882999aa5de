#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runtime/asset/container.h"
#include "runtime/dynamics/step/simulation.h"

// A simulation's trajectory, with everything needed to continue from its end, in memory and as an HDF5 file.
namespace abut::dynamics {

// Kind and newest schema of a recording's file.
inline constexpr asset::ContainerKind kRecordingKind = {"recording", "record it again with abut-sim", 3};

// F frames of N bodies, in the order of the scene. Units m, s and rad, in the world's axes.
struct Recording {
  std::vector<std::string> bodies;         // (N) names
  std::vector<std::int64_t> steps;         // (F) steps done at each frame
  std::vector<double> times;               // (F) s
  std::vector<double> positions;           // (F, N, 3) of the centres of mass
  std::vector<double> quaternions;         // (F, N, 4) (w, x, y, z)
  std::vector<double> velocities;          // (F, N, 3) of the centres of mass
  std::vector<double> angular_velocities;  // (F, N, 3)

  // The state at the end, as Simulation::restore takes it, which may be later than the last frame, and the
  // settings it belongs to.
  double dt = 0;
  std::string settings;        // as written by the recording program
  std::string scene_digest;    // of the scene that was simulated
  std::int64_t end_steps = 0;  // steps done at the end
  State end;                   // with N bodies

  // Appends the current state of the simulation as a frame.
  void add_frame(const Simulation& simulation);

  // Sets the end to the current state of the simulation.
  void set_end(const Simulation& simulation);

  // Sets bodies and scene_digest where they are empty.
  void set_scene(const Simulation& simulation);
};

// Returns the bytes of a file: a header of 512 bytes with a digest of the contents (asset/container.h), then
// HDF5 with the groups `frames` (step, time, position, quaternion, velocity, angular_velocity) and `end`
// (step, dt, position, quaternion, velocity, angular_momentum, joint_position, joint_velocity,
// contact_feature, contact_shapes, contact_impulse), the array `bodies`, and the attributes settings and
// scene. The same recording gives the same bytes. Throws InvalidInput where the sizes of the arrays are
// inconsistent.
std::vector<std::byte> to_hdf5(const Recording& recording);

// Reads a file made by to_hdf5. Throws IoError where it cannot be read. Throws BadAsset, which names it and
// the array, where it is another kind of file or damaged, or no simulation can have recorded it: numbers that
// are not finite, quaternions that are not unit, steps that do not ascend from 0 on, or times that are not
// those of the steps.
Recording read_recording(const std::filesystem::path& file);

// The same from a file's bytes; messages call it `name`.
Recording parse_recording(std::span<const std::byte> bytes, const std::string& name);

}  // namespace abut::dynamics
