#pragma once

#include <filesystem>

namespace abut::dynamics {

// Returns the file that package://NAME/REST denotes for a robot's file in `folder` (absolute), or an empty
// path where no package has it. Candidates, in order, are `folder` and the folders above it, each either
// itself, where it is called NAME or has a package.xml of that name, or its subfolder NAME; the entries of
// ROS_PACKAGE_PATH in the same way; and share/NAME in the entries of AMENT_PREFIX_PATH.
std::filesystem::path find_in_packages(const std::filesystem::path& folder,
                                       const std::filesystem::path& name_and_rest);

}  // namespace abut::dynamics
