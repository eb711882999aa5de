// Any bytes as a file of poses: rows or an abut::Error; and names that are written as they were read.
#include "runtime/cli/csv_columns.h"
#include "runtime/cli/pose_file.h"
#include "runtime/core/error.h"
#include "tests/fuzz/scratch_file.h"

namespace {

using namespace abut;

// A file with the row's names alone gives them back.
void check_names(const cli::PoseRow& row) {
  constexpr std::string_view kNames[] = {"idx", "objA", "objB"};
  const std::string text = "idx,objA,objB\n" + cli::csv_field(row.idx) + "," + cli::csv_field(row.objA) +
                           "," + cli::csv_field(row.objB) + "\n";
  if (row.idx.empty() && row.objA.empty() && row.objB.empty()) return;
  cli::CsvColumns again(
      scratch_file(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), ".names.csv").string(),
      kNames);
  if (!again.next() || again.text(0) != row.idx || again.text(1) != row.objA || again.text(2) != row.objB ||
      again.next())
    __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    cli::PoseFile file(scratch_file(data, size, ".csv").string());
    cli::PoseRow row;
    for (int rows = 0; file.next(row); ++rows)
      if (rows < 4) check_names(row);
  } catch (const Error&) {
  }
  return 0;
}
