#include "runtime/witness/cores.h"

ABUT_COMPILE_CORES(double)
