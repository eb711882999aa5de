#include <CLI/CLI.hpp>

#include "benchmarks/soft_potential/scenes.h"

// Scenes of docs/soft_potential.md as tables. Fails where a promised figure does.
namespace {

using namespace abut;

int run(int argc, char** argv) {
  std::string scene = "all";
  CLI::App app("Scenes of contact by soft distances");
  const std::pair<const char*, void (*)(benchmarks::Promises&)> scenes[] = {
      {"edges", soft_potential_scenes::edges},       {"boxes", soft_potential_scenes::boxes},
      {"handle", soft_potential_scenes::handle},     {"peg", soft_potential_scenes::peg},
      {"signs", soft_potential_scenes::signs},       {"closed_paths", soft_potential_scenes::closed_paths},
      {"ripple", soft_potential_scenes::ripple},     {"friction", soft_potential_scenes::friction},
      {"hessians", soft_potential_scenes::hessians}, {"threads", soft_potential_scenes::threads},
      {"cost", soft_potential_scenes::cost},
  };
  std::vector<std::string> names{"all"};
  for (const auto& [name, run_scene] : scenes) names.emplace_back(name);
  app.add_option("SCENE", scene, "Which one; default: all but cost, which is CSV for scene_cost.gp")
      ->check(CLI::IsMember(names));
  CLI11_PARSE(app, argc, argv);
  benchmarks::Promises promises;
  for (const auto& [name, run_scene] : scenes)
    if (scene == name || (scene == "all" && run_scene != soft_potential_scenes::cost)) run_scene(promises);
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) {
  return abut::benchmarks::guarded("soft_potential_scenes", run, argc, argv);
}
