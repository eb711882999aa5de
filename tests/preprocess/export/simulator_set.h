#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "preprocess/export/amount.h"
#include "preprocess/mesh/mesh.h"

// The real objects (or, where they are not there, the synthetic ones; boxes and the mug alone in the fast
// tier), made once and exported once for each simulator, with the real command.
namespace abut::test {

// The others have 1 g/cm^3.
inline constexpr double kMasses[] = {0.4, 0.118};  // kg of the first and the second object

struct Exports {
  std::filesystem::path folder;    // <simulator>/<id>/...
  std::vector<std::string> names;  // which are the ids
};

const Exports& exports();

// Mass properties of the solid inside a surface at a density (kg/m^3) or, where `mass` is positive, of that
// mass (kg): integrals over its triangles by the divergence theorem [Eberly2002] in quadruple precision.
preprocess::Inertial exact_inertial(const preprocess::TriangleMesh& mesh, double density, double mass);
preprocess::Inertial exact_inertial(const std::string& object);  // of exports()

// Each entry of the inertia to 1e-9 of the largest, centre of mass to 1e-9 of its distance to the far corner.
void expect_exact(const preprocess::Inertial& inertial, const std::string& object);

}  // namespace abut::test
