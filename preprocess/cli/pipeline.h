#pragma once

#include <map>
#include <optional>
#include <string>

#include "datasets/dataset.h"
#include "preprocess/grid/distance_grid.h"
#include "preprocess/mesh/close.h"
#include "preprocess/pieces/pieces.h"
#include "preprocess/pressure/volume.h"
#include "preprocess/process/runner.h"
#include "preprocess/remesh/point_levels.h"
#include "preprocess/spheres/spheres.h"
#include "runtime/asset/asset.h"

// The pipeline from a mesh to an asset, and the test of whether an existing asset is up to date.
namespace abut::preprocess {

// All parameters that determine an asset. A new stage adds its own struct here and its entries to describe().
struct Parameters {
  CloseParameters close;
  VolumeParameters volume;
  PointParameters points;
  GridParameters grid;
  PieceParameters pieces;
  SphereParameters spheres;
};

// The kinds of extent field by their names in options and describe().
const std::map<std::string, FieldKind>& field_kinds();

// All parameters as stored in the asset, including the object's scale; numbers with all significant digits.
std::map<std::string, std::string> describe(const Parameters& parameters, double metres_per_unit);

// Everything but the source that determines an asset: describe() and the versions, a line "name=value" each.
std::string settings_text(const Parameters& parameters, double metres_per_unit);

// Makes an asset: reads, closes, indexes, and adds tetrahedra and the other parts; sets the provenance:
// parameters, versions, warnings, seconds of each stage, measures. `stage` is called with each stage's name
// when it begins: read, close, hull, surface, mass, volumes, points, grid, pieces and spheres (these two with
// their progress). Throws InvalidInput or IoError, naming the source file. If the inside cannot be made, it
// does not throw: the asset has no volume, the measure `volumes` is 0, and warnings give the reason.
asset::Asset make_asset(const datasets::ObjectSource& source, const Parameters& parameters,
                        const StageCallback& stage);

// Why an asset with this provenance must be made again ("the source changed", ...); empty if it is up to
// date: the same source bytes, parameters and versions. Throws IoError if the source cannot be read.
std::optional<std::string> out_of_date(const asset::Provenance& provenance,
                                       const datasets::ObjectSource& source, const Parameters& parameters);

// The path of a source as stored in the provenance.
std::string absolute_source(const datasets::ObjectSource& source);
// The digest of a source as stored in the provenance. Throws IoError if it cannot be read.
std::string digest_of(const std::filesystem::path& file);

// Throws InvalidInput if `asset`, which the asset of `source` would replace, was made of another file that
// still exists with different content: two objects have the same name. If that file no longer exists, it is
// assumed to have been moved.
void require_same_source(const asset::Provenance& provenance, const std::filesystem::path& asset,
                         const std::filesystem::path& source);

}  // namespace abut::preprocess
