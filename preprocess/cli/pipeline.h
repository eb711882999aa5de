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

// One object from mesh to asset, and when an asset on disk need not be made again.
namespace abut::preprocess {

// Every parameter that shapes an asset. A new stage adds its own struct here and its rows to describe().
struct Parameters {
  CloseParameters close;
  VolumeParameters volume;
  PointParameters points;
  GridParameters grid;
  PieceParameters pieces;
  SphereParameters spheres;
};

// The kinds of extent field by the names that options and describe() have for them.
const std::map<std::string, FieldKind>& field_kinds();

// All parameters as they go into the asset, the object's scale among them; numbers with all their digits.
std::map<std::string, std::string> describe(const Parameters& parameters, double metres_per_unit);

// Reads, closes, indexes, fills with tetrahedra; fills in the provenance: parameters, versions, warnings,
// seconds of each stage, measures. `stage` is told each stage's name as it begins: read, close, hull,
// surface, mass, volumes, points, grid, pieces and spheres (how far they are). Throws InvalidInput or
// IoError, naming the source file; not where the inside cannot be made: then the asset has no volume, the
// measure `volumes` is 0, and warnings say why.
asset::Asset make_asset(const datasets::ObjectSource& source, const Parameters& parameters,
                        const StageCallback& stage);

// Why an asset with this provenance must be made again ("the source changed", ...); nothing while it is up to
// date: same source bytes, parameters and versions. Throws IoError where the source cannot be read.
std::optional<std::string> out_of_date(const asset::Provenance& provenance,
                                       const datasets::ObjectSource& source, const Parameters& parameters);

// The path of a source as provenance has it.
std::string absolute_source(const datasets::ObjectSource& source);
// The digest of a source as provenance has it. Throws IoError where it cannot be read.
std::string digest_of(const std::filesystem::path& file);

// Throws InvalidInput where `asset`, in the place of what is to be made of `source`, was made of another file
// that is still there and has other content: two objects have one name. Where that file is gone, it was
// moved.
void require_same_source(const asset::Provenance& provenance, const std::filesystem::path& asset,
                         const std::filesystem::path& source);

}  // namespace abut::preprocess
