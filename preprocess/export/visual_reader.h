#pragma once

#include <Eigen/Geometry>
#include <string>

#include "preprocess/export/visual.h"

namespace abut::preprocess {

// From a file's coordinates to the asset's: as the pipeline read it.
struct VisualFrame {
  double metres_per_unit = 1;
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();  // the asset's, m
  Eigen::AlignedBox3d box;                           // about the asset's surface, in its frame, m
  bool parts_dropped = false;                        // whether the file has more than became the asset

  Eigen::Vector3d operator()(const Eigen::Vector3d& p) const { return p * metres_per_unit - origin; }
};

// What a scene file looks like, by assimp. Throws InvalidInput, naming the file, for what cannot be read.
Visual read_visual(const std::string& content, const std::filesystem::path& file, const VisualFrame& frame);

}  // namespace abut::preprocess
