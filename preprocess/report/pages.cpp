#include "preprocess/report/pages.h"

#include <fmt/format.h>

#include <Eigen/Core>

#include "datasets/record.h"
#include "preprocess/cli/figures.h"
#include "preprocess/cli/summary.h"
#include "preprocess/draw/picture.h"
#include "preprocess/report/page_data.h"
#include "preprocess/report/page_text.h"
#include "runtime/dynamics/step/page_text.h"

namespace abut::preprocess {
namespace {

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&' || c == '<' || c == '>')
      safe += c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;";
    else
      safe += c;
  }
  return safe;
}

// JSON that can be embedded in a script element: without "</" and "<!".
std::string script_text(const nlohmann::json& data) {
  const std::string text = data.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

nlohmann::json scale_data() {
  constexpr int kColors = 33;
  nlohmann::json colors = nlohmann::json::array();
  for (int k = 0; k < kColors; ++k) {
    const Color c = scale_color(static_cast<double>(k) / (kColors - 1));
    colors.push_back({c.x(), c.y(), c.z()});
  }
  return colors;
}

Eigen::Vector3d size_of(const asset::Asset& asset) {
  if (asset.surfaces.empty()) return Eigen::Vector3d::Zero();
  const std::vector<double>& v = asset.surfaces[0].vertices;
  const Eigen::Map<const Eigen::Matrix3Xd> points(v.data(), 3, static_cast<Eigen::Index>(v.size() / 3));
  return points.rowwise().maxCoeff() - points.rowwise().minCoeff();
}

nlohmann::json measure(const asset::Asset& asset, const char* key) {
  const auto found = asset.provenance.measures.find(key);
  return found == asset.provenance.measures.end() ? nlohmann::json(nullptr) : nlohmann::json(found->second);
}

nlohmann::json count_or_null(std::size_t count) {
  return count == 0 ? nlohmann::json(nullptr) : nlohmann::json(count);
}

// A column of the table; its value is null if the asset has none.
struct Column {
  enum class Kind { kNumber, kText, kNote };  // a note: a caution, or why an object failed
  const char *name, *unit;
  Kind kind;
  nlohmann::json (*value)(const asset::Asset&);
};

constexpr double kMillimetres = 1e3, kCubicCentimetres = 1e6;

const Column kColumns[] = {
    {"longest", "mm", Column::Kind::kNumber,
     [](const asset::Asset& a) { return nlohmann::json(kMillimetres * size_of(a).maxCoeff()); }},
    {"volume", "cm\u00b3", Column::Kind::kNumber,
     [](const asset::Asset& a) { return nlohmann::json(kCubicCentimetres * a.mass.volume); }},
    {"surface", "triangles", Column::Kind::kNumber,
     [](const asset::Asset& a) {
       return count_or_null(a.surfaces.empty() ? 0 : a.surfaces[0].triangles.size() / 3);
     }},
    {"off the input", "% of diagonal", Column::Kind::kNumber,
     [](const asset::Asset& a) { return measure(a, "hausdorff_to_input_percent"); }},
    {"hull", "vertices", Column::Kind::kNumber,
     [](const asset::Asset& a) {
       return count_or_null(a.convex.empty() ? 0 : a.convex[0].vertices.size() / 3);
     }},
    {"pieces", "convex", Column::Kind::kNumber,
     [](const asset::Asset& a) { return count_or_null(a.convex.size() - !a.convex.empty()); }},
    {"inside", "tetrahedra", Column::Kind::kNumber,
     [](const asset::Asset& a) {
       return count_or_null(a.volumes.empty() ? 0 : a.volumes[0].tetrahedra.size() / 4);
     }},
    {"least angle", "degrees", Column::Kind::kNumber,
     [](const asset::Asset& a) { return measure(a, "volume0_min_dihedral_degrees"); }},
    {"points", "quads", Column::Kind::kNumber,
     [](const asset::Asset& a) { return count_or_null(a.points.empty() ? 0 : a.points[0].areas.size()); }},
    {"licence", "", Column::Kind::kText,
     [](const asset::Asset& a) {
       const std::string licence = datasets::licence_of(a.provenance.source_file);
       return licence.empty() ? nlohmann::json(nullptr) : nlohmann::json(licence);
     }},
    {"warnings", "", Column::Kind::kNumber,
     [](const asset::Asset& a) { return nlohmann::json(a.provenance.warnings.size()); }},
    {"take care", "", Column::Kind::kNote,
     [](const asset::Asset& a) { return nlohmann::json(caution(a.provenance.measures)); }},
};

template <class Entries>
nlohmann::json rows_of(const Entries& entries) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [key, value] : entries) rows.push_back({key, value});
  return rows;
}

}  // namespace

std::string page(const std::string& title, const nlohmann::json& data, const std::string& start) {
  nlohmann::json all = data;
  all["scale"] = scale_data();
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n{}\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{}</title>\n<style>\n{}</style></head><body>\n<script>\nconst DATA = "
      "{};\n{}\n{}\n{}();\n</script>\n"
      "</body></html>\n",
      kPageMark, escaped(title), kPageStyle, script_text(all), dynamics::kViewScript, kPageScript, start);
}

nlohmann::json facts_data(const asset::Asset& asset) {
  const Eigen::Vector3d size = size_of(asset);
  const Figures length = length_figures(size.norm()), volume = volume_figures(asset.mass.volume),
                area = area_figures(asset.mass.area);
  const double* c = asset.mass.center_of_mass;
  const nlohmann::json shape{{"size", fmt::format("{} \u00d7 {} \u00d7 {} {}", length(size.x()),
                                                  length(size.y()), length(size.z()), length.unit)},
                             {"volume", fmt::format("{} {}", volume(asset.mass.volume), volume.unit)},
                             {"area", fmt::format("{} {}", area(asset.mass.area), area.unit)},
                             {"centre of mass", fmt::format("{}, {}, {} {}", length(c[0]), length(c[1]),
                                                            length(c[2]), length.unit)}};
  nlohmann::json shape_rows = nlohmann::json::array();
  for (const char* key : {"size", "volume", "area", "centre of mass"})
    shape_rows.push_back({key, shape[key]});
  const asset::Provenance& provenance = asset.provenance;
  std::vector<std::pair<std::string, std::string>> source{{"file", provenance.source_file},
                                                          {"digest", provenance.source_digest}};
  if (const std::string licence = datasets::licence_of(provenance.source_file); !licence.empty())
    source.emplace_back("licence", licence);
  const std::string care = caution(provenance.measures);
  return {
      {"name", asset.name},
      {"warnings", provenance.warnings},
      {"cautions", care.empty() ? nlohmann::json::array() : nlohmann::json::array({care})},
      {"facts", nlohmann::json::array({nlohmann::json::array({"Shape", shape_rows}),
                                       nlohmann::json::array({"Source", rows_of(source)})})},
      {"more", nlohmann::json::array(
                   {nlohmann::json::array({"Measures", rows_of(provenance.measures)}),
                    nlohmann::json::array({"Parameters", rows_of(provenance.parameters)}),
                    nlohmann::json::array({"Versions", rows_of(provenance.versions)}),
                    nlohmann::json::array({"Seconds of each stage", rows_of(provenance.stage_seconds)})})}};
}

nlohmann::json row_data(const asset::Asset& asset, const std::string& link, int pixels) {
  const std::string png = png_bytes(thumbnail(asset::view(asset), pixels));
  nlohmann::json cells{"data:image/png;base64," + base64(std::as_bytes(std::span(png))), asset.name};
  for (const Column& column : kColumns) cells.push_back(column.value(asset));
  return {{"link", link}, {"failed", false}, {"cells", cells}};
}

nlohmann::json failed_row(const std::string& name, const std::string& why) {
  nlohmann::json cells{nullptr, name};
  for (const Column& column : kColumns)
    cells.push_back(column.kind == Column::Kind::kNote ? nlohmann::json(why) : nlohmann::json(nullptr));
  return {{"link", nullptr}, {"failed", true}, {"cells", cells}};
}

nlohmann::json columns_data() {
  nlohmann::json columns{{{"picture", true}}, {{"name", "object"}, {"text", true}}};
  for (const Column& column : kColumns)
    columns.push_back({{"name", column.name},
                       {"unit", column.unit},
                       {"text", column.kind != Column::Kind::kNumber},
                       {"note", column.kind == Column::Kind::kNote}});
  return columns;
}

}  // namespace abut::preprocess
