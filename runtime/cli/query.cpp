// abut-query: contact questions about pairs of assets, answered from the shell.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "runtime/cli/asset_folder.h"
#include "runtime/cli/output_file.h"
#include "runtime/cli/point_query.h"
#include "runtime/cli/pose_file.h"
#include "runtime/cli/pressure_wrenches.h"
#include "runtime/cli/program.h"
#include "runtime/cli/quantity.h"
#include "runtime/core/error.h"
#include "runtime/core/parallel.h"

namespace {

using namespace abut;

constexpr std::size_t kBlock = 4096;           // rows in flight
constexpr double kQuaternionTolerance = 1e-3;  // |q| may be off by this much and is normalised

struct Arguments {
  std::string assets, poses, what, method, out, surfaces, surface_format = "vtk";
  int jobs = 0;
  cli::PressureOptions pressure;
  std::vector<std::string> pressure_flags;  // those given

  bool pressure_field() const { return method == "pressure_field"; }
  cli::QuantityOptions options() const { return {jobs, pressure}; }
};

// Rate and time left on one line of a terminal; silent on anything else.
class Progress {
 public:
  void update(std::size_t rows, double share) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - shown_ < std::chrono::milliseconds(200)) return;
    shown_ = now;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    const std::string left = share > 0 ? fmt::format(", {:.0f} s left", seconds * (1 - share) / share) : "";
    fmt::print(stderr, "\r{} rows, {:.0f} rows/s{}\033[K", rows, static_cast<double>(rows) / seconds, left);
  }
  void finish(std::size_t rows, std::size_t unanswered) const {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (terminal_) fmt::print(stderr, "\r\033[K");
    fmt::print(stderr, "{} rows in {:.2f} s ({:.0f} rows/s), {} without an answer (see their status)\n", rows,
               seconds, static_cast<double>(rows) / seconds, unanswered);
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), shown_ = start_;
};

// Assets and, where the model takes them, primitives.
class Bodies {
 public:
  Bodies(const Arguments& arguments, const cli::Quantity& quantity)
      : assets_(arguments.assets),
        take_primitives_(arguments.pressure_field()),
        needs_A_(quantity.needs_A()),
        needs_B_(quantity.needs_B()) {}

  const asset::AssetView& A(const std::string& name) { return body(name, needs_A_); }
  const asset::AssetView& B(const std::string& name) { return body(name, needs_B_); }

 private:
  const asset::AssetView& body(const std::string& name, unsigned needs) {
    if (take_primitives_ && cli::PrimitiveBodies::is_primitive(name)) return primitives_[name];
    const asset::AssetView& view = assets_[name];
    if (const char* missing = asset::missing_part(view, needs))
      throw InvalidInput("asset '" + name + "' " + missing);
    return view;
  }

  cli::AssetFolder assets_;
  cli::PrimitiveBodies primitives_;
  bool take_primitives_;
  unsigned needs_A_, needs_B_;
};

// A block of rows between reading and writing.
struct Block {
  std::vector<cli::PoseRow> rows;
  std::vector<asset::PosedPair> pairs;   // of the rows that can be asked
  std::vector<Vec6<double>> twists;      // of the same
  std::vector<std::ptrdiff_t> question;  // row -> its pair, -1 where the pose is NaN or infinite
  std::vector<double> values;
  std::vector<Status> statuses;
  std::vector<std::string> lines;

  void read(cli::PoseFile& file, Bodies& bodies);
  void format(std::size_t columns, int threads);
};

void Block::read(cli::PoseFile& file, Bodies& bodies) {
  rows.clear();
  pairs.clear();
  twists.clear();
  question.clear();
  cli::PoseRow row;
  while (rows.size() < kBlock && file.next(row)) {
    asset::PosedPair pair;
    try {
      pair.A = &bodies.A(row.objA);
      pair.B = &bodies.B(row.objB);
    } catch (const InvalidInput& error) {
      throw InvalidInput(file.place() + ": " + error.what());
    }
    const auto& [w, x, y, z] = row.quaternion;
    const Eigen::Quaterniond q(w, x, y, z);
    const Vec3<double> p(row.translation[0], row.translation[1], row.translation[2]);
    const Vec6<double> twist = Vec6<double>::Map(row.twist.data());
    const bool finite = q.coeffs().allFinite() && p.allFinite() && twist.allFinite();
    if (finite && std::abs(q.norm() - 1) > kQuaternionTolerance)
      throw InvalidInput(
          fmt::format("{}: the quaternion has length {}; normalise it first", file.place(), q.norm()));
    question.push_back(finite ? static_cast<std::ptrdiff_t>(pairs.size()) : -1);
    if (finite) {
      pair.X_AB = {q.normalized().toRotationMatrix(), p};
      pairs.push_back(pair);
      twists.push_back(twist);
    }
    rows.push_back(row);
  }
}

// As PoseFile reads it back: in double quotes where it has a comma.
std::string csv_field(const std::string& text) {
  return text.find(',') == std::string::npos ? text : '"' + text + '"';
}

void Block::format(std::size_t columns, int threads) {
  lines.resize(rows.size());
  parallel_for(
      static_cast<std::int64_t>(rows.size()), threads,
      [&](std::int64_t i, int) {
        const cli::PoseRow& row = rows[i];
        const std::ptrdiff_t pair = question[i];
        std::string& line = lines[i];
        line = fmt::format("{},{},{}", row.idx, csv_field(row.objA), csv_field(row.objB));
        const auto append = std::back_inserter(line);
        for (const double v : row.quaternion) fmt::format_to(append, ",{:.17g}", v);
        for (const double v : row.translation) fmt::format_to(append, ",{:.17g}", v);
        for (std::size_t k = 0; k < columns; ++k)
          fmt::format_to(append, ",{:.17g}", pair < 0 ? std::nan("") : values[pair * columns + k]);
        fmt::format_to(append, ",{}\n", to_string(pair < 0 ? Status::kInvalidInput : statuses[pair]));
      },
      64);
}

bool unanswered(Status status) { return status == Status::kInvalidInput || status == Status::kNotConverged; }

int run_points(const Arguments& arguments) {
  if (!arguments.method.empty())
    throw InvalidInput("--method " + arguments.method + ": --what ssdf has no choice of methods");
  const Progress progress;
  const cli::PointQueryCount count =
      cli::query_points(arguments.assets, arguments.poses, arguments.out, arguments.jobs);
  progress.finish(count.rows, count.unanswered);
  return count.unanswered == 0 ? 0 : 1;
}

// The contact surface of every row of a block, FOLDER/<row from 0>.vtk.
void write_surfaces(const Block& block, std::size_t first_row, const Arguments& arguments) {
  const std::filesystem::path folder = arguments.surfaces;
  std::error_code ignored;  // writing says what is wrong with the folder
  std::filesystem::create_directories(folder, ignored);
  for (std::size_t i = 0; i < block.rows.size(); ++i)
    if (block.question[i] >= 0)
      contact::write_contact_mesh(
          cli::pressure_surface(block.pairs[static_cast<std::size_t>(block.question[i])], arguments.pressure),
          folder / fmt::format("{}.{}", first_row + i, arguments.surface_format));
}

int run(const Arguments& arguments) {
  if (!arguments.pressure_flags.empty() && !arguments.pressure_field())
    throw InvalidInput(arguments.pressure_flags.front() + " goes with --model pressure_field");
  if (arguments.what == cli::kPointQuantity) return run_points(arguments);
  const std::unique_ptr<cli::Quantity> quantity =
      cli::make_quantity(arguments.what, arguments.method, arguments.options());
  Bodies bodies(arguments, *quantity);
  cli::PoseFile poses(arguments.poses);
  cli::OutputFile out(arguments.out);
  const std::size_t columns = quantity->columns().size();
  out.write("idx,objA,objB,qw,qx,qy,qz,tx,ty,tz");
  for (const std::string& name : quantity->columns()) out.write("," + name);
  out.write(",status\n");

  Progress progress;
  Block block;
  std::size_t rows = 0, failed = 0;
  for (;;) {
    block.read(poses, bodies);
    if (block.rows.empty()) break;
    block.values.resize(block.pairs.size() * columns);
    block.statuses.resize(block.pairs.size());
    quantity->answer({block.pairs, block.twists}, block.values, block.statuses);
    block.format(columns, arguments.jobs);
    if (!arguments.surfaces.empty()) write_surfaces(block, rows, arguments);
    for (const std::string& line : block.lines) out.write(line);
    failed +=
        block.rows.size() - block.pairs.size() +
        static_cast<std::size_t>(std::count_if(block.statuses.begin(), block.statuses.end(), unanswered));
    rows += block.rows.size();
    progress.update(rows, poses.share_read());
  }
  out.finish();
  progress.finish(rows, failed);
  return failed == 0 ? 0 : 1;
}

std::string describe_quantities() {
  std::string text = "Quantities (--what) and their methods (--method; the first is the default):\n";
  for (const cli::QuantityRow& row : cli::quantities()) {
    text += fmt::format("  {:<19}{}\n", row.name, row.description);
    if (!row.methods.empty()) text += fmt::format("  {:<19}methods: {}\n", "", fmt::join(row.methods, ", "));
  }
  text += fmt::format("  {:<19}{}\n  {:<19}{}\n", cli::kPointQuantity,
                      "soft signed distance of points from an object: value (m), gradient, Hessian (1/m);",
                      "", "POSES then has columns obj, x, y, z (m, in the object's frame)");
  text +=
      "With --model pressure_field objA or objB may be @sphere:R, @box:X:Y:Z, @cylinder:R:H, @capsule:R:H "
      "(rigid, half\nsizes in m), and objB @half_space (z <= 0 of its frame; rigid with --rigid-b).\n";
  return text +
         "Exit status: 0 every row answered; 1 some rows have status invalid_input or not_converged; 2 "
         "error.";
}

// The options of pressure-field contact.
void add_pressure_options(CLI::App& app, Arguments& arguments) {
  contact::PressureFieldConfig& config = arguments.pressure.config;
  const std::string group = "With --model pressure_field";
  std::vector<CLI::Option*> options;
  const auto both = [&](const std::string& name, double contact::PressureMaterial::*member,
                        const std::string& text) {
    const std::pair<const char*, contact::PressureMaterial*> materials[] = {{"-a", &config.A},
                                                                            {"-b", &config.B}};
    for (const auto& [which, material] : materials)
      options.push_back(
          app.add_option(name + which, material->*member, text + (which[1] == 'a' ? " of objA" : " of objB"))
              ->capture_default_str());
  };
  both("--modulus", &contact::PressureMaterial::modulus, "pressure in the core (Pa)");
  both("--dissipation", &contact::PressureMaterial::dissipation, "Hunt and Crossley's factor (s)");
  both("--mu", &contact::PressureMaterial::friction, "coefficient of friction");
  const auto rigid = [&](const std::string& name, contact::PressureMaterial& material) {
    options.push_back(app.add_flag_callback(
        name, [&material] { material.modulus = contact::kRigid; }, "its surface is rigid"));
  };
  rigid("--rigid-a", config.A);
  rigid("--rigid-b", config.B);
  options.push_back(app.add_option("--stiction-speed", config.stiction_speed,
                                   "slip at which friction is nearly whole (m/s)")
                        ->capture_default_str());
  options.push_back(app.add_option("--half-space-thickness", arguments.pressure.half_space_thickness,
                                   "depth at which @half_space has its modulus (m)")
                        ->capture_default_str());
  options.push_back(app.add_flag("--fade-pulls", config.fade_pulls,
                                 "fade out the parts of the surface that would pull the bodies together"));
  options.push_back(app.add_flag("--energy", arguments.pressure.energy, "a column for the potential (J)"));
  options.push_back(app.add_option("--surfaces", arguments.surfaces,
                                   "folder for each row's contact surface, 0.vtk, 1.vtk, ..., in B's frame"));
  options.push_back(app.add_option("--surface-format", arguments.surface_format, "vtk or ply")
                        ->capture_default_str()
                        ->check(CLI::IsMember({"vtk", "ply"})));
  for (CLI::Option* option : options) {
    option->group(group);
    option->each([&arguments, name = option->get_name()](const std::string&) {
      arguments.pressure_flags.push_back(name);
    });
  }
}

// Reads the command line and answers; returns the exit code.
int query(int argc, char** argv) {
  CLI::App app{"Answers contact questions about pairs of assets in given poses."};
  Arguments arguments;
  arguments.what = abut::cli::quantities().front().name;
  app.add_option("ASSETS", arguments.assets, "folder of assets made by abut-preprocess")->required();
  app.add_option(
         "POSES", arguments.poses,
         "CSV with columns objA, objB, qw, qx, qy, qz, tx, ty, tz: the pose X_AB of B in A, metres; with wx, "
         "wy, wz, vx, vy, vz the twist of B in A too, in B; - reads standard input")
      ->required();
  app.add_option("--what", arguments.what, "quantity to answer")->capture_default_str();
  app.add_option("--method,--model", arguments.method, "how, where there is a choice");
  app.add_option("--out", arguments.out, "CSV file to write; standard output if absent");
  add_pressure_options(app, arguments);
  app.add_option("--jobs", arguments.jobs, "threads; 0: one per core")
      ->capture_default_str()
      ->check(CLI::Range(0, 1024));
  app.footer(describe_quantities);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return run(arguments);
}

}  // namespace

int main(int argc, char** argv) { return abut::cli::run_program("abut-query", query, argc, argv); }
