#pragma once

#include <string>

// Addresses of archives, which may have a user's name and password (https://user:word@host/) or a token in
// the query (?sig=...): what is printed and kept with a set has neither. Read as libcurl reads them.
namespace abut::datasets {

// The address without user, password, query and fragment.
std::string shown_address(const std::string& address);

// SHA-256 of the address where it has a query, by which records know it; else empty. User and password do not
// count, as a digest of a short secret can be guessed.
std::string query_digest(const std::string& address);

// Whether it is of TLS, in letters of either case.
bool is_https(const std::string& address);

}  // namespace abut::datasets
