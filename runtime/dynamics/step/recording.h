#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runtime/asset/container.h"
#include "runtime/dynamics/step/simulation.h"

// A simulation's trajectory, and what it takes to go on from its end, in memory and as an HDF5 file.
namespace abut::dynamics {

// Kind and newest schema of a recording's file.
inline constexpr asset::ContainerKind kRecordingKind = {"recording", "record it again with abut-sim", 3};

// F frames of N bodies, in the order of the scene. Units m, s, rad; in the world's axes.
struct Recording {
  std::vector<std::string> bodies;         // (N) names
  std::vector<std::int64_t> steps;         // (F) steps done at the frame
  std::vector<double> times;               // (F) s
  std::vector<double> positions;           // (F, N, 3) of the centres of mass
  std::vector<double> quaternions;         // (F, N, 4) (w, x, y, z)
  std::vector<double> velocities;          // (F, N, 3) of the centres of mass
  std::vector<double> angular_velocities;  // (F, N, 3)

  // The state at the end, which may be later than the last frame: what Simulation::restore takes, and the
  // settings it belongs to.
  double dt = 0;
  std::string settings;        // as the program that recorded says them
  std::string scene_digest;    // of the scene that it is a motion of
  std::int64_t end_steps = 0;  // steps done at the end
  State end;                   // of N bodies

  // Appends what the simulation is at now as a frame.
  void add_frame(const Simulation& simulation);

  // Sets the end to what the simulation is at now.
  void set_end(const Simulation& simulation);

  // Sets bodies and scene_digest where they are empty.
  void set_scene(const Simulation& simulation);
};

// The bytes of a file: a header of 512 bytes with a digest of the contents (asset/container.h), then HDF5
// with groups `frames` (step, time, position, quaternion, velocity, angular_velocity) and `end` (step, dt,
// position, quaternion, velocity, angular_momentum, joint_position, joint_velocity, contact_feature,
// contact_shapes, contact_impulse), the
// array `bodies` and attributes settings and scene. The same recording gives the same bytes. Throws
// InvalidInput where the arrays do not fit together.
std::vector<std::byte> to_hdf5(const Recording& recording);

// Reads what to_hdf5 made. Throws IoError where the file cannot be read and BadAsset, naming it and the
// array, where it is something else or damaged, or not what a simulation can have recorded: numbers that are
// not finite, quaternions that are not unit, steps that do not ascend from 0 on or whose times are others.
Recording read_recording(const std::filesystem::path& file);

// The same from a file's bytes; `name` stands for it in messages.
Recording parse_recording(std::span<const std::byte> bytes, const std::string& name);

}  // namespace abut::dynamics
