#pragma once

#include <map>
#include <string>
#include <vector>

// Descriptions of object sets that can be downloaded, from datasets/manifests/*.json.
namespace abut::datasets {

// One of the forms in which an object is available.
struct Variant {
  std::string name;
  std::string address;  // of its archive; {object} stands for the object's name
};

struct Manifest {
  std::string name, title, licence, homepage, cite;
  std::string object_list;            // address of a JSON list of the objects; {page}: 1, 2, ...; empty: none
  bool archives_hold_folder = false;  // archives contain the object's folder; else only its contents
  std::vector<Variant> variants;      // the first is the default
  std::map<std::string, std::string> sha256;  // of archives with a known digest, by "object/variant"
};

// The built-in sets, by name.
const std::vector<Manifest>& manifests();

// Parses a set's manifest from JSON; `file` is used in messages. Throws InvalidInput if something is missing
// or has the wrong type.
Manifest manifest_from_json(const std::string& text, const std::string& file);

// The built-in set of that name. Throws InvalidInput if there is none.
const Manifest& find_manifest(const std::string& name);

// The variant of that name; an empty name gives the default. Throws InvalidInput if there is none.
const Variant& find_variant(const Manifest& manifest, const std::string& name);

// The address of the object's archive, with the name percent-encoded (%20).
std::string archive_address(const Variant& variant, const std::string& object);

// Names in a page of the object list: ["a", ...], {"objects": ["a", ...]} or [{"name": "a"}, ...]. Throws
// InvalidInput, naming `address`, for anything else and for a name that is not valid as a file name.
std::vector<std::string> object_names(const std::string& json, const std::string& address);

// Throws InvalidInput for a name that is not valid as a folder's: with a slash, hidden, with control
// characters, or longer than kLongestName.
void require_object_name(const std::string& name, const std::string& source);

}  // namespace abut::datasets
