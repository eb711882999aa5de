#include "datasets/dataset.h"

#include "runtime/core/error.h"

namespace abut::datasets {

std::string to_string(Layout layout) {
  switch (layout) {
    case Layout::kYcb:
      return "ycb";
    case Layout::kBop:
      return "bop";
    case Layout::kGso:
      return "gso";
    case Layout::kFlat:
      return "flat";
  }
  return "unknown";
}

Layout layout_from_string(const std::string& name) {
  for (const Layout layout : {Layout::kYcb, Layout::kBop, Layout::kGso, Layout::kFlat})
    if (to_string(layout) == name) return layout;
  throw InvalidInput("unknown layout '" + name + "': use ycb, bop, gso or flat");
}

}  // namespace abut::datasets
