// Answers every cold reference query of one file once, inside a function of its own so that callgrind can
// count the instructions of the queries alone: see witness_instructions.sh.
//   witness_instructions write FOLDER         the objects' hulls as assets: valgrind cannot run the hull
//   algorithm witness_instructions query FOLDER FILE    for example ycb_hulls_collide.csv
#include <cstdio>
#include <exception>
#include <string>

#include "benchmarks/support/reference_hulls.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "runtime/witness/separation.h"

using abut::benchmark_support::HullQueries;

namespace {

struct Tally {
  int wrong = 0, iterations = 0;
};

std::filesystem::path asset_file(const std::string& folder, const std::string& object) {
  return std::filesystem::path(folder) / (object + ".abut");
}

void write(const std::string& folder) {
  for (const char* file : {"ycb_hulls_collide.csv", "ycb_hulls_separate.csv"}) {
    HullQueries set = abut::benchmark_support::read_hull_queries(file);
    for (auto& [object, hull] : set.hulls) {
      abut::asset::Asset asset;
      asset.name = object;
      asset.convex.push_back(std::move(hull));
      abut::asset::save(asset, asset_file(folder, object));
    }
  }
}

}  // namespace

extern "C" [[gnu::noinline]] void abut_measured_queries(const HullQueries& set,
                                                        abut::witness::Workspace<double>& workspace,
                                                        Tally& tally) {
  for (const HullQueries::Query& q : set.queries) {
    const auto w = abut::witness::separation(q.A, q.B, q.X_AB, workspace);
    tally.wrong += !(std::abs(w.distance - q.distance) < 2e-6);
    tally.iterations += w.iterations;
  }
}

int main(int argc, char** argv) try {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "write" && argc == 3) {
    write(argv[2]);
    return 0;
  }
  if (command != "query" || argc != 4) {
    std::fprintf(stderr, "usage: witness_instructions write FOLDER | query FOLDER FILE\n");
    return 1;
  }
  const HullQueries set = abut::benchmark_support::read_hull_queries(argv[3], [&](const std::string& object) {
    return abut::asset::load(asset_file(argv[2], object)).convex.front();
  });
  if (set.queries.empty()) {
    std::fprintf(stderr, "no reference queries %s\n", argv[3]);
    return 1;
  }
  abut::witness::Workspace<double> workspace;
  Tally tally;
  abut_measured_queries(set, workspace, tally);
  std::printf("%zu queries, %d wrong, %.2f iterations each\n", set.queries.size(), tally.wrong,
              static_cast<double>(tally.iterations) / static_cast<double>(set.queries.size()));
  return tally.wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
