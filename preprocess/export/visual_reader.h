#pragma once

#include <string>

#include "preprocess/export/visual.h"

namespace abut::preprocess {

// From a file's coordinates to the asset's: as the pipeline read it.
struct VisualFrame {
  double metres_per_unit = 1;
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();  // the asset's, m
  double size = 0;                                   // of the asset's box, m

  Eigen::Vector3d operator()(const Eigen::Vector3d& p) const { return p * metres_per_unit - origin; }
};

// What a scene file looks like, by assimp. Throws InvalidInput, naming the file, for what cannot be read.
Visual read_visual(const std::string& content, const std::filesystem::path& file, const VisualFrame& frame);

}  // namespace abut::preprocess
