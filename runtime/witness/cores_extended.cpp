#include "runtime/witness/cores.h"

ABUT_COMPILE_CORES(long double)
