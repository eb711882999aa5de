#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// Marks a file as a page of this tool; near its beginning.
inline constexpr const char* kPageMark = "<meta name=\"generator\" content=\"abut-report\">";

// A complete page; the script's function `start` fills it from `data`.
std::string page(const std::string& title, const nlohmann::json& data, const std::string& start);

// The text on an asset's page: tables of facts, warnings, and cautions for its user.
nlohmann::json facts_data(const asset::Asset& asset);

// An asset's row in the table of a dataset, with a picture of `pixels` x `pixels`; the row of an object that
// failed; and the table's columns.
nlohmann::json row_data(const asset::Asset& asset, const std::string& link, int pixels);
nlohmann::json failed_row(const std::string& name, const std::string& why);
nlohmann::json columns_data();

}  // namespace abut::preprocess
