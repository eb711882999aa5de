#include "preprocess/cli/import_asset.h"

#include <fmt/format.h>

#include "datasets/names.h"
#include "preprocess/cli/output_folder.h"
#include "preprocess/cli/pipeline.h"
#include "preprocess/cli/verify.h"
#include "preprocess/cli/versions.h"
#include "preprocess/pressure/import.h"
#include "preprocess/process/runner.h"
#include "runtime/asset/container.h"
#include "runtime/asset/reader.h"
#include "runtime/asset/writer.h"
#include "runtime/cli/say.h"
#include "runtime/core/error.h"
#include "runtime/core/input_file.h"
#include "runtime/core/output_file.h"

namespace abut::preprocess {
namespace {

// Throws InvalidInput if the import would replace another object's asset.
void require_replaceable(const std::filesystem::path& file, const std::filesystem::path& source) {
  if (!std::filesystem::exists(file)) return;
  try {
    require_same_source(asset::load(file).provenance, file, source);
  } catch (const BadAsset&) {  // not a readable asset, so it belongs to no object
  }
}

}  // namespace

ImportedAsset import_asset(const std::filesystem::path& source, const std::filesystem::path& out) {
  const std::string name = datasets::safe_name(source.stem().string());
  const std::filesystem::path file = out / (name + ".h5");
  require_not_input(file, source);
  const OutputFolder folder(out);
  check_writable(file);
  const ObjectLock lock =
      folder.lock(name, [&] { cli::say(stderr, "{}: {}, which holds it\n", file.string(), kWaitingStage); });
  const std::string digest = asset::digest(read_file(source));
  ImportedAsset imported{import_volume(source), file};
  if (asset::digest(read_file(source)) != digest)
    throw InvalidInput(source.string() + ": has changed while it was read; run again");
  imported.asset.name = name;
  asset::Provenance& provenance = imported.asset.provenance;
  provenance.source_file = std::filesystem::absolute(source).lexically_normal().string();
  provenance.source_digest = digest;
  provenance.parameters = {{"import", "volume"}};
  provenance.versions = versions();
  if (const std::vector<std::string> problems = verify(imported.asset); !problems.empty())
    throw InvalidInput(
        fmt::format("{}: the asset of it would not be sound: {}", source.string(), problems.front()));
  require_replaceable(file, source);
  asset::save(imported.asset, file);
  return imported;
}

}  // namespace abut::preprocess
