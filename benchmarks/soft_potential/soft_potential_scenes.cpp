#include <CLI/CLI.hpp>

#include "benchmarks/soft_potential/scenes.h"

// Scenes of docs/soft_potential.md as tables. Fails where a promised figure does.
namespace {

using namespace abut;

int run(int argc, char** argv) {
  std::string scene = "all", csv;
  CLI::App app("Scenes of contact by soft distances");
  const std::pair<const char*, void (*)(benchmarks::Promises&)> scenes[] = {
      {"edges", soft_potential_scenes::edges},
  };
  std::vector<std::string> names{"all"};
  for (const auto& [name, run_scene] : scenes) names.emplace_back(name);
  app.add_option("SCENE", scene, "Which one; default: all")->check(CLI::IsMember(names));
  CLI11_PARSE(app, argc, argv);
  benchmarks::Promises promises;
  for (const auto& [name, run_scene] : scenes)
    if (scene == "all" || scene == name) run_scene(promises);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) {
  return abut::benchmarks::guarded("soft_potential_scenes", run, argc, argv);
}
