// Any body of an asset file behind a digest that is right: an asset or a BadAsset. Queries of an asset with
// itself end with finite numbers, with a status that says there are none, or with an abut::Error. Inputs
// start as the body of a small asset; half of the mutations put an extreme number into an array, the others
// change a few bytes anywhere.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <random>

#include "runtime/asset/container.h"
#include "runtime/asset/hdf5_parser.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/schema.h"
#include "runtime/asset/writer.h"
#include "runtime/contact/model.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/proximity/distance_model.h"
#include "runtime/ssdf/soft_distances.h"
#include "tests/fuzz/scratch_file.h"
#include "tests/support/tetrahedron_asset.h"

namespace {

using namespace abut::asset;
using Bytes = std::span<std::byte>;

const std::vector<std::byte>& small_body() {
  static const std::vector<std::byte> body = [] {
    const auto file = scratch_file(nullptr, 0, ".h5");
    save(abut::test::tetrahedron_asset(), file);
    std::vector<std::byte> bytes = abut::read_file(file);
    bytes.erase(bytes.begin(), bytes.begin() + kHeaderBytes);
    return bytes;
  }();
  return body;
}

template <class T>
void put(Bytes at, T value) {
  std::memcpy(at.data(), &value, std::min(at.size(), sizeof value));
}

void put_extreme_number(Bytes body, std::mt19937& random) {
  constexpr double kExtremes[] = {0,
                                  -1,
                                  1,
                                  1e300,
                                  -1e300,
                                  1e-300,
                                  std::numeric_limits<double>::infinity(),
                                  -0.5,
                                  1e-12,
                                  1e15,
                                  2e15,
                                  0.25,
                                  std::numeric_limits<double>::quiet_NaN()};
  constexpr std::int32_t kIndices[] = {0,
                                       1,
                                       2,
                                       3,
                                       4,
                                       -1,
                                       -2,
                                       7,
                                       std::numeric_limits<std::int32_t>::max(),
                                       std::numeric_limits<std::int32_t>::min()};
  Hdf5File file(body, "body");
  const std::vector<std::string> paths = file.paths();
  const Hdf5Array array = file.array(paths[random() % paths.size()]);  // throws for a group
  if (array.count() == 0) return;
  const auto offset = static_cast<std::size_t>(array.data.data() - body.data());
  const Bytes at = body.subspan(offset + random() % array.count() * array.element_bytes, array.element_bytes);
  const double number = kExtremes[random() % std::size(kExtremes)];
  if (array.type == Hdf5Type::kFloat64) put(at, number);
  if (array.type == Hdf5Type::kFloat32) put(at, static_cast<float>(number));
  if (array.type == Hdf5Type::kInt32) put(at, kIndices[random() % std::size(kIndices)]);
}

// Ends the process unless an answer has numbers, or says that it has none. A point beyond a field has none.
void require_told(abut::Status status, bool finite) {
  if (!finite && status != abut::Status::kInvalidInput && status != abut::Status::kNoOverlap)
    __builtin_trap();
}

// Calls ask(), which may refuse the asset.
template <class Ask>
void unless_refused(Ask&& ask) {
  try {
    ask();
  } catch (const abut::Error&) {
  }
}

// Asks for distances, wrenches and soft distances of the asset with itself in a few poses. Most fuzzed assets
// are as small as the first; others are left alone, for time.
void ask(Asset asset) {
  constexpr std::size_t kMostNumbers = 3000;
  for (const auto& part : asset.surfaces)
    if (part.vertices.size() > kMostNumbers) return;
  for (const auto& part : asset.volumes)
    if (part.vertices.size() > kMostNumbers) return;
  for (const auto& part : asset.points)
    if (part.positions.size() > kMostNumbers) return;
  const abut::body::Body body{abut::body::Geometry(std::move(asset)), {.friction = 0.3}};
  const abut::Vec3<double> shifts[] = {{0, 0, 0}, {0.1, 0.2, 0.05}, {1e6, 0, 0}};
  for (const auto& shift : shifts) {
    abut::body::Pair pair{&body, &body, {}};
    pair.X_AB.p = shift;
    pair.V_AB_B << 0.1, 0, 0.2, 0.3, 0.1, -0.2;
    for (const auto& row : abut::proximity::distance_models())
      unless_refused([&] {
        const auto model = row.make({}, {});
        model->require_valid(pair, "fuzz");
        const auto witness = model->separation(pair);
        require_told(witness.status, std::isfinite(witness.distance));
      });
    for (const auto& row : abut::contact::models())
      unless_refused([&] {
        const auto wrench = row.make({})->wrench(pair);
        require_told(wrench.status, wrench.F_BBo_B.allFinite() && wrench.dF_dxi_B.allFinite());
      });
    for (const auto field : {abut::ssdf::FieldKind::kPoints, abut::ssdf::FieldKind::kGrid})
      unless_refused([&] {
        const auto soft = abut::ssdf::soft_distance(body.geometry, shift, {.field = field});
        require_told(soft.status, std::isfinite(soft.value) && soft.gradient.allFinite());
      });
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  std::mt19937 random(seed);
  if (size < 96 || random() % 64 == 0) {
    size = std::min(most, small_body().size());
    std::memcpy(data, small_body().data(), size);
  }
  if (random() % 2 == 0) {
    try {
      put_extreme_number(std::as_writable_bytes(std::span(data, size)), random);
      return size;
    } catch (const abut::Error&) {
    }
  }
  const std::size_t window = std::min<std::size_t>(size, 16), at = random() % (size - window + 1);
  LLVMFuzzerMutate(data + at, window, window);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = scratch_file(nullptr, 0, ".h5");
  write_container(file, kSchemaVersion, std::as_bytes(std::span(data, size)));
  try {
    ask(load(file));
  } catch (const abut::BadAsset&) {
  }
  return 0;
}
