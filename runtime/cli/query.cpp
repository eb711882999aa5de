// abut-query: answers contact questions about pairs of assets from the shell.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <utility>

#include "runtime/cli/asset_folder.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/output_ending.h"
#include "runtime/cli/point_query.h"
#include "runtime/cli/pose_file.h"
#include "runtime/cli/program.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/query_options.h"
#include "runtime/cli/wrong_signs.h"
#include "runtime/contact/contact_mesh.h"
#include "runtime/core/error.h"
#include "runtime/core/output_file.h"
#include "runtime/core/parallel.h"

namespace {

using namespace abut;
using Arguments = cli::QueryArguments;

constexpr std::size_t kBlock = 4096;           // rows per block
constexpr double kQuaternionTolerance = 1e-3;  // |q| may deviate from 1 by this much and is then normalised

std::string answered(std::size_t failed) {
  return fmt::format(", {} without an answer (see their status)", failed);
}

// A block of rows between reading and writing.
struct Block {
  std::vector<cli::PoseRow> rows;
  std::vector<body::Pair> pairs;         // of the rows with valid poses
  std::vector<std::ptrdiff_t> question;  // row -> its pair, -1 where the pose is NaN or infinite
  cli::Answers answers;
  std::vector<std::string> lines;

  void read(cli::PoseFile& file, cli::QueryBodies& bodies, const cli::Quantity& quantity);
  void add(const cli::PoseRow& row, cli::QueryBodies& bodies, const cli::Quantity& quantity);
  void format(std::size_t columns, bool twists, int threads);
};

void Block::read(cli::PoseFile& file, cli::QueryBodies& bodies, const cli::Quantity& quantity) {
  rows.clear();
  pairs.clear();
  question.clear();
  cli::PoseRow row;
  while (rows.size() < kBlock && file.next(row)) {
    try {
      add(row, bodies, quantity);
    } catch (const InvalidInput& error) {
      throw InvalidInput(file.place() + ": " + error.what());
    }
    rows.push_back(row);
  }
}

void Block::add(const cli::PoseRow& row, cli::QueryBodies& bodies, const cli::Quantity& quantity) {
  body::Pair pair{&bodies.A(row.objA), &bodies.B(row.objB), {}};
  const auto& [w, x, y, z] = row.quaternion;
  const Eigen::Quaterniond q(w, x, y, z);
  const Vec3<double> p(row.translation[0], row.translation[1], row.translation[2]);
  pair.V_AB_B = Vec6<double>::Map(row.twist.data());
  const bool finite = q.coeffs().allFinite() && p.allFinite() && pair.V_AB_B.allFinite();
  question.push_back(finite ? static_cast<std::ptrdiff_t>(pairs.size()) : -1);
  if (!finite) return;
  if (!(std::abs(q.norm() - 1) <= kQuaternionTolerance))
    throw InvalidInput(fmt::format("the quaternion has length {}; normalise it first", q.norm()));
  pair.X_AB = {q.normalized().toRotationMatrix(), p};
  quantity.require_valid(pair);
  pairs.push_back(pair);
}

void Block::format(std::size_t columns, bool twists, int threads) {
  lines.resize(rows.size());
  parallel_for(
      static_cast<std::int64_t>(rows.size()), threads,
      [&](std::int64_t i, int) {
        const cli::PoseRow& row = rows[i];
        const std::ptrdiff_t pair = question[i];
        std::string asked = fmt::format("{},{},{}", cli::csv_field(row.idx), cli::csv_field(row.objA),
                                        cli::csv_field(row.objB));
        for (const double v : row.quaternion) fmt::format_to(std::back_inserter(asked), ",{}", v);
        for (const double v : row.translation) fmt::format_to(std::back_inserter(asked), ",{}", v);
        for (const double v : row.twist)
          if (twists) fmt::format_to(std::back_inserter(asked), ",{}", v);
        std::string& line = lines[i];
        line.clear();
        const std::size_t first = pair < 0 ? 0 : answers.first[pair];
        const std::size_t last = pair < 0 ? 1 : answers.first[pair + 1];
        for (std::size_t answer = first; answer < last; ++answer) {
          line += asked;
          for (std::size_t k = 0; k < columns; ++k) {
            const double v = pair < 0 ? std::nan("") : answers.values[answer * columns + k];
            fmt::format_to(std::back_inserter(line), ",{}",
                           std::isnan(v) ? std::nan("") : v);  // drops the sign of a NaN
          }
          line +=
              fmt::format(",{}\n", to_string(pair < 0 ? Status::kInvalidInput : answers.statuses[answer]));
        }
      },
      64);
}

bool unanswered(Status status) { return status == Status::kInvalidInput || status == Status::kNotConverged; }

int run_points(const Arguments& arguments) {
  if (!arguments.method.empty())
    throw InvalidInput(arguments.method_option + " " + arguments.method + ": --what " + arguments.what +
                       " has no choice of " + arguments.method_option.substr(2) + "s");
  if (arguments.all_contacts || arguments.margin != 0)
    throw InvalidInput("--all-contacts and --margin: --what " + arguments.what + " has no contacts");
  const ssdf::SoftDistanceConfig config = ssdf::soft_distance_config(arguments.settings);
  const cli::Progress progress("row");
  cli::WrongSigns wrong_signs(arguments.what, arguments.settings);
  const cli::PointQueryCount count =
      cli::query_points(arguments.assets, arguments.poses, arguments.out, arguments.jobs, config,
                        [&](const body::Geometry& geometry) { wrong_signs.note(geometry); });
  progress.finish(static_cast<double>(count.rows), answered(count.unanswered));
  wrong_signs.print("abut-query");
  return count.unanswered == 0 ? 0 : 1;
}

// Writes the contact surface of every row of a block to FOLDER/<row from 0>.vtk or .ply (--surface-format);
// for a row without a valid pose there is no such file.
void write_surfaces(const Block& block, std::size_t first_row, const Arguments& arguments,
                    const contact::PressureFieldSettings& settings) {
  const std::filesystem::path folder = arguments.surfaces;
  for (std::size_t i = 0; i < block.rows.size(); ++i)
    if (const std::filesystem::path file =
            folder / fmt::format("{}.{}", first_row + i, arguments.surface_format);
        block.question[i] >= 0)
      contact::write_contact_mesh(
          contact::contact_mesh(block.pairs[static_cast<std::size_t>(block.question[i])], settings), file);
    else if (std::error_code error; std::filesystem::remove(file, error), error)
      throw IoError(
          fmt::format("{}: is of another run, and cannot be removed: {}", file.string(), error.message()));
}

// Whether a surface of some row would be written there.
bool is_surface(const std::filesystem::path& file, const Arguments& arguments) {
  const std::filesystem::path place = place_of(file);
  const std::string number = place.stem().string();
  return place.parent_path() == place_of(arguments.surfaces) &&
         place.extension() == "." + arguments.surface_format && !number.empty() &&
         std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void prepare_surfaces(const Arguments& arguments) {
  const std::filesystem::path folder = arguments.surfaces;
  for (const std::string& file : {arguments.poses, arguments.out})
    if (is_surface(file, arguments))
      throw InvalidInput(file +
                         ": the surface of a row would be written there; give --surfaces another folder");
  std::error_code ignored;  // the writer reports what is wrong with the folder
  std::filesystem::create_directories(folder, ignored);
  check_writable(folder / ("0." + arguments.surface_format));
}

bool gives(const Arguments& arguments, std::string_view flag) {
  const std::vector<std::string>& flags = arguments.wrench_flags;
  return std::find(flags.begin(), flags.end(), flag) != flags.end();
}

// For a quantity without models --model is a synonym of --method, and has a default.
void settle_model(Arguments& arguments) {
  if (cli::has_models(arguments.what)) return;
  if (!arguments.method.empty() && !arguments.model.empty() && arguments.method != arguments.model)
    throw InvalidInput("--method " + arguments.method + " and --model " + arguments.model + ": --what " +
                       arguments.what + " takes one of them");
  if (arguments.method.empty()) arguments.method_option = "--model";
  if (!arguments.model.empty()) arguments.method = std::exchange(arguments.model, "");
  if (arguments.method.empty()) arguments.method = cli::default_method(arguments.what);
}

// Refuses --stiction-speed and --stiction without friction: they set the slip speed of friction.
void require_friction(const Arguments& arguments) {
  if (arguments.bodies.A.friction > 0 && arguments.bodies.B.friction > 0) return;
  const std::string slip = cli::slip_option(arguments.settings);
  if (!slip.empty()) throw InvalidInput(slip + " has no effect without friction; give --mu-a and --mu-b");
}

// Refuses options that would have no effect.
void require_heeded(const Arguments& arguments) {
  if (!arguments.wrench_flags.empty() && !std::string_view(arguments.what).starts_with("wrench"))
    throw InvalidInput(arguments.wrench_flags.front() + " goes with --what wrench and its derivatives");
  for (const std::string& flag : arguments.wrench_flags) {
    if (flag == "--energy" || flag.starts_with("--surface") || arguments.method == "pressure_field") continue;
    if (arguments.method == "point")
      throw InvalidInput(flag +
                         " has no effect with --model point, a spring without friction or damping; --model " +
                         "pressure_field has materials, soft_potential and soft_minimum friction");
    if (!flag.starts_with("--mu"))
      throw InvalidInput(flag + " has no effect with --model " + arguments.method +
                         ", of whose materials friction alone counts; --model pressure_field has all");
  }
  if (!arguments.surfaces.empty() && arguments.method != "pressure_field")
    throw InvalidInput("--surfaces goes with --model pressure_field");
  if (arguments.energy && arguments.what == "wrench_hessian")
    throw InvalidInput("--energy: --what wrench_hessian has no column for it; take wrench or its derivative");
  if (gives(arguments, "--mu-a") != gives(arguments, "--mu-b"))
    throw InvalidInput(
        "--mu-a and --mu-b go together: friction of a pair is their harmonic mean, 0 where one is 0");
  for (const auto& [dissipation, rigid] :
       {std::pair{"--dissipation-a", "--rigid-a"}, std::pair{"--dissipation-b", "--rigid-b"}})
    if (gives(arguments, dissipation) && gives(arguments, rigid))
      throw InvalidInput(std::string(dissipation) + " has no effect with " + rigid +
                         ": dissipation is of what yields");
  if (std::string_view(arguments.what).starts_with("wrench")) require_friction(arguments);
}

// The same for options that affect only some bodies, once the bodies of all rows are known.
void require_heeded_by(const Arguments& arguments, const cli::QueryBodies& bodies) {
  if (gives(arguments, "--half-space-thickness") && !bodies.heeded_thickness())
    throw InvalidInput("--half-space-thickness has no effect: no row has an @half_space that is not rigid");
  for (const auto& [side, heeded] :
       {std::pair{'a', bodies.compliant_A()}, std::pair{'b', bodies.compliant_B()}})
    if (gives(arguments, std::string("--dissipation-") + side) && !heeded)
      throw InvalidInput(fmt::format(
          "--dissipation-{0} has no effect: no row has an obj{1} that is not rigid; --modulus-{0} "
          "makes primitives compliant",
          side, side == 'a' ? 'A' : 'B'));
}

int run(Arguments& arguments) {
  settle_model(arguments);
  require_heeded(arguments);
  require_not_input(arguments.out, arguments.poses);
  cli::require_no_container_replaced(arguments.out);
  cli::require_ending("--out", arguments.out, {".csv"});
  if (arguments.what == cli::kPointQuantity) return run_points(arguments);
  const std::unique_ptr<cli::Quantity> quantity =
      cli::make_quantity(arguments.what, arguments.method, arguments.options());
  cli::QueryBodies bodies(arguments.assets, arguments.bodies);
  cli::PoseFile poses(arguments.poses);
  OutputFile out(arguments.out);
  contact::PressureFieldSettings of_surfaces;
  if (!arguments.surfaces.empty()) {
    of_surfaces = contact::pressure_field_config(arguments.settings);
    prepare_surfaces(arguments);
  }
  const std::size_t columns = quantity->columns().size();
  out.write(fmt::format("{}\n", fmt::join(cli::answer_columns(*quantity, poses.has_twists()), ",")));

  cli::Progress progress("row");
  Block block;
  std::size_t rows = 0, failed = 0;
  for (;;) {
    block.read(poses, bodies, *quantity);
    if (block.rows.empty()) break;
    quantity->answer(block.pairs, block.answers);
    block.format(columns, poses.has_twists(), arguments.jobs);
    if (!arguments.surfaces.empty()) write_surfaces(block, rows, arguments, of_surfaces);
    for (const std::string& line : block.lines) out.write(line);
    failed += block.rows.size() - block.pairs.size() +
              static_cast<std::size_t>(
                  std::count_if(block.answers.statuses.begin(), block.answers.statuses.end(), unanswered));
    rows += block.rows.size();
    progress.update(static_cast<double>(rows), poses.share_read());
  }
  require_heeded_by(arguments, bodies);
  out.finish();
  progress.finish(static_cast<double>(rows), answered(failed));
  cli::WrongSigns wrong_signs(arguments.method, arguments.settings);
  bodies.visit([&](const body::Body& body) { wrong_signs.note(body.geometry); });
  wrong_signs.print("abut-query");
  return failed == 0 ? 0 : 1;
}

// Reads the command line and answers; returns the exit code.
int query(int argc, char** argv) {
  CLI::App app{"Answers contact questions about pairs of assets in given poses.", "abut-query"};
  Arguments arguments;
  cli::add_query_options(app, arguments);
  return cli::parse(app, argc, argv) ? run(arguments) : 0;
}

}  // namespace

int main(int argc, char** argv) { return abut::cli::run_program("abut-query", query, argc, argv); }
