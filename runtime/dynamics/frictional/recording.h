#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/dynamics/frictional/simulation.h"

// A simulation's trajectory, and what it takes to go on from its end, in memory and as an HDF5 file.
namespace abut::dynamics {

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
  std::string settings;  // as the program that recorded says them
  std::int64_t end_steps = 0;
  std::vector<BodyState> states;         // (N)
  std::vector<ContactImpulse> impulses;  // (contacts)

  // Appends what the simulation is at now as a frame.
  void add_frame(const Simulation& simulation);

  // Sets the end to what the simulation is at now.
  void set_end(const Simulation& simulation);
};

// The bytes of an HDF5 file with groups `frames` (step, time, position, quaternion, velocity,
// angular_velocity) and `end` (step, position, quaternion, velocity, angular_momentum, contact_key,
// contact_impulse), and attributes bodies, dt, settings. The same recording gives the same bytes.
std::vector<std::byte> to_hdf5(const Recording& recording);

// Reads what to_hdf5 made. Throws IoError where the file cannot be read and BadAsset, naming it, where it is
// something else or damaged.
Recording read_recording(const std::filesystem::path& file);

}  // namespace abut::dynamics
