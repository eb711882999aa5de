// abut-query: contact questions about pairs of assets, answered from the shell.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <iterator>

#include "runtime/cli/asset_folder.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/point_query.h"
#include "runtime/cli/pose_file.h"
#include "runtime/cli/pressure_wrenches.h"
#include "runtime/cli/program.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/query_options.h"
#include "runtime/core/error.h"
#include "runtime/core/output_file.h"
#include "runtime/core/parallel.h"

namespace {

using namespace abut;
using Arguments = cli::QueryArguments;

constexpr std::size_t kBlock = 4096;           // rows in flight
constexpr double kQuaternionTolerance = 1e-3;  // |q| may be off by this much and is normalised

std::string answered(std::size_t failed) {
  return fmt::format(", {} without an answer (see their status)", failed);
}

// Assets and, where the model takes them, primitives.
class Bodies {
 public:
  Bodies(const Arguments& arguments, const cli::Quantity& quantity)
      : quantity_(quantity),
        assets_(arguments.assets),
        take_primitives_(arguments.pressure_field()),
        needs_A_(quantity.needs_A()),
        needs_B_(quantity.needs_B()) {}

  const asset::AssetView& A(const std::string& name) { return body(name, needs_A_); }
  const asset::AssetView& B(const std::string& name) { return body(name, needs_B_); }
  void require_valid(const asset::PosedPair& pair) const { quantity_.require_valid(pair); }

 private:
  const asset::AssetView& body(const std::string& name, unsigned needs) {
    if (cli::PrimitiveBodies::is_primitive(name)) {
      if (take_primitives_) return primitives_[name];
      throw InvalidInput("'" + name +
                         "' is no asset but a body given by its sizes, which goes with --model "
                         "pressure_field (--what wrench or wrench_derivative)");
    }
    const asset::AssetView& view = assets_[name];
    if (const char* missing = asset::missing_part(view, needs))
      throw InvalidInput("asset '" + name + "' " + missing);
    return view;
  }

  const cli::Quantity& quantity_;
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
  void add(const cli::PoseRow& row, Bodies& bodies);
  void format(std::size_t columns, int threads);
};

void Block::read(cli::PoseFile& file, Bodies& bodies) {
  rows.clear();
  pairs.clear();
  twists.clear();
  question.clear();
  cli::PoseRow row;
  while (rows.size() < kBlock && file.next(row)) {
    try {
      add(row, bodies);
    } catch (const InvalidInput& error) {
      throw InvalidInput(file.place() + ": " + error.what());
    }
    rows.push_back(row);
  }
}

void Block::add(const cli::PoseRow& row, Bodies& bodies) {
  asset::PosedPair pair{&bodies.A(row.objA), &bodies.B(row.objB), {}};
  const auto& [w, x, y, z] = row.quaternion;
  const Eigen::Quaterniond q(w, x, y, z);
  const Vec3<double> p(row.translation[0], row.translation[1], row.translation[2]);
  const Vec6<double> twist = Vec6<double>::Map(row.twist.data());
  const bool finite = q.coeffs().allFinite() && p.allFinite() && twist.allFinite();
  question.push_back(finite ? static_cast<std::ptrdiff_t>(pairs.size()) : -1);
  if (!finite) return;
  if (!(std::abs(q.norm() - 1) <= kQuaternionTolerance))
    throw InvalidInput(fmt::format("the quaternion has length {}; normalise it first", q.norm()));
  pair.X_AB = {q.normalized().toRotationMatrix(), p};
  bodies.require_valid(pair);
  pairs.push_back(pair);
  twists.push_back(twist);
}

void Block::format(std::size_t columns, int threads) {
  lines.resize(rows.size());
  parallel_for(
      static_cast<std::int64_t>(rows.size()), threads,
      [&](std::int64_t i, int) {
        const cli::PoseRow& row = rows[i];
        const std::ptrdiff_t pair = question[i];
        std::string& line = lines[i];
        line = fmt::format("{},{},{}", cli::csv_field(row.idx), cli::csv_field(row.objA),
                           cli::csv_field(row.objB));
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
  const ssdf::SoftDistanceConfig config = ssdf::soft_distance_config(arguments.settings);
  const cli::Progress progress("row");
  const cli::PointQueryCount count =
      cli::query_points(arguments.assets, arguments.poses, arguments.out, arguments.jobs, config);
  progress.finish(static_cast<double>(count.rows), answered(count.unanswered));
  return count.unanswered == 0 ? 0 : 1;
}

// The contact surface of every row of a block, FOLDER/<row from 0>.vtk.
void write_surfaces(const Block& block, std::size_t first_row, const Arguments& arguments) {
  const std::filesystem::path folder = arguments.surfaces;
  for (std::size_t i = 0; i < block.rows.size(); ++i)
    if (block.question[i] >= 0)
      contact::write_contact_mesh(
          cli::pressure_surface(block.pairs[static_cast<std::size_t>(block.question[i])], arguments.pressure),
          folder / fmt::format("{}.{}", first_row + i, arguments.surface_format));
}

void prepare_surfaces(const std::filesystem::path& folder) {
  std::error_code ignored;  // writing says what is wrong with the folder
  std::filesystem::create_directories(folder, ignored);
  check_writable(folder / "0.vtk");
}

int run(const Arguments& arguments) {
  if (!arguments.pressure_flags.empty() && !arguments.pressure_field())
    throw InvalidInput(arguments.pressure_flags.front() + " goes with --model pressure_field");
  require_not_input(arguments.out, arguments.poses);
  const std::filesystem::path out_file = arguments.out;
  if (out_file.extension() == ".h5")
    require_not_input(out_file, std::filesystem::path(arguments.assets) / out_file.filename());
  if (arguments.what == cli::kPointQuantity) return run_points(arguments);
  const std::unique_ptr<cli::Quantity> quantity =
      cli::make_quantity(arguments.what, arguments.method, arguments.options());
  Bodies bodies(arguments, *quantity);
  cli::PoseFile poses(arguments.poses);
  OutputFile out(arguments.out);
  if (!arguments.surfaces.empty()) prepare_surfaces(arguments.surfaces);
  const std::size_t columns = quantity->columns().size();
  out.write(fmt::format("{}\n", fmt::join(cli::answer_columns(*quantity), ",")));

  cli::Progress progress("row");
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
    progress.update(static_cast<double>(rows), poses.share_read());
  }
  out.finish();
  progress.finish(static_cast<double>(rows), answered(failed));
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
