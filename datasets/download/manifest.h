#pragma once

#include <map>
#include <string>
#include <vector>

// Object sets that can be downloaded: what datasets/manifests/*.json say of them.
namespace abut::datasets {

// One of the forms in which an object is offered.
struct Variant {
  std::string name;
  std::string address;  // of its archive, with {object} for the object's name
};

struct Manifest {
  std::string name, title, licence, homepage, cite;
  std::string object_list;            // address of a JSON list of the objects; {page}: from 1 on; empty: none
  bool archives_hold_folder = false;  // of the object; else their content belongs into one
  std::vector<Variant> variants;      // the first is the default
  std::map<std::string, std::string> sha256;  // of archives whose digest is known, by "object/variant"
};

// The sets that are built in, by name.
const std::vector<Manifest>& manifests();

// A set's manifest from JSON; `file` for messages. Throws InvalidInput where something is missing or of the
// wrong kind.
Manifest manifest_from_json(const std::string& text, const std::string& file);

// The set of that name. Throws InvalidInput.
const Manifest& find_manifest(const std::string& name);

// The variant of that name, the default for an empty one. Throws InvalidInput.
const Variant& find_variant(const Manifest& manifest, const std::string& name);

// Where the object's archive is: the name stands in it as an address has it (%20).
std::string archive_address(const Variant& variant, const std::string& object);

// Names of a page of the object list: ["a", ...], {"objects": ["a", ...]} or [{"name": "a"}, ...]. Throws
// InvalidInput, naming `address`, for anything else and for a name that is no file name.
std::vector<std::string> object_names(const std::string& json, const std::string& address);

// Throws InvalidInput for a name that cannot be a folder's: with a slash, hidden, with control characters,
// longer than kLongestName.
void require_object_name(const std::string& name, const std::string& source);

}  // namespace abut::datasets
