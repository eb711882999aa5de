#pragma once

#include <string>

// Studies of the soft signed distance and of the contact's parameters: CSV on the standard output. ASSETS is
// a folder of assets with oriented points.
namespace abut::soft_minimum_studies {

// Every kernel on every object: share of wrong signs within 1.5 spacings of the surface and in the space
// around, error beside the exact distance, |value| on the surface; lengths in spacings.
void kernels(const std::string& assets);

// How far the zero surface at the default eps1 lies from the mesh, in spacings, with both kernels that
// contact knows.
void zero_surface(const std::string& assets);

// 1,000 poses of a finger (a cylinder of radius 8 mm) against the handle of the mug: angle between the force
// and the way that the exact signed distances of the two push it at the deepest point, where all points
// inside push about the same way; with both kernels that contact knows.
void handle(const std::string& assets, const std::string& mug);

// A box on a larger box, 0.05 spacings deep, with both kernels: the force beside that of a uniform pressure,
// and how far the centre of pressure is off.
void rim();

// How far contact pushes to the side: a mug upright on the top of a box, with soft minimum of both kernels,
// point contact and pressure fields, as a table; and how much too deep points near the edges of a meshed box
// read. Both assets need quads and tetrahedra; `csv`, if not empty, gets every sample.
void push(const std::string& assets, const std::string& mug, const std::string& box, const std::string& csv);

// What each setting of the contact does: one curve per row group, for parameters.gp.
void parameters();

}  // namespace abut::soft_minimum_studies
