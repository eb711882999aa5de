#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/dataset.h"
#include "preprocess/cli/batch.h"
#include "runtime/dynamics/tree/urdf.h"

// A robot from its URDF file into a folder that a scene takes it from: meshes as assets, and a copy of the
// file that names them.
namespace abut::preprocess {

class RobotFolder {
 public:
  // Reads the robot and lists its meshes, each file at each scale once. Meshes that are stretched or mirrored
  // are written into `out`/scaled as they stand, each by a process within the limits of one object. Throws as
  // read_urdf does, and IoError; InvalidInput where such a mesh cannot be read within them, where
  // `out`/ROBOT.urdf is there and no copy made before, or that of another robot, or where an asset there is
  // of one of the meshes at another scale, unless forced.
  RobotFolder(const std::filesystem::path& urdf, const std::filesystem::path& out,
              const BatchOptions& limits);

  // To be made, in ascending order of name.
  const std::vector<datasets::ObjectSource>& meshes() const { return meshes_; }

  // Writes `out`/ROBOT.urdf, the file with assets for meshes and without what is only seen, and
  // `out`/ROBOT.scn, a scene of the robot alone; neither where it would name an asset that is not of its
  // mesh. Throws IoError; InvalidInput where an asset's frame is not its mesh's.
  void write(const BatchResult& batch) const;

  // A line for each link: joint, mass, what collides of it and whether that is missing. Then the reader's
  // warnings, and the command that runs the scene with a model for the parts that the assets have.
  std::string table(const BatchResult& batch, const Parameters& parameters) const;

 private:
  struct UsedMesh {
    dynamics::Mesh mesh;
    std::filesystem::path file;  // that its asset is made from
    double metres_per_unit;
  };
  // Whether there are assets by the names of meshes that failed.
  static bool names_others(const BatchResult& batch);
  std::string scene_name() const;  // the robot's
  void list_meshes(const BatchOptions& limits);
  std::vector<UsedMesh>::const_iterator find(const dynamics::Mesh& mesh) const;
  const std::string& asset_name(const dynamics::Mesh& mesh) const;
  std::string joint_text(const dynamics::Link& link) const;
  std::string shapes_of(int link, const BatchResult& batch) const;
  std::filesystem::path copy() const { return (out_ / urdf_.filename()).replace_extension(".urdf"); }
  std::filesystem::path scene() const { return copy().replace_extension(".scn"); }

  std::filesystem::path urdf_, out_;
  std::string text_;  // of the file, before the robot is read from it
  dynamics::Robot robot_;
  std::vector<datasets::ObjectSource> meshes_;
  std::vector<UsedMesh> used_;
};

}  // namespace abut::preprocess
