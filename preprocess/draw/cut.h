#pragma once

#include <Eigen/Core>

#include "preprocess/draw/canvas.h"
#include "runtime/asset/asset.h"

namespace abut::preprocess {

// The half-space that remains of an object cut open: all x with normal . x <= offset.
struct CutPlane {
  Eigen::Vector3d normal = Eigen::Vector3d::UnitX();  // unit, toward the viewer
  double offset = 0;                                  // m
};

// Chooses the plane through the centre of the volume, orthogonal to one of its principal axes, with the
// largest cut area, where upright planes are preferred. Its normal points to the side of `toward`.
CutPlane choose_cut(const asset::VolumeView& volume, const Eigen::Vector3d& toward);

// Draws the remaining part: the cut through each tetrahedron in the colours of its extent, with its outline,
// and the surface behind it in `color`.
void draw_cut(Canvas& canvas, const asset::VolumeView& volume, const CutPlane& plane, const Color& color);

}  // namespace abut::preprocess
