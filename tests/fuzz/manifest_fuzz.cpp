// Any bytes as what abut-datasets reads: a set's manifest, a list of its objects, and the record of a
// download. What is taken can be asked for: names are those of folders, and there is a default variant.
#include "datasets/download/manifest.h"
#include "datasets/record.h"
#include "runtime/core/error.h"
#include "tests/fuzz/scratch_file.h"

namespace {

template <class Read>
void try_to(Read&& read) {
  try {
    read();
  } catch (const abut::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut::datasets;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try_to([&] {
    const Manifest manifest = manifest_from_json(text, "fuzz.json");
    if (archive_address(find_variant(manifest, ""), "mug").empty()) __builtin_trap();
  });
  try_to([&] {
    for (const std::string& name : object_names(text, "http://localhost/list"))
      if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos) __builtin_trap();
  });
  try_to([&] { read_record(scratch_file(data, size, ".json")); });
  return 0;
}
