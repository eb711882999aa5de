#pragma once

#include <Eigen/Geometry>
#include <string>

#include "preprocess/export/visual.h"

namespace abut::preprocess {

// Transforms from a file's coordinates to the asset's, as the pipeline did when it read the file.
struct VisualFrame {
  double metres_per_unit = 1;
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();  // of the asset's frame, m
  Eigen::AlignedBox3d box;                           // bounding box of the asset's surface, in its frame, m
  bool parts_dropped = false;                        // whether the asset omits parts of the file

  Eigen::Vector3d operator()(const Eigen::Vector3d& p) const { return p * metres_per_unit - origin; }
};

// Reads the appearance of a scene file with assimp. Throws InvalidInput, naming the file, if it cannot be
// read.
Visual read_visual(const std::string& content, const std::filesystem::path& file, const VisualFrame& frame);

}  // namespace abut::preprocess
