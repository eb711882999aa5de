#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/asset/asset.h"

// How heavy an object is.
namespace abut::preprocess {

struct Amount {
  double density = 1000;  // kg/m^3; water
  double mass = 0;        // kg; > 0: this instead of the density
};

struct Inertial {
  double mass = 0;          // kg
  Eigen::Vector3d center;   // of mass, m
  Eigen::Matrix3d inertia;  // kg m^2, about the centre of mass, axes of the object
};

// Of a solid of even density. Throws InvalidInput where the asset's mass properties are those of no solid.
Inertial inertial_of(const asset::MassProperties& mass, const Amount& amount);

// Materials by name, ascending, and the density of one. Throws InvalidInput, listing them, for another name.
std::vector<std::string_view> material_names();
Amount amount_of_material(std::string_view name);

// Lines `OBJECT,density,KG_M3`, `OBJECT,mass,KG` or `OBJECT,material,NAME`; a first line
// `object,quantity,value` may head them, and empty lines and lines that start with # are left out. An
// object's name may contain commas. Throws IoError where the file cannot be read, InvalidInput with file and
// line for what is none of these and for an object that comes twice.
std::map<std::string, Amount> read_amounts(const std::filesystem::path& file);

}  // namespace abut::preprocess
