#include "benchmarks/volumes/studies.h"

#include "tests/preprocess/tetrahedralize/shapes.h"

namespace abut::volumes_study {

const std::vector<Shape>& cost_shapes() {
  static const std::vector<Shape> result{{"torus", shapes::torus(0.1, 0.05, 0.012)},
                                         {"cup", shapes::cup(0.05, 0.05, 0.005, 0.01)}};
  return result;
}

}  // namespace abut::volumes_study
