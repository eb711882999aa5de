#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/asset/asset.h"

namespace abut::preprocess {

// By which a page is known as one, near its beginning.
inline constexpr const char* kPageMark = "<meta name=\"generator\" content=\"abut-report\">";

// A whole page: `start` is the script's function that fills it from `data`.
std::string page(const std::string& title, const nlohmann::json& data, const std::string& start);

// What the page of an asset says beside its pictures: tables of facts, warnings, what its user must know.
nlohmann::json facts_data(const asset::Asset& asset);

// The row of an asset in the table of a dataset, with a picture of `pixels` x `pixels`; and the table's
// columns.
nlohmann::json row_data(const asset::Asset& asset, const std::string& link, int pixels);
nlohmann::json failed_row(const std::string& name, const std::string& why);
nlohmann::json columns_data();

}  // namespace abut::preprocess
