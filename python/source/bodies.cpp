#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <limits>
#include <memory>
#include <string>

#include "python/source/arguments.h"
#include "python/source/module.h"
#include "python/source/released.h"
#include "runtime/asset/reader.h"
#include "runtime/body/asset_choice.h"
#include "runtime/body/body.h"
#include "runtime/ssdf/wrong_signs.h"

namespace abut::python {
namespace {

using body::Geometry;

// A part of a geometry, which it keeps alive; it owns the memory of the arrays.
template <class View>
struct Part {
  Geometry geometry;
  View view;
};
using HullPart = Part<asset::ConvexView>;
using SurfacePart = Part<asset::SurfaceView>;
using VolumePart = Part<asset::VolumeView>;
using PointsPart = Part<asset::PointsView>;

template <class View>
Part<View> part(const Geometry& geometry, unsigned which, const char* who,
                const View& (Geometry::*get)() const) {
  body::require_valid(geometry, which, who);
  return {geometry, (geometry.*get)()};
}

template <class Number>
py::array read_only(const Number* first, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
                    py::handle owner) {
  if (first == nullptr) throw InvalidInput("this part of the geometry has no such array");
  py::array array(py::dtype::of<Number>(), std::move(shape), std::move(strides), first, owner);
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

// A read-only contiguous array (rows, columns...).
template <class Number>
py::array rows(const Number* first, std::vector<py::ssize_t> shape, py::handle owner) {
  std::vector<py::ssize_t> strides(shape.size());
  py::ssize_t stride = sizeof(Number);
  for (std::size_t k = shape.size(); k-- > 0; stride *= shape[k]) strides[k] = stride;
  return read_only(first, std::move(shape), std::move(strides), owner);
}

// A read-only array (count, 3) of coordinates that are stored axis after axis.
py::array by_axis(const double* x, const double* y, py::ssize_t count, py::handle owner) {
  return read_only(x, {count, 3}, {sizeof(double), (y - x) * py::ssize_t(sizeof(double))}, owner);
}

template <class PartType, class Get>
void define(py::class_<PartType>& type, const char* name, Get get, const char* doc) {
  type.def_property_readonly(
      name, [get](py::handle self) { return get(py::cast<const PartType&>(self).view, self); }, doc);
}

template <class PartType>
void define_vertices(py::class_<PartType>& type) {
  define(
      type, "vertices",
      [](const auto& v, py::handle self) {
        return rows(v.vertices, {v.vertex_count, 3}, self);
      },
      "(V, 3) m");
}

template <class PartType>
void define_triangles(py::class_<PartType>& type) {
  define(
      type, "triangles",
      [](const auto& v, py::handle self) {
        return rows(v.triangles, {v.triangle_count, 3}, self);
      },
      "(T, 3) counter-clockwise seen from outside");
}

void bind_hull(py::module_& module) {
  py::class_<HullPart> type(module, "Hull", "Convex hull of an asset, or one of its convex pieces.");
  using View = const asset::ConvexView&;
  define(
      type, "vertices", [](View v, py::handle self) { return by_axis(v.x, v.y, v.vertex_count, self); },
      "(V, 3) m");
  define_triangles(type);
}

void bind_surface(py::module_& module) {
  py::class_<SurfacePart> type(module, "Surface", "Closed triangle surface.");
  using View = const asset::SurfaceView&;
  define_vertices(type);
  define_triangles(type);
  define(
      type, "neighbours",
      [](View v, py::handle self) {
        return rows(v.neighbours, {v.triangle_count, 3}, self);
      },
      "(T, 3) triangle across the edge from corner k to k + 1; of assets");
  define(
      type, "normals",
      [](View v, py::handle self) {
        return rows(v.vertex_normals, {v.vertex_count, 3}, self);
      },
      "(V, 3) unit, outward, at the vertices; of assets");
}

void bind_volume(py::module_& module) {
  py::class_<VolumePart> type(module, "Volume",
                              "Tetrahedra with the extent field of pressure-field contact.");
  using View = const asset::VolumeView&;
  define_vertices(type);
  define(
      type, "tetrahedra",
      [](View v, py::handle self) {
        return rows(v.tetrahedra, {v.tetrahedron_count, 4}, self);
      },
      "(T, 4) of positive volume");
  define(
      type, "neighbours",
      [](View v, py::handle self) {
        return rows(v.neighbours, {v.tetrahedron_count, 4}, self);
      },
      "(T, 4) across the face opposite corner k; -1: the surface");
  define(
      type, "extent", [](View v, py::handle self) { return rows(v.extent, {v.vertex_count}, self); },
      "(V,) 0 on the surface, 1 in the core");
  define(
      type, "gradients",
      [](View v, py::handle self) {
        return rows(v.gradients, {v.tetrahedron_count, 3}, self);
      },
      "(T, 3) of the extent, 1/m");
}

void bind_points(py::module_& module) {
  py::class_<PointsPart> type(module, "Points", "Oriented points of the surface.");
  using View = const asset::PointsView&;
  define(
      type, "positions", [](View v, py::handle self) { return by_axis(v.x, v.y, v.point_count, self); },
      "(P, 3) m");
  define(
      type, "normals", [](View v, py::handle self) { return by_axis(v.nx, v.ny, v.point_count, self); },
      "(P, 3) unit, outward");
  define(
      type, "areas", [](View v, py::handle self) { return rows(v.areas, {v.point_count}, self); },
      "(P,) m^2 that each stands for");
  define(
      type, "quads",
      [](View v, py::handle self) {
        return rows(v.quads, {v.point_count, 4}, self);
      },
      "(P, 4) indices of quad_vertices; of assets");
  define(
      type, "quad_vertices",
      [](View v, py::handle self) {
        return rows(v.vertices, {v.vertex_count, 3}, self);
      },
      "(V, 3) m; of assets");
  type.def_property_readonly(
      "spacing", [](const PointsPart& self) { return self.view.spacing; }, "square root of the mean area, m");
}

std::unique_ptr<Geometry> load(py::handle file, py::handle convex, py::handle surface, py::handle volume,
                               py::handle points) {
  constexpr const char* kWho = "load";
  const std::string name = path({kWho, "path"}, file);
  const auto level = [&](const char* argument, py::handle value) {
    const std::int64_t whole = whole_number({kWho, argument}, value, 0);
    if (whole > std::numeric_limits<int>::max())
      refuse({kWho, argument}, "is beyond the levels of any asset");
    return static_cast<int>(whole);
  };
  const body::Detail detail{level("convex", convex), level("surface", surface), level("volume", volume),
                            level("points", points)};
  const Released release;
  return std::make_unique<Geometry>(asset::load(name), detail);
}

std::unique_ptr<Geometry> primitive(py::handle name, py::handle sizes, py::handle deviation) {
  constexpr const char* kWho = "primitive";
  std::string words = text({kWho, "name"}, name);
  if (words.find(':') != std::string::npos)
    refuse({kWho, "name"}, "has a colon; sizes are arguments of their own");
  std::size_t k = 0;
  for (const py::handle size : sizes) {
    const std::string argument = "sizes[" + std::to_string(k++) + "]";
    words += ':';
    words += abut::number_text(number({kWho, argument.c_str()}, size));
  }
  return std::make_unique<Geometry>(body::parse_primitive(words), number({kWho, "deviation"}, deviation));
}

std::unique_ptr<body::Body> make_body(py::handle geometry, py::handle modulus, py::handle dissipation,
                                      py::handle friction, py::handle restitution, py::handle patch) {
  if (!py::isinstance<Geometry>(geometry)) refuse_type({"Body", "geometry"}, "a Geometry", geometry);
  const auto value = [](const char* argument, py::handle given) {
    return number({"Material", argument}, given);
  };
  const body::Material material{value("modulus", modulus), value("dissipation", dissipation),
                                value("friction", friction), value("restitution", restitution),
                                value("patch", patch)};
  body::require_valid(material, "Body", "material");
  return std::make_unique<body::Body>(body::Body{py::cast<const Geometry&>(geometry), material});
}

void bind_geometry(py::module_& module) {
  py::class_<Geometry> type(module, "Geometry");
  type.def(py::init(&load)).def(py::init(&primitive)).def(py::init<const Geometry&>());
  type.def_property_readonly("name", &Geometry::name, "the asset's, or the primitive's kind")
      .def_property_readonly("id", &Geometry::id,
                             "of the shared object: no other geometry of the process has it")
      .def_property_readonly("is_primitive", [](const Geometry& g) { return g.primitive() != nullptr; })
      .def_property_readonly("_sizes", [](const Geometry& g) {
        return g.primitive() != nullptr ? body::sizes(*g.primitive()) : std::vector<double>{};
      });
  type.def_property_readonly("_warning", &ssdf::wrong_sign_warning);
  const auto bind_part = [&](const char* name, unsigned which, auto get, const char* doc) {
    type.def_property_readonly(
        name, [=](const Geometry& g) { return part(g, which, name, get); }, doc);
  };
  bind_part("surface", body::kSurfacePart, &Geometry::surface, "triangles: Surface");
  bind_part("volume", body::kVolumePart, &Geometry::volume, "tetrahedra and their extent: Volume");
  bind_part("points", body::kPointsPart, &Geometry::points, "oriented points: Points");
  type.def_property_readonly(
      "hull",
      [](const Geometry& g) {
        body::require_valid(g, body::kConvexPart, "hull");
        if (g.primitive() != nullptr)
          throw InvalidInput("hull: '" + g.name() +
                             "' is a primitive: it has no hull of triangles; take surface");
        return HullPart{g, g.convex()};
      },
      "convex hull of an asset: Hull");
  type.def_property_readonly(
      "spheres",
      [](const Geometry& g) {
        if (g.asset() == nullptr || g.asset()->spheres.empty())
          throw InvalidInput("spheres: '" + g.name() +
                             "' has no spheres; preprocess the object again with --spheres 64");
        const asset::SphereSet& spheres = g.asset()->spheres.front();
        py::array_t<double> rows({spheres.radii.size(), std::size_t{4}});
        auto row = rows.mutable_unchecked<2>();
        for (py::ssize_t i = 0; i < row.shape(0); ++i) {
          for (py::ssize_t k = 0; k < 3; ++k)
            row(i, k) = spheres.centers[3 * std::size_t(i) + std::size_t(k)];
          row(i, 3) = spheres.radii[std::size_t(i)];
        }
        return rows;
      },
      "(N, 4) m: x, y, z and radius of balls that together hold an asset");
  type.def_property_readonly("_mass", [](const Geometry& g) {
    const asset::MassProperties& m = g.mass();
    return py::make_tuple(m.volume, m.area, py::array_t<double>(3, m.center_of_mass),
                          py::array_t<double>({3, 3}, m.inertia));
  });
}

}  // namespace

void bind_bodies(py::module_& module) {
  bind_hull(module);
  bind_surface(module);
  bind_volume(module);
  bind_points(module);
  bind_geometry(module);
  py::class_<body::Body>(module, "Body").def(py::init(&make_body));
  module.def(
      "asset_choice",
      [](const std::string& text) {
        const auto [file, detail] = body::parse_asset_choice(text);
        return py::make_tuple(file, detail.convex, detail.surface, detail.volume, detail.points);
      },
      "The file's name, piece and levels (convex, surface, volume, points) that a scene's name of an asset "
      "says");
}

}  // namespace abut::python
