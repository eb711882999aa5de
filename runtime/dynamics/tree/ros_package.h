#pragma once

#include <filesystem>

namespace abut::dynamics {

// The file that package://NAME/REST means to a robot's file in `folder` (absolute). The package is a folder
// called NAME or with a package.xml of that name: `folder`, one above it, one called NAME beside any of
// these, or in ROS_PACKAGE_PATH (its entries and what is in them) or AMENT_PREFIX_PATH (share/NAME in its
// entries). The first that has the file; empty where none has.
std::filesystem::path find_in_packages(const std::filesystem::path& folder,
                                       const std::filesystem::path& name_and_rest);

}  // namespace abut::dynamics
