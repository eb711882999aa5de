#pragma once

#include <filesystem>
#include <functional>
#include <istream>
#include <string>

#include "runtime/dynamics/system/scene.h"

namespace abut::dynamics {

// Returns the asset of a name. Throws InvalidInput for an unknown name.
using AssetSource = std::function<body::Geometry(const std::string& name)>;

// Reads a scene from a text file with one entry per line, fields separated by blanks; # starts a comment.
// Names that contain a blank, # or a quote are quoted, with each quote in them doubled: "my ""best"" mug".
//
// clang-format off
//   gravity gx gy gz
//   duration s
//   KEYWORD NUMBER        default of all shapes: mu, restitution, patch, modulus, dissipation
//   plane nx ny nz d                          the half-space n.x <= d
//   sbox px py pz  qw qx qy qz  hx hy hz      a fixed box: centre, quaternion, half sizes
//   fixed SHAPE  px py pz  qw qx qy qz        any fixed shape; SHAPE is one of
//     box hx hy hz | cyl radius half_height | sphere radius | ellipsoid ax ay az | capsule radius half_axis |
//     cone radius half_height | asset NAME    sizes as in runtime/body/primitives; the commands and Python
//     take NAME:volume=1 and the like for levels of detail and pieces, too (body/asset_choice.h)
//   body NAME mass  Ixx Iyy Izz  px py pz  qw qx qy qz  vx vy vz  wx wy wz  COUNT
//     then COUNT lines                        SHAPE  px py pz  qw qx qy qz
//   object NAME ASSET density  px py pz  qw qx qy qz  vx vy vz  wx wy wz
//     a body of one asset with uniform density: pose of the object's frame, velocity of its centre of mass
//   joint NAME TYPE PARENT  px py pz  qw qx qy qz  ax ay az  [KEYWORD NUMBER ...]
//     the joint of the body above it: PARENT (`world` or an earlier body) carries it by a joint of TYPE
//     (fixed, revolute, prismatic, planar, spherical, free) in the frame (p, q) of the world, about or along
//     its axis a, when all joints are at zero. Such a body may have mass 0 and no shape; its own velocity is
//     ignored. KEYWORD: lower, upper, damping, stiffness, friction, armature, velocity_limit, effort_limit,
//     position, velocity (tree/tree.h). lower may be -inf, and upper, velocity_limit and effort_limit may be
//     inf, for no limit; no step enforces velocity_limit and effort_limit, which are for controllers.
//     position and velocity are initial values and take a number for each of the joint's coordinates and
//     velocities
//   robot NAME FILE  px py pz  qw qx qy qz    a robot of a URDF file (in the folder of the scene, or in
//     `robots`) with its root fixed at this pose; its bodies are called NAME/LINK and its joints NAME/JOINT;
//     a mesh FILE.h5 is that asset, any other mesh the asset of the same name
//   set JOINT KEYWORD NUMBER ...              changes an earlier joint, with the KEYWORDs of `joint`
//   mimic JOINT OTHER multiplier offset       JOINT's position is multiplier times OTHER's plus offset
//   apart BODY BODY                           the two do not collide, like bodies that a joint connects
//   group BODY BODY ...                       no two of them collide, like those of a robot
//   contact A B MODEL [SETTING VALUE ...]     the contact model of these pairs, for integrators with contact
//     forces: A and B are each a body, a robot NAME or `world`, the fixed shapes; the last entry that applies
//     to a pair counts. Other pairs have the simulation's model
//   material KEYWORD NUMBER ...               of the plane, sbox, fixed, object or shape above it;
//     between a body and its first shape, of all shapes of the body; also `modulus rigid`
// clang-format on
//
// Fewer than three sizes may be padded with zeros to three numbers. A body's pose is that of its centre
// of mass and principal axes. Units are m, kg, s, rad; angular velocities are in the world's axes.
// Quaternions (w, x, y, z) whose length differs from 1 by at most 1e-3 are normalised. `robots` is the folder
// of robots' files that are not in the folder of the scene. Throws IoError where the file cannot be read, and
// InvalidInput naming file and line.
Scene read_scene(const std::string& file, const AssetSource& assets,
                 const std::filesystem::path& robots = {});

// Reads a scene from a stream; messages call it `name`.
Scene read_scene(std::istream& in, const std::string& name, const AssetSource& assets,
                 const std::filesystem::path& robots = {});

// Returns the name by which an AssetSource will find an asset.
using AssetName = std::function<std::string(const body::Geometry& asset)>;

// Writes a scene as text from which read_scene restores it, up to rounding of its rotations; bodies that were
// `object` entries, or a robot's, become `body` entries. Throws InvalidInput, naming the body or the fixed
// shape, for a scene that is not valid and for what the format cannot express: no body at all, a body with
// neither shapes nor a joint, a half-space's thickness or a primitive's deviation other than the default, and
// names that are empty, used twice or with an end of line. Throws IoError where the file cannot be written.
void write_scene(const Scene& scene, const std::string& file, const AssetName& name_of);

// Returns the text that write_scene writes.
std::string scene_text(const Scene& scene, const AssetName& name_of);

}  // namespace abut::dynamics
