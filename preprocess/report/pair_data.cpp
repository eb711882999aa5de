#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "preprocess/report/page_data.h"
#include "runtime/contact/contact_mesh.h"
#include "runtime/contact/model.h"
#include "runtime/derivative/estimator.h"

namespace abut::preprocess {
namespace {

constexpr int kFrames = 16;
constexpr double kShareOfSize = 0.1;     // largest depth over the least extent of the boxes
constexpr double kGreatestDepth = 5e-3;  // m
constexpr int kSearchSteps = 48;         // from top to bottom of the boxes' overlap, to find first touch
constexpr int kHalvings = 24;            // from such a step to less than a nanometre for an object of 10 cm

struct Box {
  Eigen::Vector3d low, high;
};

Box box_of(const asset::SurfaceView& surface) {
  const Eigen::Map<const Eigen::Matrix3Xd> points(surface.vertices, 3, surface.vertex_count);
  return {points.rowwise().minCoeff(), points.rowwise().maxCoeff()};
}

Eigen::Vector3d center_of(const body::Body& body) {
  return Eigen::Map<const Eigen::Vector3d>(body.geometry.mass().center_of_mass);
}

// B above A, with their centres of mass on one vertical line and B's origin at p_AB + h e_z.
struct Approach {
  const body::Body &A, &B;
  Eigen::Vector3d p_AB;

  body::Pair at(double height) const {
    body::Pair pair{&A, &B, {}};
    pair.X_AB.p = p_AB + Eigen::Vector3d(0, 0, height);
    return pair;
  }
};

// The height below which the bodies press on each other; empty if they do not between `top` and `bottom`.
std::optional<double> first_touch(const Approach& approach, contact::Model& model, double top,
                                  double bottom) {
  const auto touches = [&](double height) {
    const contact::PairWrench wrench = model.wrench(approach.at(height), contact::Want::kValue);
    return wrench.status != Status::kNoOverlap && wrench.area > 0;
  };
  double apart = top;
  for (int step = 1; step <= kSearchSteps; ++step) {
    double pressed = top + (bottom - top) * step / kSearchSteps;
    if (!touches(pressed)) {
      apart = pressed;
      continue;
    }
    for (int k = 0; k < kHalvings; ++k)
      (touches((apart + pressed) / 2) ? pressed : apart) = (apart + pressed) / 2;
    return pressed;
  }
  return std::nullopt;
}

// Corners of all frames' contact surfaces: position in A (m) and pressure (Pa).
using Corners = std::vector<Eigen::Vector4d>;

// Appends the corners of one pose to `corners`; `frame` gets the number of corners of each polygon.
void add_patch(const body::Pair& pair, Corners& corners, nlohmann::json& frame) {
  const contact::ContactMesh mesh = contact::contact_mesh(pair);
  std::vector<std::int32_t> counts;
  double peak = 0;
  for (const contact::ContactFace& face : mesh.faces) {
    counts.push_back(face.count);
    for (std::int32_t k = face.first; k < face.first + face.count; ++k) {
      const Eigen::Vector3d p = pair.X_AB * mesh.corners[static_cast<std::size_t>(k)];
      const double pressure = mesh.pressures[static_cast<std::size_t>(k)];
      corners.emplace_back(p.x(), p.y(), p.z(), pressure);
      peak = std::max(peak, pressure);
    }
  }
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();
  double force = 0;
  for (const contact::ContactFace& face : mesh.faces) {
    const double push = face.area * face.pressure * face.share;
    moment += push * (pair.X_AB * face.centroid);
    force += push;
  }
  frame["corners"] = counts;
  frame["peak"] = peak;
  frame["at"] = vector_data(force > 0 ? Eigen::Vector3d(moment / force) : Eigen::Vector3d(pair.X_AB.p));
}

nlohmann::json frame_data(const Approach& approach, contact::Model& model, double height, double depth,
                          Corners& corners) {
  const body::Pair pair = approach.at(height - depth);
  const contact::PairWrench wrench = model.wrench(pair, contact::Want::kJacobian);
  const auto [hulls, slopes] = derivative::witness_derivative(pair);
  constexpr int kUp = 5;  // column of B's translation along z; moving down has the opposite sign
  const Eigen::Vector3d f = wrench.F_BBo_B.tail<3>();
  nlohmann::json frame{{"depth", depth},
                       {"shift", vector_data(pair.X_AB.p)},
                       {"force", vector_data(f)},
                       {"torque", vector_data(wrench.F_BBo_B.head<3>() - center_of(*pair.B).cross(f))},
                       {"area", std::isfinite(wrench.area) ? wrench.area : 0},
                       {"status", to_string(wrench.status)},
                       {"distance", hulls.distance},
                       {"p1", vector_data(hulls.p1)},
                       {"p2", vector_data(hulls.p2)},
                       {"force_slope", vector_data(-wrench.dF_dxi_B.col(kUp).tail<3>())},
                       {"p1_slope", vector_data(-slopes.dp1_A_dxi_B.col(kUp))},
                       {"p2_slope", vector_data(-slopes.dp2_A_dxi_B.col(kUp))}};
  add_patch(pair, corners, frame);
  return frame;
}

// Quantises to 16 bits between minimum and maximum, sufficient for a screen and half the size of single
// precision.
void add_quantised(const std::vector<Corners>& frames, nlohmann::json& json) {
  Eigen::Vector4d low = Eigen::Vector4d::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Corners& corners : frames)
    for (const Eigen::Vector4d& corner : corners) {
      low = low.cwiseMin(corner);
      high = high.cwiseMax(corner);
    }
  const Eigen::Vector4d range = (high - low).array().isFinite().select(high - low, 0);
  low = low.array().isFinite().select(low, 0);
  json["least"] = {low[0], low[1], low[2], low[3]};
  json["range"] = {range[0], range[1], range[2], range[3]};
  for (std::size_t k = 0; k < frames.size(); ++k) {
    std::vector<std::uint16_t> steps;
    for (const Eigen::Vector4d& corner : frames[k])
      for (int i = 0; i < 4; ++i)
        steps.push_back(static_cast<std::uint16_t>(
            range[i] > 0
                ? std::lround((corner[i] - low[i]) / range[i] * std::numeric_limits<std::uint16_t>::max())
                : 0));
    json["frames"][k]["patch"] = packed(steps);
  }
}

}  // namespace

nlohmann::json pair_data(const body::Body& A, const body::Body& B) {
  constexpr unsigned kNeeds = body::kVolumePart | body::kSurfacePart | body::kConvexPart;
  if (A.geometry.missing_part(kNeeds) != nullptr || B.geometry.missing_part(kNeeds) != nullptr)
    return nullptr;
  const Box a = box_of(A.geometry.surface()), b = box_of(B.geometry.surface());
  const Eigen::Vector3d offset = center_of(A) - center_of(B);
  const Approach approach{A, B, {offset.x(), offset.y(), 0}};
  const auto model = contact::make_model("pressure_field");
  const auto touch = first_touch(approach, *model, a.high.z() - b.low.z(), a.low.z() - b.high.z());
  if (!touch) return nullptr;
  const double least = std::min((a.high - a.low).minCoeff(), (b.high - b.low).minCoeff());
  const double deepest = std::min(kGreatestDepth, kShareOfSize * least);
  nlohmann::json json{{"name", B.geometry.name()},
                      {"modulus", B.material.modulus},
                      {"surface", surface_data(B.geometry.surface())},
                      {"frames", nlohmann::json::array()}};
  std::vector<Corners> corners(kFrames);
  for (std::size_t k = 0; k < kFrames; ++k)
    json["frames"].push_back(
        frame_data(approach, *model, *touch, deepest * static_cast<double>(k) / (kFrames - 1), corners[k]));
  add_quantised(corners, json);
  const Eigen::Vector3d p = approach.at(*touch).X_AB.p;
  json["low"] = vector_data(a.low.cwiseMin(b.low + p));
  json["high"] = vector_data(a.high.cwiseMax(b.high + p));
  return json;
}

}  // namespace abut::preprocess
