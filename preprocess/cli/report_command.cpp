#include "preprocess/cli/report_command.h"

#include <fmt/format.h>

#include <memory>

#include "datasets/listing.h"
#include "preprocess/export/export_set.h"
#include "preprocess/report/report.h"
#include "runtime/cli/say.h"
#include "runtime/core/counted.h"

namespace abut::preprocess {
namespace {

struct ReportArguments {
  std::filesystem::path source, out;
};

int report(const ReportArguments& arguments) {
  const std::vector<std::filesystem::path> assets = assets_of(arguments.source);
  const bool is_set = std::filesystem::is_directory(arguments.source);
  const std::filesystem::path folder =
      is_set ? arguments.source : (std::filesystem::path(".") / arguments.source).parent_path();
  const std::filesystem::path out = arguments.out.empty() ? folder / "report" : arguments.out;
  const std::string title = datasets::folder_name(folder);
  std::size_t failed = 0;
  const auto print = [&](const ReportedObject& object) {
    if (object.failure.empty()) {
      cli::say("  {}\n", object.page.string());
    } else {
      ++failed;
      cli::say_error("abut-preprocess", object.failure);
    }
  };
  const std::vector<ReportedObject> objects =
      write_report(assets, title.empty() ? "assets" : title, is_set, out, print);
  if (is_set)
    cli::say("{}: the table of {}; open it in a browser\n", (out / "index.html").string(),
             counted(objects.size(), "object"));
  return failed == 0 ? kAllFine : kSomeFailed;
}

}  // namespace

void add_report_command(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand(
      "report", "Write web pages of assets: a table, and each object to turn, cut open and press on another");
  sub->footer(
      "Exit codes: 0 every asset has its page; 1 some asset could not be read, and its row says so;\n"
      "            2 bad arguments or no asset there, or output that cannot be written.");
  const auto arguments = std::make_shared<ReportArguments>();
  sub->add_option("SOURCE", arguments->source, "Folder of assets, or one asset")
      ->required()
      ->type_name("PATH");
  sub->add_option("--out", arguments->out,
                  "Folder for the pages, made where missing; default: report beside the assets")
      ->type_name("FOLDER");
  sub->callback([&action, arguments] { action = [arguments] { return report(*arguments); }; });
}

}  // namespace abut::preprocess
