#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "benchmarks/soft_potential/solids.h"
#include "benchmarks/support/data.h"
#include "benchmarks/support/promises.h"
#include "benchmarks/support/soft_contact.h"
#include "datasets/dataset.h"
#include "runtime/contact/soft_potential.h"
#include "runtime/distance/surface_distance.h"

// The tables of docs/soft_potential.md: how far contact pushes to the side where objects stand upright on a
// box, and what a wrench costs with its derivatives, for the soft potential beside the published soft
// minimum. Times are processor times of one thread. Fails where a promised figure does.
namespace {

using namespace abut;
using benchmarks::Extent, benchmarks::extent_of, benchmarks::Law, benchmarks::kLaws;
using contact::Want;

// What objects stand on, and the middles of four places on it: along the longer and the shorter side of its
// top, in half sizes.
struct Support {
  const char* name;
  const char* part;  // of an object's name; null: a can of 50 mm radius and 80 mm height
  double places[4][2];
};
constexpr double kDiagonal = 0.70710678;
const Support kSupports[] = {
    {"box", "003_cracker_box", {{-0.45, 0}, {-0.15, 0}, {0.15, 0}, {0.45, 0}}},
    {"rim", nullptr, {{1, 0}, {0, 1}, {-kDiagonal, kDiagonal}, {-kDiagonal, -kDiagonal}}},
    {"block", "036_wood_block", {{-0.45, 0.8}, {-0.15, 0.8}, {0.15, -0.8}, {0.45, -0.8}}},
};

// Twelve poses of an object upright on the top of a support, its lowest vertex at the support's highest:
// three turns at each place.
std::vector<Pose<double>> standing(const Support& on, const body::Geometry& support,
                                   const body::Geometry& object) {
  const Extent b = extent_of(support.surface()), o = extent_of(object.surface());
  const int along = b.high.x() - b.low.x() > b.high.y() - b.low.y() ? 0 : 1;
  std::vector<Pose<double>> poses;
  for (const auto& place : on.places)
    for (const int third : {0, 1, 2}) {
      Pose<double> X{exp_rotation<double>({0, 0, 0.2 + third * 2 * std::numbers::pi / 3}),
                     Vec3<double>::Zero()};
      X.p = (b.low + b.high) / 2 - X.R * ((o.low + o.high) / 2);
      for (const int k : {0, 1}) {
        const int axis = k == 0 ? along : 1 - along;
        X.p[axis] += place[k] * (b.high - b.low)[axis] / 2;
      }
      X.p.z() = b.high.z() - o.low.z();
      poses.push_back(X);
    }
  return poses;
}

constexpr int kDepths = 15;
constexpr double kStep = 1e-4;  // m

// Forces on the object, in the frame of the support, at growing depths.
std::vector<Vec3<double>> forces(const std::vector<Pose<double>>& poses,
                                 const std::function<Vec3<double>(const Pose<double>&)>& force) {
  std::vector<Vec3<double>> result;
  for (Pose<double> X : poses)
    for (int k = 0; k < kDepths; ++k) {
      X.p.z() -= kStep;
      result.push_back(force(X));
    }
  return result;
}

// The sum of the potential over one surface's triangles in the exact distance of the other: force on the
// other in its frame, stiffness 1.
Vec3<double> exact_force(const asset::SurfaceView& field, const asset::SurfaceView& surface,
                         const Pose<double>& X_FS, double eps3) {
  Vec3<double> sum = Vec3<double>::Zero();
  const double near = 0.002, low = extent_of(field).low.z(), high = extent_of(field).high.z();
  for (std::int32_t t = 0; t < surface.triangle_count; ++t) {
    Vec3<double> c[3];
    for (int k = 0; k < 3; ++k) c[k] = X_FS * distance::internal::corner<double>(surface, t, k);
    const double lowest = std::min({c[0].z(), c[1].z(), c[2].z()}),
                 highest = std::max({c[0].z(), c[1].z(), c[2].z()});
    if (lowest > high + near || highest < low - near) continue;
    const Vec3<double> middle = (c[0] + c[1] + c[2]) / 3;
    const double area = (c[1] - c[0]).cross(c[2] - c[0]).norm() / 2;
    for (int part = 0; part < 4; ++part) {  // its four halves of the size
      const Vec3<double> p = part == 3 ? middle : Vec3<double>((c[part] + middle) / 2);
      const auto d = distance::signed_distance<double>(field, p);
      if (d.distance > near) continue;
      const double u = -d.distance / eps3, soft = std::max(u, 0.0) + std::log1p(std::exp(-std::abs(u)));
      sum -= area / 4 * eps3 * soft / (1 + std::exp(-u)) * d.gradient;
    }
  }
  return sum;
}

struct Push {
  double median, high, worst;
  int pulls;      // poses with a normal force below zero
  double beyond;  // most by which the share exceeds that of the exact surfaces
};

double share(const Vec3<double>& f) { return f.head<2>().norm() / std::abs(f.z()); }

Push sideways(const std::vector<Vec3<double>>& forces, const std::vector<Vec3<double>>& exact) {
  std::vector<double> ratios;
  Push push{};
  for (std::size_t i = 0; i < forces.size(); ++i) {
    const Vec3<double>& f = forces[i];
    if (f.norm() == 0) continue;
    ratios.push_back(share(f));
    push.pulls += f.z() < 0 ? 1 : 0;
    if (exact[i].norm() > 0) push.beyond = std::max(push.beyond, share(f) - share(exact[i]));
  }
  if (ratios.empty()) throw InvalidInput("no force");
  std::sort(ratios.begin(), ratios.end());
  const auto at = [&](double part) {
    return ratios[static_cast<std::size_t>(part * double(ratios.size() - 1))];
  };
  push.median = at(0.5), push.high = at(0.9), push.worst = at(1);
  return push;
}

void time_pair(const body::Body& mug, const body::Body& banana) {
  const Pose<double> X = benchmarks::in_contact(mug.geometry, banana.geometry, 200);
  const body::Pair pair{&mug, &banana, X};
  contact::WrenchHessian hessian;
  for (const Law& law : kLaws) {
    const auto model = contact::make_model(law.model, law.settings);
    fmt::print("| {} | {} | {} |", mug.geometry.points().point_count,
               benchmarks::quads_inside(mug.geometry, banana.geometry, X), law.title);
    for (const Want want : {Want::kValue, Want::kJacobian, Want::kJacobian | Want::kHessian})
      fmt::print(" {:.2f} |", 1e3 * benchmarks::seconds([&] { model->wrench(pair, want, &hessian); }));
    fmt::print("\n");
    std::fflush(stdout);
  }
}

// Share of the sideways force at each depth of each place, for upright.gp.
void write_shares(std::FILE* csv, const char* law, const std::vector<Vec3<double>>& forces) {
  for (std::size_t i = 0; csv != nullptr && i < forces.size(); ++i)
    if (forces[i].norm() > 0)
      fmt::print(csv, "{};{};{:.1f};{:.4g}\n", law, i / kDepths, 1e3 * kStep * double(i % kDepths + 1),
                 share(forces[i]));
}

// The rows of one object.
void push_table(const Support& on, const body::Body& box, const body::Body& object, const std::string& name,
                std::FILE* csv, benchmarks::Promises& promises) {
  const bool mug = name.find("mug") != std::string::npos;
  const std::vector<Pose<double>> poses = standing(on, box.geometry, object.geometry);
  const double eps3 = contact::SoftPotentialConfig{}.eps3 *
                      std::min(box.geometry.points().spacing, object.geometry.points().spacing);
  const auto exact = forces(poses, [&](const Pose<double>& X) -> Vec3<double> {
    return X.R * exact_force(object.geometry.surface(), box.geometry.surface(), X.inverse(), eps3) -
           exact_force(box.geometry.surface(), object.geometry.surface(), X, eps3);
  });
  const auto print = [&](const char* law, const Push& push) {
    fmt::print("| {} | {} | {:.3f} | {:.3f} | {:.3f} | {} | {:.3f} |\n", name, law, push.median, push.high,
               push.worst, push.pulls, push.beyond);
    std::fflush(stdout);
  };
  print("exact surfaces", sideways(exact, exact));
  write_shares(mug ? csv : nullptr, "exact surfaces", exact);
  for (const Law& law : kLaws) {
    const bool potential = std::string_view(law.model) == "soft_potential";
    if (!mug && !potential) continue;
    const auto model = contact::make_model(law.model, law.settings);
    const auto found = forces(poses, [&](const Pose<double>& X) -> Vec3<double> {
      return X.R * model->wrench({&box, &object, X}, Want::kValue).F_BBo_B.tail<3>();
    });
    const Push push = sideways(found, exact);
    print(law.title, push);
    write_shares(mug ? csv : nullptr, law.title, found);
    if (!potential) continue;
    promises.at_most(name + ", " + law.title + ", poses that pull", push.pulls, 0);
    if (mug && &on == kSupports)
      promises.at_most(name + ", " + law.title + ", largest sideways over normal", push.worst, 0.05);
  }
}

int run(int argc, char** argv) {
  std::string dataset, only, csv_name, on_name = kSupports[0].name;
  CLI::App app("The tables of docs/soft_potential.md");
  app.add_option("DATASET", dataset, benchmarks::kObjectsHelp);
  std::vector<std::string> on_names;
  for (const Support& support : kSupports) on_names.emplace_back(support.name);
  app.add_option(
         "--on", on_name,
         "What the objects stand on: the cracker box, the rim of a can, or the wood block, overhanging")
      ->check(CLI::IsMember(on_names));
  app.add_option("--only", only, "Objects whose name contains this, beside what they stand on");
  app.add_option("--csv", csv_name, "File for the mug's sideways forces, which upright.gp draws");
  CLI11_PARSE(app, argc, argv);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> csv(
      csv_name.empty() ? nullptr : std::fopen(csv_name.c_str(), "w"),
      [](std::FILE* f) { return std::fclose(f); });
  if (!csv_name.empty() && !csv) throw InvalidInput("cannot write " + csv_name);
  if (csv) fmt::print(csv.get(), "law;place;depth_mm;sideways_over_normal\n");
  const preprocess::Parameters parameters = benchmarks::points_and_grid({8000, 2000});
  std::map<std::string, body::Body> bodies, fine;
  for (const datasets::ObjectSource& object :
       datasets::open_dataset(benchmarks::objects_folder(dataset), {}).objects) {
    const auto in_name = [&](const std::string& part) { return object.name.find(part) != std::string::npos; };
    if (!in_name(only) && !in_name("box") && !in_name("block")) continue;
    asset::Asset made = preprocess::make_asset(object, parameters, {});
    const auto shared = std::make_shared<const asset::Asset>(std::move(made));
    fine.emplace(object.name, body::Body{body::Geometry(shared)});
    bodies.emplace(object.name, body::Body{body::Geometry(shared, {.points = 1})});
  }
  const auto named = [](const auto& all, const std::string& part) -> const body::Body& {
    for (const auto& [name, body] : all)
      if (name.find(part) != std::string::npos) return body;
    throw InvalidInput("the dataset has no object whose name contains " + part);
  };
  const Support& on = *std::find_if(std::begin(kSupports), std::end(kSupports),
                                    [&](const Support& support) { return on_name == support.name; });
  const auto support = [&]() -> body::Body {
    if (on.part == nullptr)
      return soft_potential_scenes::made(
          "can", soft_potential_scenes::mesh_of(soft_potential_scenes::rod(0.05, 0.04)));
    return named(bodies, bodies.contains(on.part) ? on.part : "box");
  };
  const body::Body box = support();
  benchmarks::Promises promises;
  fmt::print("| object on {} | law | median | 90 % | largest | pulls | beyond exact |\n",
             box.geometry.name());
  fmt::print("|---|---|---|---|---|---|---|\n");
  for (const auto& [name, object] : bodies)
    if (name.find(only) != std::string::npos) push_table(on, box, object, name, csv.get(), promises);
  if (!only.empty() || &on != kSupports) return promises.verdict();
  fmt::print(
      "\n| quads each | inside | law | wrench ms | with Jacobian ms | with Hessian ms "
      "|\n|---|---|---|---|---|---|\n");
  time_pair(named(bodies, "mug"), named(bodies, "banana"));
  time_pair(named(fine, "mug"), named(fine, "banana"));
  return promises.verdict();
}

}  // namespace

int main(int argc, char** argv) { return abut::benchmarks::guarded("soft_potential_table", run, argc, argv); }
