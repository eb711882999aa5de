#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/asset/asset.h"

// The mass of an object, given by its density or directly.
namespace abut::preprocess {

struct Amount {
  double density = 1000;  // kg/m^3; water
  double mass = 0;        // kg; if > 0, used instead of the density
};

struct Inertial {
  double mass = 0;          // kg
  Eigen::Vector3d center;   // centre of mass, m
  Eigen::Matrix3d inertia;  // kg m^2, about the centre of mass, axes of the object
};

// Inertial properties of a solid of uniform density. Throws InvalidInput if the asset's mass properties are
// physically impossible.
Inertial inertial_of(const asset::MassProperties& mass, const Amount& amount);

// The known materials by name, ascending, and the density of one. Throws InvalidInput for another name,
// listing those that are known.
std::vector<std::string_view> material_names();
Amount amount_of_material(std::string_view name);

// Reads lines `OBJECT,density,KG_M3`, `OBJECT,mass,KG` or `OBJECT,material,NAME`. The first line may be the
// header `object,quantity,value`; empty lines and lines that start with # are skipped. An object's name may
// contain commas. Throws IoError if the file cannot be read, InvalidInput with file and line for any other
// line and for an object that appears twice.
std::map<std::string, Amount> read_amounts(const std::filesystem::path& file);

}  // namespace abut::preprocess
