#include "preprocess/cli/command.h"
#include "runtime/core/output_file.h"

int main(int argc, char** argv) {
  abut::hold_standard_streams();
  abut::clean_up_on_signals();
  return abut::preprocess::run_command(argc, argv);
}
