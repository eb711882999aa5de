#pragma once

#include <filesystem>
#include <functional>
#include <istream>
#include <string>

#include "runtime/dynamics/system/scene.h"

namespace abut::dynamics {

// The asset of a name. Throws InvalidInput for an unknown one.
using AssetSource = std::function<body::Geometry(const std::string& name)>;

// Reads a scene from text, one entry a line, fields separated by blanks, # starts a comment. Names that have
// a blank, # or a quote stand in quotes, each quote in them twice: "my ""best"" mug".
//
// clang-format off
//   gravity gx gy gz
//   duration s
//   KEYWORD NUMBER        of all shapes without one of their own: mu, restitution, patch, modulus, dissipation
//   plane nx ny nz d                          the half-space n.x <= d
//   sbox px py pz  qw qx qy qz  hx hy hz      a fixed box: centre, quaternion, half sizes
//   fixed SHAPE  px py pz  qw qx qy qz        any fixed shape; SHAPE is one of
//     box hx hy hz | cyl radius half_height | sphere radius | ellipsoid ax ay az | capsule radius half_axis |
//     cone radius half_height | asset NAME    sizes as in runtime/body/primitives
//   body NAME mass  Ixx Iyy Izz  px py pz  qw qx qy qz  vx vy vz  wx wy wz  COUNT
//     then COUNT lines                        SHAPE  px py pz  qw qx qy qz
//   object NAME ASSET density  px py pz  qw qx qy qz  vx vy vz  wx wy wz
//     a body that is one asset of even density: pose of the object's frame, velocity of its centre of mass
//   joint NAME TYPE PARENT  px py pz  qw qx qy qz  ax ay az  [KEYWORD NUMBER ...]
//     of the body above: PARENT (`world` or a body further up) carries it by a joint of TYPE (fixed, revolute,
//     prismatic, planar, spherical, free) in the frame (p, q) of the world, about or along its axis a, where
//     all joints are at zero. Such a body may have mass 0 and no shape; its own velocity does not matter.
//     KEYWORD: lower, upper, damping, stiffness, friction, armature, velocity_limit, effort_limit, position,
//     velocity (tree/tree.h); lower may be -inf, upper and the limits inf: none; velocity_limit and effort_limit
//     are for controllers, no step enforces them; the last two, where it starts, take a number for each of the joint's coordinates and velocities
//   robot NAME FILE  px py pz  qw qx qy qz    a robot of a URDF file (in the folder of the scene, or in that of
//     robots), its root fixed there; its bodies are called NAME/LINK and its joints NAME/JOINT; a mesh FILE.h5 is
//     that asset, any other the asset of its name
//   set JOINT KEYWORD NUMBER ...              of a joint above, the same KEYWORDs
//   mimic JOINT OTHER multiplier offset       JOINT follows: its position is multiplier times OTHER's + offset
//   apart BODY BODY                           they do not meet, as bodies that a joint connects do not
//   group BODY BODY ...                       no two of them meet, as those of a robot do not
//   contact A B MODEL [SETTING VALUE ...]     the contact model of these pairs, of integrators with forces of a
//     contact model: A and B are each a body, a robot NAME or `world`, what is fixed; the last entry that
//     means a pair counts. Other pairs have the simulation's
//   material KEYWORD NUMBER ...               of the plane, sbox, fixed, object or shape above it; between a body and
//                                             its first shape, of all shapes of the body; `modulus rigid` too
// clang-format on
//
// Fewer than three sizes may be filled up with zeros. A body stands in its centre of mass along its
// principal axes, COUNT shapes follow it. Units m, kg, s, rad; angular velocities in the world's axes.
// Quaternions (w, x, y, z) that are off unit length by 1e-3 at most are normalised. `robots`: the folder of
// robots' files that are not beside the scene. Throws IoError where the file cannot be read; InvalidInput
// naming file and line.
Scene read_scene(const std::string& file, const AssetSource& assets,
                 const std::filesystem::path& robots = {});

// The same from a stream; `name` stands for it in messages.
Scene read_scene(std::istream& in, const std::string& name, const AssetSource& assets,
                 const std::filesystem::path& robots = {});

// The name under which an AssetSource will find an asset.
using AssetName = std::function<std::string(const body::Geometry& asset)>;

// Writes a scene as text that read_scene gives back, to rounding in its rotations (bodies that were `object`
// entries, or a robot's, as `body` entries). Throws InvalidInput, naming the body or the fixed shape, for a
// scene that is not valid and for what the format has no words for: no body at all, a body with neither
// shapes nor a joint, a half-space of another thickness than the default, names that are empty, used twice
// or have an end of line; and IoError.
void write_scene(const Scene& scene, const std::string& file, const AssetName& name_of);

// The same as text.
std::string scene_text(const Scene& scene, const AssetName& name_of);

}  // namespace abut::dynamics
