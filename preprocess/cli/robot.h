#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "preprocess/cli/batch.h"
#include "runtime/dynamics/tree/urdf.h"

// Converts a robot's URDF file to a folder from which a scene can load it: meshes become assets, and a copy
// of the file refers to them.
namespace abut::preprocess {

class RobotFolder {
 public:
  // Reads the robot and lists its meshes, each file once at each scale. Meshes with a non-uniform or
  // mirroring scale are written to `out`/scaled with the scale applied, each by a process within the limits
  // of one object. Throws as read_urdf does, and IoError. Throws InvalidInput if such a mesh cannot be read
  // within the limits; if `out`/ROBOT.urdf exists and is not a copy made earlier of the same robot; or if an
  // asset there was made of one of the meshes at another scale, unless forced.
  RobotFolder(const std::filesystem::path& urdf, const std::filesystem::path& out,
              const BatchOptions& limits);

  // The meshes to be made, in ascending order of name.
  const std::vector<datasets::ObjectSource>& meshes() const { return meshes_; }

  // Writes `out`/ROBOT.urdf, the file with assets for meshes and without visual elements, and
  // `out`/ROBOT.scn, a scene of the robot only; neither if it would name an asset that is not of its mesh.
  // Throws IoError; InvalidInput if an asset's frame is not its mesh's.
  void write(const BatchResult& batch) const;

  // One line for each link: joint, mass, its collision shapes and whether they are missing. Then the reader's
  // warnings, and the command that runs the scene with a contact model for the parts that the assets have.
  std::string table(const BatchResult& batch, const Parameters& parameters) const;

 private:
  struct UsedMesh {
    dynamics::Mesh mesh;
    std::filesystem::path file;  // the file from which its asset is made
    double metres_per_unit;
  };
  // Whether meshes that failed have an existing asset of the same name.
  static bool names_others(const BatchResult& batch);
  std::string scene_name() const;  // the robot's name
  void list_meshes(const BatchOptions& limits);
  std::vector<UsedMesh>::const_iterator find(const dynamics::Mesh& mesh) const;
  const std::string& asset_name(const dynamics::Mesh& mesh) const;
  std::string joint_text(const dynamics::Link& link) const;
  std::string shapes_of(int link, const BatchResult& batch) const;
  std::filesystem::path copy() const { return (out_ / urdf_.filename()).replace_extension(".urdf"); }
  std::filesystem::path scene() const { return copy().replace_extension(".scn"); }

  std::filesystem::path urdf_, out_;
  std::string text_;  // content of the file, read before the robot is parsed
  dynamics::Robot robot_;
  std::vector<datasets::ObjectSource> meshes_;
  std::vector<UsedMesh> used_;
};

}  // namespace abut::preprocess
