// Any bytes as a file of points: rows or an abut::Error.
#include "runtime/cli/csv_columns.h"
#include "runtime/cli/point_query.h"
#include "runtime/core/error.h"
#include "tests/fuzz/scratch_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    abut::cli::CsvColumns file(scratch_file(data, size, ".csv").string(), abut::cli::kPointColumns);
    while (file.next())
      for (std::size_t k = 2; k < abut::cli::kPointColumns.size(); ++k) (void)file.number(k);
  } catch (const abut::Error&) {
  }
  return 0;
}
