#include "runtime/cli/point_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "runtime/cli/asset_folder.h"
#include "runtime/cli/csv_columns.h"
#include "runtime/core/error.h"
#include "runtime/core/output_file.h"
#include "runtime/ssdf/soft_distances.h"

namespace abut::cli {
namespace {

using ssdf::SoftDistance;

constexpr std::size_t kBlock = 4096;  // rows per block

// An asset of the folder, or a primitive such as "@sphere:0.02".
body::Geometry named(const std::string& name, AssetFolder& assets) {
  return name.starts_with('@') ? body::Geometry(body::parse_primitive(name.substr(1))) : assets[name];
}

struct Rows {
  std::size_t rows_read = 0;
  std::vector<std::string> idx, obj;
  std::vector<Vec3<double>> points;
  std::vector<SoftDistance<double>> answers;
  std::map<std::string, ssdf::SoftDistances> fields;  // by object

  void read(CsvColumns& file, AssetFolder& assets, const ssdf::SoftDistanceConfig& config,
            const std::function<void(const body::Geometry&)>& made) {
    idx.clear(), obj.clear(), points.clear();
    while (points.size() < kBlock && file.next()) {
      idx.push_back(file.has(0) ? std::string(file.text(0)) : std::to_string(rows_read));
      ++rows_read;
      obj.emplace_back(file.text(1));
      points.emplace_back(file.number(2), file.number(3), file.number(4));
      try {
        if (!fields.contains(obj.back())) {
          const body::Geometry geometry = named(obj.back(), assets);
          fields.try_emplace(obj.back(), geometry, config);
          made(geometry);
        }
      } catch (const InvalidInput& error) {
        throw InvalidInput(file.place() + ": " + error.what());
      }
    }
    answers.resize(points.size());
  }

  // Consecutive rows about one object are answered together.
  void answer(int jobs) {
    for (std::size_t first = 0, last = 0; first < points.size(); first = last) {
      while (last < points.size() && obj[last] == obj[first]) ++last;
      fields.at(obj[first])(std::span<const Vec3<double>>(points).subspan(first, last - first),
                            ssdf::Order::kHessian, std::span(answers).subspan(first, last - first), jobs);
    }
  }

  std::string line(std::size_t i) const {
    const SoftDistance<double>& d = answers[i];
    std::string text = fmt::format("{},{}", csv_field(idx[i]), csv_field(obj[i]));
    const auto add = [&](double v) { fmt::format_to(std::back_inserter(text), ",{}", v); };
    for (int k = 0; k < 3; ++k) add(points[i][k]);
    add(d.value);
    for (int k = 0; k < 3; ++k) add(d.gradient[k]);
    for (int k = 0; k < 3; ++k)
      for (int l = k; l < 3; ++l) add(d.hessian(k, l));
    return text + "," + std::string(to_string(d.status)) + "\n";
  }
};

}  // namespace

PointQueryCount query_points(const std::string& assets, const std::string& path, const std::string& out,
                             int jobs, const ssdf::SoftDistanceConfig& config,
                             const std::function<void(const body::Geometry&)>& made) {
  AssetFolder folder(assets);
  CsvColumns file(path, kPointColumns);
  OutputFile output(out);
  output.write("idx,obj,x,y,z,value,gx,gy,gz,hxx,hxy,hxz,hyy,hyz,hzz,status\n");
  PointQueryCount count;
  Rows rows;
  for (;;) {
    rows.read(file, folder, config, made);
    if (rows.points.empty()) break;
    rows.answer(jobs);
    for (std::size_t i = 0; i < rows.points.size(); ++i) output.write(rows.line(i));
    count.rows += rows.points.size();
    count.unanswered +=
        static_cast<std::size_t>(std::count_if(rows.answers.begin(), rows.answers.end(), [](const auto& d) {
          return d.status == Status::kInvalidInput || d.status == Status::kNotConverged;
        }));
  }
  output.finish();
  return count;
}

}  // namespace abut::cli
