#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/cli/quantity.h"
#include "runtime/contact/contact_mesh.h"

// Pressure-field contact with the materials of the command line, of assets, rigid primitives and half-spaces.
namespace abut::cli {

// Bodies that a POSES file may name instead of an asset (m): @sphere:R, @box:X:Y:Z (half sizes),
// @cylinder:R:H, @capsule:R:H (H half of the length of the axis), all rigid, and @half_space, z <= 0 of its
// frame. Each is made when first asked for and kept.
class PrimitiveBodies {
 public:
  static bool is_primitive(const std::string& name) { return name.starts_with('@'); }

  // Valid as long as this object: a surface alone, or no part at all for a half-space. Throws InvalidInput
  // for a text that is none of these.
  const asset::AssetView& operator[](const std::string& name);

 private:
  struct Body {
    asset::Asset asset;
    asset::AssetView view;
  };
  std::vector<std::pair<std::string, std::unique_ptr<Body>>> bodies_;
};

// The settings with those bodies rigid that are so by nature.
contact::PressureFieldConfig config_for(const asset::PosedPair& pair, const PressureOptions& options);

// Throws InvalidInput where the pair cannot be asked, saying what can.
void require_valid(const asset::PosedPair& pair, const PressureOptions& options);

// The contact surface of one pair.
contact::ContactMesh pressure_surface(const asset::PosedPair& pair, const PressureOptions& options);

// Wrenches of many pairs on several threads, the same bits for any number of them.
class PressureWrenches {
 public:
  PressureWrenches(const PressureOptions& options, int threads);

  void operator()(const Questions& questions, contact::Want want, std::span<contact::PairWrench> results);

 private:
  struct Worker {
    std::unique_ptr<contact::Model> model[2][2];  // by which of A and B are rigid; not both
  };
  contact::PairWrench answer(Worker& worker, const asset::PosedPair& pair, const Vec6<double>& V_AB_B,
                             contact::Want want) const;

  PressureOptions options_;
  std::vector<Worker> workers_;
};

}  // namespace abut::cli
