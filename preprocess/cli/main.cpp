#include "preprocess/cli/command.h"

int main(int argc, char** argv) { return abut::preprocess::run_command(argc, argv); }
